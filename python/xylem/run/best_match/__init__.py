"""Best-match joins at run time: the pairs of two sides that no other pair beats (thesis, chapter 4).

The rows of both sides come in, with the compared values, and query functions for orders that are not plain arithmetic;
pairs of row numbers go out, in tuple order. It never evaluates clauses or results, and compiles nothing.
"""
