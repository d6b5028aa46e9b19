"""Queries over update streams become operators that can retract their results.

A resolved query comes in; a plan (`plan/history.py`) goes out, with functions that its operators evaluate for one unit
of their loops. The package runs nothing and changes no meaning: an expression without an operator is reevaluated as a
whole.
"""

from .planner import PlannedHistory, plan_history

__all__ = ["PlannedHistory", "plan_history"]
