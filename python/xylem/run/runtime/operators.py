"""Operators of XQuery that generated code cannot write as a single Python operator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xylem.errors import DynamicError
from xylem.values.casting import string_of
from xylem.values.node import Node


def integer_range(low: int | None, high: int | None) -> Sequence[int]:
    """low to high, never materialised."""
    if low is None or high is None:
        return ()
    return range(low, high + 1)


def concat_operand(item: Any) -> str:
    """An operand of `||` as a string; the empty sequence is ''."""
    return "" if item is None else string_of(item)


def node_operand(item: Any, what: str) -> Any:
    if item is not None and type(item) is not Node:
        raise DynamicError("XPTY0004", f"{what} must be a node, found {item!r:.60}")
    return item
