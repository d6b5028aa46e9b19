"""The reference evaluator: turns a query into Python source, one function per XQuery function or FLWOR body.

A resolved AST comes in; a `Program` goes out, whose answer over a whole tree is the reference for every other way of
running the query. It never streams and never interprets the tree while running.
"""
