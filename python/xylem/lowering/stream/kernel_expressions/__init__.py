"""Expressions of the query come in, expressions that the scan computes go out (`plan/kernel_expression.py`).

An expression that the kernel does not support raises `NoTemplate` with the reason, for `explain`. The package evaluates
nothing and checks no types: those are known only with the values.
"""
