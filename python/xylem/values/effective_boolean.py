"""The effective boolean value of a sequence (XQuery 3.1 §2.4.3)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from xylem.errors import DynamicError

from .atomic import NUMERIC_CLASSES, STRING_CLASSES, type_name
from .node import Node


def effective_boolean(sequence: Iterable[Any]) -> bool:
    """True or false as in a condition. Reads at most two items."""
    items = iter(sequence)
    for first in items:
        if isinstance(first, Node):
            return True
        for _ in items:
            raise DynamicError("FORG0006", f"more than one item, the first of type {type_name(first)}")
        return effective_boolean_of_item(first)
    return False


def effective_boolean_of_item(item: Any) -> bool:
    """The effective boolean value of one item."""
    cls = type(item)
    if cls is bool:
        return item  # type: ignore[no-any-return]
    if isinstance(item, Node):
        return True
    if cls in STRING_CLASSES:
        return bool(item)
    if cls in NUMERIC_CLASSES:
        return bool(item and item == item)
    raise DynamicError("FORG0006", f"a single {type_name(item)}")
