"""Streams against the tree: every query gives the same answer whichever way it is run."""
