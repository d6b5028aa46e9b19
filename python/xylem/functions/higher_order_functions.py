"""Functions that take functions (F&O 3.1 §16).

A function argument is already coerced to the declared signature, so it is called directly.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from xylem.errors import DynamicError
from xylem.values.array import XArray
from xylem.values.coercion import as_function_item, call_function
from xylem.values.description import describe_item
from xylem.values.function_item import FunctionItem
from xylem.values.qname import QName
from xylem.values.sequence_type import as_sequence

from .registry import function


@function("fn:for-each", "item()*, function(item()) as item()*", "item()*", lazy="sequence")
def for_each(sequence: Iterable[Any], action: FunctionItem) -> Iterator[Any]:
    call = action.call
    for item in sequence:
        yield from call(item)


@function("fn:filter", "item()*, function(item()) as xs:boolean", "item()*", lazy="sequence")
def filter_(sequence: Iterable[Any], test: FunctionItem) -> Iterator[Any]:
    return filter(test.call, sequence)


@function("fn:fold-left", "item()*, item()*, function(item()*, item()) as item()*", "item()*", lazy="sequence")
def fold_left(sequence: Iterable[Any], zero: Sequence[Any], step: FunctionItem) -> Iterable[Any]:
    call = step.call
    folded = zero
    for item in sequence:
        folded = as_sequence(call(folded, item))
    return folded


@function("fn:fold-right", "item()*, item()*, function(item(), item()*) as item()*", "item()*")
def fold_right(sequence: Sequence[Any], zero: Sequence[Any], step: FunctionItem) -> Iterable[Any]:
    call = step.call
    folded = zero
    for item in reversed(sequence):
        folded = as_sequence(call(item, folded))
    return folded


@function("fn:for-each-pair", "item()*, item()*, function(item(), item()) as item()*", "item()*", lazy="first second")
def for_each_pair(first: Iterable[Any], second: Iterable[Any], action: FunctionItem) -> Iterator[Any]:
    call = action.call
    for a, b in zip(first, second, strict=False):
        yield from call(a, b)


@function("fn:apply", "function(*), array(*)", "item()*")
def apply(called: Any, arguments: XArray) -> Iterable[Any]:
    arity = as_function_item(called).arity
    if arity != len(arguments):
        raise DynamicError(
            "FOAP0001", f"{describe_item(called)} takes {arity} arguments, the array has {len(arguments)} members"
        )
    return call_function(called, list(arguments))


@function("fn:function-name", "function(*)", "xs:QName?")
def function_name(named: Any) -> QName | None:
    return as_function_item(named).name


@function("fn:function-arity", "function(*)", "xs:integer")
def function_arity(counted: Any) -> int:
    return as_function_item(counted).arity
