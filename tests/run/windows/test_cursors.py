"""What cursors keep: no more items than open windows need, whatever the input; and what aggregates give."""

from __future__ import annotations

import gc
import random
import weakref
from decimal import Decimal
from typing import Any

import pytest
import xylem
from xylem.functions.aggregate_functions import avg, sum_
from xylem.functions.external import Functions
from xylem.run.windows.cursor import Needs, WindowCursor
from xylem.run.windows.item_buffer import ItemBuffer
from xylem.run.windows.landmark import LandmarkCursor
from xylem.run.windows.open_windows import EachWindow
from xylem.run.windows.range_aggregates import RangeExtreme, RangeSum
from xylem.run.windows.sliding import SlidingCursor
from xylem.run.windows.streamed_tumbling import streamed_tumbling
from xylem.run.windows.tumbling import TumblingCursor
from xylem.values.strings import UntypedAtomic

NOTHING = (False, True, False, False)
POSITIONS = Needs(NOTHING, NOTHING)


class Item:
    """An item that tells when it is gone."""

    alive = 0

    def __init__(self, number: int) -> None:
        self.number = number
        Item.alive += 1
        weakref.finalize(self, Item.gone)

    @staticmethod
    def gone() -> None:
        Item.alive -= 1


def within(size: int) -> Any:
    return lambda sc, s, sp, sn, ec, e, ep, en: e - s + 1 >= size


CURSORS = [
    ("tumbling", lambda: TumblingCursor(None, within(10), needs=POSITIONS), 10),
    ("tumbling without items", lambda: TumblingCursor(None, within(10), needs=POSITIONS, keeps_items=False), 0),
    ("sliding", lambda: SlidingCursor(None, EachWindow(within(10)), needs=POSITIONS), 10),
    ("sliding by start", lambda: SlidingCursor(None, EachWindow(within(10)), needs=POSITIONS, by_start=True), 10),
    (
        "sliding without items",
        lambda: SlidingCursor(None, EachWindow(within(9)), needs=POSITIONS, keeps_items=False),
        0,
    ),
    (
        "hopeless",
        lambda: SlidingCursor(None, EachWindow(lambda *p: False), needs=POSITIONS, force=True, longest=10),
        10,
    ),
    ("landmark", lambda: LandmarkCursor(None, EachWindow(lambda *p: False), needs=POSITIONS, force=True, longest=7), 7),
]


@pytest.mark.parametrize(("name", "make", "bound"), CURSORS, ids=[name for name, _, _ in CURSORS])
def test_items_are_freed_at_once(name: str, make: Any, bound: int) -> None:
    cursor: WindowCursor = make()
    gc.collect()
    Item.alive = 0
    greatest = 0
    for number in range(3000):
        for _ in cursor.push(Item(number)):
            pass
        greatest = max(greatest, Item.alive)
    # The item at hand, and what the loop over windows still holds of the last one.
    assert greatest <= bound + 11
    assert len(list(cursor.held())) <= bound


def test_the_buffer_keeps_positions() -> None:
    buffer = ItemBuffer()
    for number in range(1, 2001):
        buffer.append(number)
        if number > 5:
            buffer.forget(number - 5)
            assert buffer.between(number - 5, number) == list(range(number - 5, number + 1))
    assert list(buffer.held()) == list(range(1995, 2001))
    buffer.clear(3000)
    buffer.append("x")
    assert buffer.between(3000, 3000) == ["x"]


def test_what_is_read_early_is_not_kept() -> None:
    """The whole input is one window; its items go through."""
    gc.collect()
    Item.alive = 0
    greatest = 0
    items = (Item(number) for number in range(2000))
    for window, *_ in streamed_tumbling(items, None, lambda *places: False, False, False):
        for _ in window:
            greatest = max(greatest, Item.alive)
    assert greatest <= 4


# --- aggregates


VALUES: list[list[Any]] = [
    [1, 2, 3],
    [1.5, 2.25, -3.0],
    [0.1, 0.2, 0.3, 1e300, -1e300],
    [1, 2.5, Decimal("0.1")],
    [UntypedAtomic("3"), UntypedAtomic("0.1"), UntypedAtomic("1e3")],
    [float("nan"), 1.0, 2.0],
    [-0.0, -0.0],
    [float("inf"), 1.0, float("-inf")],
    [10**30, 1, -(10**30)],
]


@pytest.mark.parametrize("values", VALUES, ids=repr)
def test_sums_from_any_start_are_those_of_the_function(values: list[Any]) -> None:
    rng = random.Random(repr(values))
    for name, function in (("sum", sum_), ("avg", avg)):
        kept = RangeSum(name, function)
        column: list[list[Any]] = []
        for number in range(1, 60):
            item = [rng.choice(values) for _ in range(rng.choice((0, 1, 1, 2)))]
            column.append(item)
            kept.add(item)
            for start in {1, max(1, number - 7), number}:
                expected = function([value for part in column[start - 1 :] for value in part])
                found = kept.result(start)
                assert repr(found) == repr(expected)
                assert type(found) is type(expected)


@pytest.mark.parametrize("values", [v for v in VALUES if not isinstance(v[-1], Decimal)], ids=repr)
def test_extremes_from_any_start_are_those_of_the_function(values: list[Any]) -> None:
    from functools import partial

    from xylem.functions.context import Context, RunPart, StaticPart
    from xylem.functions.extreme_values import max_, min_
    from xylem.run.program import current_time
    from xylem.source.resources import FileResources

    context = Context(StaticPart(), RunPart(FileResources(), current_time()))
    rng = random.Random(repr(values))
    for is_max, function in ((True, partial(max_, context)), (False, partial(min_, context))):
        kept = RangeExtreme(is_max, function)
        column: list[Any] = []
        for number in range(1, 80):
            column.append(rng.choice(values))
            kept.add(column[-1:])
            for start in {1, max(1, number - 7), number}:
                assert repr(kept.result(start)) == repr(function(column[start - 1 :]))


class Product:
    """The product of numbers, by steps alone."""

    def init(self) -> int:
        return 1

    def step(self, state: int, value: int) -> int:
        return state * value

    def finish(self, state: int) -> int:
        return state


class Merged(Product):
    def merge(self, first: int, second: int) -> int:
        return first * second


class Inverted(Product):
    def invert(self, state: int, value: int) -> int:
        return state // value


class Joined:
    """Not commutative: the order of merging shows."""

    def init(self) -> str:
        return ""

    def step(self, state: str, value: str) -> str:
        return state + value

    def merge(self, first: str, second: str) -> str:
        return first + second

    def finish(self, state: str) -> str:
        return state


QUERIES = [
    "for sliding window $w in 1 to 40 start at $s when true() end at $e when $e - $s eq 7 return udf:f($w)",
    "forseq $w in 1 to 40 sliding window start position $s when $s mod 3 eq 1 "
    "end curItem $e when $e mod 11 eq 0 return udf:f($w)",
    "forseq $w in 1 to 12 landmark window start position $s when $s le 3 end when true() return udf:f($w)",
    "for tumbling window $w in 1 to 40 start at $s when true() end at $e when $e - $s eq 7 return udf:f($w)",
    "udf:f(1 to 9)",
]


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("maker", [Product, Merged, Inverted, Joined])
def test_users_aggregates_by_all_ways(query: str, maker: type) -> None:
    kept, plain = Functions(), Functions()
    kind = "xs:string*" if maker is Joined else "xs:integer*"
    kept.aggregate("udf:f", kind, "item()*")(maker)

    @plain.function("udf:f", kind, "item()*")
    def whole(values: list[Any]) -> Any:
        made = maker()
        state = made.init()
        for value in values:
            state = made.step(state, value)
        return made.finish(state)

    if maker is Joined:
        query = query.replace("($w)", "($w ! string())").replace("udf:f(1 to 9)", "udf:f((1 to 9) ! string())")
    assert list(xylem.compile(query, functions=kept).run()) == list(xylem.compile(query, functions=plain).run())


def test_an_aggregate_that_fails_is_an_error_where_it_is_read() -> None:
    query = (
        "for tumbling window $w in ('a', 1, 2, 3) start $s at $p when true() end at $q when $q - $p eq 1 "
        "where $p gt 1 return sum($w)"
    )
    assert list(xylem.compile(query).run()) == [5]
    with pytest.raises(xylem.DynamicError) as caught:
        list(xylem.compile(query.replace("where $p gt 1 ", "")).run())
    assert caught.value.code == "FORG0006"


def test_registering_needs_the_protocol() -> None:
    with pytest.raises(TypeError):
        Functions().aggregate("udf:f", "item()*")(object)


# --- types and names of forseq


def test_declared_types_are_checked() -> None:
    query = "forseq $w as {} in (1, 'a') tumbling window start curItem $s as {} when true() end when true() return $w"
    assert list(xylem.compile(query.format("item()+", "item()")).run()) == [1, "a"]
    for window, item in (("xs:integer+", "item()"), ("item()+", "xs:integer")):
        with pytest.raises(xylem.DynamicError) as caught:
            list(xylem.compile(query.format(window, item)).run())
        assert caught.value.code == "XPTY0004"
    previous = (
        "forseq $w in (1, 2) tumbling window start prevItem $p as xs:integer when true() end when true() return $p"
    )
    with pytest.raises(xylem.DynamicError):
        list(xylem.compile(previous).run())
    assert list(xylem.compile(previous.replace("xs:integer when", "xs:integer? when")).run()) == [1]


def test_names_are_different() -> None:
    for names in ("curItem $w", "curItem $a, position $a", "curItem $a, curItem $b"):
        with pytest.raises(xylem.StaticError) as caught:
            xylem.compile(f"forseq $w in 1 tumbling window start {names} when true() end when true() return 1")
        assert caught.value.code == "XQST0103"


def test_several_windows_and_all_clauses() -> None:
    query = """
        forseq $a in 1 to 4 tumbling window start position $s when true() end position $e when $e - $s eq 1,
               $b in $a sliding window start when true() end when true()
        for $x in $b
        let $y := $x * 10
        where $y ne 30
        count $c
        order by $y descending
        return <r c="{ $c }" a="{ $a }">{ $y }</r>"""
    found = [item.string_value for item in xylem.compile(query).run().items]
    assert found == ["40", "20", "10"]
    grouped = """
        forseq $w in 1 to 6 tumbling window start curItem $s when true() end curItem $e when $e mod 2 eq 0
        group by $k := $s mod 3
        order by $k
        return <g k="{ $k }">{ $w }</g>"""
    assert [item.string_value for item in xylem.compile(grouped).run().items] == ["3 4", "1 2", "5 6"]


def test_windows_in_conditions_of_windows() -> None:
    query = """
        forseq $w in 1 to 6 tumbling window
          start position $s when true()
          end position $e when count(forseq $v in 1 to $e tumbling window start when true()
                                     end position $p when $p mod 2 eq 0 return 1) - $s ge 1
        return <w>{ $w }</w>"""
    assert [item.string_value for item in xylem.compile(query).run().items] == ["1 2 3", "4 5 6"]
