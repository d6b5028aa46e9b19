"""XMap against the obvious version: a dict copied at every update."""

from __future__ import annotations

import pickle
import random
from decimal import Decimal
from threading import Thread

import pytest
from xylem.errors import DynamicError
from xylem.values.map import SHARED_FROM, XMap, record_places


def test_last_of_equal_keys_wins_and_order_is_kept() -> None:
    m = XMap.of([("b", (1,)), ("a", (2,)), ("b", (3,))])
    assert list(m.items()) == [("b", (3,)), ("a", (2,))]
    assert m.get("a") == (2,)
    assert m.get("c") is None
    assert m.contains("b")


def test_keys_of_different_types_differ_unless_the_same_number() -> None:
    m = XMap.of([(1, ("integer",)), ("1", ("string",)), (True, ("boolean",))])
    assert len(m) == 3
    assert m.get(1.0) == ("integer",)
    nan = XMap.of([(float("nan"), (1,)), (float("nan"), (2,))])
    assert len(nan) == 1


def test_constructor_refuses_equal_keys() -> None:
    with pytest.raises(DynamicError) as caught:
        XMap.constructed([(1, ()), (1.0, ())])
    assert caught.value.code == "XQDY0137"


def test_put_replaces_the_key_too() -> None:
    m = XMap.of([(1, ("a",))]).put(1.0, ("b",))
    assert [type(k) for k in m] == [float]


@pytest.mark.parametrize("start", [0, SHARED_FROM - 2, SHARED_FROM + 5, 300])
def test_versions_never_disturb_each_other(start: int) -> None:
    choice = random.Random(start)
    versions = [(XMap.of((i, (i,)) for i in range(start)), {i: (i,) for i in range(start)})]
    for step in range(600):
        base, expected = choice.choice(versions)
        key = choice.randrange(start + 20)
        if choice.random() < 0.6:
            made = base.put(key, (step,)), {**expected, key: (step,)}
        else:
            keys = [key, key + 1][: choice.randrange(3)]
            made = base.remove(keys), {k: v for k, v in expected.items() if k not in keys}
        versions.append(made)
        seen, wanted = choice.choice(versions)
        assert dict(seen.items()) == wanted
        assert len(seen) == len(wanted)
        assert seen.get(key) == wanted.get(key)
    for seen, wanted in versions:
        assert dict(seen.items()) == wanted


def test_a_map_is_read_while_it_is_updated() -> None:
    m = XMap.of((i, (i,)) for i in range(SHARED_FROM * 2)).put(0, (0,))
    read = []
    for key in m:
        m.put(key, ("changed",)).put(-key, ())
        read.append(m.get(key))
    assert read == [(i,) for i in range(SHARED_FROM * 2)]


def test_a_loop_of_puts_keeps_order() -> None:
    m = XMap()
    for i in range(500):
        m = m.put(i * 7 % 500, (i,))
    assert list(m.keys()) == [i * 7 % 500 for i in range(500)]


def test_pickles() -> None:
    m = XMap.of((i, (i,)) for i in range(100)).put("x", ())
    assert list(pickle.loads(pickle.dumps(m)).items()) == list(m.items())


def test_versions_are_read_by_several_threads() -> None:
    base = XMap.of((i, (i,)) for i in range(SHARED_FROM * 4))
    versions = [base]
    for i in range(50):
        versions.append(versions[-1].put(i, (-i,)))
    wrong: list[int] = []

    def read(seed: int) -> None:
        choice = random.Random(seed)
        for _ in range(2000):
            number = choice.randrange(len(versions))
            key = choice.randrange(50)
            expected = -key if key < number else key
            if versions[number].get(key) != (expected,):
                wrong.append(key)

    threads = [Thread(target=read, args=(seed,)) for seed in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


PLACES = {"a": 0, "b": 1, "c": 2}


def test_a_record_is_the_map_of_its_names() -> None:
    def record() -> XMap:
        return XMap.record(PLACES, (1, "x", 3))

    same = XMap.of([("a", (1,)), ("b", ("x",)), ("c", (3,))])
    assert list(record().items()) == list(same.items())
    assert (len(record()), list(record()), list(record().values())) == (3, ["a", "b", "c"], [(1,), ("x",), (3,)])
    assert (record().get("b"), record().get("z"), record().get(1)) == (("x",), None, None)
    assert (record().contains("c"), record().contains(True)) == (True, False)
    assert list(record().put("b", (9, 9)).items()) == list(same.put("b", (9, 9)).items())
    assert list(record().put("z", ()).items()) == list(same.put("z", ()).items())
    assert list(record().remove(["a"]).items()) == list(same.remove(["a"]).items())
    assert list(pickle.loads(pickle.dumps(record())).items()) == list(same.items())
    seen = record()
    assert (len(seen), seen.get("a"), seen.put("a", (2,)).get("a"), seen.get("a")) == (3, (1,), (2,), (1,))


def test_a_large_record_shares_its_entries_like_any_other() -> None:
    names = {f"n{number}": number for number in range(SHARED_FROM + 10)}
    first = XMap.record(names, tuple(names.values()))
    versions = [first]
    for number in range(50):
        versions.append(versions[-1].put(f"n{number}", (-1,)))
    assert [sum(value == (-1,) for value in version.values()) for version in versions] == list(range(51))
    assert first.get("n3") == (3,)


@pytest.mark.parametrize("size", [3, SHARED_FROM + 5])
def test_put_in_place_changes_the_map_itself(size: int) -> None:
    m = XMap.of((key, (key,)) for key in range(size))
    assert m.put_in_place(1, ("new",)) is m
    assert m.put_in_place("more", ("new",)) is m
    assert m.get(1) == ("new",)
    assert list(m)[-1] == "more"


@pytest.mark.parametrize("size", [3, SHARED_FROM + 5])
def test_put_in_place_leaves_readers_what_they_read(size: int) -> None:
    m = XMap.of((key, (key,)) for key in range(size))
    keys = m.keys()
    next(keys)
    changed = m.put_in_place("more", ())
    assert changed is not m
    assert list(keys) == list(range(1, size))
    assert len(changed) == size + 1


OF_A_AND_B = record_places(("a", "b"))


def _plain(of: XMap) -> list[tuple[object, list[object]]]:
    """The entries, records with theirs."""
    return [(key, [list(one.items()) if type(one) is XMap else one for one in value]) for key, value in of.items()]


@pytest.mark.parametrize("seed", range(40))
def test_a_table_of_records_is_a_map_like_any_other(seed: int) -> None:
    choose = random.Random(seed)
    table, plain = XMap.table(OF_A_AND_B, {}), XMap()
    kept: list[tuple[XMap, XMap]] = []
    for step in range(60):
        key: object = choose.choice([1, 2, 3, "1", "k", 4.0, True, Decimal(2)][: 5 if seed % 2 else 8])
        items = (step, choose.random())
        places = OF_A_AND_B if choose.random() < 0.9 else record_places(("b", "a"))
        record = XMap.record(places, items)
        what = choose.choice(["row", "row", "row", "put", "in place", "remove", "keep", "read"])
        if what == "row":
            table, plain = table.put_row(places, key, items), plain.put(key, (record,))
        elif what == "in place" and not kept:
            table, plain = table.put_in_place(key, (record,)), plain.put(key, (record,))
        elif what == "put":
            kept.append((table, plain))
            table, plain = table.put(key, (step,)), plain.put(key, (step,))
        elif what == "remove" and seed % 3 == 0:
            kept.append((table, plain))
            table, plain = table.remove([key]), plain.remove([key])
        elif what == "read":
            assert table.contains(key) == plain.contains(key)
            assert _plain(XMap.of([(0, table.get(key) or ())])) == _plain(XMap.of([(0, plain.get(key) or ())]))
            assert len(table) == len(plain)
        if what in ("put", "remove"):
            assert all(_plain(one) == _plain(other) for one, other in kept)
            # A version that somebody has is never changed in place.
            kept.clear()
        assert _plain(table) == _plain(plain)
    assert _plain(XMap.of(list(table.items())).as_table()) == _plain(plain)


def test_a_loop_over_a_table_sees_it_as_it_was() -> None:
    table = XMap.table(OF_A_AND_B, {1: (1, 2), 2: (3, 4)})
    keys = table.keys()
    assert next(keys) == 1
    changed = table.put_row(OF_A_AND_B, 3, (5, 6))
    assert list(keys) == [2]
    assert list(changed) == [1, 2, 3]
