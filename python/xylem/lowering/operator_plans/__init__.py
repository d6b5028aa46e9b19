"""The operators that describe a lowered query, for every way to run it.

The expression for a tree, the roles and handlers of a stream, or the parts and merges of tasks come in. A plan
(`plan/operators`) goes out, whose operators record what they do, where they run and where they are measured. The
package never reads the query's text again, and decides nothing.
"""
