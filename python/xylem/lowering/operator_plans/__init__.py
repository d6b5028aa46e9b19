"""From what lowering has made to the operators that describe it, for every way to run a query.

In comes the expression that is lowered for a tree, the roles and handlers of a stream, or the parts and merges of
tasks; out goes a plan (`plan/operators`) whose operators say what they do, where they run and where they are measured.
Nothing is read from the text of the query a second time, and nothing is ever decided here.
"""
