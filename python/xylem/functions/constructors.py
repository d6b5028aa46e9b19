"""Constructor functions: xs:TYPE(value) is a cast that lets the empty sequence pass (F&O 3.1 §18.1, §18.3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from xylem.values import atomic_type as at
from xylem.values.atomic_type import ATOMIC_TYPES, XS, AtomicType
from xylem.values.casting import caster
from xylem.values.casting_lists import LIST_TYPES, cast_to_list, castable_to_list
from xylem.values.function_item import FunctionItem
from xylem.values.qname import QName
from xylem.values.sequence_type import AtomicItem, Occurrence, SequenceType

__all__ = ["LIST_TYPES", "cast_list", "castable_list", "constructed_type", "constructor", "constructor_item"]

cast_list = cast_to_list
castable_list = castable_to_list

_ABSTRACT = frozenset({at.ANY_ATOMIC, at.NOTATION})
_ARGUMENT = SequenceType(AtomicItem(at.ANY_ATOMIC), Occurrence.OPTIONAL)


def constructed_type(local: str) -> AtomicType | str | None:
    """The type that xs:LOCAL(…) constructs: an atomic type, the name of a list type, or None if there is no such
    function.
    """
    if local in LIST_TYPES:
        return local
    found = ATOMIC_TYPES.get(local)
    return None if found in _ABSTRACT else found


def constructor(
    target: AtomicType | str, namespaces: Mapping[str, str] | None = None
) -> Callable[[Any | None], Any | None]:
    """The function for a type: an atomic value or None in; the value cast, None, or the items of a list type out."""
    if isinstance(target, str):
        return lambda value: () if value is None else cast_to_list(value, target)
    cast_value = caster(target, namespaces)
    return lambda value: None if value is None else cast_value(value)


def constructor_item(local: str, namespaces: Mapping[str, str] | None = None) -> FunctionItem | None:
    """The constructor as a function item, as in `xs:integer#1`; None if xs has no such function."""
    target = constructed_type(local)
    if target is None:
        return None
    if isinstance(target, str):
        returns = SequenceType(AtomicItem(LIST_TYPES[target]), Occurrence.MANY)
    else:
        returns = SequenceType(AtomicItem(target), Occurrence.OPTIONAL)
    return FunctionItem(QName(XS, local, "xs"), (_ARGUMENT,), returns, constructor(target, namespaces))
