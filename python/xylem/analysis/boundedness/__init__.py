"""Which expressions of a query may be infinite, and which operations cannot process those (windows paper, 4 and 6.1).

The resolved modules of a query come in; an error at the first blocking operation on an infinite sequence goes out, or
facts about the others: which variables are infinite, and where state grows. It never runs anything.
"""
