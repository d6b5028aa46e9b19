"""Lowering for tasks: the expressions of a distributed query become programs of their own.

What comes in is a query taken apart into parts; what goes out is a program for each expression, over a range or over no
input. Nothing here knows what carries the tasks.
"""
