"""When time alone may change the result of a unit: versions enter and leave the range that it looks at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal

from xylem.plan.history import Projection

from .commits import History
from .content import Content, Element, Slot, placed

__all__ = ["LookingBack"]


class LookingBack:
    """The times to which the units of a source look back.

    `?t` chooses a version t seconds after it began, until t seconds after it ended. `?[t]` chooses it at once: only the
    end of a superseded version matters.
    """

    def __init__(self, projections: Iterable[Projection]) -> None:
        chosen = set(projections)
        self._moments = tuple({Decimal(one.amount) for one in chosen if one.sign == "?"})
        self._windows = tuple({Decimal(one.amount) for one in chosen if one.sign == "?[]"})

    def next_moment(self, item: Content, history: History) -> Decimal | None:
        """The next time at which the choice of versions inside an item may change."""
        now, time_of = history.now, history.time_of
        best: Decimal | None = None
        lengths = {*self._moments, *self._windows}
        for commit in set(_shown(item) if self._moments else _superseding(item)):
            time = time_of(commit)
            for length in lengths:
                moment = time + length
                if moment >= now and (best is None or moment < best):
                    best = moment
        return best


def _superseding(item: Content) -> Iterator[int]:
    """The commits that showed superseding versions."""
    for one in _everything(item):
        if type(one) is Slot:
            for version in one.versions[1:]:
                yield version.shown
            for version in one.versions:
                # Content that arrives directly in a slot makes a new version of that slot (`flat_history.py`).
                for inner in placed(version.content):
                    if type(inner) is Slot and inner.versions:
                        yield inner.versions[0].shown


def _shown(item: Content) -> Iterator[int]:
    """The commits that showed something in an item."""
    for one in _everything(item):
        if type(one) is Slot:
            for version in one.versions:
                yield version.shown
        else:
            yield one.shown  # type: ignore[union-attr]  # no slot


def _everything(item: Content) -> Iterator[Content]:
    """An item and everything in it, in all versions."""
    stack: list[Content] = [item]
    while stack:
        one = stack.pop()
        yield one
        if type(one) is Slot:
            for version in one.versions:
                stack += version.content
            stack += one.before
            stack += one.after
        elif type(one) is Element:
            stack += one.content
