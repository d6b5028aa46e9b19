"""Room for deep recursion: run a function in a thread with a large stack.

A recursive XQuery function nests Python calls, some of them through C code that uses the real stack (about
two kilobytes each in the worst case). The limit below fits the stack, so endless recursion becomes a RecursionError,
which the evaluator reports as one of our errors, and never a crash.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, TypeVar

from xylem.values.cycle_search import seldom_cycle_search

from .python_limits import too_deep

T = TypeVar("T")

STACK_BYTES = 512 * 1024 * 1024
MAX_CALLS = 100_000
ORDINARY_CALLS = 3_000
"""As many fit on the stack of an ordinary thread. The limit belongs to the process: if it were higher while no deep
thread runs, deep values (JSON in a document) would overflow that stack, which ends the process."""
LEAST_STACK_BYTES = 8 * 1024 * 1024
THREAD_BYTES = 4 * 1024 * 1024
"""What the beginning of a thread takes beside its stack, and more: Python waits without end for a thread that runs out
of memory before it has said that it began."""
_MOST_AT_ONCE = 1024

_here = threading.local()
_working: dict[int, int] = {}
"""By waiting thread: the thread that computes for it."""
_lock = threading.Lock()
_deep_threads = 0
_ordinary_calls = ORDINARY_CALLS


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

    caller = threading.get_ident()
    # Objects made by a recursive function live until it returns, so a search for cycles finds nothing.
    with seldom_cycle_search():
        thread = _start(run)
        _working[caller] = thread.ident or caller
        try:
            thread.join()
        finally:
            del _working[caller]
            _end()
    if failure:
        raise failure[0]
    return outcome[0]  # type: ignore[no-any-return]


def working_thread(thread_id: int) -> int:
    """The thread that computes for the given one: itself, unless it waits for another."""
    return _working.get(thread_id, thread_id)


def compiled_deep(function: Callable[[], T]) -> T:
    """Compile with a deep stack; XYST0003 if it is not deep enough."""
    try:
        return with_deep_stack(function)
    except RecursionError as error:
        raise too_deep() from error


def drawn_deep(items: Iterator[T]) -> Iterator[T]:
    """The items as they are requested, each computed with room for deep recursion.

    Giving a thread its stack takes about as long as computing some items, so they are drawn in chunks: first one,
    then twice as many each time. An error comes after all items before it.

    >>> list(drawn_deep(iter(range(5))))
    [0, 1, 2, 3, 4]
    """
    size = 1
    while True:
        chunk: list[T] = []
        failure: BaseException | None = None
        try:
            # Appended one by one, so that items computed before an error are kept.
            with_deep_stack(lambda size=size, keep=chunk.append: [keep(item) for item in islice(items, size)])  # type: ignore[misc]
        except BaseException as error:
            failure = error
        yield from chunk
        if failure is not None:
            raise failure
        if len(chunk) < size:
            return
        size = min(2 * size, _MOST_AT_ONCE)


def _start(run: Callable[[], None]) -> threading.Thread:
    """Start the thread with a large stack, or with a smaller one, and less recursion, if the system has no more."""
    global _deep_threads, _ordinary_calls
    # A daemon, so that an interrupted caller does not wait for its result.
    thread = threading.Thread(target=run, name="xylem", daemon=True)
    with _lock:
        stack_bytes = _stack_bytes()
        most_calls = MAX_CALLS * stack_bytes // STACK_BYTES
        if not _deep_threads:
            # Somebody who has set a higher limit knows his threads.
            _ordinary_calls = max(ORDINARY_CALLS, sys.getrecursionlimit())
        if stack_bytes < STACK_BYTES or sys.getrecursionlimit() < most_calls:
            sys.setrecursionlimit(most_calls)
        _deep_threads += 1
        usual = threading.stack_size(stack_bytes)
        try:
            thread.start()
        except RuntimeError:
            threading.stack_size(usual)
            try:
                thread.start()
            except RuntimeError as refused:
                _deep_threads -= 1
                raise MemoryError(str(refused)) from None
        finally:
            threading.stack_size(usual)
    return thread


def _end() -> None:
    """A thread is done with: behind the last one, recursion is limited to what ordinary stacks can hold."""
    global _deep_threads
    with _lock:
        _deep_threads -= 1
        if not _deep_threads:
            sys.setrecursionlimit(_ordinary_calls)


def _stack_bytes() -> int:
    """The size of the stack: at most a quarter of the addresses that are left to a process with a limit (`ulimit -v`).

    If the stack took the last of them, Python could not begin the thread, and would wait for it without end; if there
    is no room for both, that is a MemoryError.
    """
    import resource

    most, _ = resource.getrlimit(resource.RLIMIT_AS)
    if most == resource.RLIM_INFINITY:
        return STACK_BYTES
    try:
        with open("/proc/self/statm", "rb") as file:
            taken = int(file.read().split()[0]) * resource.getpagesize()
    except OSError:
        return STACK_BYTES
    left, size = max(most - taken, 0), STACK_BYTES
    if left < LEAST_STACK_BYTES + THREAD_BYTES:
        raise MemoryError("no room for a thread")
    while size > LEAST_STACK_BYTES and size > left // 4:
        size //= 2
    return size
