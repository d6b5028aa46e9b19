"""The names of all rules: whoever wants a query as it is written switches them all off.

The reference that everything else is compared with is the tree evaluator without rules: nested loops, no index, no
value that turns of a loop share, windows by their definition.
"""

from __future__ import annotations

from .joins.module_joins import RULE as FIND_JOINS
from .normalise import RULES as NORMAL
from .rules import ALGEBRA
from .single_pass.rules import RULES as ONE_PASS
from .windows.rules import RULES as WINDOWS


def all_rules() -> frozenset[str]:
    """Every rule that can be switched off by its name."""
    return frozenset({FIND_JOINS, *(rule.name for rules in (ALGEBRA, NORMAL, ONE_PASS, WINDOWS) for rule in rules)})
