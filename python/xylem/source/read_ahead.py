"""Read ahead: another thread reads and scans the next piece of an input while this one handles the batch before.

The kernel scans without the interpreter's lock, so Python code and the scan use two cores. The batches are the same, in
the same order. An error of the next piece waits until that piece is asked for.

This is done if it pays: a batch took long to handle, the next piece is available without waiting, and there is a second
core. The requesting thread reads a piece that must be waited for, so nothing comes later than otherwise.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from time import perf_counter
from typing import TypeVar

T = TypeVar("T")

WORTHWHILE_SECONDS = 0.001
"""Batches that are handled faster than this are not worth another thread."""


def read_ahead(
    batches: Generator[T, None, None], is_ready: Callable[[], bool], worthwhile: float = WORTHWHILE_SECONDS
) -> Generator[T, None, None]:
    """The same batches; `is_ready` says whether the next one can be made without waiting for input."""
    reader: ThreadPoolExecutor | None = None
    pending: Future[list[T]] | None = None
    took = 0.0
    try:
        while True:
            found = _next(batches) if pending is None else pending.result()
            pending = None
            if not found:
                return
            if took >= worthwhile and _has_cores() and is_ready():
                if reader is None:
                    reader = ThreadPoolExecutor(1, "xylem-scan")
                pending = reader.submit(_next, batches)
            begun = perf_counter()
            yield found[0]
            took = perf_counter() - begun
    finally:
        if pending is not None:
            # Nobody needs it any more, nor its error.
            with suppress(Exception):
                pending.result()
        if reader is not None:
            reader.shutdown()
        batches.close()


def _next(batches: Generator[T, None, None]) -> list[T]:
    """The next batch, or none: the end must not be an exception, which could not cross threads."""
    for batch in batches:
        return [batch]
    return []


def _has_cores() -> bool:
    return len(os.sched_getaffinity(0)) > 1 if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1) > 1
