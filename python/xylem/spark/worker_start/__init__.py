"""What each Python process that Spark starts on this machine runs before anything else.

The folder is put on their path (`java.start_gateway`), and Python itself imports `sitecustomize` from there. It is the
only file here, since any other file could be imported by its bare name in every worker.
"""
