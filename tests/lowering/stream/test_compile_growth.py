"""The work of compiling a query grows with its length, and not faster."""

from __future__ import annotations

import sys
import threading
from types import FrameType

import pytest
from xylem.pipeline import StaticEnvironment, compile_passes

SORTS = "for $x in //item where $x/@k = {0} order by $x/name return <i>{{ $x/name }}</i>"
LETS = "for $x in //item let $a := $x/b, $c := count($a[. > {0}]) where $c > 1 return ($c, $a[1])"
FUNCTIONS = "for $x in //item return local:f{0}($x)"
PROLOG = (
    "declare function local:f{0}($e as element()) as item()* {{ let $x := $e/child[@k = '{0}'], "
    "$y := for $z in $e//item where count($z/x) > {0} order by $z/name return $z "
    "return if (exists($x)) then string-join($y ! string(.), ',') else $y[1] }};"
)


def calls_to_compile(part: str, number: int) -> int:
    prolog = "\n".join(PROLOG.format(n) for n in range(number)) if part is FUNCTIONS else ""
    text = f"{prolog} ({', '.join(part.format(n) for n in range(number))})"
    calls = 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    # Compiling has a thread of its own, with a larger stack.
    threading.setprofile(count)
    try:
        compile_passes(text, StaticEnvironment())
    finally:
        threading.setprofile(None)  # type: ignore[arg-type]
        sys.setprofile(None)
    return calls


PARTS = pytest.mark.parametrize("part", [SORTS, LETS, FUNCTIONS], ids=["sorts", "lets", "functions"])


@PARTS
@pytest.mark.parametrize(("few", "most"), [(17, 2.4), (4, 3.2)], ids=["together", "each with a pass of its own"])
def test_twice_the_parts_take_twice_the_calls(part: str, few: int, most: float) -> None:
    calls_to_compile(part, 2)  # What is imported at first is not counted.
    once, twice = calls_to_compile(part, few), calls_to_compile(part, 2 * few)
    assert once > 1_000
    assert twice < most * once
