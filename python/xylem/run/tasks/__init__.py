"""Tasks of a distributed query: what runs over a range, how the outcomes are merged, and the answer made of them.

What comes in is a query taken apart (`rewrite/distribute`) and ranges of its input; what goes out is rows, and the text
of the answer. Nothing here knows Spark: `spark/` carries tasks and rows to other processes, `program.py` is what they
do there.
"""
