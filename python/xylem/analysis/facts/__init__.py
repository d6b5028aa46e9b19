"""Facts about expressions that several stages ask for, each computed in one place.

A resolved expression comes in; a plain answer goes out: its conjuncts, its comparisons turned round, the kind of its
values. Facts never change an expression and never read data.
"""
