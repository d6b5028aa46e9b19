"""Tables of gathered items by key, for the lookups of a join in each task.

For the values of one side of an equality, a table returns in order the items whose keys may equal one of them: all that
do, and perhaps more, since the comparison itself is made afterwards (`join_key.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any

from xylem.functions.context import Context
from xylem.functions.external import ExternalFunction
from xylem.plan.spread import LOOKUP as NAME
from xylem.plan.spread import PART_NAMESPACE

from .join_key import join_key, must_compare


class LookupTable:
    """One table, built at the first lookup.

    Holds:  the positions of the items by their keys.
    """

    def __init__(self, items: Sequence[Any], key: Callable[[], Callable[..., Iterable[Any]]]) -> None:
        self._items = items
        self._key = key

    @cached_property
    def _table(self) -> tuple[dict[str | float, list[int]], dict[str, list[int]]]:
        """The positions of the items by their keys, and by their marks."""
        key = self._key()
        by_key: dict[str | float, list[int]] = {}
        by_mark: dict[str, list[int]] = {}
        for position, item in enumerate(self._items):
            found = {join_key(value) for value in key((item,))}
            for own in {own for own, _ in found if own is not None}:
                by_key.setdefault(own, []).append(position)
            for mark in {mark for _, mark in found}:
                by_mark.setdefault(mark, []).append(position)
        return by_key, by_mark

    def items(self, values: Sequence[Any]) -> Sequence[Any]:
        """The items whose keys may equal one of the values."""
        by_key, by_mark = self._table
        asked = {join_key(value) for value in values}
        marks = {mark for _, mark in asked}
        compared = [mark for mark in by_mark if must_compare((mark,), marks)]
        found = [by_key[key] for key, _ in asked if key in by_key]
        found += [by_mark[mark] for mark in compared]
        if len(found) == 1:
            return [self._items[position] for position in found[0]]
        return [self._items[position] for position in sorted({position for own in found for position in own})]


def _lookup(context: Context, number: int, values: Sequence[Any]) -> Sequence[Any]:
    table: LookupTable = context.run.variables[PART_NAMESPACE, f"lookup{number}"]
    return table.items(values)


LOOKUP = ExternalFunction(
    PART_NAMESPACE,
    NAME.local,
    ("xs:integer", "xs:anyAtomicType*"),
    "item()*",
    2,
    _lookup,
    frozenset(),
    focus=False,
    context=True,
)
"""lookup(number, values): the function that rewritten joins call."""
