"""Lowering for a stream: a FluX program becomes the plan of a scan, the roles of its records and the code of handlers.

What comes in is a FluX program next to the module it came from; what goes out is what `run/stream/` runs.
Conditions and aggregates that the scan can compute itself are handed to it here. Nothing here reads input.
"""
