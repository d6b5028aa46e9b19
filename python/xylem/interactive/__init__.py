"""Help while queries are written: diagnostics, notes on lines, completion; for editors, shells and notebooks.

The text of a query comes in, finished or not; places with messages, names that fit, and answers go out. It never
decides what a query means: it uses the same compiler as every run.
"""
