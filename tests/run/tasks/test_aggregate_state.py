"""Aggregates over stretches of the input, merged in any way, are the aggregates of the whole, to the last digit."""

from __future__ import annotations

from decimal import Decimal
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xylem.functions.context import Context, RunPart, StaticPart
from xylem.functions.library import look_up
from xylem.functions.registry import FN
from xylem.run.packing import pack, unpack
from xylem.run.program import current_time
from xylem.run.tasks.aggregate_state import AggregateState, aggregate_state
from xylem.source.resources import FileResources
from xylem.values.string_of import string_of
from xylem.values.strings import UntypedAtomic

CONTEXT = Context(StaticPart(), RunPart(FileResources(), current_time()))
DOUBLES = st.floats(allow_nan=False, allow_infinity=False, width=32).map(lambda value: value / 10)
NUMBERS = st.one_of(
    st.lists(DOUBLES),
    st.lists(st.integers()),
    st.lists(st.decimals(-1000, 1000, places=4)),
    st.lists(DOUBLES.map(lambda value: UntypedAtomic(repr(value)))),
)
ARGUMENTS: dict[str, list[list[Any]]] = {"string-join": [["-"]]}
FUNCTIONS = ("count", "exists", "empty", "sum", "avg", "min", "max", "string-join", "distinct-values")


def whole(function: str, values: list[Any]) -> list[Any]:
    builtin = look_up(FN, function, 1 + len(ARGUMENTS.get(function, [])))
    assert builtin is not None
    given_values = values if function != "string-join" else list(map(string_of, values))
    context = (CONTEXT,) if builtin.context else ()
    found = builtin.body(*context, given_values, *(argument[0] for argument in ARGUMENTS.get(function, [])))
    if function == "distinct-values":
        return list(found)
    return [] if found is None else [found]


def stretched(state: AggregateState, values: list[Any], borders: list[int]) -> list[Any]:
    """The states of the stretches between borders, as they travel."""
    places = [0, *sorted(border % (len(values) + 1) for border in borders), len(values)]
    return [
        state.of(values[start:end], start == 0 and index == 0) for index, (start, end) in enumerate(pairwise(places))
    ]


def merged(state: AggregateState, states: list[Any], order: list[int]) -> Any:
    states = list(states)
    for place in [*order, *[0] * len(states)]:
        if len(states) == 1:
            break
        index = place % (len(states) - 1)
        states[index : index + 2] = [state.merged(unpack(pack(states[index])), unpack(pack(states[index + 1])))]
    return states[0]


@pytest.mark.parametrize("function", FUNCTIONS)
@given(
    values=NUMBERS, borders=st.lists(st.integers(0, 1000), max_size=5), order=st.lists(st.integers(0, 9), max_size=5)
)
def test_any_merge_gives_the_value_of_the_whole(
    function: str, values: list[Any], borders: list[int], order: list[int]
) -> None:
    state = aggregate_state(function, ARGUMENTS.get(function, []), CONTEXT)
    found = state.value(merged(state, stretched(state, values, borders), order))
    expected = whole(function, values)
    assert [(type(value), repr(value)) for value in found] == [(type(value), repr(value)) for value in expected]


def test_sum_of_nothing_is_what_the_query_says() -> None:
    state = aggregate_state("sum", [[Decimal("0.0")]], CONTEXT)
    assert state.value(state.merged(state.of((), True), state.of((), False))) == [Decimal("0.0")]


def test_a_sum_from_the_beginning_stays_small() -> None:
    state = aggregate_state("sum", [], CONTEXT)
    first = state.of([0.1] * 10_000, True)
    for _ in range(3):
        first = state.merged(first, state.of([0.1] * 10_000, False))
    assert len(pack(first)) < 100
