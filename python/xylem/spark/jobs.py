"""The partitions of an RDD computed side by side, their results taken one after another.

Spark gives a driver all results at once, which need not fit, or those of one partition at a time, which leaves all
cores but one idle. Here several small jobs run at once, always a few more than there are cores, and the driver takes
them in order: work computed ahead is bounded, and the first results are there when the first task is done.
"""

from __future__ import annotations

import uuid
from collections import deque
from collections.abc import Generator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Any

from xylem.errors import DynamicError

if TYPE_CHECKING:
    from pyspark import RDD, SparkContext

MOST_JOBS = 16
"""Each is a thread here; with more partitions a job takes several."""


class Jobs:
    """The partitions of an RDD, run as a moving window of jobs."""

    def __init__(self, context: SparkContext, rdd: RDD[Any], partitions: int, cores: int, *, together: int = 1) -> None:
        """`together`: how many partitions may share a job, if nothing waits for the first of them."""
        self._context = context
        self._rdd = rdd
        ahead = 2 * cores
        size = max(together, ahead // MOST_JOBS)
        self._groups = [range(start, min(start + size, partitions)) for start in range(0, partitions, size)]
        self._at_once = max(2, min(MOST_JOBS, ahead // size))
        self._tag = f"xylem-{uuid.uuid4().hex}"

    def results(self, *, ordered: bool = True) -> Generator[tuple[int, list[Any]], None, None]:
        """The elements of each partition with its number: in order, or on arrival. Closing it cancels the rest."""
        waiting = deque(self._groups)
        running: deque[Future[list[tuple[int, list[Any]]]]] = deque()
        pool = ThreadPoolExecutor(self._at_once, thread_name_prefix="xylem-job")
        try:
            while waiting or running:
                while waiting and len(running) < self._at_once:
                    running.append(pool.submit(self._run, waiting.popleft()))
                if not ordered:
                    done = next(iter(wait(running, return_when=FIRST_COMPLETED).done))
                    running.remove(done)
                else:
                    done = running.popleft()
                yield from done.result()
        finally:
            if waiting or running:
                self._context.cancelJobsWithTag(self._tag)
            pool.shutdown(wait=True, cancel_futures=True)

    def _run(self, partitions: range) -> list[tuple[int, list[Any]]]:
        from py4j.protocol import Py4JError

        self._context.addJobTag(self._tag)
        try:
            numbered = self._context.runJob(self._rdd, _listed, list(partitions))
        except Py4JError as reason:
            raise DynamicError("XYRT0004", failure_of(reason)) from reason
        return list(zip(partitions, numbered, strict=True))


def _listed(elements: Any) -> list[list[Any]]:
    """All elements of a partition as one, so partitions of one job can be distinguished."""
    return [list(elements)]


def failure_of(reason: BaseException) -> str:
    """Why a job failed, without the stacks of two languages."""
    cause = getattr(reason, "java_exception", None)
    message = str(cause.getMessage() if cause is not None else reason)
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    # Spark names the last failure first; a Python traceback below it ends with the error.
    raised = [line for line in lines if "Error" in line.split(":")[0] and not line.startswith(("at ", "File "))]
    said = lines[0] if lines else type(reason).__name__
    return f"{said} ({raised[-1]})" if raised and raised[-1] not in said else said
