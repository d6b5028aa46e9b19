"""Tables of gathered items by key: what a join with them looks at in each task.

A table gives, for the values of one side of an equality, the items whose keys may equal one of them, in their order:
all that do, and perhaps more, since the comparison itself is made afterwards. Values that are strings or untyped are
looked up; for others the rules of comparison are not repeated here, and every item is given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any

from xylem.functions.context import Context
from xylem.functions.external import ExternalFunction
from xylem.plan.spread import PART_NAMESPACE
from xylem.values.strings import UntypedAtomic

_TEXTS = (str, UntypedAtomic)


class LookupTable:
    """One table; it is made when it is first asked.

    Holds:  the positions of the items by their keys.
    """

    def __init__(self, items: Sequence[Any], key: Callable[[], Callable[..., Iterable[Any]]]) -> None:
        self._items = items
        self._key = key

    @cached_property
    def _table(self) -> tuple[dict[str, list[int]], list[int]]:
        key = self._key()
        by_text: dict[str, list[int]] = {}
        others: list[int] = []
        for position, item in enumerate(self._items):
            for value in set(map(_text, key((item,)))):
                if value is None:
                    others.append(position)
                else:
                    by_text.setdefault(value, []).append(position)
        return by_text, others

    def items(self, values: Sequence[Any]) -> Sequence[Any]:
        """The items whose keys may equal one of the values."""
        texts = {_text(value) for value in values}
        if None in texts:
            return self._items
        by_text, others = self._table
        if len(texts) == 1 and not others:
            (text,) = texts
            return [self._items[position] for position in by_text.get(text or "", ())]
        positions = {*others, *(position for text in texts for position in by_text.get(text or "", ()))}
        return [self._items[position] for position in sorted(positions)]


def _text(value: Any) -> str | None:
    return str(value) if type(value) in _TEXTS else None


def _lookup(context: Context, number: int, values: Sequence[Any]) -> Sequence[Any]:
    table: LookupTable = context.run.variables[PART_NAMESPACE, f"lookup{number}"]
    return table.items(values)


LOOKUP = ExternalFunction(
    PART_NAMESPACE,
    "lookup",
    ("xs:integer", "xs:anyAtomicType*"),
    "item()*",
    2,
    _lookup,
    frozenset(),
    focus=False,
    context=True,
)
"""lookup(number, values): the function that rewritten joins call."""
