"""The process that Python workers are forked from, with all their modules loaded once instead of by each worker.

Spark starts it with the first task (`spark.python.daemon.module`); it is Spark's own daemon, but imports modules before
it waits for work. A worker then starts in a few milliseconds, not in a second of CPU, and shares the memory of the
modules with the others. Loaded objects are hidden from the garbage collector: Spark's daemon calls it after every task,
which would otherwise cost some thirty milliseconds and a copy of that memory in each worker.
"""

from __future__ import annotations

import gc
import signal
import sys
from importlib import import_module

from xylem.run.garbage_collection import collect_seldom

WORKER = "pyspark.worker"
PROGRAMS = ("xylem.spark.task", "xylem.source.kernel", "xylem.run.stream.passes", "xylem.pipeline")
"""The modules that received programs need. Nothing that compiles: tasks do not, and loading it would be wasted."""


def load(module: str) -> None:
    """Import the modules that workers need; one PySpark module runs our tasks."""
    import_module(module)
    if module == WORKER:
        for name in PROGRAMS:
            import_module(name)
    gc.collect()
    gc.freeze()
    collect_seldom()


if __name__ == "__main__":
    from pyspark.daemon import manager

    # Spark's daemon would end with all workers, in the middle of their tasks. It ends when its standard input does.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    if sys.argv[1:] and sys.argv[1].startswith("pyspark."):
        load(sys.argv[1])
    manager()
