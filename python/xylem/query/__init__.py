"""A query with everything that is compiled of it, each part once.

What comes in is the text of a query and its static environment; what goes out are its programs, for a tree, for a
stream and for tasks, and an input made ready for them. Nothing here runs a program, and nothing after this stage
parses or compiles a query.
"""
