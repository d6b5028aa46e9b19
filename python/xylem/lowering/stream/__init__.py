"""Lowering for a stream: a FluX program becomes the plan of a scan, the roles of its records and the code of handlers.

A FluX program and its module come in; a program for `run/stream/` goes out. Conditions and aggregates that the scan can
compute itself are assigned to it here. Nothing here reads input.
"""
