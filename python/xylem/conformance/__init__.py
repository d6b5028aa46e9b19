"""Conformance: the W3C QT3 suite run against Xylem, and the ratchet that prevents new failures.

Cases of the suite come in through the contract of its runner; verdicts, a table by group and the list of known failures
go out. It never changes how the engine behaves: it only calls it.
"""
