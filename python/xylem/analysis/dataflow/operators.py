"""What functions do with a sequence (single-pass paper, §3.1): hand items on, fold them into a value, or block.

Functions that are not here take single items. A function that folds is a *progressive blocking operator*: it needs no
more than its value so far, which is small. One whose value grows with the input is not.
"""

from __future__ import annotations

from enum import Enum

from xylem.functions.registry import FN, PREFIXES

from .graph import Blocking


class Operator(Enum):
    """The kinds of operators that do not block."""

    PIPELINE = "hands items on"
    PROGRESSIVE = "folds items into a value"


_PIPELINE = {
    "data", "filter", "for-each", "index-of", "insert-before", "one-or-more", "remove", "subsequence", "tail", "trace",
    "unordered",
}  # fmt: skip
_PROGRESSIVE = {
    "avg", "boolean", "count", "empty", "exactly-one", "exists", "fold-left", "head", "max", "min", "not", "sum",
    "zero-or-one",
}  # fmt: skip
_HOLDS = {"deep-equal", "fold-right", "for-each-pair", "innermost", "outermost", "reverse", "serialize", "sort"}
_COLLECTS = {"codepoints-to-string", "distinct-values", "string-join"}
SEQUENCES = frozenset({"distinct-values", *_PIPELINE, "for-each-pair", "innermost", "outermost", "reverse", "sort"})
"""Functions whose result is a sequence where their argument is one."""

OPERATORS: dict[tuple[str, str], Operator | Blocking] = {
    **{(FN, name): Operator.PIPELINE for name in _PIPELINE},
    **{(FN, name): Operator.PROGRESSIVE for name in _PROGRESSIVE},
    **{(FN, name): Blocking.HOLDS for name in _HOLDS},
    **{(FN, name): Blocking.COLLECTS for name in _COLLECTS},
}


def operator(uri: str, local: str) -> Operator | Blocking:
    """What a built-in function does with a sequence that it is given."""
    if uri in (PREFIXES["map"], PREFIXES["array"]):
        return Blocking.HOLDS
    return OPERATORS.get((uri, local), Operator.PROGRESSIVE)
