"""Every function with a sequence parameter: its behaviour for an infinite sequence, argument by argument.

Functions not listed here take single items. The tests check that the table is complete, and that functions read their
non-blocking arguments lazily.
"""

from __future__ import annotations

from enum import Enum

from xylem.functions.registry import PREFIXES


class Reading(Enum):
    """How an argument is read."""

    PASSES = "items pass one by one; the result is infinite as well"
    STOPS = "reads a few items and no more"
    SEEKS = "reads until it has found what it looks for, which may be never"
    GROWS = "items pass one by one; what is kept grows with the number of different values"
    BLOCKS = "needs the last item before it gives anything"


P, S, F, G, B = Reading.PASSES, Reading.STOPS, Reading.SEEKS, Reading.GROWS, Reading.BLOCKS

_WRITTEN: dict[str, tuple[Reading, ...]] = {
    "fn:avg": (B,),
    "fn:boolean": (S,),
    "fn:codepoints-to-string": (B,),
    "fn:contains-token": (B,),
    "fn:count": (B,),
    "fn:data": (P,),
    "fn:deep-equal": (B, B),
    "fn:distinct-values": (G,),
    "fn:element-with-id": (B,),
    "fn:empty": (S,),
    "fn:error": (B, B, B),
    "fn:exactly-one": (S,),
    "fn:exists": (S,),
    "fn:filter": (P,),
    "fn:fold-left": (B, B),
    "fn:fold-right": (B, B),
    "fn:for-each": (P,),
    "fn:for-each-pair": (P, P),
    "fn:head": (S,),
    "fn:id": (B,),
    "fn:idref": (B,),
    "fn:index-of": (P,),
    "fn:innermost": (B,),
    "fn:insert-before": (P, B, P),
    "fn:max": (B,),
    "fn:min": (B,),
    "fn:not": (S,),
    "fn:one-or-more": (P,),
    "fn:outermost": (B,),
    "fn:remove": (P,),
    "fn:reverse": (B,),
    "fn:serialize": (B,),
    "fn:sort": (B,),
    "fn:string-join": (B,),
    "fn:subsequence": (P,),
    "fn:sum": (B,),
    "fn:tail": (P,),
    "fn:trace": (B,),
    "fn:unordered": (P,),
    "fn:zero-or-one": (S,),
    "_history:lookup": (B, B, B, B),
    "_history:moment": (B, B),
    "_history:versions": (B,),
    "_match:place": (B,),
    "_match:size": (B,),
    "_siblings:number": (B,),
    "xylem:add-timestamp": (P,),
    "xylem:event-order": (P,),
    "array:append": (B, B),
    "array:flatten": (P,),
    "array:fold-left": (B, B),
    "array:fold-right": (B, B),
    "array:insert-before": (B, B, B),
    "array:join": (B,),
    "array:put": (B, B, B),
    "array:remove": (B, B),
    "map:entry": (B, B),
    "map:find": (B,),
    "map:merge": (B,),
    "map:put": (B, B, B),
    "map:remove": (B, B),
}

READINGS: dict[tuple[str, str], tuple[Reading, ...]] = {
    (PREFIXES[prefix], local): readings
    for name, readings in _WRITTEN.items()
    for prefix, local in [tuple(name.split(":"))]
}
"""By (namespace, local name), for each argument."""


def reading(uri: str, local: str, index: int, arity: int) -> Reading:
    """How a built-in function reads an infinite argument; a parameter for a single item blocks."""
    readings = READINGS.get((uri, local), ())
    if index >= len(readings):
        return Reading.BLOCKS
    if local == "subsequence" and arity == 3:
        # With a length, the result is finite; a length of INF is an exception to disregard.
        return Reading.STOPS
    return readings[index]
