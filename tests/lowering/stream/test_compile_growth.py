"""The work of compiling a query grows with its length, and not faster."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from types import FrameType

import pytest
import xylem
from xylem.pipeline import StaticEnvironment, compile_passes
from xylem.rewrite.to_flux import MOST_CHOICES

SORTS = "for $x in //item where $x/@k = {0} order by $x/name return <i>{{ $x/name }}</i>"
LETS = "for $x in //item let $a := $x/b, $c := count($a[. > {0}]) where $c > 1 return ($c, $a[1])"
FUNCTIONS = "for $x in //item return local:f{0}($x)"
PROLOG = (
    "declare function local:f{0}($e as element()) as item()* {{ let $x := $e/child[@k = '{0}'], "
    "$y := for $z in $e//item where count($z/x) > {0} order by $z/name return $z "
    "return if (exists($x)) then string-join($y ! string(.), ',') else $y[1] }};"
)


def calls_to_compile(part: str, number: int) -> int:
    return calls_of(_query(part, number))


def _query(part: str, number: int) -> str:
    prolog = "\n".join(PROLOG.format(n) for n in range(number)) if part is FUNCTIONS else ""
    return f"{prolog} ({', '.join(part.format(n) for n in range(number))})"


def calls_of(text: str) -> int:
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


def _choices(number: int) -> str:
    chain = "".join(f"if ($i/@n = '{n}') then {n} else " for n in range(number))
    return f"for $i in /r/i return {chain} ()"


def _global_values(number: int) -> str:
    declared = "".join(f"declare variable $v{n} := /r/i[@n = '{n}']/v;" for n in range(number))
    return f"{declared} ({', '.join(f'$v{n}' for n in range(number))})"


def _predicates(number: int) -> str:
    return "/r/i" + "".join(f"[@n != '{n}']" for n in range(number)) + "/v"


@pytest.mark.parametrize("query", [_choices, _global_values, _predicates])
def test_a_longer_query_takes_as_much_longer(query: Callable[[int], str]) -> None:
    calls_of(query(20))
    once, twice = calls_of(query(20)), calls_of(query(40))
    assert twice < 2.6 * once


def test_a_long_chain_of_choices_is_one_expression_that_keeps_nothing() -> None:
    document = "<r>" + "".join(f"<i n='{n}'/>" for n in range(0, 60, 7)) + "</r>"
    for number in (MOST_CHOICES, MOST_CHOICES + 1, 40):
        query = xylem.compile(_choices(number))
        written: list[bytes] = []
        query.stream(document.encode()).write_to(written.append)
        assert b"".join(written).decode() == str(query.run(xylem.parse(document)))
        assert "nothing" in str(query.explain()).split("buffers")[1]


@pytest.mark.parametrize("number", [12, 19, 20, 40])
def test_loops_inside_loops(number: int) -> None:
    """Python allows twenty nested blocks in one function."""
    document = "<r><i><v>3</v></i></r>"
    loops = " ".join(f"for $x{n} at $p{n} in $i/v[. > 2]" for n in range(number))
    bodies = "".join(f"for $x{n} in $i/v return <e>{{ $x{n}, " for n in range(number)) + "1" + " }</e>" * number
    for text in (f"for $i in /r/i {loops} return $x0 + $p{number - 1}", f"for $i in /r/i return <o>{{ {bodies} }}</o>"):
        query, written = xylem.compile(text), list[bytes]()
        query.stream(document.encode()).write_to(written.append)
        assert b"".join(written).decode() == str(query.run(xylem.parse(document)))
