"""Running a query over a stream: one scan, handlers that fire as records arrive, buffers only where order demands.

A FluX program and the records of a scan come in; the items of the answer, or their text, go out as soon as they are
final. The answer is always that of the reference evaluator over the whole tree.
"""
