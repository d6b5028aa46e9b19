"""The size of values that a state keeps."""

from __future__ import annotations

from typing import Any

from xylem.values.array import XArray
from xylem.values.map import XMap

_ENTRY_BYTES = 100
"""What an entry of a map or a member of an array is counted as."""


def value_bytes(value: Any) -> int:
    """The size of an item that is no node."""
    if isinstance(value, str):
        return len(value)
    # What is in a map or an array is not looked at: that would take as long as making it.
    return 8 + _ENTRY_BYTES * len(value) if isinstance(value, (XMap, XArray)) else 8
