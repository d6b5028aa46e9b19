"""The state of aggregates: values come in, and the value of the function goes out at any time.

A state gives exactly what the function itself gives for the same values in the same order. Streams, windows, groups,
tasks, loops and update streams share them; none of them knows where its values come from.
"""
