"""Aggregates over a stream: the state of fn:count, fn:sum and similar functions (§3.8.1)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn, Protocol

from xylem.errors import XylemError
from xylem.functions.context import Context
from xylem.functions.library import look_up
from xylem.functions.registry import FN
from xylem.values.arithmetic import divide
from xylem.values.array import XArray
from xylem.values.map import XMap
from xylem.values.node import ELEMENT, Node
from xylem.values.saved_state import saved
from xylem.values.string_of import string_of

from .buffer import size_of
from .kept_copies import KeptCopies, SeparateCopies

_FOLD_AT = 1024
_FOLD_FEW = 16
_ENTRY_BYTES = 100
"""Size estimate for an entry of a map or a member of an array."""


class Accumulator(Protocol):
    """An aggregate whose input is a stream."""

    error: XylemError | None
    """The first error raised while adding, if any."""

    @property
    def is_decided(self) -> bool:
        """Whether no further input can change the result."""

    @property
    def held_bytes(self) -> int:
        """Memory used by values other than numbers."""

    def add(self, items: Iterable[Any]) -> None: ...

    def fail(self, error: XylemError) -> None:
        """Record that an input could not be computed. The result must not be read."""

    def result(self) -> Sequence[Any]: ...


class Failed(tuple[Any, ...]):
    """A result that is an error, raised only when it is read: the query may never read it."""

    error: XylemError

    @classmethod
    def with_error(cls, error: XylemError) -> Failed:
        made = cls()
        made.error = error
        return made

    def _raise(self, *arguments: object) -> NoReturn:
        raise self.error

    __iter__ = __len__ = __getitem__ = __bool__ = __contains__ = _raise


@saved("counter", 1, fields=("count",))
class Counter:
    """fn:count, fn:exists and fn:empty: a number."""

    __slots__ = ("_answer", "_is_decided_by_one", "count", "error")
    held_bytes = 0

    def __init__(self, function: str) -> None:
        self.count = 0
        self.error: XylemError | None = None
        self._is_decided_by_one = function != "count"
        self._answer: Callable[[int], Any] = {
            "count": lambda n: n,
            "exists": lambda n: n > 0,
            "empty": lambda n: n == 0,
        }[function]

    @property
    def is_decided(self) -> bool:
        return self.error is not None or (self._is_decided_by_one and self.count > 0)

    def add(self, items: Iterable[Any]) -> None:
        self.count += len(items) if isinstance(items, (list, tuple, range)) else sum(1 for _ in items)

    def fail(self, error: XylemError) -> None:
        # If one item decides the result, later items are ignored.
        if self.error is None and not (self._is_decided_by_one and self.count):
            self.error = error

    def result(self) -> Sequence[Any]:
        return (self._answer(self.count),) if self.error is None else Failed.with_error(self.error)


@saved("folder", 1, fields=("_values", "count"))
class Folder:
    """fn:sum, fn:min and fn:max: values are folded by the function itself, a thousand at a time.

    Applying the function to its own result and further values gives the result for all of them. Additions keep the
    order of the whole sequence, so the answer is the same to the last digit.
    """

    __slots__ = ("_fold", "_fold_at", "_values", "count", "error")
    held_bytes = 0

    def __init__(self, function: str, context: Context, fold_at: int = _FOLD_AT) -> None:
        self._fold_at = fold_at
        self._fold = _folding("sum" if function == "avg" else function, context)
        self._values: list[Any] = []
        self.error: XylemError | None = None
        self.count = 0

    @property
    def is_decided(self) -> bool:
        return self.error is not None

    def add(self, items: Iterable[Any]) -> None:
        before = len(self._values)
        self._values.extend(items)
        self.count += len(self._values) - before
        if len(self._values) > self._fold_at:
            folded = self._fold(self._values)
            self._values = [] if folded is None else [folded]

    def take(self, total: Any) -> None:
        """Take the precomputed value of many items, which are counted separately."""
        self._values.append(total)

    def fail(self, error: XylemError) -> None:
        self.error = self.error or error

    def result(self) -> Sequence[Any]:
        try:
            if self.error is not None:
                raise self.error
            return self._result()
        except XylemError as error:
            return Failed.with_error(error)

    def _result(self) -> Sequence[Any]:
        folded = self._folded()
        return () if folded is None else (folded,)

    def _folded(self) -> Any:
        folded = self._fold(self._values)
        if self._values and folded is not None:
            # The result may be requested again, with or without further input.
            self._values = [folded]
        return folded


@saved("averager", 1, fields=("_values", "count"))
class Averager(Folder):
    """fn:avg: a sum and a count."""

    __slots__ = ()

    def _result(self) -> Sequence[Any]:
        return (divide(self._folded(), self.count),) if self.count else ()


@saved("joiner", 1, fields=("_parts", "_joined", "held_bytes"))
class Joiner:
    """fn:string-join: the text so far.

    Holds:  the text, which is the answer.
    """

    __slots__ = ("_joined", "_parts", "_separator", "error", "held_bytes")

    def __init__(self, separator: str) -> None:
        self._separator = separator
        self._parts: list[str] = []
        self._joined = 0
        """Number of leading parts that are already joined, each of many values: no text is copied repeatedly."""
        self.error: XylemError | None = None
        self.held_bytes = 0

    @property
    def is_decided(self) -> bool:
        return self.error is not None

    @property
    def has_any(self) -> bool:
        """Whether there was a value, even an empty one."""
        return bool(self._parts)

    def add(self, items: Iterable[Any]) -> None:
        for item in items:
            text = string_of(item)
            self._parts.append(text)
            self.held_bytes += len(text) + len(self._separator)
        if len(self._parts) - self._joined > _FOLD_AT:
            self._parts[self._joined :] = [self._separator.join(self._parts[self._joined :])]
            self._joined += 1

    def fail(self, error: XylemError) -> None:
        self.error = self.error or error

    def result(self) -> Sequence[Any]:
        return (self._separator.join(self._parts),) if self.error is None else Failed.with_error(self.error)


@saved("kept-values", 1, fields=("_values", "held_bytes"))
class Kept:
    """Values as they arrived, for a sum that is computed from them later."""

    __slots__ = ("_values", "error", "held_bytes")

    def __init__(self) -> None:
        self._values: list[Any] = []
        self.error: XylemError | None = None
        self.held_bytes = 0

    @property
    def is_decided(self) -> bool:
        return self.error is not None

    def add(self, items: Iterable[Any]) -> None:
        before = len(self._values)
        self._values.extend(items)
        self.held_bytes += 8 * (len(self._values) - before)

    def fail(self, error: XylemError) -> None:
        self.error = self.error or error

    def result(self) -> Sequence[Any]:
        return self._values if self.error is None else Failed.with_error(self.error)


@saved("distinct", 1, fields=("_values", "count", "held_bytes"))
class Distinct(Folder):
    """fn:distinct-values: the distinct values so far; at most a thousand values wait for comparison with them."""

    __slots__ = ("held_bytes",)

    def __init__(self, context: Context) -> None:
        super().__init__("distinct-values", context)
        self.held_bytes = 0

    def add(self, items: Iterable[Any]) -> None:
        self._values.extend(items)
        if len(self._values) > max(_FOLD_AT, 2 * self.count):
            self._result()

    def _result(self) -> Sequence[Any]:
        self._values = list(self._fold(self._values))
        self.count = len(self._values)
        self.held_bytes = sum(map(value_bytes, self._values))
        return self._values


class Last:
    """(E)[last()], (E)[position() > last() - n]: one item, or some.

    Holds:  these items; with one item, also its batch; with several, the elements around them.
    """

    __slots__ = ("_copies", "_items", "_number", "error", "held_bytes")

    def __init__(self, number: int = 1) -> None:
        self._number = number
        self._items: deque[Any] = deque(maxlen=number)
        self._copies = SeparateCopies()
        self.error: XylemError | None = None
        self.held_bytes = 0

    @property
    def is_decided(self) -> bool:
        return self.error is not None

    def add(self, items: Iterable[Any]) -> None:
        for item in items:
            if len(self._items) == self._number:
                self.held_bytes -= self._alone(0, 1)
            # A node keeps its whole batch in memory: several items are therefore copied.
            is_copied = self._number > 1 and isinstance(item, Node) and item.kind == ELEMENT
            self._items.append(self._copies.take(item) if is_copied else item)
            self.held_bytes += self._alone(-1, -2)

    def _alone(self, place: int, neighbour: int) -> int:
        """The memory of an item at one end that its neighbour does not share: items of one tree are consecutive."""
        item = self._items[place]
        if not isinstance(item, Node):
            return value_bytes(item)
        if self._number == 1 or item.kind != ELEMENT:
            return size_of(item)
        other = self._items[neighbour] if len(self._items) > 1 else None
        is_shared = isinstance(other, Node) and other.tree is item.tree
        return 0 if is_shared else size_of(Node(item.tree, 0))

    def fail(self, error: XylemError) -> None:
        self.error = self.error or error

    def result(self) -> Sequence[Any]:
        return list(self._items) if self.error is None else Failed.with_error(self.error)


class Items:
    """The nodes themselves, for functions that must look at all of them.

    Holds:  a copy of each; a nested node is part of the outer node's copy.
    """

    __slots__ = ("_copies", "_items", "_other_bytes", "error")

    def __init__(self) -> None:
        self._copies = KeptCopies()
        self._items: list[Any] = []
        self.error: XylemError | None = None
        self._other_bytes = 0

    @property
    def is_decided(self) -> bool:
        return self.error is not None

    def add(self, items: Iterable[Any]) -> None:
        for item in items:
            if isinstance(item, Node) and item.kind == ELEMENT:
                self._items.append(self._copies.take(item))
            else:
                self._items.append(item)
                self._other_bytes += size_of(item) if isinstance(item, Node) else value_bytes(item)

    @property
    def held_bytes(self) -> int:
        return self._copies.taken_bytes + self._other_bytes

    def fail(self, error: XylemError) -> None:
        self.error = self.error or error

    def result(self) -> Sequence[Any]:
        return self._items if self.error is None else Failed.with_error(self.error)


@saved("left-fold", 1, fields=("value", "held_bytes"))
class LeftFold:
    """fn:fold-left: the value so far, which generated code updates with each item.

    Holds:  that value; a query may let it grow to any size.
    """

    __slots__ = ("error", "held_bytes", "value")

    def __init__(self) -> None:
        self.value: Sequence[Any] = ()
        self.error: XylemError | None = None
        self.held_bytes = 0

    @property
    def is_decided(self) -> bool:
        return self.error is not None

    def add(self, items: Iterable[Any]) -> None:
        """Add the next value."""
        self.value = value = items if isinstance(items, (tuple, list)) else list(items)
        if len(value) == 1 and not isinstance(value[0], (Node, str, XMap, XArray)):
            self.held_bytes = 8
            return
        self.held_bytes = sum(size_of(item) if isinstance(item, Node) else value_bytes(item) for item in self.value)

    def fail(self, error: XylemError) -> None:
        self.error = self.error or error

    def result(self) -> Sequence[Any]:
        return self.value if self.error is None else Failed.with_error(self.error)


def take_state(into: Accumulator, count: int, total: Any) -> None:
    """Take the partial aggregate that the scan has computed, before any record arrives here."""
    assert isinstance(into, (Counter, Folder))
    into.count += count
    if isinstance(into, Folder) and total is not None:
        into.take(total)


def value_bytes(value: Any) -> int:
    if isinstance(value, str):
        return len(value)
    # The content of a map or an array is not measured: that would take as long as making it.
    return 8 + _ENTRY_BYTES * len(value) if isinstance(value, (XMap, XArray)) else 8


def _folding(function: str, context: Context) -> Callable[[Sequence[Any]], Any]:
    builtin = look_up(FN, function, 1)
    assert builtin is not None
    body = builtin.body
    return (lambda values: body(context, values)) if builtin.context else body


def accumulator(function: str, context: Context, parameter: str = "", *, few: bool = False) -> Accumulator:
    """A fresh accumulator for an aggregate function; one of many holds only a `few` values before it folds them."""
    match function:
        case "count" | "exists" | "empty":
            return Counter(function)
        case "string-join":
            return Joiner(parameter)
        case "distinct-values":
            return Distinct(context)
        case "last":
            return Last(int(parameter or 1))
        case "items":
            return Items()
        case "sum-of-values" | "avg-of-values":
            return Kept()
        case "avg-of-sum":
            function = "sum"
    fold_at = _FOLD_FEW if few else _FOLD_AT
    return (Averager if function == "avg" else Folder)(function, context, fold_at)
