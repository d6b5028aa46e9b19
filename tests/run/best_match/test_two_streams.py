"""Two streams in the order of a value: the sweep gives what the definitions give, keeps windows, and waits for nothing
more.
"""

from __future__ import annotations

import math
import os
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import count, islice
from pathlib import Path
from tempfile import gettempdir
from typing import Any

import pytest
import xylem
from xylem.errors import XylemError
from xylem.functions.late_items import LateItems
from xylem.run.best_match.sweep import SweptSide
from xylem.values.paged_tree import TreePages

from .oracle import Case, Item, Order, band_conditions, distance, document_of, pairs_of, query_of, random_case

SEEDS = range(20_000 if os.environ.get("XYLEM_CAMPAIGN") else 160)


def ordered_case(seed: int, slack: float, sign: int = 1) -> Case:
    """A join with a window, over items that are out of order by no more than the slack."""
    case = random_case(seed)
    chance = random.Random(f"order {seed}")

    def arranged(items: list[Item]) -> list[Item]:
        known = [item for item in items if item["x"] is not None and math.isfinite(item["x"])]
        known.sort(key=lambda item: sign * item["x"] + chance.random() * slack)  # type: ignore[operator]
        for odd in (item for item in items if item not in known):
            known.insert(chance.randint(0, len(known)), odd)
        return known

    limit = chance.choice((0, 0.5, 1, 2.5))
    window: list[Order] = [distance("x", "min", limit)]
    conditions = case.conditions
    if chance.random() < 0.4:
        # The same by conditions before the join: as-of.
        window = []
        bounds = (0.0, limit) if chance.random() < 0.5 else (-limit, 1.0)
        conditions = [*conditions, *band_conditions(*bounds, chance)]
    return replace(
        case,
        left=arranged(case.left),
        right=arranged(case.right),
        orders=[*window, *case.orders[: chance.randint(0 if window else 1, 2)]],
        conditions=conditions,
        kind=chance.choice(("left", "right", "full")),
        left_is_first=chance.random() < 0.6,
    )


def joined(case: Case, prolog: str = "", **options: Any) -> list[Any]:
    document = document_of(case).encode()
    streams: dict[str, Iterator[Any]] = {
        name: xylem.items(document, f"/d/{side}") for name, side in (("a", "r"), ("b", "s"))
    }
    if len(document) % 2:
        # Each by itself, and not as many as came together.
        streams = {name: (item for item in items) for name, items in streams.items()}
    prolog = 'declare option xylem:event-time "@x"; ' + prolog
    query = xylem.compile(prolog + query_of(case, 'stream("a")', 'stream("b")'), **options)
    # Of every third, no two trees are in memory at once.
    paged = {"spill": gettempdir(), "window_bytes": 1} if len(document) % 3 == 0 else {}
    return list(query.run(streams=streams, **paged))


def told(case: Case) -> list[str]:
    return [f"{i} {j}" for i, j in pairs_of(case)]


def check(case: Case, prolog: str = "") -> None:
    """A join gives its pairs; one of infinite values that no window can hold is an error."""
    infinite = [{item["x"] for item in side if abs(item["x"] or 0) == math.inf} for side in (case.left, case.right)]
    try:
        found = joined(case, prolog)
    except XylemError as error:
        if not infinite[0] & infinite[1] or "both sides have" not in str(error):
            raise
    else:
        assert found == told(case)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.share(2)
def test_streams_give_what_the_definitions_give(seed: int) -> None:
    match seed % 5:
        case 0 | 1:
            case = ordered_case(seed, 0)
            check(case)
        case 2:
            case = ordered_case(seed, 4)
            check(case, 'declare option xylem:watermark "4"; ')
        case 3:
            case = ordered_case(seed, 0, -1)
            check(case, 'declare option xylem:direction "descending"; ')
        case 4:
            # However far they are out of order: more are read ahead than there are.
            case = ordered_case(seed, 50)
            check(case, 'declare option xylem:read-ahead "20"; ')


LEFT = "for $r in stream('a') for $s in stream('b') where $r left outer bestmatch join $s on (abs($r - $s)) min 2"
PAIR = "return $r || ':' || $s"


def pulled(numbers: Iterator[int] | list[int], log: list[str], name: str) -> Iterator[int]:
    for number in numbers:
        log.append(f"{name}{number}")
        yield number


def test_results_come_when_nothing_better_can() -> None:
    log: list[str] = []
    streams = {"a": pulled(count(0, 10), log, "a"), "b": pulled(count(1, 5), log, "b")}
    result = iter(xylem.compile(f"{LEFT} {PAIR}").run(streams=streams))
    assert next(result) == "0:1"
    # 6 says that nothing within 2 of 0 comes any more.
    assert log == ["a0", "b1", "b6"]
    assert next(result) == "10:11"
    assert log[3:] == ["a10", "b11", "b16"]


@pytest.mark.parametrize(
    ("direction", "values", "told"),
    [
        ("ascending", ("16999.5e0", "16998.25e0"), "has 16998.25 after all values below 16999.5 were"),
        ("descending", (3, 5), "has 5 after all values above 3 were"),
        (
            "ascending",
            ("xs:dateTime('2024-01-01T10:00:00')", "xs:dateTime('2023-12-31T10:00:00.5')"),
            "has 2023-12-31T10:00:00.500000 after all values below 2024-01-01T10:00:00 were",
        ),
    ],
)
def test_what_is_late_is_told_as_the_query_has_it(direction: str, values: tuple[Any, Any], told: str) -> None:
    given = [value for text in values for value in xylem.compile(str(text)).run().xdm]
    limit = "(xs:dayTimeDuration('PT1S'))" if "T" in str(values[0]) else "1"
    query = xylem.compile(
        f"declare option xylem:direction '{direction}'; for $r in stream('a') for $s in stream('b') "
        f"where $r left outer bestmatch join $s on ($r, $s) minAttrDist {limit} return 1"
    )
    with pytest.raises(XylemError) as caught:
        list(query.run(streams={"a": iter(given), "b": iter(())}))
    assert caught.value.code == "XYDY0012"
    assert told in str(caught.value)


def test_windows_alone_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []
    original = SweptSide.pull

    def watched(side: SweptSide) -> None:
        original(side)
        sizes.append(len(side))

    monkeypatch.setattr(SweptSide, "pull", watched)
    for kind in ("left outer", "right outer", "full outer"):
        query = xylem.compile(f"{LEFT.replace('left outer', kind)} {PAIR}")
        result = query.run(streams={"a": count(0), "b": count(0)}, held_items=100)
        assert list(islice(result, 2000))[-1] == "1999:1999"
    assert max(sizes) < 40


def test_a_document_may_be_the_other_side() -> None:
    """Of all kinds but an inner join, where the stream is in order; the document need not be."""
    for kind in ("right", "full"):
        join = f"$r {kind} outer bestmatch join $s on (abs($r - $s)) min 2"
        text = f"for $r in stream('a') for $s in (9, 1, 4) where {join}"
        left: list[Item] = [{"x": float(i)} for i in range(12)]
        case = Case(left, [{"x": float(i)} for i in (9, 1, 4)], [distance("x", "min", 2.0)], kind)
        found = list(xylem.compile(f"{text} return $r || ' ' || $s").run(streams={"a": range(12)}))
        assert found == [f"{i} {(9, 1, 4)[j]}" for i, j in pairs_of(case)]


@pytest.mark.parametrize(
    ("option", "late"),
    [("", None), ('declare option xylem:late "drop";', 1), ('declare option xylem:watermark "1";', 1),
     ('declare option xylem:watermark "a=3, b=0";', 0), ('declare option xylem:watermark "b=9";', None),
     ('declare option xylem:late "stop"; declare option xylem:watermark "1";', None)],
)  # fmt: skip
def test_items_that_come_too_late(option: str, late: int | None) -> None:
    counted = LateItems()
    query = xylem.compile(f"{option} {LEFT} {PAIR}", late_items=counted)
    streams = {"a": iter([1, 5, 2, 9]), "b": iter([1, 2, 5, 9])}
    if late is None:
        with pytest.raises(XylemError) as error:
            list(query.run(streams=streams))
        assert error.value.code == "XYDY0012"
        assert "$r" in str(error.value)
        return
    found = list(query.run(streams=streams))
    assert ("2:2" in found) == (late == 0)
    assert counted.by_side == ({"$r": late} if late else {})


def test_punctuation_says_what_has_come() -> None:
    text = (
        'declare option xylem:punctuation "b=self::mark/@upto"; declare option xylem:watermark "a=0";'
        "for $r in stream('a') for $s in stream('b')"
        " where $r left outer bestmatch join $s on (abs($r/@t - $s/@t)) min 1 return $r/@t || ':' || $s/@t"
    )
    log: list[str] = []

    def items(texts: list[str]) -> Iterator[Any]:
        for item, text in zip(xylem.items(f"<d>{''.join(texts)}</d>".encode()), texts, strict=True):
            log.append(text)
            yield item

    a = items(["<r t='1'/>", "<r t='5'/>"])
    b = items(["<s t='6'/>", "<s t='1.5'/>", "<mark upto='2'/>", "<s t='4.5'/>", "<mark upto='9'/>", "<s t='99'/>"])
    result = iter(xylem.compile(text).run(streams={"a": a, "b": b}))
    assert next(result) == "1:1.5"
    assert log[-1] == "<mark upto='2'/>"
    assert list(result) == ["5:4.5"]


def test_times_are_swept_too() -> None:
    text = """
        for $r in stream('a') for $s in stream('b') let $a := xs:dateTime($r), $b := xs:dateTime($s)
        where $a - $b ge xs:dayTimeDuration('PT0S') and $a - $b le xs:dayTimeDuration('PT5S')
        where $r left outer bestmatch join $s on ($a - $b) min
        return substring($r, 18, 2) || ':' || substring($s, 18, 2)
    """
    a = [f"2024-05-01T10:00:{second:02}Z" for second in (3, 10, 20)]
    b = [f"2024-05-01T10:00:{second:02}Z" for second in (1, 2, 9, 11, 14)]
    assert list(xylem.compile(text).run(streams={"a": a, "b": b})) == ["03:02", "10:09"]
    band = "where $b le $a and $a - xs:dayTimeDuration('PT5S') le $b"
    spelled = "\n".join(band if "where $a" in line else line for line in text.splitlines())
    assert list(xylem.compile(spelled).run(streams={"a": a, "b": b})) == ["03:02", "10:09"]
    late = ["2024-05-01T10:00:09Z", "2024-05-01T10:00:08Z"]
    option = 'declare option xylem:watermark "2s"; '
    assert list(xylem.compile(option + text).run(streams={"a": a, "b": late})) == ["10:09"]


REFUSED = [
    LEFT.replace("left outer", ""),
    LEFT.replace("min 2", "min"),
    LEFT.replace("abs($r - $s)", "$r - $s"),
    LEFT.replace("abs($r - $s)", "abs($r * $s)"),
    f"for $s in stream('b') for $x in (1, 2) {LEFT.replace('for $s in stream', 'for $y in (1, 2) for $s in stream')}",
]


def test_texts_bound_nothing() -> None:
    """Untyped values of both sides are compared as texts: "9" is not below "10"."""
    text = (
        "for $r in stream('a') for $s in stream('b')"
        " where $s/@t <= $r/@t and $r/@t - $s/@t ge -9 and $r/@t - $s/@t le 9"
        " where $r left outer bestmatch join $s on ($s/@t) max return $r/@t || ':' || $s/@t"
    )
    items = "".join(f"<i t='{number}'/>" for number in (8, 9, 10, 11))
    streams = {name: xylem.items(f"<d>{items}</d>".encode()) for name in "ab"}
    assert list(xylem.compile(text).run(streams=streams)) == ["8:11", "9:11", "10:10", "11:11"]


@pytest.mark.parametrize("text", REFUSED)
def test_what_no_window_bounds_is_refused(text: str) -> None:
    with pytest.raises(XylemError) as error:
        xylem.compile(f"{text} {PAIR}")
    assert error.value.code == "XYST0010"
    assert error.value.hint is not None


@pytest.mark.parametrize(
    "option", ['direction "up"', 'read-ahead "many"', 'watermark "soon"', 'late "never"', 'direction "a=descending"']
)
def test_orders_that_cannot_be_understood(option: str) -> None:
    with pytest.raises(XylemError) as error:
        xylem.compile(f"declare option xylem:{option}; {LEFT} {PAIR}")
    assert error.value.code == "XYST0014"


def test_values_that_are_no_numbers_are_errors() -> None:
    for value, code in (("x", "FORG0001"), ("1</t><t>2", "XPTY0004")):
        query = xylem.compile(LEFT.replace("$r - $s", "$r/t - $s/t") + " return 1")
        items = xylem.items(f"<d><r><t>{value}</t></r></d>".encode())
        with pytest.raises(XylemError) as error:
            list(query.run(streams={"a": items, "b": xylem.items(b"<d><s><t>1</t></s></d>")}))
        assert error.value.code == code


def test_infinite_values_that_no_window_holds_are_errors() -> None:
    items = [float("-inf"), 1.0]
    loops = "for $r in stream('a') for $s in stream('b')"
    band = f"{loops} where {{}} where $r left outer bestmatch join $s on ($s) max {PAIR}"
    compared = "$r >= $s - 1 and $r <= $s + 1"
    with pytest.raises(XylemError, match="both sides have -INF") as error:
        list(xylem.compile(band.format(compared)).run(streams={"a": iter(items), "b": iter(items)}))
    assert error.value.code == "FORG0001"
    # A difference of the two is no number: they are no pair.
    query = xylem.compile(band.format("$r - $s >= -1 and $r - $s <= 1"))
    assert list(query.run(streams={"a": iter(items), "b": iter(items)})) == ["1:1"]
    # One side alone has it: nothing is lost.
    query = xylem.compile(band.format(compared))
    assert list(query.run(streams={"a": iter(items), "b": iter([1.0])})) == ["1:1"]


def test_explain_names_windows_and_what_is_held() -> None:
    text = str(xylem.compile(f"{LEFT}, ($s) max {PAIR}").explain())
    assert "min 2: window, it bounds what is compared and held" in text
    assert "holds a window of $r and $s; results of each $r come when its window is complete" in text
    both = str(xylem.compile(f"{LEFT.replace('left outer', 'full outer')} {PAIR}").explain())
    assert "and each $s it is paired with has met all of its own" in both


def test_windows_beyond_their_room_wait_in_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Windows of ten times the room, and more: the same answer."""
    made: list[TreePages] = []
    original = TreePages.take

    def watched(pages: TreePages, tree: Any) -> None:
        made.append(pages)
        original(pages, tree)

    monkeypatch.setattr(TreePages, "take", watched)
    query = xylem.compile(
        "for $r in stream('a') for $s in stream('b') where $r left outer bestmatch join $s"
        " on (abs($r/@n - $s/@n)) min 400, (abs($r/@t - $s/@t)) min return $r/@n || ':' || $s/@n || $s/@t"
    )
    rows = [f'<i n="{number}" t="{number * 37 % 100}"/>' for number in range(3000)]
    pieces = [f"{''.join(rows[at:at + 50])}".encode() for at in range(0, len(rows), 50)]

    def answer(**options: Any) -> list[Any]:
        streams = {name: xylem.items([b"<d>", *pieces, b"</d>"]) for name in ("a", "b")}
        return list(query.run(streams=streams, **options))

    expected = answer()
    assert len(expected) >= 3000
    assert not made
    assert answer(spill=tmp_path, window_bytes=20_000) == expected
    assert made[0].written_pages > 40


def test_items_without_a_value_are_counted() -> None:
    query = xylem.compile(
        'for $t in stream("a") for $q in stream("b")'
        " where $t left outer bestmatch join $q on (abs($t/@x - $q/@x)) min 5, (abs($t/@y - $q/@y)) min"
        " return 1"
    )
    left = xylem.items(b"<d><i x='1' y='1'/><i x='2'/><i y='3'/></d>")
    right = xylem.items(b"<d><i x='1' y='NaN'/><i x='1' y='4'/></d>")
    left_out: Counter[str] = Counter()
    assert len(query.run(streams={"a": left, "b": right}, left_out=left_out)) == 1
    assert left_out == {"t": 2, "q": 1}
