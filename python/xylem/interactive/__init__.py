"""Queries while they are written: diagnostics, hints on their lines, completion; for editors, shells and notebooks.

What comes in is the text of a query, finished or not; what goes out are places with messages, names that fit, and
answers to look at. It never decides what a query means: it asks the same compiler as every run.
"""
