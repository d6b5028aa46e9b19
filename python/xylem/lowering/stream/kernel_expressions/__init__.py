"""Expressions of the query come in, expressions that the scan computes go out (`plan/kernel_expression.py`).

What the kernel does not know raises `NoTemplate`, with the expression and why, for `explain`.
Nothing here is evaluated, and types are not looked at: they are known when values are.
"""
