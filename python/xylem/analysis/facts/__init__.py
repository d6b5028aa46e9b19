"""Facts about expressions that several stages ask for, each computed in one place.

What comes in is a resolved expression; what goes out is a plain answer: its conjuncts, its comparisons turned round,
the kind of its values. Facts never change an expression and never look at data.
"""
