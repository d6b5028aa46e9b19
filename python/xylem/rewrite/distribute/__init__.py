"""Divide a query so that tasks can compute it over parts of the input: a body in, parts and a frame out.

The body of a main module comes in, with resolved names. A `SpreadQuery` goes out, or one task with the reason if the
query cannot be distributed. The package runs nothing and does not depend on Spark.
"""

from .distribute import distribute

__all__ = ["distribute"]
