"""The XQuery data model: atomic values, nodes, maps, arrays, functions, and the types of sequences of them.

What comes in are Python values and parsed documents; what goes out are items that generated code and functions
compute with. Values know nothing of queries, contexts or files.
"""
