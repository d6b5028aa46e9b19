"""Run a query with limits of time and memory: a run that exceeds one ends with an error and keeps its earlier results.

The clock counts only the engine's time, and stops while the caller deals with a result. Memory is that of the whole
process. The interruption works like Ctrl-C, which no query catches: in the main thread a signal, which also ends
regular expressions and waiting for input; in other threads between two steps of Python, so a long call ends first.
"""

from __future__ import annotations

import ctypes
import os
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from types import FrameType
from typing import Any, TypeVar

from xylem.errors import DynamicError

from .deep_stack import working_thread

T = TypeVar("T")

LOOK_EVERY_SECONDS = 0.05
LONGEST_ALARM_SECONDS = 1e8
"""Systems have no longer alarms; the thread beside the run looks at the clock in any case."""
_SIGNAL = signal.SIGALRM


class LimitReached(KeyboardInterrupt):
    """The run has taken all it may. It ends as by Ctrl-C: no query catches this, and what was complete is delivered."""


@dataclass(frozen=True)
class RunLimits:
    """What a run may take; None for as much as there is."""

    seconds: float | None = None
    memory_bytes: int | None = None

    def __post_init__(self) -> None:
        if self.seconds is not None and not self.seconds > 0:
            raise ValueError(f"{self.seconds} is not a time")
        if self.memory_bytes is not None and self.memory_bytes <= 0:
            raise ValueError(f"{self.memory_bytes} bytes are not a memory limit")

    @property
    def has_any(self) -> bool:
        return self.seconds is not None or self.memory_bytes is not None


UNLIMITED = RunLimits()


def limited(items: Iterator[T], limits: RunLimits) -> Iterator[T]:
    """The items as they are asked for; XYRT0040 or XYRT0041 where computing them takes more than is allowed."""
    return _limited(items, limits) if limits.has_any else items


def _limited(items: Iterator[T], limits: RunLimits) -> Iterator[T]:
    watch = Watch(limits)
    try:
        while True:
            try:
                with watch:
                    item = next(items)
            except StopIteration:
                return
            except LimitReached:
                raise watch.error() from None
            yield item
    finally:
        watch.close()


_STEPS = 100
"""Among as many steps of Python, an error that was raised from another thread arrives."""


class Watch:
    """Watches over a run while it works, which is inside `with`; the error comes from there."""

    def __init__(self, limits: RunLimits) -> None:
        self._limits = limits
        self._left_seconds = limits.seconds
        self._lock = threading.Lock()
        self._is_working = False
        self._error: DynamicError | None = None
        self._thread_id = 0
        self._deadline: float | None = None
        self._is_closed = threading.Event()
        self._beside: threading.Thread | None = None
        self._uses_signal = False
        self._handler_before: Any = None

    def __enter__(self) -> None:
        if self._error is not None:
            raise self._error
        self._thread_id = threading.get_ident()
        self._deadline = None if self._left_seconds is None else time.monotonic() + self._left_seconds
        # Somebody else's alarm is left alone.
        is_main = threading.current_thread() is threading.main_thread()
        self._uses_signal = is_main and signal.getitimer(signal.ITIMER_REAL)[0] == 0
        self._is_working = True
        if self._uses_signal:
            self._handler_before = signal.signal(_SIGNAL, self._heard)
            if self._left_seconds is not None:
                # Not only from beside: a regular expression lets nothing run beside it.
                signal.setitimer(signal.ITIMER_REAL, min(max(self._left_seconds, 1e-6), LONGEST_ALARM_SECONDS))
        if self._beside is None:
            self._beside = threading.Thread(target=self._watch, name="xylem watch", daemon=True)
            self._beside.start()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: Any) -> None:
        self._rest()
        if self._error is not None:
            raise self._error from None

    def close(self) -> None:
        """The run is over."""
        self._is_closed.set()
        self._rest()

    def error(self) -> DynamicError:
        """What was reached, where it was told so late that it arrived behind `with`."""
        self._rest()
        assert self._error is not None
        return self._error

    def _rest(self) -> None:
        """Nothing is watched, and nothing arrives any more."""
        try:
            self._is_working = False
            with self._lock:
                # The thread beside raises nothing from here on. What it raised arrives by the next step or has done so:
                # to take it back would leave the interpreter looking for it for good.
                pass
            for _ in range(_STEPS):
                pass
        except LimitReached:
            pass
        if self._uses_signal:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(_SIGNAL, self._handler_before)
            self._uses_signal = False
        if self._deadline is not None:
            self._left_seconds = max(self._deadline - time.monotonic(), 0.0)
            self._deadline = None

    # --- beside the run

    def _watch(self) -> None:
        while not self._is_closed.wait(LOOK_EVERY_SECONDS):
            with self._lock:
                if not self._is_working or self._error is not None:
                    continue
                # What was heard meanwhile stays.
                self._error = self._exceeded() or self._error
                if self._error is None:
                    continue
                working = working_thread(self._thread_id)
                if self._uses_signal and working == self._thread_id:
                    # It may be waiting for input: there it hears nothing else.
                    signal.pthread_kill(self._thread_id, _SIGNAL)
                else:
                    _raise_in(working, LimitReached)

    def _heard(self, number: int, frame: FrameType | None) -> None:
        if not self._is_working:
            return
        reached = self._error or self._exceeded()
        if reached is None:
            return
        self._error = reached
        working = working_thread(self._thread_id)
        if working == self._thread_id:
            raise LimitReached
        _raise_in(working, LimitReached)

    def _exceeded(self) -> DynamicError | None:
        if self._deadline is not None and time.monotonic() >= self._deadline:
            return out_of_time(self._limits.seconds or 0.0)
        if self._limits.memory_bytes is not None:
            return out_of_memory(self._limits.memory_bytes)
        return None


def out_of_time(seconds: float) -> DynamicError:
    """XYRT0040"""
    return DynamicError("XYRT0040", f"{seconds:g} seconds are allowed")


def out_of_memory(most_bytes: int) -> DynamicError | None:
    """XYRT0041, where the process has taken more."""
    size = resident_bytes()
    if size is None or size <= most_bytes:
        return None
    return DynamicError("XYRT0041", f"{size / 1e6:,.0f} MB where {most_bytes / 1e6:,.0f} MB are allowed")


def resident_bytes() -> int | None:
    """The memory this process has now, or where the system tells no more, the most it has had."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        import resource
        import sys

        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def _raise_in(thread_id: int, error: type[BaseException]) -> None:
    """Raise an error in a thread between two of its steps."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread_id), ctypes.py_object(error))
