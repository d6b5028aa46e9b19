"""The names of all rules, to switch them all off.

Tests compare everything with the tree evaluator without rules: nested loops, no index, no shared values in loops, and
windows by their definition.
"""

from __future__ import annotations

from .joins.rule_name import RULE as FIND_JOINS
from .normalise import RULES as NORMAL
from .rules import ALGEBRA
from .single_pass.rules import RULES as ONE_PASS
from .windows.rules import RULES as WINDOWS


def all_rules() -> frozenset[str]:
    """Every rule that can be switched off by its name."""
    return frozenset({FIND_JOINS, *(rule.name for rules in (ALGEBRA, NORMAL, ONE_PASS, WINDOWS) for rule in rules)})
