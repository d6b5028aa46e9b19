"""Function coercion and dynamic calls, as functions and generated code use them (`values/coercion.py`)."""

from __future__ import annotations

from xylem.values.coercion import as_function_item, call_function, coerce_function, member_at

__all__ = ["as_function_item", "call_function", "coerce_function", "member_at"]
