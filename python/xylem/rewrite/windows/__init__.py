"""Rewrite window clauses (windows paper, 6.3): one rule per file; a user can switch off each rule by name.

A FLWOR expression comes in; the same expression goes out, with a plan for each of its window clauses.
Rules never run a query, and their plans give the same windows in the same order.
"""

from .plan_windows import plan_windows
from .rule import WindowFacts

__all__ = ["WindowFacts", "plan_windows"]
