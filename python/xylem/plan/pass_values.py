"""Variables for what an earlier pass over the input has computed (`rewrite/earlier_passes.py`)."""

from __future__ import annotations

PASS_NAMESPACE = "urn:xylem:pass"
"""The namespace of their names: nobody else uses it."""
