"""The process that Python workers are forked from, with all that they will need loaded: done once, not by each worker.

Spark starts it with the first task (`spark.python.daemon.module`), and it is Spark's own daemon but for what it
imports before it waits for work. A worker then begins in a few milliseconds, not in a second of CPU, and shares the
memory of the modules with the others.
"""

from __future__ import annotations

import sys
from importlib import import_module

WORKER = "pyspark.worker"


def load(module: str) -> None:
    """Import what workers that run a module of PySpark's use; tasks of ours are run by one of them."""
    import_module(module)
    if module == WORKER:
        import_module("xylem.spark.task")


if __name__ == "__main__":
    from pyspark.daemon import manager

    if sys.argv[1:] and sys.argv[1].startswith("pyspark."):
        load(sys.argv[1])
    manager()
