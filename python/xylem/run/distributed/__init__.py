"""Tasks of a distributed query: what runs over a range, how the outcomes are merged, and the answer made of them.

Nothing here knows Spark: `spark/` carries tasks and rows to other processes, `program.py` is what they do there.
"""
