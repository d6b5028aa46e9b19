"""Which expressions of a query may be infinite, and which operations cannot stand that (windows paper, 4 and 6.1).

What comes in are the resolved modules of a query; what goes out is an error at the first blocking operation on an
infinite
sequence, or what to know of the others: which variables are infinite, and where state grows. It never runs anything.
"""
