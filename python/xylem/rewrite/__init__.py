"""Rewriting: a query in terms of its names becomes a FluX program over one stream.

What comes in is the resolved body of a main module and, if there is one, a schema; what goes out is a plan whose
program gives the same answer with the least buffering found. Rewriting never runs a query and never looks at data.
"""

from .to_program import to_program

__all__ = ["to_program"]
