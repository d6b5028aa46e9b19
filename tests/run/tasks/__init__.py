"""Distributed runs against the tree: every query gives the same answer, wherever its input is cut."""
