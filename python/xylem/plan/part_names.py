"""Names that no query can have, as placeholders for its parts."""

from __future__ import annotations

from xylem.syntax import ast

PART_NAMESPACE = "urn:xylem:part"
ITEMS_OF_STREAM = ast.VarRef(ast.Name("items", None, PART_NAMESPACE))
"""In a window clause: the items of a stream, which arrive in batches."""
RESUMED_WINDOWS = (PART_NAMESPACE, "windows")
"""The variable for a `ResumedWindows` in a run."""
