"""The reference evaluator: turns a query into Python source, one function per XQuery function or FLWOR body.

What comes in is a resolved AST; what goes out is a `Program` whose answer over a whole tree defines what every
other way of running the query must give. It never streams and never interprets the tree while running.
"""
