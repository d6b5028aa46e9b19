"""Variables for values that an earlier pass over the input has computed (`rewrite/earlier_passes.py`)."""

from __future__ import annotations

PASS_NAMESPACE = "urn:xylem:pass"
"""The namespace of their names, which is not used otherwise."""
