"""Aggregates written in Python: those that can merge are computed by range."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
import xylem
from xylem.errors import XylemError
from xylem.functions.external import Functions
from xylem.pipeline import StaticEnvironment, compile_distributed
from xylem.run.tasks.in_process import run_in_process
from xylem.run.tasks.program import DistributedProgram

from .ranges_of_documents import SHOP, divisions

FUNCTIONS = Functions()


@FUNCTIONS.aggregate("udf:spread", "xs:double*", "xs:double?")
class Spread:
    """The largest value less the smallest."""

    def init(self) -> list[float]:
        return []

    def step(self, state: list[float], value: float) -> list[float]:
        return [min([*state, value]), max([*state, value])]

    def merge(self, first: list[float], second: list[float]) -> list[float]:
        return [min(first + second), max(first + second)] if first or second else []

    def finish(self, state: list[float]) -> float | None:
        return state[1] - state[0] if state else None


@FUNCTIONS.aggregate("udf:last", "xs:string*", "xs:string?")
class Last:
    """Cannot merge."""

    def init(self) -> str | None:
        return None

    def step(self, state: str | None, value: str) -> str:
        return value

    def finish(self, state: str | None) -> str | None:
        return state


def program_of(query: str) -> DistributedProgram:
    return compile_distributed(query, StaticEnvironment(external_functions=tuple(FUNCTIONS)))


@pytest.mark.parametrize(
    "query",
    [
        "udf:spread(//total)",
        "udf:spread(//order/xs:decimal(total))",
        "udf:spread(//nothing)",
        "<s>{ udf:spread(//total) * 2, count(//order) }</s>",
        "//order[total = udf:spread(//line/@qty)]/@id/string()",
        "udf:last(//city)",
        "for $o in //order group by $c := $o/city return <c>{ udf:spread($o/total), udf:last($o/@id), $c }</c>",
        "for $o in //order group by $c := $o/city order by udf:spread($o/line/@qty) return udf:spread($o/line/@qty)",
        "for $o in //order return udf:spread($o/line/@qty)",
    ],
)
def test_over_ranges(query: str) -> None:
    program = program_of(query)
    expected = str(xylem.compile(query, functions=FUNCTIONS).run(xylem.parse(SHOP)))
    for parts in divisions(program, SHOP, Random(query), 4):
        assert run_in_process(program, parts) == expected


def test_which_are_partial() -> None:
    assert [part.kind.name for part in program_of("udf:spread(//total)").distribution.parts] == ["AGGREGATE"]
    assert [part.kind.name for part in program_of("udf:last(//city)").distribution.parts] == ["MAP"]


def test_of_groups() -> None:
    query = "for $o in /shop/region/order group by $c := $o/city return udf:spread($o/total)"
    (part,) = program_of(query).distribution.parts
    assert (part.kind.name, part.why) == ("GROUP", "spread() computed by range and merged")


def test_a_state_that_cannot_travel_is_told() -> None:
    functions = Functions()

    @functions.aggregate("udf:odd", "xs:double*", "xs:double?")
    class Odd(Spread):
        def step(self, state: Any, value: float) -> Any:
            return lambda: value

    program = compile_distributed("udf:odd(//total)", StaticEnvironment(external_functions=tuple(functions)))
    with pytest.raises(XylemError) as raised:
        run_in_process(program, [SHOP])
    assert raised.value.code == "XYRT0010"


def test_without_merge_it_is_said() -> None:
    (part,) = program_of("udf:last(//city)").distribution.parts
    assert part.why.startswith("its items are gathered where they are needed, since udf:last has no `merge`")


def test_values_are_converted_as_for_every_function() -> None:
    with pytest.raises(XylemError) as raised:
        run_in_process(program_of("udf:spread(//city)"), [str(SHOP)])
    assert raised.value.code == "FORG0001"
