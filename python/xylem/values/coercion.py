"""Calling function items, and function coercion (XQuery 3.1 §3.1.5.3, §3.2.2).

Maps and arrays are functions too, of their keys and of their positions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from xylem.errors import DynamicError

from .array import XArray
from .conversion import converter, shape, unshape
from .description import describe_item
from .function_item import FunctionItem
from .map import XMap
from .sequence_type import (
    ANY_SEQUENCE,
    ONE_ATOMIC,
    ONE_INTEGER,
    FunctionItemType,
    Occurrence,
    SequenceType,
)

_ARGUMENT_NAMES = tuple(f"the {nth} argument" for nth in ("first", "second", "third", "fourth", "fifth", "sixth"))


def call_function(function: Any, arguments: Sequence[Iterable[Any]]) -> Iterable[Any]:
    """A dynamic function call: arguments are sequences, converted here; the result is a sequence to read once."""
    if isinstance(function, FunctionItem):
        parameters = function.parameters
        if len(arguments) != len(parameters):
            raise _wrong_arity(function, len(parameters), len(arguments))
        names = _ARGUMENT_NAMES if len(parameters) <= len(_ARGUMENT_NAMES) else _argument_names(len(parameters))
        values = []
        for i, parameter in enumerate(parameters):
            values.append(converter(parameter)(arguments[i], names[i]))
        return unshape(function.call(*values), function.returns.occurrence)
    if isinstance(function, (XMap, XArray)):
        if len(arguments) != 1:
            raise _wrong_arity(function, 1, len(arguments))
        return look_up_entry(function, arguments[0])
    raise not_a_function(function)


def look_up_entry(function: XMap | XArray, argument: Iterable[Any]) -> Sequence[Any]:
    """A map called with a key, or an array with a position."""
    if isinstance(function, XMap):
        return function.get(_to_key(argument, "the key of a map")) or ()
    return member_at(function, _to_position(argument, "the position in an array"))


def member_at(array: XArray, position: int) -> Sequence[Any]:
    """array:get: positions count from 1."""
    if 0 < position <= len(array):
        return array[position - 1]
    size = len(array)
    raise DynamicError("FOAY0001", f"position {position} in an array of {size} member{'' if size == 1 else 's'}")


def coerce_function(function: Any, expected: FunctionItemType) -> FunctionItem:
    """The function with the expected signature: arguments and results are converted in passing."""
    inner = as_function_item(function)
    parameters, returns = expected.parameters, expected.returns
    assert parameters is not None
    assert returns is not None
    if len(parameters) != inner.arity:
        raise _wrong_arity(function, inner.arity, len(parameters), f" where {expected} is expected")
    if parameters == inner.parameters and returns == inner.returns:
        return inner
    call = _adapted(inner, parameters, returns)
    return FunctionItem(inner.name, parameters, returns, call, inner.annotations)


def as_function_item(function: Any) -> FunctionItem:
    """A function item for a function, a map or an array; XPTY0004 for anything else."""
    if isinstance(function, FunctionItem):
        return function
    if isinstance(function, XMap):
        return FunctionItem(None, (ONE_ATOMIC,), ANY_SEQUENCE, lambda key: function.get(key) or ())
    if isinstance(function, XArray):
        return FunctionItem(None, (ONE_INTEGER,), ANY_SEQUENCE, lambda position: member_at(function, position))
    raise not_a_function(function)


def not_a_function(found: Any) -> DynamicError:
    return DynamicError("XPTY0004", f"expected a function, found {describe_item(found)}")


def _adapted(inner: FunctionItem, parameters: tuple[SequenceType, ...], returns: SequenceType) -> Callable[..., Any]:
    """A callable with the expected signature; the callable itself if nothing has to be converted."""
    steps = [
        _adapter(given, wanted, f"{what} of {inner!r}")
        for given, wanted, what in zip(parameters, inner.parameters, _argument_names(inner.arity), strict=True)
    ]
    finish = _adapter(inner.returns, returns, f"the result of {inner!r}")
    call = inner.call
    if finish is None:
        return _with_arguments(call, steps)
    if all(step is None for step in steps):
        return lambda *arguments: finish(call(*arguments))
    adapted = _with_arguments(call, steps)
    return lambda *arguments: finish(adapted(*arguments))


def _with_arguments(call: Callable[..., Any], steps: list[Callable[[Any], Any] | None]) -> Callable[..., Any]:
    if all(step is None for step in steps):
        return call
    convert_each = [step or _unchanged for step in steps]
    if len(convert_each) == 1:
        (only,) = convert_each
        return lambda argument: call(only(argument))
    if len(convert_each) == 2:
        first, second = convert_each
        return lambda a, b: call(first(a), second(b))
    return lambda *arguments: call(*(step(value) for step, value in zip(convert_each, arguments, strict=True)))


def _unchanged(value: Any) -> Any:
    return value


def _adapter(given: SequenceType, wanted: SequenceType, what: str) -> Callable[[Any], Any] | None:
    """Converts between the calling conventions of two types; None if they are the same."""
    source, target = given.occurrence, wanted.occurrence
    if not given.within(wanted):
        convert = converter(wanted)
        return lambda value: convert(unshape(value, source), what)
    if source is target or (source.allows_many and target.allows_many):
        return None
    if source is Occurrence.ONE:
        return None if target is Occurrence.OPTIONAL else lambda value: (value,)
    return lambda value: shape(unshape(value, source), target)


def _to_key(argument: Iterable[Any], what: str) -> Any:
    return converter(ONE_ATOMIC)(argument, what)


def _to_position(argument: Iterable[Any], what: str) -> int:
    return converter(ONE_INTEGER)(argument, what)  # type: ignore[no-any-return]


def _argument_names(arity: int) -> tuple[str, ...]:
    if arity <= len(_ARGUMENT_NAMES):
        return _ARGUMENT_NAMES[:arity]
    return _ARGUMENT_NAMES + tuple(f"argument {i + 1}" for i in range(len(_ARGUMENT_NAMES), arity))


def _wrong_arity(function: Any, arity: int, given: int, where: str = "") -> DynamicError:
    takes = f"{arity} argument{'' if arity == 1 else 's'}"
    got = "" if where else f", not {given}"
    return DynamicError("XPTY0004", f"{describe_item(function)} takes {takes}{got}{where}")
