"""Which functions are aggregates: their value over the input follows from states that parts of it have."""

from __future__ import annotations

COUNTING = frozenset({"count", "exists", "empty"})
"""Items are counted, whatever they are."""
AGGREGATES = COUNTING | {"sum", "avg", "min", "max", "string-join", "distinct-values"}
"""Of the standard functions; the others fold the values of their items."""
