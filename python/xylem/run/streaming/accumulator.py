"""Aggregates over a stream: what fn:count, fn:sum and their like need to remember (§3.8.1)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

from xylem.functions.context import Context
from xylem.functions.library import look_up
from xylem.functions.registry import FN
from xylem.values.arithmetic import divide

_FOLD_AT = 1024


class Accumulator(Protocol):
    """An aggregate while its stream passes."""

    def add(self, items: Iterable[Any]) -> None: ...

    def result(self) -> Sequence[Any]: ...


class Counter:
    """fn:count, fn:exists and fn:empty: a number."""

    __slots__ = ("_answer", "count")

    def __init__(self, function: str) -> None:
        self.count = 0
        self._answer: Callable[[int], Any] = {
            "count": lambda n: n,
            "exists": lambda n: n > 0,
            "empty": lambda n: n == 0,
        }[function]

    def add(self, items: Iterable[Any]) -> None:
        self.count += len(items) if isinstance(items, (list, tuple, range)) else sum(1 for _ in items)

    def result(self) -> Sequence[Any]:
        return (self._answer(self.count),)


class Folder:
    """fn:sum, fn:min and fn:max: values are folded by the function itself, a thousand at a time.

    The function of its own result and further values is the function of all of them; the order of additions
    stays that of the whole sequence, so the answer is the same to the last digit.
    """

    __slots__ = ("_fold", "_values", "count")

    def __init__(self, function: str, context: Context) -> None:
        self._fold = _folding("sum" if function == "avg" else function, context)
        self._values: list[Any] = []
        self.count = 0

    def add(self, items: Iterable[Any]) -> None:
        before = len(self._values)
        self._values.extend(items)
        self.count += len(self._values) - before
        if len(self._values) > _FOLD_AT:
            folded = self._fold(self._values)
            self._values = [] if folded is None else [folded]

    def result(self) -> Sequence[Any]:
        folded = self._fold(self._values)
        return () if folded is None else (folded,)


class Averager(Folder):
    """fn:avg: a sum and a number."""

    __slots__ = ()

    def result(self) -> Sequence[Any]:
        return (divide(super().result()[0], self.count),) if self.count else ()


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
