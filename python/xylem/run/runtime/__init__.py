"""What generated code calls: the parts of the evaluator that do not depend on the query.

What comes in are values in the calling convention; what goes out are values. Nothing here knows the AST.
"""
