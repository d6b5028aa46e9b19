"""Plans: printable descriptions of a run before it starts.

Analysed queries and decisions of the compiler come in; notes and the explanation for a user go out. Nothing here runs a
query or touches its input.
"""
