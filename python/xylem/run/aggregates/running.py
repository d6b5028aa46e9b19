"""Running aggregates over all values so far: only the current value is kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xylem.functions.aggregate_functions import add_run, check_summable
from xylem.functions.context import Context
from xylem.functions.extreme_values import Extreme
from xylem.values.arithmetic import divide
from xylem.values.casting_numbers import parse_double
from xylem.values.saved_state import saved
from xylem.values.strings import UntypedAtomic

from .one_by_one import OneByOne


class Running(OneByOne):
    """Base class of running aggregates: they start once, and can only forget everything."""

    def forget(self, before: int) -> None:
        pass

    def clear(self, following: int) -> None:
        raise NotImplementedError


@saved("running-count", 1, fields=("_count",))
class RunningCount(Running):
    def __init__(self) -> None:
        self._count = 0

    def add(self, values: Sequence[Any]) -> None:
        self._count += len(values)

    def mark(self) -> tuple[Any, int]:
        """The current state, for `resume`."""
        return None, self._count

    def resume(self, so_far: Any, count: int) -> None:
        """Continue after `count` values."""
        self._count = count

    def result(self, start: int = 0) -> int:
        return self._count

    def clear(self, following: int) -> None:
        self._count = 0


@saved("running-sum", 1, fields=("_total", "_count"))
class RunningSum(Running):
    """fn:sum and fn:avg: value after value, in the order and by the additions of the function itself."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._total: Any = None
        self._count = 0

    def add(self, values: Sequence[Any]) -> None:
        if not values:
            return
        run = list(values)
        kinds = set(map(type, run))
        if UntypedAtomic in kinds:
            run = [parse_double(value) if type(value) is UntypedAtomic else value for value in run]
            kinds.discard(UntypedAtomic)
            kinds.add(float)
        check_summable(kinds, self._total, run, f"fn:{self._name}")
        self._total = add_run(self._total, run, kinds)
        self._count += len(run)

    def add_one(self, value: Any) -> None:
        if type(value) is int and type(self._total) is int:
            self._total += value
            self._count += 1
            return
        self.add((value,))

    def mark(self) -> tuple[Any, int]:
        """The current state, for `resume`."""
        return self._total, self._count

    def resume(self, so_far: Any, count: int) -> None:
        """Continue from a sum of `count` values; None if there was no value."""
        self._total, self._count = so_far, count

    def result(self, start: int = 0) -> Any:
        if self._name == "sum":
            return self._total if self._count else 0
        return divide(self._total, self._count) if self._count else None

    def clear(self, following: int) -> None:
        self._total = None
        self._count = 0


@saved("running-extreme", 1, parts=("_extreme",))
class RunningExtreme(Running):
    """fn:min and fn:max."""

    def __init__(self, make: Callable[[], Extreme]) -> None:
        self._make = make
        self._extreme = make()

    def add(self, values: Sequence[Any]) -> None:
        if values:
            self._extreme.take(list(values))

    def mark(self) -> tuple[Any, int]:
        """The current state, for `resume`."""
        return self._extreme.result(), 0

    def resume(self, so_far: Any, count: int) -> None:
        """Continue from the extreme of some values; None if there was no value."""
        if so_far is not None:
            self.add((so_far,))

    def result(self, start: int = 0) -> Any:
        return self._extreme.result()

    def clear(self, following: int) -> None:
        self._extreme = self._make()


@saved("running-fold", 1, fields=("_state",))
class RunningFold(Running):
    """A user's aggregate."""

    def __init__(self, protocol: Any) -> None:
        self._protocol = protocol
        self._state = protocol.init()

    def add(self, values: Sequence[Any]) -> None:
        for value in values:
            self._state = self._protocol.step(self._state, value)

    def result(self, start: int = 0) -> Any:
        return self._protocol.finish(self._state)

    def clear(self, following: int) -> None:
        self._state = self._protocol.init()


def running(name: str, context: Context) -> RunningCount | RunningSum | RunningExtreme:
    """The state of fn:count, fn:sum, fn:avg, fn:min or fn:max."""
    if name == "count":
        return RunningCount()
    if name in ("sum", "avg"):
        return RunningSum(name)
    choose = max if name == "max" else min
    return RunningExtreme(lambda: Extreme(context, None, choose, f"fn:{name}"))
