"""The two ways a cast fails, worded once for all families of targets."""

from __future__ import annotations

from typing import Any

from xylem.errors import DynamicError

from .atomic import type_name
from .atomic_type import AtomicType

_LONGEST_SHOWN = 60


def not_lexical(text: str, target: AtomicType) -> DynamicError:
    """FORG0001: the text is not one of the target's."""
    shown = text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + "…"
    return DynamicError("FORG0001", f'"{shown}" is not a value of {target!r}')


def not_castable(value: Any, target: AtomicType) -> DynamicError:
    """XPTY0004: no value of the source type can be cast to the target."""
    return DynamicError("XPTY0004", f"{type_name(value)} cannot be cast to {target!r}")
