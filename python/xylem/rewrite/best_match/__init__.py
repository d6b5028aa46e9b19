"""Best-match joins: the clauses that belong to a join become one clause that says how it is computed.

What comes in is a resolved FLWOR expression; what goes out is an equal one with a planned clause in the place of
the two loops, what stands between them and the join. It decides by the form of the query alone and never looks at
data.
"""

from .one_at_a_time import one_at_a_time
from .plan_best_matches import plan_best_matches

__all__ = ["one_at_a_time", "plan_best_matches"]
