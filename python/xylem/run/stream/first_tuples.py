"""Keep only the first (or last) tuples in key order: `order by` needs no more if the query asks for no more."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, NamedTuple

from xylem.errors import XylemError
from xylem.values.node import ELEMENT, Node
from xylem.values.ordering import order_keys

from ..aggregates.held_values import value_bytes
from ..aggregates.state import Failed
from ..runtime.tuples import OrderColumn, ordered
from .buffer import size_of
from .kept_copies import SeparateCopies, bytes_of_copies

_SLACK = 8
"""This many tuples beyond those wanted may accumulate before a cut, because a cut sorts them all."""


@dataclass(frozen=True)
class FirstSpec:
    """The number of tuples needed, or of their items, and their order."""

    limit: int | str
    """A number, or the name of the function that gives it."""
    told: str
    """The same in words."""
    columns: tuple[OrderColumn, ...]
    is_last: bool = False
    """Whether to count from the end."""


class _Kept(NamedTuple):
    keys: tuple[Any, ...]
    number: int
    """Number of the item it was made from."""
    item: Any
    results: float


class FirstTuples:
    """The items of the first tuples, each with the keys of its tuples.

    A tuple that sorts after all wanted ones is dropped at once; so is one without items. The results of dropped tuples
    do not matter, but their keys do: keys that cannot be compared with the others are an error (XQuery 3.1 §3.12.8).

    Holds: the items of the wanted tuples, and of as many again between two cuts.
    Order:  the items come in the order of the input: the reader sorts them.
    """

    def __init__(self, spec: FirstSpec, limit: float, implicit_timezone_minutes: int) -> None:
        self._spec = spec
        self.limit = limit
        self._timezone = implicit_timezone_minutes
        self._kept: list[_Kept] = []
        self._cut_at = limit + _SLACK
        self._threshold: tuple[Any, ...] | None = None
        """The last wanted tuple, unless smaller ones arrive."""
        self._samples: list[Any] = [None] * len(spec.columns)
        """A key of each column: all others must be comparable with it."""
        self._number = 0
        self._item: Any = None
        self._copy: Any = None
        self._copies = SeparateCopies()
        self.error: XylemError | None = None
        self._no_order: XylemError | None = None
        self.held_bytes = 0

    @property
    def is_decided(self) -> bool:
        return self.error is not None

    def add(self, items: Iterable[Any]) -> None:
        """Not fed this way: generated code offers tuples with their keys."""
        raise AssertionError("tuples come with their keys")

    def start(self, item: Any) -> None:
        """Note that the next tuples are made from this item."""
        self._number += 1
        self._item, self._copy = item, None

    def takes(self, keys: tuple[Any, ...]) -> bool:
        """Whether a tuple with these keys may be one of the first."""
        if self._no_order is not None:
            return False
        try:
            self._check(keys)
        except XylemError as error:
            # If keys of later tuples cannot be computed at all, that error comes first.
            self._no_order = error
            return False
        if self.limit < 1:
            return False
        return self._threshold is None or self._is_before(keys, self._threshold)

    def _check(self, keys: tuple[Any, ...]) -> None:
        for index, key in enumerate(keys):
            if key is not None:
                sample = self._samples[index]
                if sample is None or type(sample) is not type(key):
                    order_keys((sample, key), None, self._timezone)
                    self._samples[index] = key

    def _is_before(self, keys: tuple[Any, ...], others: tuple[Any, ...]) -> bool:
        for key, other, column in zip(keys, others, self._spec.columns, strict=True):
            one, two = order_keys((key, other), column.collation, self._timezone, empty_greatest=column.empty_greatest)
            if one != two:
                return bool((one < two) != (column.descending != self._spec.is_last))
        # Of equal tuples, the earlier ones come first.
        return self._spec.is_last

    def keep(self, keys: tuple[Any, ...], results: float) -> None:
        """Keep the item for a tuple with a number of results."""
        if not results:
            return
        if self._copy is None:
            item = self._item
            self._copy = self._copies.take(item) if _is_element(item) else item
            self.held_bytes += self._size_of_last()
        self._kept.append(_Kept(keys, self._number, self._copy, results))
        if len(self._kept) >= self._cut_at:
            self._cut()

    def _cut(self) -> None:
        """Drop the tuples that sort after the wanted ones."""
        wanted: list[_Kept] = []
        results: float = 0
        in_order = ordered([(kept.keys, (kept,)) for kept in self._kept], self._spec.columns, self._timezone)
        for (kept,) in reversed(in_order) if self._spec.is_last else in_order:
            if results >= self.limit:
                break
            wanted.append(kept)
            results += kept.results
        if wanted and results >= self.limit:
            self._threshold = wanted[-1].keys
        self._kept = sorted(wanted, key=lambda kept: kept.number)
        self._cut_at = 2 * len(wanted) + _SLACK
        items = self._items()
        self.held_bytes = bytes_of_copies(item for item in items if _is_element(item))
        self.held_bytes += sum(_size(item) for item in items if not _is_element(item))

    def _size_of_last(self) -> int:
        """The bytes of the last item that earlier ones do not share."""
        if not _is_element(self._copy):
            return _size(self._copy)
        before: Any = self._kept[-1].item if self._kept else None
        return 0 if _is_element(before) and before.tree is self._copy.tree else bytes_of_copies([self._copy])

    def _items(self) -> list[Any]:
        return list({kept.number: kept.item for kept in self._kept}.values())

    def fail(self, error: XylemError) -> None:
        self.error = self.error or error

    def result(self) -> Sequence[Any]:
        error = self.error or self._no_order
        if error is not None:
            return Failed.with_error(error)
        self._cut()
        return self._items()


def limit_of(values: Sequence[Any]) -> float:
    """The number of tuples that a variable requests; all if it is not a number, which the comparison then reports."""
    found: list[float] = []
    for value in values:
        try:
            found.append(float(value))
        except (TypeError, ValueError, OverflowError):
            return inf
    # NaN is larger than everything here; of several values, one is enough.
    return max((number for number in found if number == number), default=0)


def _is_element(item: Any) -> bool:
    return isinstance(item, Node) and item.kind == ELEMENT


def _size(item: Any) -> int:
    return size_of(item) if isinstance(item, Node) else value_bytes(item)
