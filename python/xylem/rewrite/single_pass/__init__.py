"""Rules that make a query with apparently many passes need only one (single-pass.txt §4.3, §5.1.3).

The resolved body of a query with its prolog comes in; an equal body goes out, still in XQuery: recursions over a
sequence become aggregates and folds, loops are fused, and aggregates in loops become tables by key. The rules do not
decide how the result is executed; the rewriting to FluX and the streaming runner do.
"""

from .one_pass import make_one_pass
from .rules import RULES

__all__ = ["RULES", "make_one_pass"]
