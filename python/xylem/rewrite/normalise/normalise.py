"""Apply the rules of the normal form until none of them changes anything."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from xylem.syntax import ast

from ..inline_prolog import inline_functions
from ..query_rule import Change, QueryRule, apply_rules
from .applied_functions import ApplyFunctions
from .functions_as_loops import SpellOutFunctions
from .hold_results import HoldResults
from .maps_as_loops import MapsAsLoops
from .nested_loops import NestedLoops
from .plain_conditions import PlainConditions
from .plain_loops import SpellOutLoops
from .sorts_as_loops import SortsAsLoops

RULES: tuple[QueryRule, ...] = (
    ApplyFunctions(),
    SpellOutFunctions(),
    SpellOutLoops(),
    MapsAsLoops(),
    SortsAsLoops(),
    NestedLoops(),
    PlainConditions(),
    HoldResults(),
)
MOST_ROUNDS = 8
"""Far more than any query needs: one rule may simplify the output of another."""


def normalise(
    body: ast.Expr, prolog: Sequence[ast.Declaration], without: Collection[str] = ()
) -> tuple[ast.Expr, tuple[Change, ...]]:
    """The body of a query in its normal form, and the changes made.

    Names are resolved, the input is read from the root, and prolog declarations have been inlined (`inline_prolog`).
    """
    done: list[Change] = []
    for _ in range(MOST_ROUNDS):
        made, changes = apply_rules(RULES, body, prolog, without)
        if made is body:
            break
        done += changes
        # A function that was passed by name is now called.
        body = inline_functions(made, prolog)
    return body, tuple(done)
