"""Queries over update streams as operators that can take back what they gave.

A resolved query comes in; a plan (`plan/history.py`) goes out, with the expressions that its operators evaluate for
one unit of their loops, as functions. Nothing is run here, and no meaning changes: what has no operator is computed
as a whole.
"""

from .planner import PlannedHistory, plan_history

__all__ = ["PlannedHistory", "plan_history"]
