"""Lowering: an analysed query becomes programs that run.

What comes in are resolved modules and the plans made of them; what goes out are generated Python, scan plans and the
roles of their records, for a tree, a stream or tasks. Nothing here reads input or holds the state of a run.
"""
