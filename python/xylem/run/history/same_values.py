"""Whether two values are the same in all that an answer can show: equal values may be written in several ways."""

from __future__ import annotations

from math import copysign
from typing import Any

from xylem.values.atomic import TYPE_OF_CLASS
from xylem.values.qname import QName

__all__ = ["is_same"]


def is_same(a: Any, b: Any) -> bool:
    """False for nodes and other items that may have changed inside."""
    kind = type(a)
    if kind not in TYPE_OF_CLASS:
        return False
    if a is b:
        return True
    if kind is not type(b) or a != b:
        return False
    if issubclass(kind, (int, str)):
        return True
    if issubclass(kind, float):
        return bool(a) or copysign(1.0, a) == copysign(1.0, b)
    # Moments have a timezone, and names a prefix.
    return str(a) == str(b) and (kind is not QName or a.prefix == b.prefix)
