"""The effect of each construct of a query on the items that pass it: let them through, count them, or hold them.

This decides whether a query can stream: a construct that holds its input has no first result before the last item.
Functions are known by name (F&O 3.1); unlisted ones let items through, or work on single values.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from xylem.functions.registry import FN
from xylem.syntax import ast


class Effect(Enum):
    """What a construct keeps of its input."""

    PASSES = "passes"
    FOLDS = "folds"
    HOLDS = "holds"


class Finding(NamedTuple):
    """A construct worth a line in an explanation."""

    construct: str
    effect: Effect
    text: str


# Not exists() and empty(), which stop at the first item; here the text of string-join is not an item that is kept.
_FOLDING = frozenset({"count", "sum", "avg", "min", "max", "string-join", "fold-left", "deep-equal"})
_HOLDING = {
    "sort": "all items, to sort them",
    "reverse": "all items, to turn them round",
    "fold-right": "all items, to begin at the last",
    "distinct-values": "every different value",
    "random-number-generator": "the items to permute",
}


def finding(node: ast.Node) -> Finding | None:
    """The effect of a node, or None if it has none worth mentioning."""
    match node:
        case ast.ForClause(name=name):
            return Finding(f"for ${name}", Effect.PASSES, "one item at a time")
        case ast.WindowClause(name=name, kind=kind):
            return Finding(f"{kind} window ${name}", Effect.HOLDS, "the items of the windows that are open")
        case ast.ForseqClause(name=name, window=None):
            return Finding(f"forseq ${name}", Effect.HOLDS, "all items so far, for every sub-sequence")
        case ast.ForseqClause(name=name, window=ast.ForseqWindow(kind=kind)):
            return Finding(f"{kind} window ${name}", Effect.HOLDS, "the items of the windows that are open")
        case ast.GroupByClause():
            return Finding("group by", Effect.HOLDS, "all tuples, by group, until the last one came")
        case ast.BestMatchClause(left=left, right=right):
            return Finding("bestmatch join", Effect.HOLDS, f"what ${left.name} and ${right.name} are compared by")
        case ast.OrderByClause():
            return Finding("order by", Effect.HOLDS, "all tuples, to sort them")
        case ast.FunctionCall(name=name, arguments=arguments):
            return _of_call(name, len(arguments))
        case ast.NamedFunctionRef():
            return None
        case _:
            return None


def _of_call(name: ast.Name, arity: int) -> Finding | None:
    if name.uri != FN:
        return None
    if name.local == "last" and arity == 0:
        return Finding("last()", Effect.HOLDS, "all items of the sequence around it, to know how many there are")
    if arity == 0:
        return None
    if name.local in _FOLDING:
        return Finding(f"{name.local}()", Effect.FOLDS, "all items into one value, without keeping them")
    if name.local in _HOLDING:
        return Finding(f"{name.local}()", Effect.HOLDS, _HOLDING[name.local])
    return None
