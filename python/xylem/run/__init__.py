"""Running a query in this process: the evaluator that generates Python code, and the runtime that code calls.

What comes in is an analysed query and its inputs; what goes out is a sequence of items. Nothing here reads
query text, and nothing here decides where results are written.
"""
