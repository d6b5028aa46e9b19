"""Windows put together from windows, held against windows that are computed from the items."""

from __future__ import annotations

import random
from fractions import Fraction

import xylem
from xylem.network.properties import properties_of
from xylem.network.window_properties import Windowed, pane, rolled_up, tiles
from xylem.syntax import parse

from tests.reference import reference


def query(kind: str, size: int, step: int, function: str) -> str:
    value = "count($w)" if function == "count" else f"{function}($w/v/xs:integer(.))"
    return f"for $w in /s/i|{kind} {size} step {step}| return <w>{{ {value} }}</w>"


def windows_of(text: str) -> Windowed:
    found = properties_of(parse(text)).windowed
    assert found is not None
    return found


def values(text: str, document: str) -> list[int | None]:
    found = reference(text).run(xylem.parse(document))
    return [int(node.string_value) if node.string_value else None for node in found.xdm]


def put_together(own: Windowed, wanted: Windowed, function: str, given: list[int | None]) -> list[int | None]:
    """The wanted windows from those there are, as far as these go."""
    step = own.step if function in ("min", "max") and own.step <= own.size else own.size
    offsets = [Fraction(0)]
    while offsets[-1] + own.size < wanted.size:
        offsets.append(offsets[-1] + step)
    made: list[int | None] = []
    start = Fraction(0)
    while (start + offsets[-1]) / own.step < len(given):
        parts = [given[int((start + offset) / own.step)] for offset in offsets]
        known = [part for part in parts if part is not None]
        merge = {"sum": sum, "count": sum, "min": min, "max": max}[function]
        made.append(merge(known) if known else None)
        start += wanted.step
    return made


def test_windows_that_tile_others_give_their_values() -> None:
    draw = random.Random("windows")
    tried = 0
    for _ in range(400):
        kind = draw.choice(["count", "t diff"])
        function = draw.choice(["sum", "count", "min", "max"])
        texts = [query(kind, draw.choice([2, 3, 4, 6, 8, 12]), draw.choice([1, 2, 3, 4, 6]), function) for _ in "ab"]
        own, wanted = map(windows_of, texts)
        if rolled_up(own, wanted) is not None or own == wanted:
            continue
        tried += 1
        if tried > 25:
            break
        items, time = "", 0
        for _ in range(draw.randrange(20, 50)):
            items += f"<i><t>{time}</t><v>{draw.randrange(100)}</v></i>"
            time += draw.choice([0, 1, 1, 2, 9])
        document = f"<s>{items}</s>"
        expected, given = values(texts[1], document), values(texts[0], document)
        made = put_together(own, wanted, function, given)
        # The last windows are cut off by the end of the input, each in its place.
        whole = min(len(made), len(expected)) - int(max(own.size, wanted.size) / wanted.step) - 1
        assert whole < 1 or made[:whole] == expected[:whole], texts
    assert tried > 20


def test_windows_that_overlap_do_not_add_up() -> None:
    own, wanted = (windows_of(query("count", size, 2, "sum")) for size in (3, 6))
    assert rolled_up(own, wanted) == "its windows do not tile the ones asked for"
    assert not tiles(own, wanted, may_overlap=False)
    largest = windows_of(query("count", 4, 2, "max")), windows_of(query("count", 6, 2, "max"))
    assert rolled_up(*largest) is None


def test_the_longest_part_that_windows_share() -> None:
    one, other = windows_of(query("t diff", 60, 15, "sum")), windows_of(query("t diff", 90, 20, "sum"))
    assert pane(one, other) == 5


def test_a_query_that_reads_more_of_windows_has_none_to_share() -> None:
    assert properties_of(parse("for $w in /s/i|count 3 step 1| return (count($w), $w[1])")).windowed is None
    assert properties_of(parse("for $w in /s/i|count 3 step 1| return <n>{ count($w) }</n>")).windowed is not None
