"""A query with all its compiled programs, each compiled once.

The text of a query and its static environment come in; its programs for a tree, for a stream and for tasks go out, and
an input prepared for them. Nothing here runs a program, and nothing after this stage parses or compiles a query.
"""
