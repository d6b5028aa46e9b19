"""Functions as values in generated code: references, partial application, focus functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from xylem.analysis.types import LIST_TYPES, signature_type
from xylem.errors import DynamicError
from xylem.functions.context import Context
from xylem.functions.external import ExternalFunction
from xylem.functions.library import look_up
from xylem.functions.registry import FN, PREFIXES, Builtin
from xylem.values import atomic_type as at
from xylem.values.array import XArray
from xylem.values.casting import string_of
from xylem.values.coercion import as_function_item
from xylem.values.conversion import convert
from xylem.values.conversion import convert_lazily as convert_lazily
from xylem.values.function_item import FunctionItem
from xylem.values.map import XMap
from xylem.values.node import Node
from xylem.values.qname import QName
from xylem.values.sequence_type import ONE_INTEGER, AtomicItem, FunctionItemType, Occurrence, SequenceType

from .globals import GlobalContextItem
from .types import cast_optional, cast_to_list


def string_of_item(item: Any) -> str:
    """fn:string."""
    if item is None:
        return ""
    if type(item) is Node:
        return item.string_value
    if isinstance(item, (FunctionItem, XMap, XArray)):
        raise DynamicError("FOTY0014", f"{item!r:.60}")
    return string_of(item)


def partially_applied(function: Any, arguments: Sequence[Sequence[Any] | None]) -> FunctionItem:
    """A function with some arguments fixed; None is a placeholder."""
    item = as_function_item(function)
    if item.arity != len(arguments):
        raise DynamicError("XPTY0004", f"{item!r} is applied to {len(arguments)} arguments")
    holes = [i for i, argument in enumerate(arguments) if argument is None]
    fixed = [
        None if argument is None else convert(argument, kind, f"argument {i}")
        for i, (argument, kind) in enumerate(zip(arguments, item.parameters, strict=True), 1)
    ]

    def call(*given: Any) -> Any:
        full = list(fixed)
        for hole, value in zip(holes, given, strict=True):
            full[hole] = value
        return item.call(*full)

    return FunctionItem(None, tuple(item.parameters[i] for i in holes), item.returns, call)


def builtin_function(builtin: Builtin, arity: int, context: Context, name: QName | None = None) -> FunctionItem:
    """A built-in function of one arity as a value."""
    kinds = [builtin.parameters[min(i, len(builtin.parameters) - 1)] for i in range(arity)]
    call: Callable[..., Any] = partial(builtin.body, context) if builtin.context else builtin.body
    name = name or QName(builtin.uri, builtin.local)
    returns = signature_type(builtin.returns)
    if isinstance(builtin, ExternalFunction):
        call = _checked(builtin, returns)
    return FunctionItem(name, tuple(map(signature_type, kinds)), returns, call)


def _checked(function: ExternalFunction, returns: SequenceType) -> Callable[..., Any]:
    """An external function whose result is converted to its declared type."""
    told = f"the result of {function.local}()"
    return lambda *arguments: convert(function.body(*arguments), returns, told)


class Place(NamedTuple):
    """The place of a function reference."""

    context: Context
    module: Any
    """The module's table of functions."""
    space: dict[str, Any]
    """The generated functions of this run."""
    item: Any
    """The context item: a value, the run's GlobalContextItem, or None if absent."""
    position: int | None
    size: int | None

    def context_item(self) -> Any:
        if self.item is None:
            raise DynamicError("XPDY0002", "there was no context item where the function was referred to")
        return self.item() if isinstance(self.item, GlobalContextItem) else self.item


def find_function(name: QName, arity: int, place: Place) -> FunctionItem | None:
    """fn:function-lookup: a function by name and arity, or None."""
    declared = place.module.visible_function(name.uri, name.local, arity)
    if declared is not None:
        call = place.space[declared.python_name]
        return FunctionItem(name, declared.parameters, declared.returns, call, declared.annotations)
    if name.uri == PREFIXES["xs"]:
        return constructor_function(name, place.context) if arity == 1 else None
    if name.uri == FN and arity == 0 and name.local in ("position", "last"):
        return FunctionItem(name, (), ONE_INTEGER, lambda: _focus_number(name.local, place))
    if name.uri == FN and arity == 2 and name.local == "function-lookup":
        parameters = (SequenceType(AtomicItem(at.QNAME)), ONE_INTEGER)
        returns = SequenceType(FunctionItemType(), Occurrence.OPTIONAL)
        return FunctionItem(name, parameters, returns, lambda n, a: find_function(n, a, place))
    builtin = place.module.visible_external(name.uri, name.local, arity) or look_up(name.uri, name.local, arity)
    if builtin is None:
        return None
    if arity < builtin.least:
        return _focus_function(builtin, name, place)
    return builtin_function(builtin, arity, place.context, name)


def named_function(name: QName, arity: int, place: Place) -> FunctionItem:
    """name#arity, known to exist."""
    found = find_function(name, arity, place)
    assert found is not None
    return found


def _focus_number(which: str, place: Place) -> int:
    number = place.position if which == "position" else place.size
    if number is None:
        place.context_item()
        return 1
    return number


def _focus_function(builtin: Builtin, name: QName, place: Place) -> FunctionItem:
    """string#0 and the like: the context item at the reference becomes the last argument."""
    whole = builtin_function(builtin, builtin.least, place.context, name)
    last = whole.parameters[-1]

    def call(*given: Any) -> Any:
        return whole.call(*given, convert((place.context_item(),), last, "the context item"))

    return FunctionItem(name, whole.parameters[:-1], whole.returns, call)


def constructor_function(name: QName, context: Context) -> FunctionItem | None:
    """xs:TYPE#1."""
    parameters = (SequenceType(AtomicItem(at.ANY_ATOMIC), Occurrence.OPTIONAL),)
    if name.local in LIST_TYPES:
        returns = SequenceType(AtomicItem(at.ANY_ATOMIC), Occurrence.MANY)
        return FunctionItem(
            name, parameters, returns, lambda value: cast_to_list(() if value is None else (value,), name.local, True)
        )
    target = at.ATOMIC_TYPES.get(name.local)
    if target is None or target in (at.ANY_ATOMIC, at.NOTATION):
        return None
    returns = SequenceType(AtomicItem(target), Occurrence.OPTIONAL)
    return FunctionItem(
        name, parameters, returns, lambda value: cast_optional(value, target, context.static.namespaces)
    )
