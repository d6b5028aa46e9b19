"""Values as bytes: what is read is what was written, and bytes that were not written are refused and run nothing."""

from __future__ import annotations

import datetime as dt
import os
import pickle
import random
import tracemalloc
from array import array
from collections import Counter, OrderedDict, defaultdict, deque
from decimal import Decimal
from fractions import Fraction
from typing import Any
from uuid import UUID

import pytest
import xylem
from hypothesis import given, settings
from hypothesis import strategies as st
from xylem.sink import SerializationParameters, serialize
from xylem.values.saved_state import give_state, layout, saved, state_of
from xylem.values.state_codec import CannotSave, DamagedState, Record
from xylem.values.state_values import decoded, encoded
from xylem.values.strings import UntypedAtomic

ATOMS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False),
    st.text(st.characters(), max_size=300),
    st.binary(max_size=300),
    st.decimals(allow_nan=False),
    st.dates(),
    st.datetimes(),
    st.timedeltas(),
    st.text(max_size=5).map(UntypedAtomic),
)
HASHABLE = st.recursive(ATOMS, lambda inner: st.tuples(inner, inner) | st.frozensets(inner, max_size=4), max_leaves=6)
VALUES = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=20),
        st.tuples(inner, inner),
        st.dictionaries(HASHABLE, inner, max_size=6),
        st.sets(HASHABLE, max_size=6),
        st.lists(inner, max_size=6).map(deque),
    ),
    max_leaves=30,
)
ITEMS = """
    1, -1, 2.50, 1e300, xs:float('NaN'), xs:double('-0'), 'a', true(), xs:untypedAtomic('u'), xs:anyURI('urn:x'),
    xs:date('2024-02-29Z'), xs:dateTime('-0001-01-01T00:00:00.001+05:30'), xs:time('12:00:00'), xs:gYear('2000'),
    xs:gYearMonth('2000-02'), xs:gMonthDay('--02-29'), xs:gDay('---31'), xs:gMonth('--12'), xs:QName('xs:a'),
    xs:dateTimeStamp('2024-01-01T00:00:00Z'), xs:duration('P1Y2M3DT4H'), xs:yearMonthDuration('-P1Y'),
    xs:dayTimeDuration('PT0.5S'), xs:hexBinary('ff00'), xs:base64Binary('AAAA'), xs:unsignedByte(3), xs:long(-5),
    xs:token('t'), xs:NCName('n'), map { 1: (2, 'x'), 'k': [1, (2, 3), ()], xs:date('2024-01-01'): map { } }, [ ]
"""


def exact(value: Any) -> Any:
    """A value with the types of all that is in it."""
    if isinstance(value, (list, tuple, deque)):
        return type(value), [exact(one) for one in value]
    if isinstance(value, dict):
        return type(value), [(exact(key), exact(one)) for key, one in value.items()]
    if isinstance(value, (set, frozenset)):
        return type(value), sorted(map(repr, map(exact, value)))
    return type(value), str(value) if isinstance(value, (float, Decimal)) else value


@settings(max_examples=300, deadline=None)
@given(VALUES)
def test_any_plain_value(value: Any) -> None:
    assert exact(decoded(encoded(value))) == exact(value)


@pytest.mark.parametrize(
    "value",
    [
        *(float("inf"), float("-inf"), -0.0, Decimal("sNaN"), Decimal("-0.00"), 1 << 5000, -(1 << 64), "\ud800"),
        *([0] * 1000, list(range(300)), [1 << 63] * 9, [0.5] * 9, ["a", "", "é𝄞"] * 9, [b"", b"ab"] * 9),
        *([UntypedAtomic("a"), UntypedAtomic("")] * 9, [dt.date(2024, 1, 1)] * 9, [True] * 9, [1, True] * 9),
        *(deque([1, 2], 2), range(1, 9, 2), bytearray(b"x"), 1j, Fraction(1, 3), array("d", [1.0]), UUID(int=5)),
        *(Counter("aab"), OrderedDict(b=1, a=2), defaultdict(list, {1: [2]}), int, {int, float}, type(None)),
        *(dt.time(1, 2, 3, 4, dt.UTC), dt.datetime(2024, 1, 1, fold=1, tzinfo=dt.timezone(dt.timedelta(hours=1)))),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_other_values(value: Any) -> None:
    found = decoded(encoded(value))
    assert (type(found), repr(found)) == (type(value), repr(value))
    assert getattr(found, "default_factory", None) is getattr(value, "default_factory", None)


def test_a_number_that_is_none() -> None:
    assert repr(decoded(encoded([float("nan"), Decimal("NaN")]))) == "[nan, Decimal('NaN')]"


def test_items() -> None:
    items = xylem.compile(ITEMS).run().xdm
    found = decoded(encoded(items))
    adaptive = SerializationParameters(method="adaptive")
    assert serialize(found, adaptive) == serialize(items, adaptive)
    assert list(map(type, found)) == list(map(type, items))


def test_what_has_no_bytes() -> None:
    deep: list[Any] = []
    for _ in range(5_000):
        deep = [deep]
    for value in (lambda: 1, object(), deep, [open], os.system, ValueError, type("Own", (), {})):
        with pytest.raises(CannotSave):
            encoded(value)


def test_bytes_that_nobody_wrote() -> None:
    chance = random.Random(5)
    whole = encoded([*xylem.compile(ITEMS).run().xdm, {1: [2.5] * 20, "k": ["a", "b"] * 9}, {3}, deque([None])])
    outcomes = set()
    for _ in range(4_000):
        changed = bytearray(whole)
        for _ in range(chance.choice((1, 1, 2, 8))):
            changed[chance.randrange(len(changed))] = chance.randrange(256)
        outcomes.add(read(bytes(changed[: chance.choice((len(changed), chance.randrange(len(changed))))])))
    for _ in range(4_000):
        outcomes.add(read(chance.randbytes(chance.randrange(40))))
    assert outcomes == {"damaged", "read"}


def read(data: bytes) -> str:
    try:
        decoded(data)
    except DamagedState:
        return "damaged"
    return "read"


@pytest.mark.parametrize(
    "data",
    [
        *(b"", b"l", b"l\xff", b"l\xff" + b"\xff" * 8, b"s\x05ab", b"I\x08" + bytes(8), b"N" * 2, b"?", b"m\x01l\x00N"),
        *(b"l\x01" * 100_000, b"v\x02os" + b"t\x00", b"o\x04listt\x00N", b"r\x01\x00", b"m\x02i\x01\x01Ni\x01\x01N"),
        *(b"v\x05class" + b"t\x01s\x09os.system", b"v\x09bytearray" + b"t\x01i\x07" + b"\x7f" * 7, b"D\x03abc"),
        *(b"s\x01\xff", b"U\x01ai\x01\x05", b"U\x02abl\x02i\x01\xffi\x01\x03"),
    ],
    ids=lambda data: repr(data[:20]),
)
def test_crafted_bytes(data: bytes) -> None:
    with pytest.raises(DamagedState):
        decoded(data)


class Crafted:
    def __reduce__(self) -> Any:
        return os.mkdir, ("crafted",)


def test_a_pickle_runs_nothing(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        with pytest.raises(DamagedState):
            decoded(pickle.dumps(Crafted(), protocol))
    assert not list(tmp_path.iterdir())


# --- objects, and what classes declare


class Link:
    def __init__(self) -> None:
        self.other: Any = None


def test_objects_that_refer_to_each_other() -> None:
    first, second = Link(), Link()
    first.other, second.other = second, first

    def record(value: Any) -> Record | None:
        return Record("link", (), value.other, is_object=True) if type(value) is Link else None

    def fill(made: Link, other: Any) -> None:
        made.other = other

    found = decoded(encoded([first, second, first], record), {"link": Link}, fill)
    assert found[0] is found[2] is found[1].other
    assert found[0].other is found[1]


@saved("test-part", 1, fields=("total",))
class Part:
    def __init__(self) -> None:
        self.total = 0


@saved("test-whole", 3, fields=("position", "items"), parts=("one", "several", "none"), afterwards="count")
class Whole:
    def __init__(self, function: Any) -> None:
        self.function = function
        self.position = 0
        self.items: list[int] = []
        self.one = Part()
        self.several = (Part(), Part())
        self.none = None
        self.size = 0

    def count(self) -> None:
        self.size = len(self.items)


def test_declared_state() -> None:
    used, fresh = Whole(min), Whole(max)
    used.position, used.items, used.one.total, used.several[1].total = 4, [1, 2], 7, 8
    assert layout(fresh) == layout(used) == "test-whole.3(test-part.1 [test-part.1 test-part.1] -)"
    give_state(fresh, decoded(encoded(state_of(used))))
    assert (fresh.position, fresh.items, fresh.one.total, fresh.several[1].total, fresh.size) == (4, [1, 2], 7, 8, 2)
    assert fresh.function is max
    with pytest.raises(CannotSave):
        layout(object())


def test_memory_while_a_large_state_is_written() -> None:
    table = {number: (number, number + 0.5, number % 3 == 0) for number in range(20_000)}
    tracemalloc.start()
    try:
        data = encoded(table)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < 5 * len(data)
