"""Joins: conditions between a sequence and the loops around it become look-ups in an index of that sequence.

What comes in is a resolved expression; what goes out is an equal one with `JoinClause` wherever an index pays, however
the condition was spelled. Whether an index pays is told by what the sequence depends on, never by data.
"""

from .module_joins import ModuleJoins

__all__ = ["ModuleJoins"]
