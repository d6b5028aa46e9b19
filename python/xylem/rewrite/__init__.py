"""Rewriting: a query in terms of its names becomes a FluX program over one stream.

The resolved body of a main module comes in, with a schema if there is one; a plan goes out, whose program gives the
same answer with the least buffering found. Rewriting never runs a query and never looks at data.
"""
