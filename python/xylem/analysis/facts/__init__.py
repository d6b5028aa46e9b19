"""Facts about expressions that several stages need, each computed in one place.

A resolved expression comes in; a plain answer goes out: its conjuncts, its mirrored comparisons, the kind of its
values. Facts never change an expression and never read data.
"""
