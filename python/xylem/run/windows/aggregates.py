"""Aggregates over windows, updated as items pass (windows paper, 6.3.6: only the aggregate is kept).

If at most one window is open, a running value is enough. Otherwise a column of values gives the aggregate from any
start up to now: by differences of exact running totals, by a queue of extreme values, or by states that can retract or
merge. If none of these is certain to give exactly the same answer, the values themselves are aggregated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from xylem.errors import XylemError
from xylem.values.document_order import stands_apart
from xylem.values.saved_state import saved

from ..aggregates.state import Failed
from .item_buffer import ItemBuffer

Items = ItemBuffer | Sequence[Any] | None


def aggregate_value(value: Any) -> Any:
    """An aggregate as a query reads it."""
    if type(value) is Failed:
        raise value.error
    return value


class Folding(Protocol):
    """An aggregate function over the values of the items since some start."""

    def add(self, values: Sequence[Any]) -> None:
        """The values of the next item."""

    def add_one(self, value: Any) -> None:
        """The one value of the next item."""

    def result(self, start: int) -> Any:
        """The aggregate of the values from the item at this position on."""

    def forget(self, before: int) -> None:
        """No start before this position will be requested."""

    def clear(self, following: int) -> None:
        """Start anew with the item at this position."""


@saved("aggregate", 1, fields=("_previous", "_disorder", "_failure"), parts=("_folding",))
class Aggregate:
    """One aggregate of a window clause. `values` gives the values of an item; None means the item itself.

    `whole` computes it from the items of a window: needed if items may be nodes out of document order, which a path
    would sort and deduplicate.
    """

    def __init__(
        self,
        values: Callable[[Any], Sequence[Any]] | None,
        folding: Folding,
        whole: Callable[[Sequence[Any]], Any] | None = None,
    ) -> None:
        self._values = values
        self._folding = folding
        self._whole = whole
        self._previous: Any = None
        self._disorder = 0
        """The position of the last item that does not follow the one before it."""
        self._failure: tuple[int, XylemError] | None = None

    @property
    def is_sum_of_items(self) -> bool:
        return self._values is None and self._whole is None and getattr(self._folding, "is_sum", False)

    def add(self, item: Any, position: int) -> None:
        if self._whole is not None:
            if self._previous is not None and not stands_apart(item, self._previous):
                self._disorder = position
            self._previous = item
        try:
            if self._values is None:
                self._folding.add_one(item)
            else:
                self._folding.add(self._values(item))
        except XylemError as error:
            self._failure = position, error
            self._folding.clear(position + 1)

    def add_run(self, items: Sequence[Any], position: int) -> None:
        """Add several items at once to a running aggregate; `position` is that of the last."""
        if self._whole is not None:
            for item in items:
                if self._previous is not None and not stands_apart(item, self._previous):
                    self._disorder = position
                self._previous = item
        try:
            if self._values is None:
                self._folding.add(items)
            else:
                values = self._values
                self._folding.add([value for item in items for value in values(item)])
        except XylemError as error:
            self._failure = position, error

    def result(self, start: int, items: Items) -> Any:
        if self._failure is not None and start <= self._failure[0]:
            return Failed.with_error(self._failure[1])
        try:
            if self._whole is not None and start < self._disorder:
                assert items is not None
                return self._whole(_from(items, start))
            return self._folding.result(start)
        except XylemError as error:
            return Failed.with_error(error)

    def forget(self, before: int) -> None:
        self._folding.forget(before)

    def clear(self, following: int) -> None:
        self._folding.clear(following)
        self._previous = None
        self._failure = None
        self._disorder = 0


def _from(items: ItemBuffer | Sequence[Any], start: int) -> Sequence[Any]:
    return items.from_position(start) if isinstance(items, ItemBuffer) else items


@saved("aggregates", 1, parts=("_members",))
class Aggregates:
    """All aggregates of one window clause."""

    def __init__(self, *members: Aggregate) -> None:
        self._members = members

    @property
    def is_sum_of_items(self) -> bool:
        """Whether the only aggregate is the sum of the items themselves."""
        return len(self._members) == 1 and self._members[0].is_sum_of_items

    def add(self, item: Any, position: int) -> None:
        for member in self._members:
            member.add(item, position)

    def add_run(self, items: Sequence[Any], position: int) -> None:
        for member in self._members:
            member.add_run(items, position)

    def results(self, start: int, items: Items) -> tuple[Any, ...]:
        """The aggregates of a window from this position up to the item added last."""
        members = self._members
        if len(members) == 1:
            return (members[0].result(start, items),)
        return tuple([member.result(start, items) for member in members])

    def forget(self, before: int) -> None:
        for member in self._members:
            member.forget(before)

    def clear(self, following: int) -> None:
        for member in self._members:
            member.clear(following)
