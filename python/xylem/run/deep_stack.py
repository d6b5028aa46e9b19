"""Room for deep recursion: run a function in a thread with a large stack.

A recursive XQuery function nests Python calls, some of them through C code that uses the real stack (about
two kilobytes each where it is worst). The limit below fits the stack, so that recursion without an end becomes a
RecursionError, which the evaluator reports as an error of ours, and never a crash.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")

STACK_BYTES = 512 * 1024 * 1024
MAX_CALLS = 100_000

_here = threading.local()
_lock = threading.Lock()


def with_deep_stack(function: Callable[[], T]) -> T:
    """The function's result, or its exception; runs right here when the stack is deep already.

    >>> with_deep_stack(lambda: 1 + 1)
    2
    """
    if getattr(_here, "is_deep", False):
        return function()
    outcome: list[Any] = []
    failure: list[BaseException] = []

    def run() -> None:
        _here.is_deep = True
        try:
            outcome.append(function())
        except BaseException as error:
            failure.append(error)

    _start(run).join()
    if failure:
        raise failure[0]
    return outcome[0]  # type: ignore[no-any-return]


def _start(run: Callable[[], None]) -> threading.Thread:
    """Start the thread; where so large a stack cannot be had, with the usual one."""
    thread = threading.Thread(target=run, name="xylem")
    with _lock:
        if sys.getrecursionlimit() < MAX_CALLS:
            sys.setrecursionlimit(MAX_CALLS)
        usual = threading.stack_size(STACK_BYTES)
        try:
            thread.start()
        except RuntimeError:
            threading.stack_size(usual)
            thread.start()
        finally:
            threading.stack_size(usual)
    return thread
