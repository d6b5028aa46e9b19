"""`--time-limit SECONDS` and `--memory-limit SIZE`: a run that takes more ends with an error, whatever it is doing.

A watchdog interrupts the run like Ctrl-C, so that complete results are written. If the run does not react, because one
call takes very long, the watchdog ends the process. If that call holds the interpreter, so that no other Python code
runs, the kernel ends the process, but only for the time limit, not for the memory limit.
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
from xylem.run.limited_run import (
    LONGEST_ALARM_SECONDS,
    LOOK_EVERY_SECONDS,
    LimitReached,
    RunLimits,
    out_of_memory,
    out_of_time,
)

from .byte_size import in_bytes
from .duration import time_limit_seconds
from .failures import Exit

LIMITS = "Limits"
GRACE_SECONDS = 3.0
"""Seconds that a run has to end by itself after an interrupt."""
_FLUSH_SECONDS = 0.5
_SIGNAL = signal.SIGALRM

TimeLimit = Annotated[
    float | None,
    typer.Option(
        "--time-limit",
        parser=time_limit_seconds,
        metavar="SECONDS",
        help="Maximum run time, such as `30` or `5m`; with `--on spark`, that of each task. A longer run stops with an "
        "error after delivering its complete results.",
        show_default=False,
        rich_help_panel=LIMITS,
    ),
]
MemoryLimit = Annotated[
    str | None,
    typer.Option(
        "--memory-limit",
        metavar="SIZE",
        help="Maximum memory of the process, such as `2GB`; with `--on spark`, of each task. A run that needs "
        "more stops with an error.",
        show_default=False,
        rich_help_panel=LIMITS,
    ),
]


@contextmanager
def within_limits(time_limit_seconds: float | None, memory_limit: str | None) -> Iterator[None]:
    """End the code inside when it exceeds a limit: XYRT0040 and XYRT0041."""
    limits = run_limits(time_limit_seconds, memory_limit)
    if not limits.has_any:
        yield
        return
    watchdog = _Watchdog(limits.seconds, limits.memory_bytes)
    try:
        watchdog.start()  # which may take so long that the time is over
        yield
    except LimitReached:
        assert watchdog.reached is not None
        raise watchdog.reached from None
    finally:
        watchdog.stop()


def run_limits(time_limit_seconds: float | None, memory_limit: str | None) -> RunLimits:
    """The options in plain values."""
    if time_limit_seconds is not None and not time_limit_seconds > 0:
        raise typer.BadParameter(f"{time_limit_seconds} is not a time", param_hint="--time-limit")
    memory_bytes = None if memory_limit is None else in_bytes(memory_limit, "--memory-limit")
    if memory_bytes == 0:
        raise typer.BadParameter("a run needs memory", param_hint="--memory-limit")
    return RunLimits(time_limit_seconds, memory_bytes)


class _Watchdog:
    """A thread that watches the run, which must be in the main thread: only that one receives signals."""

    def __init__(self, time_limit_seconds: float | None, most_bytes: int | None) -> None:
        self._seconds = time_limit_seconds
        self._most_bytes = most_bytes
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="xylem watchdog", daemon=True)
        self.reached: DynamicError | None = None
        self._handler_before: Any = None
        self._last_resort: Any = None
        self._timer_before = (0.0, 0.0)
        self._is_told = False

    def start(self) -> None:
        self._handler_before = signal.signal(_SIGNAL, self._interrupt)
        self._deadline = None if self._seconds is None else time.monotonic() + self._seconds
        if self._seconds is not None:
            from xylem.source.kernel import last_resort

            # By then, both the run and the process should have ended.
            seconds = self._seconds + 2 * GRACE_SECONDS
            self._last_resort = last_resort(seconds, _message(out_of_time(self._seconds)), Exit.QUERY_ERROR)
            # A regular expression blocks all other Python code; only a signal reaches it.
            self._timer_before = signal.setitimer(signal.ITIMER_REAL, min(self._seconds, LONGEST_ALARM_SECONDS))
        self._thread.start()

    def stop(self) -> None:
        self._is_over.set()
        if self._thread.ident is not None:
            self._thread.join()
        if self._seconds is not None:
            signal.setitimer(signal.ITIMER_REAL, *self._timer_before)
        signal.signal(_SIGNAL, self._handler_before)
        if self._last_resort is not None:
            self._last_resort.call_off()

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        self.reached = self.reached or self._exceeded()
        if self.reached is not None and not self._is_told:
            # Only once: from here on, the run writes its complete results.
            self._is_told = True
            raise LimitReached

    # --- beside the run

    def _watch(self) -> None:
        while not self._is_over.wait(self._wait_seconds()):
            self.reached = self.reached or self._exceeded()
            if self.reached is None:
                continue
            main = threading.main_thread().ident
            assert main is not None
            # The signal goes to that very thread, which may be waiting for input.
            signal.pthread_kill(main, _SIGNAL)
            if not self._is_over.wait(GRACE_SECONDS):
                _end_process(self.reached)
            return

    def _wait_seconds(self) -> float:
        # The end of the run interrupts a long wait; memory must be checked meanwhile.
        longest = threading.TIMEOUT_MAX if self._most_bytes is None else LOOK_EVERY_SECONDS
        return longest if self._deadline is None else min(max(self._deadline - time.monotonic(), 0.0), longest)

    def _exceeded(self) -> DynamicError | None:
        if self._deadline is not None and time.monotonic() >= self._deadline:
            return out_of_time(self._seconds or 0.0)
        return None if self._most_bytes is None else out_of_memory(self._most_bytes)


def _message(error: DynamicError) -> bytes:
    return f"{error.render()}\n".encode()


def _end_process(error: DynamicError) -> None:
    # Flush the output, unless another thread is writing at this moment.
    flush = threading.Thread(target=sys.stdout.flush, daemon=True)
    flush.start()
    flush.join(_FLUSH_SECONDS)
    os.write(2, _message(error))
    os._exit(Exit.QUERY_ERROR)
