"""Room on Python's stack for nested expressions, given while a parser runs and taken back after.

A level of nesting costs about ten Python calls, so the interpreter's usual limit of a thousand would refuse a
query some eighty levels deep. Calls between Python functions use no C stack, which makes the higher limit
safe; how deep a query may nest is decided by `MAX_DEPTH` and reported as an error of ours.
"""

from __future__ import annotations

import sys
import threading
from types import TracebackType

MAX_DEPTH = 500
_CALLS_PER_LEVEL = 24


class RecursionRoom:
    """A context that raises the recursion limit; the last of several threads to leave restores it."""

    _lock = threading.Lock()
    _active = 0
    _before = 0

    def __enter__(self) -> None:
        cls = RecursionRoom
        with cls._lock:
            if cls._active == 0:
                cls._before = sys.getrecursionlimit()
                sys.setrecursionlimit(cls._before + MAX_DEPTH * _CALLS_PER_LEVEL)
            cls._active += 1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        cls = RecursionRoom
        with cls._lock:
            cls._active -= 1
            if cls._active == 0:
                sys.setrecursionlimit(cls._before)
