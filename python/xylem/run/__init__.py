"""Running a compiled query: programs, the runtime that generated code calls, streams, windows and tasks.

What comes in is a program and its inputs; what goes out is a sequence of items, or their text. Nothing here reads query
text or compiles, and nothing here decides where results are written.
"""
