"""The functions that are the input of a query, by their expanded names."""

from __future__ import annotations

from xylem.functions.registry import FN, PREFIXES

COLLECTION = (FN, "collection")
STREAMS = frozenset({(FN, "stream"), (PREFIXES["xylem"], "stream")})
