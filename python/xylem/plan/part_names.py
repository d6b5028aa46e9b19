"""Names that no query can have, as placeholders for its parts."""

from __future__ import annotations

from xylem.syntax import ast

PART_NAMESPACE = "urn:xylem:part"
ITEMS_OF_STREAM = ast.VarRef(ast.Name("items", None, PART_NAMESPACE))
"""Stands in a window clause for the items of a stream, which come in batches."""
RESUMED_WINDOWS = (PART_NAMESPACE, "windows")
"""The variable of a run that has a `ResumedWindows`."""
