"""Rules that make one pass of a query that looks as if it needed many (single-pass.txt §4.3, §5.1.3).

In comes the body of a query with its prolog, names resolved; out goes an equal body, in XQuery still: recursions over a
sequence become aggregates and folds, what is selected flows on, and aggregates in loops are kept by key. Nothing here
decides how the result is executed: the rewriting to FluX and the streaming runner do.
"""

from .one_pass import make_one_pass
from .rules import RULES

__all__ = ["RULES", "make_one_pass"]
