"""Best-match joins: the clauses that belong to a join become one clause with a plan for its computation.

A resolved FLWOR expression comes in; an equal one goes out, with a planned clause in place of the two loops, the
clauses between them and the join. It decides by the form of the query alone and never looks at data.
"""

from .one_at_a_time import one_at_a_time
from .plan_best_matches import plan_best_matches

__all__ = ["one_at_a_time", "plan_best_matches"]
