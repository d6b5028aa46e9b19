"""Lowering for tasks: the expressions of a distributed query become programs of their own.

A query divided into parts comes in; a program for each expression goes out, over a range or without input. Nothing here
knows the transport of the tasks.
"""
