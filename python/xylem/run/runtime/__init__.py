"""The functions that generated code calls: the parts of the evaluator that do not depend on the query.

Values in the calling convention come in; values go out. Nothing here knows the AST.
"""
