"""`--time-limit SECONDS` and `--memory-limit SIZE`: a run that takes more ends with an error, whatever it is doing.

A watchdog interrupts the run as Ctrl-C does, so that what was complete is delivered. Where the run does not hear,
because one call takes very long, the watchdog ends the process; and where that call holds the interpreter, so that no
Python runs beside it, the kernel does, for want of time though not of memory.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Annotated, Any

import typer

from xylem.errors import DynamicError

from .byte_size import in_bytes
from .failures import Exit, LimitReached

LIMITS = "How much it may take"
LOOK_EVERY_SECONDS = 0.05
GRACE_SECONDS = 3.0
"""How long a run may take to end by itself once it was told to."""
_FLUSH_SECONDS = 0.5
_SIGNAL = signal.SIGALRM

TimeLimit = Annotated[
    float | None,
    typer.Option(
        "--time-limit",
        metavar="SECONDS",
        help="Maximum run time. A longer run stops with an error after delivering its complete results.",
        show_default=False,
        rich_help_panel=LIMITS,
    ),
]
MemoryLimit = Annotated[
    str | None,
    typer.Option(
        "--memory-limit",
        metavar="SIZE",
        help="Maximum memory of the process, such as `2GB`. A run that needs more stops with an error.",
        show_default=False,
        rich_help_panel=LIMITS,
    ),
]


@contextmanager
def within_limits(time_limit_seconds: float | None, memory_limit: str | None) -> Iterator[None]:
    """What runs inside is ended when it takes more than is allowed: XYRT0040 and XYRT0041."""
    if time_limit_seconds is not None and not time_limit_seconds > 0:
        raise typer.BadParameter(f"{time_limit_seconds} is no time", param_hint="--time-limit")
    most_bytes = None if memory_limit is None else in_bytes(memory_limit, "--memory-limit")
    if time_limit_seconds is None and most_bytes is None:
        yield
        return
    watchdog = _Watchdog(time_limit_seconds, most_bytes)
    watchdog.start()
    try:
        yield
    finally:
        watchdog.stop()


class _Watchdog:
    """A thread beside the run, which must be that of the main thread: there signals are heard."""

    def __init__(self, time_limit_seconds: float | None, most_bytes: int | None) -> None:
        self._seconds = time_limit_seconds
        self._most_bytes = most_bytes
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="xylem watchdog", daemon=True)
        self._reached: DynamicError | None = None
        self._handler_before: Any = None
        self._last_resort: Any = None

    def start(self) -> None:
        self._handler_before = signal.signal(_SIGNAL, self._interrupt)
        self._deadline = None if self._seconds is None else time.monotonic() + self._seconds
        if self._seconds is not None:
            from xylem.source.kernel import last_resort

            # By then the run was told to end, and the process as well.
            seconds = self._seconds + 2 * GRACE_SECONDS
            self._last_resort = last_resort(seconds, _message(self._out_of_time()), Exit.QUERY_ERROR)
        self._thread.start()

    def stop(self) -> None:
        self._is_over.set()
        self._thread.join()
        signal.signal(_SIGNAL, self._handler_before)
        if self._last_resort is not None:
            self._last_resort.call_off()

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        if self._reached is not None:
            raise LimitReached(self._reached)

    # --- beside the run

    def _watch(self) -> None:
        while not self._is_over.wait(self._wait_seconds()):
            self._reached = self._exceeded()
            if self._reached is None:
                continue
            main = threading.main_thread().ident
            assert main is not None
            # To that thread and no other: it may be waiting for input, and is to stop waiting.
            signal.pthread_kill(main, _SIGNAL)
            if not self._is_over.wait(GRACE_SECONDS):
                _end_process(self._reached)
            return

    def _wait_seconds(self) -> float:
        # A long wait is cut short by the end of the run; memory must be looked at meanwhile.
        longest = threading.TIMEOUT_MAX if self._most_bytes is None else LOOK_EVERY_SECONDS
        return longest if self._deadline is None else min(max(self._deadline - time.monotonic(), 0.0), longest)

    def _exceeded(self) -> DynamicError | None:
        if self._deadline is not None and time.monotonic() >= self._deadline:
            return self._out_of_time()
        if self._most_bytes is not None:
            size = resident_bytes()
            if size is not None and size > self._most_bytes:
                why = f"{size / 1e6:,.0f} MB where {self._most_bytes / 1e6:,.0f} MB are allowed"
                return DynamicError("XYRT0041", why)
        return None

    def _out_of_time(self) -> DynamicError:
        return DynamicError("XYRT0040", f"{self._seconds:g} seconds are allowed")


def resident_bytes() -> int | None:
    """The memory this process has now, or where the system tells no more, the most it has had."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        from .statistics import peak_rss_bytes

        return peak_rss_bytes()


def _message(error: DynamicError) -> bytes:
    return f"{error.render()}\n".encode()


def _end_process(error: DynamicError) -> None:
    # What was written is handed over, unless somebody is writing at this very moment.
    flush = threading.Thread(target=sys.stdout.flush, daemon=True)
    flush.start()
    flush.join(_FLUSH_SECONDS)
    os.write(2, _message(error))
    os._exit(Exit.QUERY_ERROR)
