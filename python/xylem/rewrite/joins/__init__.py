"""Joins: conditions between a sequence and the loops around it become look-ups in an index of that sequence.

A resolved expression comes in; an equal one goes out, with a `JoinClause` wherever an index pays, in any spelling of
the condition. What a sequence depends on decides whether an index pays; data never does.
"""
