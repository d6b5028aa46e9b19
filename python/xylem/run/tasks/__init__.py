"""Tasks of a distributed query: the work on each range, merging the results, and the answer made from them.

A divided query (`rewrite/distribute`) and ranges of its input come in; rows and the text of the answer go out. Nothing
here knows Spark: `spark/` carries tasks and rows to other processes, which run `program.py`.
"""
