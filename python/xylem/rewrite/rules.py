"""The rules, in the order in which they are tried."""

from __future__ import annotations

from .copy_by_loop import CopyByLoop
from .count_by_variable import CountByVariable
from .drop_decided_if import DropDecidedIf
from .drop_silent_loop import DropSilentLoop
from .eliminate_where import EliminateWhere
from .expand_descendant import ExpandDescendant
from .flatten_sequence import FlattenSequence
from .merge_ifs import MergeIfs
from .merge_loops import MergeLoops
from .merge_loops_around import MergeLoopsAround
from .move_predicate import MovePredicate
from .name_wildcard import NameWildcard
from .prune_impossible import PruneImpossible
from .push_if_into_loop import PushIfIntoLoop
from .push_if_into_parts import PushIfIntoParts
from .rule import Rule
from .shorten_inner_paths import ShortenInnerPaths
from .simplify_condition import SimplifyCondition
from .split_attribute import SplitAttribute
from .split_path import SplitPath

NORMAL_FORM: tuple[Rule, ...] = (
    FlattenSequence(),
    CopyByLoop(),
    # While predicates are still in their steps: these give them their meaning.
    NameWildcard(),
    ExpandDescendant(),
    # Before the predicate moves, so that it becomes a condition of the loop over its own step.
    SplitPath(),
    SplitAttribute(),
    # Before predicates after a position move: they would be tested before it counts.
    CountByVariable(),
    MovePredicate(),
    EliminateWhere(),
    PushIfIntoLoop(),
    PushIfIntoParts(),
    MergeIfs(),
)
"""Figure 3.3 of the thesis, extended. Later stages rely on it: switching one off may cost buffers, never the answer."""

ALGEBRA: tuple[Rule, ...] = (
    *NORMAL_FORM,
    # Decided conditions first: they silence loops, and silent loops need no proof of impossibility.
    SimplifyCondition(),
    DropDecidedIf(),
    PruneImpossible(),
    DropSilentLoop(),
    # Loops are merged before paths inside them are shortened, so that the paths of both bodies are shortened.
    MergeLoops(),
    MergeLoopsAround(),
    ShortenInnerPaths(),
)
"""Figure 3.5 of the thesis. The rules of the normal form come first again: what the others produce must be in it."""
