"""The XQuery data model: atomic values, nodes, maps, arrays, functions, and the types of sequences of them.

Python values and parsed documents come in; items for generated code and functions go out. Values know nothing of
queries, contexts or files.
"""
