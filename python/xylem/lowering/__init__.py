"""Lowering: an analysed query becomes programs that run.

Resolved modules and their plans come in; generated Python, scan plans and the roles of their records go out, for a
tree, a stream or tasks. Nothing here reads input or holds the state of a run.
"""
