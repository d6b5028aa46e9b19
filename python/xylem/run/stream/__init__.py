"""Running a query over a stream: one scan, handlers that fire as records arrive, buffers only where order demands.

What comes in is a FluX program and the records of a scan; what goes out are the items of the answer, or their text,
as soon as they are final. The answer is always that of the reference evaluator over the whole tree.
"""
