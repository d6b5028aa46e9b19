"""The effect of functions on a sequence (single-pass paper, §3.1): pass items on, fold them into a value, or block.

Functions not listed here take single items. A function that folds is a *progressive blocking operator*: it only needs
its value so far, which is small. One whose value grows with the input is not.
"""

from __future__ import annotations

from enum import Enum

from xylem.functions.registry import PREFIXES
from xylem.functions.traits import AGGREGATES, BY_PLACE, GROWS, PICKS, PICKS_ONE, TRUTHS, standard

from .graph import Blocking


class Operator(Enum):
    """The kinds of operators that do not block."""

    PIPELINE = "hands items on"
    PROGRESSIVE = "folds items into a value"


_PIPELINE = (PICKS - PICKS_ONE) | standard("data filter for-each index-of insert-before")
_PROGRESSIVE = AGGREGATES | TRUTHS | PICKS_ONE | standard("fold-left")
_HOLDS = BY_PLACE | standard("deep-equal fold-right for-each-pair reverse serialize sort")
SEQUENCES = _PIPELINE | BY_PLACE | standard("distinct-values for-each-pair reverse sort")
"""Functions whose result is a sequence if their argument is one."""

OPERATORS: dict[tuple[str, str], Operator | Blocking] = {
    **dict.fromkeys(_PIPELINE, Operator.PIPELINE),
    **dict.fromkeys(_PROGRESSIVE, Operator.PROGRESSIVE),
    **dict.fromkeys(_HOLDS, Blocking.HOLDS),
    **dict.fromkeys(GROWS, Blocking.COLLECTS),
}


def operator(uri: str, local: str) -> Operator | Blocking:
    """The effect of a built-in function on a sequence argument."""
    if uri in (PREFIXES["map"], PREFIXES["array"]):
        return Blocking.HOLDS
    return OPERATORS.get((uri, local), Operator.PROGRESSIVE)
