"""The state of an aggregate over a stretch of the input, and how to merge the states of two neighbouring stretches.

    count, exists, empty     a number
    sum, avg                 exact numbers and durations are added; doubles are kept until all before them are known,
                             since adding them in another order would change the last digits of the answer
    min, max                 the least or greatest so far, as the function itself finds it
    string-join              the text so far
    distinct-values          the values so far
    udf:…                    its own `step` and `merge`

Merging is associative. The state of a stretch that begins where the input begins stays small: merge in that order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol

from xylem.functions.context import Context
from xylem.functions.external import AggregateProtocol
from xylem.functions.library import look_up
from xylem.functions.registry import FN
from xylem.values.arithmetic import divide
from xylem.values.casting_numbers import parse_double
from xylem.values.strings import UntypedAtomic

_RUN = 4096


class AggregateState(Protocol):
    """One kind of aggregate; its states are plain values that can be packed."""

    def of(self, items: Iterable[Any], is_first: bool) -> Any:
        """The state of a stretch with these items; `is_first` if the stretch begins the input."""

    def merged(self, a: Any, b: Any) -> Any: ...

    def begun(self, state: Any) -> Any:
        """The state of a stretch known to be the first one."""
        return state

    def value(self, state: Any) -> Sequence[Any]: ...


class Counted(AggregateState):
    """fn:count, fn:exists, fn:empty."""

    def __init__(self, function: str) -> None:
        self._function = function

    def of(self, items: Iterable[Any], is_first: bool) -> int:
        return len(items) if isinstance(items, (list, tuple, range)) else sum(1 for _ in items)

    def merged(self, a: int, b: int) -> int:
        return a + b

    def value(self, state: int) -> Sequence[Any]:
        if self._function == "count":
            return (state,)
        return ((state > 0) if self._function == "exists" else (state == 0),)


class Summed(AggregateState):
    """fn:sum and fn:avg. A state holds the count, whether it is the first stretch, and values that add up to the sum.

    Holds: one value if all are exact, or if the stretch begins the input; otherwise every double.
    """

    def __init__(self, function: str, zero: Sequence[Any]) -> None:
        self._function = function
        self._zero = zero
        found = look_up(FN, "sum", 1)
        assert found is not None
        self._sum: Callable[[Sequence[Any]], Any] = found.body

    def of(self, items: Iterable[Any], is_first: bool) -> tuple[int, bool, list[Any]]:
        count, values = 0, list[Any]()
        items = iter(items)
        for item in items:
            count += 1
            values.append(parse_double(item) if type(item) is UntypedAtomic else item)
            if len(values) > _RUN:
                values = self._folded(values, is_first)
                if len(values) > _RUN:
                    break
        else:
            return count, is_first, self._folded(values, is_first)
        # No two of these doubles can be added yet.
        rest = [parse_double(item) if type(item) is UntypedAtomic else item for item in items]
        values += rest
        return count + len(rest), is_first, self._folded(values, is_first)

    def _folded(self, values: list[Any], is_first: bool) -> list[Any]:
        if len(values) > 1 and (is_first or not any(isinstance(value, float) for value in values)):
            return [self._sum(values)]
        return values

    def begun(self, state: tuple[int, bool, list[Any]]) -> tuple[int, bool, list[Any]]:
        return state[0], True, self._folded(state[2], True)

    def merged(self, a: tuple[int, bool, list[Any]], b: tuple[int, bool, list[Any]]) -> tuple[int, bool, list[Any]]:
        # In place: neither state is used again, and there may be many of them.
        a[2].extend(b[2])
        return a[0] + b[0], a[1], self._folded(a[2], a[1])

    def value(self, state: tuple[int, bool, list[Any]]) -> Sequence[Any]:
        count, _, values = state
        if not count:
            return () if self._function == "avg" else self._zero
        total = self._sum(values)
        return (divide(total, count),) if self._function == "avg" else (total,)


class Extreme(AggregateState):
    """fn:min and fn:max: applying the function to its own results gives the result for all values."""

    def __init__(self, function: str, context: Context, collation: Sequence[Any]) -> None:
        found = look_up(FN, function, 1 + len(collation))
        assert found is not None
        body = found.body
        self._function: Callable[[Sequence[Any]], Any] = lambda values: body(context, values, *collation)

    def of(self, items: Iterable[Any], is_first: bool) -> list[Any]:
        kept: list[Any] = []
        for item in items:
            kept.append(item)
            if len(kept) > _RUN:
                kept = self._one(kept)
        return self._one(kept)

    def _one(self, values: list[Any]) -> list[Any]:
        found = self._function(values) if values else None
        return [] if found is None else [found]

    def merged(self, a: list[Any], b: list[Any]) -> list[Any]:
        return self._one([*a, *b])

    def value(self, state: list[Any]) -> Sequence[Any]:
        return state


class Joined(AggregateState):
    """fn:string-join: a text, or None if there was no value."""

    def __init__(self, separator: Sequence[Any]) -> None:
        self._separator = str(separator[0]) if separator else ""

    def of(self, items: Iterable[Any], is_first: bool) -> str | None:
        from xylem.values.string_of import string_of

        texts = [string_of(item) for item in items]
        return self._separator.join(texts) if texts else None

    def merged(self, a: str | None, b: str | None) -> str | None:
        if a is None or b is None:
            return b if a is None else a
        return f"{a}{self._separator}{b}"

    def value(self, state: str | None) -> Sequence[Any]:
        return (state or "",)


class Distinct(AggregateState):
    """fn:distinct-values: the first of each set of equal values."""

    def __init__(self, context: Context, collation: Sequence[Any]) -> None:
        found = look_up(FN, "distinct-values", 1 + len(collation))
        assert found is not None
        body = found.body
        self._distinct: Callable[[Iterable[Any]], Iterator[Any]] = lambda values: body(context, values, *collation)

    def of(self, items: Iterable[Any], is_first: bool) -> list[Any]:
        return list(self._distinct(items))

    def merged(self, a: list[Any], b: list[Any]) -> list[Any]:
        return list(self._distinct([*a, *b]))

    def value(self, state: list[Any]) -> Sequence[Any]:
        return state


class UserFolded(AggregateState):
    """A function in Python that merges its states."""

    def __init__(self, protocol: AggregateProtocol) -> None:
        self._protocol = protocol

    def of(self, items: Iterable[Any], is_first: bool) -> Any:
        state = self._protocol.init()
        for item in items:
            state = self._protocol.step(state, item)
        return state

    def merged(self, a: Any, b: Any) -> Any:
        return self._protocol.merge(a, b)

    def value(self, state: Any) -> Sequence[Any]:
        return self._protocol.finish(state)


def aggregate_state(function: str, arguments: Sequence[Sequence[Any]], context: Context) -> AggregateState:
    """The kind of state of a function; `arguments` are the values of its arguments after the first."""
    first = arguments[0] if arguments else ()
    match function:
        case "count" | "exists" | "empty":
            return Counted(function)
        case "sum" | "avg":
            return Summed(function, first if arguments else (0,))
        case "min" | "max":
            return Extreme(function, context, first)
        case "string-join":
            return Joined(first)
        case "distinct-values":
            return Distinct(context, first)
    raise AssertionError(f"{function} is no aggregate")


__all__ = ["AggregateState", "aggregate_state"]
