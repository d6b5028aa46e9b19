"""States give what the function itself gives, to the last digit: value by value, in runs, and merged in any way."""

from __future__ import annotations

from decimal import Decimal
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xylem.errors import DynamicError, XylemError
from xylem.functions.context import Context, RunPart, StaticPart
from xylem.functions.external import AggregateProtocol
from xylem.functions.library import look_up
from xylem.functions.registry import FN
from xylem.run.aggregates.choose_state import aggregate_state, running_state
from xylem.run.aggregates.state import AggregateState, Failed
from xylem.run.aggregates.user_state import UserState
from xylem.run.packing import pack, unpack
from xylem.run.program import current_time
from xylem.run.tasks.packed_state import StateKind, plain_state
from xylem.source.resources import FileResources
from xylem.values.string_of import string_of
from xylem.values.strings import AnyURI, UntypedAtomic

CONTEXT = Context(StaticPart(), RunPart(FileResources(), current_time()))
DOUBLES = st.floats(allow_nan=False, allow_infinity=False, width=32).map(lambda value: value / 10)
NUMBERS = st.one_of(
    st.lists(DOUBLES),
    st.lists(st.integers()),
    st.lists(st.decimals(-1000, 1000, places=4)),
    st.lists(DOUBLES.map(lambda value: UntypedAtomic(repr(value)))),
)
ANY_NUMBERS = st.lists(
    st.one_of(st.floats(), st.integers(-9, 9), st.just(UntypedAtomic("0.1")), st.just(Decimal("0.1")))
)
ARGUMENTS: dict[str, list[list[Any]]] = {"string-join": [["-"]]}
FUNCTIONS = ("count", "exists", "empty", "sum", "avg", "min", "max", "string-join", "distinct-values")
Seen = list[tuple[type, str]]


def seen(values: Any) -> Seen:
    return [(type(value), repr(value)) for value in values]


def whole(function: str, values: list[Any]) -> Seen:
    builtin = look_up(FN, function, 1 + len(ARGUMENTS.get(function, [])))
    assert builtin is not None
    given_values = values if function != "string-join" else list(map(string_of, values))
    context = (CONTEXT,) if builtin.context else ()
    found = builtin.body(*context, given_values, *(argument[0] for argument in ARGUMENTS.get(function, [])))
    if function == "distinct-values":
        return seen(found)
    return [] if found is None else seen([found])


def kind_of(function: str, fold_at: int = 16) -> StateKind:
    arguments = ARGUMENTS.get(function, [])
    return StateKind(lambda is_first: aggregate_state(function, CONTEXT, arguments, is_first=is_first, fold_at=fold_at))


def state_over(kind: StateKind, values: list[Any], *, is_first: bool) -> Any:
    state = kind.new(is_first)
    state.add(values)
    return plain_state(state)


def stretched(kind: StateKind, values: list[Any], borders: list[int]) -> list[Any]:
    """The states of the stretches between borders, as they travel."""
    places = [0, *sorted(border % (len(values) + 1) for border in borders), len(values)]
    return [
        state_over(kind, values[start:end], is_first=index == 0) for index, (start, end) in enumerate(pairwise(places))
    ]


def merged(kind: StateKind, states: list[Any], order: list[int]) -> Any:
    states = list(states)
    for place in [*order, *[0] * len(states)]:
        if len(states) == 1:
            break
        index = place % (len(states) - 1)
        states[index : index + 2] = [kind.merged(unpack(pack(states[index])), unpack(pack(states[index + 1])))]
    return states[0]


@pytest.mark.parametrize("function", FUNCTIONS)
@given(
    values=NUMBERS, borders=st.lists(st.integers(0, 1000), max_size=5), order=st.lists(st.integers(0, 9), max_size=5)
)
def test_any_merge_gives_the_value_of_the_whole(
    function: str, values: list[Any], borders: list[int], order: list[int]
) -> None:
    kind = kind_of(function)
    found = kind.opened(merged(kind, stretched(kind, values, borders), order)).value()
    assert seen(found) == whole(function, values)


@pytest.mark.parametrize("function", FUNCTIONS)
@given(values=ANY_NUMBERS, fold_at=st.integers(0, 3), asked=st.sets(st.integers(0, 9)))
def test_values_one_by_one_give_the_value_of_all(
    function: str, values: list[Any], fold_at: int, asked: set[int]
) -> None:
    state = kind_of(function, fold_at).new(True)
    for number, value in enumerate(values):
        state.add_one(value)
        if number in asked:
            assert seen(state.value()) == whole(function, values[: number + 1])
    assert seen(state.value()) == whole(function, values)


@pytest.mark.parametrize("function", ["count", "sum", "avg", "min", "max"])
@given(values=NUMBERS, border=st.integers(0, 1000))
def test_a_running_state_goes_on_from_a_mark(function: str, values: list[Any], border: int) -> None:
    border %= len(values) + 1
    state = running_state(function, CONTEXT)
    state.add(values[:border])
    mark = state.mark()
    state.add(values[border:])
    other = running_state(function, CONTEXT)
    other.resume(*mark)
    other.add(values[border:])
    assert seen(other.value()) == seen(state.value()) == whole(function, values)
    state.clear()
    assert seen(state.value()) == whole(function, [])


def test_a_state_of_nothing_takes_what_the_scan_has_computed() -> None:
    for function, expected in (("count", 3), ("sum", 6.0), ("avg", 2.0), ("min", 6.0)):
        state = aggregate_state(function, CONTEXT)
        state.take_scanned(3, None if function == "count" else 6.0)
        assert state.value() == (expected,)


def test_sum_of_nothing_is_what_the_query_says() -> None:
    kind = StateKind(lambda is_first: aggregate_state("sum", CONTEXT, [[Decimal("0.0")]], is_first=is_first))
    nothing = [state_over(kind, [], is_first=is_first) for is_first in (True, False)]
    assert kind.opened(kind.merged(*nothing)).value() == [Decimal("0.0")]


def test_a_sum_from_the_beginning_stays_small() -> None:
    kind = kind_of("sum")
    first = state_over(kind, [0.1] * 10_000, is_first=True)
    for _ in range(3):
        first = kind.merged(first, state_over(kind, [0.1] * 10_000, is_first=False))
    assert len(pack(first)) < 100


def test_a_sum_that_learns_that_it_is_first_becomes_small() -> None:
    state = kind_of("sum").new(False)
    state.add([0.1] * 10_000)
    assert state.held_bytes >= 80_000
    expected = seen(state.value())
    state.begin()
    assert state.held_bytes == 0
    assert seen(state.value()) == expected


def test_the_least_of_uris_and_strings_is_a_string() -> None:
    kind = kind_of("min")
    states = [state_over(kind, values, is_first=False) for values in ([AnyURI("b")], ["c"], [AnyURI("a")])]
    found = kind.opened(merged(kind, states, [1]))
    assert seen(found.value()) == whole("min", [AnyURI("b"), "c", AnyURI("a")])


def test_an_error_waits_in_the_state_until_it_is_read() -> None:
    kind = kind_of("sum")
    bad, good = kind.new(False), kind.new(False)
    bad.take([UntypedAtomic("x")])
    good.take([1])
    travelled = kind.merged(plain_state(good), unpack(pack(plain_state(bad))))
    result = kind.opened(travelled).result()
    assert isinstance(result, Failed)
    with pytest.raises(XylemError) as caught:
        list(result)
    assert caught.value.code == "FORG0001"


def test_what_one_item_decides_is_not_undone_by_a_later_error() -> None:
    state, failed = kind_of("exists").new(True), kind_of("exists").new(False)
    state.add_one(1)
    failed.fail(DynamicError("FORG0001", "x"))
    state.merge(failed)
    state.fail(DynamicError("FORG0001", "x"))
    assert state.result() == (True,)


def test_what_cannot_be_merged_says_so() -> None:
    class Lost(AggregateState):
        def add(self, values: Any) -> None: ...
        def value(self) -> Any: ...

    with pytest.raises(NotImplementedError):
        Lost().merge(Lost())


def test_a_users_aggregate_is_merged_by_its_own_method() -> None:
    class Longest:
        def init(self) -> str:
            return ""

        def step(self, state: str, value: str) -> str:
            return max(state, value, key=len)

        def merge(self, first: str, second: str) -> str:
            return self.step(first, second)

        def finish(self, state: str) -> str:
            return state

    protocol = AggregateProtocol("udf:longest", Longest)
    kind = StateKind(lambda is_first: UserState(protocol))
    states = [state_over(kind, values, is_first=False) for values in (["a", "ccc"], ["bb"], [])]
    assert list(kind.opened(merged(kind, states, [])).value()) == ["ccc"]
