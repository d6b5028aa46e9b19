"""The size of values that a state keeps."""

from __future__ import annotations

from typing import Any

from xylem.values.array import XArray
from xylem.values.map import XMap

_ENTRY_BYTES = 100
"""Size estimate for an entry of a map or a member of an array."""


def value_bytes(value: Any) -> int:
    """The size of an item other than a node."""
    if isinstance(value, str):
        return len(value)
    # The content of a map or an array is not measured: that would take as long as making it.
    return 8 + _ENTRY_BYTES * len(value) if isinstance(value, (XMap, XArray)) else 8
