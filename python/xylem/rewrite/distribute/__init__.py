"""Taking a query apart so that tasks can compute it over parts of the input: a body in, parts and a frame out.

What comes in is the body of a main module, its names resolved. What goes out is a `SpreadQuery`, or one task with the
reason where the query cannot be spread. Nothing here runs anything, and nothing knows Spark.
"""

from .distribute import distribute

__all__ = ["distribute"]
