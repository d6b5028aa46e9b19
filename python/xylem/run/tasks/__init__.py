"""Tasks of a distributed query: what runs over a range, how the outcomes are merged, and the answer made of them.

A divided query (`rewrite/distribute`) and ranges of its input come in; rows and the text of the answer go out. Nothing
here knows Spark: `spark/` carries tasks and rows to other processes, `program.py` is what they do there.
"""
