"""Templates with the values that are known when a run begins: external variables, and what time it is.

        <r>{ $p/en * $factor }</r>    →    Construct("r", (Computed(en * 2.5),)),  where $factor is 2.5

A template whose values are not atomic ones of types that the kernel knows, or too many, is left out: the handlers
take all records.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from decimal import Decimal
from itertools import islice
from typing import Any

from xylem.errors import XylemError
from xylem.plan.kernel_expression import Call, Constant, Given, GivenLookup, KernelExpression, Lookup
from xylem.plan.result_template import Template
from xylem.values.datetimes import Date, DateTime, DateTimeStamp, Time
from xylem.values.durations import DayTimeDuration
from xylem.values.string_of import string_of
from xylem.values.strings import UntypedAtomic

_LARGEST = 2**63
_MOST_DIGITS = 38
_MOST_VALUES = 256
"""Of a variable: code looks up values among more."""
_BY_CAST = {
    Date: "to date",
    DateTime: "to dateTime",
    DateTimeStamp: "to dateTime",
    DayTimeDuration: "to dayTimeDuration",
    Time: "to time",
}


class _NotForScan(Exception):
    """A value of a type that the kernel does not have."""


def settled_template(template: Template, space: dict[str, Any]) -> Template | None:
    """The template with its values; None if they are not for the kernel."""
    found: dict[str, KernelExpression] = {}

    def value_of(given: Given | GivenLookup) -> KernelExpression:
        function = given.function
        if isinstance(given, GivenLookup):
            entries = _entries(space[function]())
            return Lookup(entries, given.is_test, _with_values(given.key, value_of))
        if function not in found:
            found[function] = _value(space[function]())
        return found[function]

    try:
        made: Template = _with_values(template, value_of)
    except (_NotForScan, XylemError):
        return None
    return made


def _with_values(node: Any, value_of: Callable[[Given | GivenLookup], KernelExpression]) -> Any:
    if isinstance(node, (Given, GivenLookup)):
        return value_of(node)
    if isinstance(node, tuple):
        parts = tuple(_with_values(part, value_of) for part in node)
        return node if all(a is b for a, b in zip(parts, node, strict=True)) else parts
    if not is_dataclass(node) or isinstance(node, type):
        return node
    changed = {}
    for field in fields(node):
        old = getattr(node, field.name)
        new = _with_values(old, value_of)
        if new is not old:
            changed[field.name] = new
    return replace(node, **changed) if changed else node


def _entries(items: Any) -> tuple[tuple[str, tuple[Constant, ...]], ...]:
    """Those of a map whose keys are strings."""
    (table,) = items
    found = []
    for key, values in table.items():
        constants = tuple(each for each in map(_constant, values) if isinstance(each, Constant))
        if not isinstance(key, str) or len(constants) < len(values):
            raise _NotForScan
        found.append((str(key), constants))
    return tuple(found)


def _value(items: Any) -> KernelExpression:
    values = list(islice(items, _MOST_VALUES + 1))
    if len(values) == 1:
        return _constant(values[0])
    if len(values) > _MOST_VALUES:
        raise _NotForScan
    return Call(",", tuple(map(_constant, values)))


def _constant(value: Any) -> KernelExpression:
    kind = type(value)
    if kind in (str, bool, float, UntypedAtomic):
        return Constant(value)
    if kind is int and abs(value) < _LARGEST:
        return Constant(value)
    if kind is Decimal and len(format(value, "f").strip("-").replace(".", "")) <= _MOST_DIGITS:
        return Constant(value)
    if kind in _BY_CAST:
        return Call(_BY_CAST[kind], (Constant(string_of(value)),))
    raise _NotForScan
