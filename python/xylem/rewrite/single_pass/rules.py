"""The rules, in the order in which they are tried."""

from __future__ import annotations

from ..query_rule import QueryRule
from .drop_redundant_predicate import DropRedundantPredicate
from .fold_accumulators import FoldAccumulators
from .fold_associative import FoldAssociative
from .fold_groups import FoldGroups
from .fold_last_items import FoldLastItems
from .fuse_loops import FuseLoops
from .group_by_key import GroupByKey
from .group_distinct_values import GroupDistinctValues
from .merge_branches import MergeBranches
from .number_keys import NumberKeys

RULES: tuple[QueryRule, ...] = (
    # Recursions first: they become aggregates, which all later rules handle.
    FoldAssociative(),
    FoldAccumulators(),
    FoldLastItems(),
    # Before the rule for predicates that read the same sequence twice, which this exposes.
    DropRedundantPredicate(),
    FuseLoops(),
    MergeBranches(),
    NumberKeys(),
    # Last: they need aggregates over paths.
    GroupDistinctValues(),
    FoldGroups(),
    GroupByKey(),
)
