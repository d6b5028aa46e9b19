"""Aggregates over a stream: what fn:count, fn:sum and their like need to remember (§3.8.1)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn, Protocol

from xylem.errors import XylemError
from xylem.functions.context import Context
from xylem.functions.library import look_up
from xylem.functions.registry import FN
from xylem.values.arithmetic import divide

_FOLD_AT = 1024


class Accumulator(Protocol):
    """An aggregate while its stream passes."""

    def add(self, items: Iterable[Any]) -> None: ...

    def fail(self, error: XylemError) -> None:
        """What should have been added could not be computed. Nobody may ask for the result."""

    def result(self) -> Sequence[Any]: ...


class Failed(tuple[Any, ...]):
    """A result that is an error, raised when it is read and not before: the query may never read it."""

    error: XylemError

    @classmethod
    def with_error(cls, error: XylemError) -> Failed:
        made = cls()
        made.error = error
        return made

    def _raise(self, *arguments: object) -> NoReturn:
        raise self.error

    __iter__ = __len__ = __getitem__ = __bool__ = __contains__ = _raise


class Counter:
    """fn:count, fn:exists and fn:empty: a number."""

    __slots__ = ("_answer", "_error", "_is_decided_by_one", "count")

    def __init__(self, function: str) -> None:
        self.count = 0
        self._error: XylemError | None = None
        self._is_decided_by_one = function != "count"
        self._answer: Callable[[int], Any] = {
            "count": lambda n: n,
            "exists": lambda n: n > 0,
            "empty": lambda n: n == 0,
        }[function]

    def add(self, items: Iterable[Any]) -> None:
        self.count += len(items) if isinstance(items, (list, tuple, range)) else sum(1 for _ in items)

    def fail(self, error: XylemError) -> None:
        # Where one item decides, those after it are not looked at.
        if self._error is None and not (self._is_decided_by_one and self.count):
            self._error = error

    def result(self) -> Sequence[Any]:
        return (self._answer(self.count),) if self._error is None else Failed.with_error(self._error)


class Folder:
    """fn:sum, fn:min and fn:max: values are folded by the function itself, a thousand at a time.

    The function of its own result and further values is the function of all of them; the order of additions
    stays that of the whole sequence, so the answer is the same to the last digit.
    """

    __slots__ = ("_error", "_fold", "_values", "count")

    def __init__(self, function: str, context: Context) -> None:
        self._fold = _folding("sum" if function == "avg" else function, context)
        self._values: list[Any] = []
        self._error: XylemError | None = None
        self.count = 0

    def add(self, items: Iterable[Any]) -> None:
        before = len(self._values)
        self._values.extend(items)
        self.count += len(self._values) - before
        if len(self._values) > _FOLD_AT:
            folded = self._fold(self._values)
            self._values = [] if folded is None else [folded]

    def fail(self, error: XylemError) -> None:
        self._error = self._error or error

    def result(self) -> Sequence[Any]:
        try:
            if self._error is not None:
                raise self._error
            return self._result()
        except XylemError as error:
            return Failed.with_error(error)

    def _result(self) -> Sequence[Any]:
        folded = self._folded()
        return () if folded is None else (folded,)

    def _folded(self) -> Any:
        folded = self._fold(self._values)
        if self._values and folded is not None:
            # It may be asked for again, with more to come or without.
            self._values = [folded]
        return folded


class Averager(Folder):
    """fn:avg: a sum and a number."""

    __slots__ = ()

    def _result(self) -> Sequence[Any]:
        return (divide(self._folded(), self.count),) if self.count else ()


def _folding(function: str, context: Context) -> Callable[[Sequence[Any]], Any]:
    builtin = look_up(FN, function, 1)
    assert builtin is not None
    body = builtin.body
    return (lambda values: body(context, values)) if builtin.context else body


def accumulator(function: str, context: Context) -> Accumulator:
    """A fresh accumulator for an aggregate function."""
    if function in ("count", "exists", "empty"):
        return Counter(function)
    return Averager(function, context) if function == "avg" else Folder(function, context)
