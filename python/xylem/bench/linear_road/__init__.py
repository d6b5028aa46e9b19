"""Linear Road: a toll system on the motorways of a city, as a benchmark of stream systems (Arasu et al., VLDB 2004).

In come the number of expressways and of minutes; out come tuples, the answers that must be given to them, and a verdict
on those that a system gave in time or did not. Nothing here answers for the system: the queries are XQuery, in the
examples of the project, and whatever stands here in Python drives them or checks them.
"""
