"""The counts and aggregates of a run between two records, as values that can be saved.

The open elements themselves are not included: a resumed run gets their start tags again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from xylem.values.saved_state import give_state, layout, state_of
from xylem.values.state_codec import CannotSave, DamagedState

from .accumulator import Accumulator
from .run import StreamRun

ScopeStates: TypeAlias = dict[int, tuple[Any, ...]]
"""By the step of each open scope: the next handler, the last one that has fired, the record counts of handlers, and the
layout and state of each aggregate."""


def scope_states(run: StreamRun) -> ScopeStates:
    """The states of all open scopes; CannotSave if one of them cannot be saved now."""
    if any(scope.waiting or scope.started for scope in run.open.values()):
        raise CannotSave("results that wait for the end of a record")
    return {
        step: (scope.next_handler, scope.reached, dict(scope.counts), [_saved(one) for one in scope.aggregates])
        for step, scope in run.open.items()
    }


def _saved(aggregate: Accumulator) -> tuple[str, list[tuple[Any, ...]]]:
    if aggregate.error is not None:
        raise CannotSave("an error that the query has not read")
    return layout(aggregate), state_of(aggregate)


def give_scope_states(run: StreamRun, states: Mapping[int, tuple[Any, ...]]) -> None:
    """Load saved states into a run whose elements are open again; DamagedState if they belong to another run."""
    if list(states) != list(run.open):
        raise DamagedState("other elements are open")
    for step, (next_handler, reached, counts, aggregates) in states.items():
        scope = run.open[step]
        if [form for form, _ in aggregates] != [layout(one) for one in scope.aggregates]:
            raise DamagedState("aggregates of another form")
        for aggregate, (_, state) in zip(scope.aggregates, aggregates, strict=True):
            give_state(aggregate, state)
            run.statistics.hold(scope.role.variable, aggregate.held_bytes)
        scope.counts.update(counts)
        run.advance(scope, next_handler)
        scope.reached = reached
