"""The rules, in the order in which they are tried."""

from __future__ import annotations

from .copy_by_loop import CopyByLoop
from .eliminate_where import EliminateWhere
from .flatten_sequence import FlattenSequence
from .merge_ifs import MergeIfs
from .move_predicate import MovePredicate
from .push_if_into_loop import PushIfIntoLoop
from .push_if_into_parts import PushIfIntoParts
from .rule import Rule
from .split_path import SplitPath

NORMAL_FORM: tuple[Rule, ...] = (
    FlattenSequence(),
    CopyByLoop(),
    # Before the predicate moves, so that it becomes a condition of the loop over its own step.
    SplitPath(),
    MovePredicate(),
    EliminateWhere(),
    PushIfIntoLoop(),
    PushIfIntoParts(),
    MergeIfs(),
)
"""Figure 3.3 of the thesis, extended. Needed by what follows: switching one off may cost buffers, never the answer."""
