"""The past values of an expression, as far back as a projection reaches. Equal neighbours are one version."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from xylem.functions.deep_equal import sequences_equal
from xylem.plan.history import Projection
from xylem.values.version_choice import Lifespan, VersionChoice

__all__ = ["Timeline", "choice_of"]


def choice_of(chosen: Projection) -> VersionChoice:
    return VersionChoice(chosen.sign, Decimal(chosen.amount))  # type: ignore[arg-type]  # the planner wrote it


class Timeline:
    """The history of one value.

    Holds:  v + 1 values for `#v` and `#[v]`; for `?t` and `?[t]` those of the last t seconds, and the one before them.
    """

    __slots__ = ("_choice", "runs")

    def __init__(self, choice: VersionChoice) -> None:
        self._choice = choice
        self.runs: list[tuple[Decimal, Sequence[Any]]] = []
        """Newest first: values with their start times."""

    def push(self, time: Decimal, value: Sequence[Any]) -> None:
        """Append the value as of a commit."""
        runs = self.runs
        if runs and sequences_equal(runs[0][1], value):
            # The newest of several equal values stands for all of them.
            runs[0] = runs[0][0], value
        else:
            runs.insert(0, (time, value))

    def chosen(self, now: Decimal) -> list[Any]:
        """The items of the requested versions; versions that cannot be requested any more are dropped."""
        choice, runs = self._choice, self.runs
        spans: list[Lifespan] = []
        end: Decimal | None = None
        for begin, _ in runs:
            spans.append((begin, end))
            end = begin
        found = [item for place in choice.places(spans, now) for item in runs[place][1]]
        if choice.is_by_time:
            while len(runs) > 1 and runs[-2][0] < now - choice.amount:
                runs.pop()
        else:
            del runs[int(choice.amount) + 1 :]
        return found

    def next_moment(self, now: Decimal) -> Decimal | None:
        """The next moment at which time alone may change the selection."""
        if not self._choice.is_by_time:
            return None
        moments = [begin + self._choice.amount for begin, _ in self.runs]
        return min((moment for moment in moments if moment >= now), default=None)
