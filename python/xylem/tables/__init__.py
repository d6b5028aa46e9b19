"""Answers as tables: rows and typed columns for files, data frames and terminals.

A compiled query and the items of its answer come in; rows of Python values, Arrow record batches, or the bytes of CSV,
JSON lines, Parquet or a table for people go out. The query determines the columns, never the data.
"""
