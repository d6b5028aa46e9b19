"""Functions as values in generated code: references, partial application, focus functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from xylem.analysis.types import signature_type
from xylem.errors import DynamicError, StaticError
from xylem.functions.context import Context
from xylem.functions.registry import Builtin
from xylem.values.casting import string_of
from xylem.values.coercion import as_function_item
from xylem.values.conversion import convert, convert_lazily
from xylem.values.function_item import FunctionItem
from xylem.values.node import Node
from xylem.values.qname import QName
from xylem.values.sequence_type import ANY_ITEM, FunctionItemType, SequenceType


def string_of_item(item: Any) -> str:
    """fn:string"""
    if item is None:
        return ""
    if type(item) is Node:
        return item.string_value
    if isinstance(item, FunctionItem) or hasattr(item, "items") or hasattr(item, "members"):
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


def constant_function(name: QName, value: Any) -> FunctionItem:
    """position#0 and last#0: the value where the reference stands."""
    return FunctionItem(name, (), SequenceType(ANY_ITEM), lambda: value)


def builtin_function(builtin: Builtin, arity: int, context: Context, name: QName | None = None) -> FunctionItem:
    """A built-in function of one arity as a value."""
    kinds = [builtin.parameters[min(i, len(builtin.parameters) - 1)] for i in range(arity)]
    call: Callable[..., Any] = partial(builtin.body, context) if builtin.context else builtin.body
    name = name or QName(builtin.uri, builtin.local)
    return FunctionItem(name, tuple(map(signature_type, kinds)), signature_type(builtin.returns), call)


def focus_function(builtin: Builtin, context: Context, item: Any) -> FunctionItem:
    """string#0 and its like: the context item where the reference stands is the argument."""
    whole = builtin_function(builtin, builtin.least, context)
    if builtin.least == 1:
        return FunctionItem(whole.name, (), whole.returns, lambda: whole.call(_argument(item, whole.parameters[0])))
    kinds = whole.parameters[:-1]
    last = whole.parameters[-1]
    return FunctionItem(whole.name, kinds, whole.returns, lambda *given: whole.call(*given, _argument(item, last)))


def _argument(item: Any, kind: SequenceType) -> Any:
    return convert((item,), kind, "the context item")


def named_function(name: QName, arity: int, context: Context) -> FunctionItem:
    """A built-in or constructor function by name."""
    found = context.run.look_up_function(name, arity)
    if found is None:
        raise StaticError("XPST0017", f"{name}#{arity}")
    return found


__all__ = [
    "FunctionItemType",
    "builtin_function",
    "constant_function",
    "convert_lazily",
    "focus_function",
    "named_function",
    "partially_applied",
    "string_of_item",
]
