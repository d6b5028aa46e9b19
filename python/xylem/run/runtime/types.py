"""Casts and type tests in generated code."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from xylem.errors import DynamicError
from xylem.functions.constructors import cast_list
from xylem.values.atomic_type import AtomicType
from xylem.values.atomize import atomize
from xylem.values.casting import cast, castable
from xylem.values.description import describe
from xylem.values.sequence_type import SequenceType

Namespaces = Mapping[str, str] | None


def cast_one(item: Any, target: AtomicType, namespaces: Namespaces = None) -> Any:
    if item is None:
        raise DynamicError("XPTY0004", f"cannot cast an empty sequence to {target}", hint=f"write `cast as {target}?`")
    return cast(item, target, namespaces)


def cast_optional(item: Any, target: AtomicType, namespaces: Namespaces = None) -> Any:
    return None if item is None else cast(item, target, namespaces)


def cast_to_list(items: Sequence[Any], target: str, allows_empty: bool) -> Sequence[Any]:
    if not items and allows_empty:
        return ()
    if len(items) != 1:
        raise DynamicError("XPTY0004", f"cannot cast a sequence of {len(items)} items to xs:{target}")
    return cast_list(items[0], target)


def is_castable(items: Iterable[Any], target: AtomicType | str, allows_empty: bool, namespaces: Namespaces) -> bool:
    """castable as: false instead of an error if atomisation gives more than one value."""
    values = list(atomize(items))
    if not values:
        return allows_empty
    if len(values) > 1:
        return False
    if isinstance(target, str):
        try:
            cast_list(values[0], target)
        except DynamicError:
            return False
        return True
    return castable(values[0], target, namespaces)


def treat(items: Sequence[Any], expected: SequenceType) -> Sequence[Any]:
    if not expected.matches(items):
        raise DynamicError("XPDY0050", f"expected {expected}, found {describe(items)}")
    return items


__all__ = ["cast", "cast_one", "cast_optional", "cast_to_list", "is_castable", "treat"]
