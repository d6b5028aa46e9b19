"""Running a compiled query: programs, the runtime that generated code calls, streams, windows and tasks.

A program and its inputs come in; a sequence of items goes out, or their text. Nothing here reads query
text or compiles, and nothing here decides where results are written.
"""
