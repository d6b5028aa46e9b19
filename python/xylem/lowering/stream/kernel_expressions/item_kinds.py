"""The kinds of items that an expression of the kernel may give: values, or nodes of some kinds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from xylem.plan.kernel_expression import (
    AxisOf,
    Call,
    EachItem,
    EachNode,
    EachOf,
    EachTuple,
    JsonPath,
    KernelExpression,
    KeyedValues,
    LetValue,
    NodesOf,
    SlotValue,
    SortedValues,
)
from xylem.plan.result_template import ValueOf

Kinds = frozenset[str]
"""Some of value, element, text and attribute; or json for values as the texts they are parsed from."""
VALUES: Kinds = frozenset({"value"})
ELEMENTS: Kinds = frozenset({"element"})
ATTRIBUTES: Kinds = frozenset({"attribute"})
TEXTS: Kinds = frozenset({"text"})
JSON: Kinds = frozenset({"json"})
_OF: Mapping[ValueOf | None, Kinds] = {
    None: ELEMENTS,
    ValueOf.STRING: VALUES,
    ValueOf.TEXT: TEXTS,
    ValueOf.ATTRIBUTE: ATTRIBUTES,
}
_PASSING = frozenset(
    {"reverse", "document order", "head", "tail", "zero-or-one", "exactly-one", "one-or-more"}
)
"""Functions that give the items of their argument."""


def kinds_of(expression: KernelExpression, slots: Mapping[int, Kinds]) -> Kinds:
    """The kinds of the items of an expression, by those in slots; none for the empty sequence."""
    match expression:
        case NodesOf(of=of):
            return _OF[of]
        case AxisOf(kind=kind):
            return frozenset({kind})
        case SlotValue(slot=slot):
            return slots.get(slot, VALUES)
        case JsonPath(raw=True):
            return JSON
        case (
            EachNode(inner=inner)
            | EachItem(inner=inner)
            | EachOf(inner=inner)
            | EachTuple(inner=inner)
            | SortedValues(inner=inner)
            | KeyedValues(inner=inner)
            | LetValue(inner=inner)
        ):
            return kinds_of(inner, slots)
        case Call(function=",", arguments=parts) | Call(function="if", arguments=(_, *parts)):
            return _all(parts, slots)
        case Call(function="except" | "intersect", arguments=(argument, _)):
            return kinds_of(argument, slots)
        case Call(function=function, arguments=(argument,)) if function in _PASSING:
            return kinds_of(argument, slots)
    return VALUES


def _all(parts: Iterable[KernelExpression], slots: Mapping[int, Kinds]) -> Kinds:
    return frozenset[str]().union(*(kinds_of(part, slots) for part in parts))


def are_nodes(kinds: Kinds) -> bool:
    """Whether there are nodes, and nothing else."""
    return bool(kinds) and kinds <= ELEMENTS | ATTRIBUTES | TEXTS
