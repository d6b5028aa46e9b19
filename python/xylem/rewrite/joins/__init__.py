"""Joins: conditions between a sequence and the loops around it become lookups in an index of that sequence.

A resolved expression comes in; an equal one goes out, with a `JoinClause` wherever an index pays, in any spelling of
the condition. The dependencies of a sequence decide whether an index pays; data never does.
"""
