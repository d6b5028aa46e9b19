"""Projections into history: what `E#v`, `E?t`, `E#[v]` and `E?[t]` mean for each kind of operand.

A module with resolved names comes in; one in which every projection is a call of the functions that know versions goes
out (`functions/history_functions.py`). It never looks at data, and it never moves an expression across a projection.
"""
