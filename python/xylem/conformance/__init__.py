"""Conformance: the W3C QT3 suite run against Xylem, and the ratchet that keeps what was won.

What comes in are cases of the suite through the contract of its runner; what goes out are verdicts, a table by
group and the list of known failures. It never changes how the engine behaves: it only calls it.
"""
