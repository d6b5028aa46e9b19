"""Answers as tables: rows and typed columns for files, data frames and terminals.

What comes in is a compiled query and the items of its answer; what goes out are rows of Python values, Arrow's record
batches, or the bytes of CSV, JSON lines, Parquet, a table for people. Columns are read off the query, never the data.
"""
