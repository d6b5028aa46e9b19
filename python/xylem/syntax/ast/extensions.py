"""What Xylem adds to the grammar of XQuery 3.1 (docs/language.md lists it with its sources)."""

from __future__ import annotations
