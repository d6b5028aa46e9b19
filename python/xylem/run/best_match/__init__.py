"""Best-match joins at run time: the pairs of two sides that no other pair beats (thesis, chapter 4).

What comes in are the rows of both sides with what orders compare, and functions of the query for what is not plain
arithmetic; what goes out are pairs of row numbers in tuple order. It never evaluates clauses or results, and
compiles nothing.
"""
