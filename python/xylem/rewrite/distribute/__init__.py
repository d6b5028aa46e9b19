"""Taking a query apart so that tasks can compute it over parts of the input: a body in, parts and a frame out.

The body of a main module comes in, its names resolved. A `SpreadQuery` goes out, or one task with the reason if the
query cannot be distributed. Nothing here runs anything, and nothing knows Spark.
"""

from .distribute import distribute

__all__ = ["distribute"]
