"""Plans: what will be done, as descriptions that can be printed, before anything is done.

What comes in are analysed queries and what the compiler decided about them; what goes out are notes and the
explanation a user reads. Nothing here runs a query or touches its input.
"""
