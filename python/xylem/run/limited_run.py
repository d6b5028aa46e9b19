"""Run a query with limits of time and memory: a run that exceeds one ends with an error and keeps its earlier results.

The clock counts only the engine's time, and stops while the caller deals with a result. Memory is that of the whole
process. The interruption works like Ctrl-C, which no query catches: in the main thread a signal, which also ends
regular expressions and waiting for input; in other threads between two steps of Python, so a long call ends first.
"""

from __future__ import annotations

import importlib
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
"""Systems have no longer alarms; the watching thread checks the clock in any case."""
_SIGNAL = signal.SIGALRM


class LimitReached(KeyboardInterrupt):
    """The run has reached a limit. It ends like Ctrl-C: no query catches this, and complete results are delivered."""


@dataclass(frozen=True)
class RunLimits:
    """The limits of a run; None means unlimited."""

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
    """The items on request; XYRT0040 or XYRT0041 if computing them exceeds a limit."""
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
"""An exception raised from another thread arrives within this many steps of Python."""


class Watch:
    """Watches a run inside `with`, and raises the error there."""

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
        # An alarm set by others is left alone.
        is_main = threading.current_thread() is threading.main_thread()
        self._uses_signal = is_main and signal.getitimer(signal.ITIMER_REAL)[0] == 0
        self._is_working = True
        if self._uses_signal:
            self._handler_before = signal.signal(_SIGNAL, self._heard)
            if self._left_seconds is not None:
                # A thread alone is not enough: a regular expression lets no other thread run.
                signal.setitimer(signal.ITIMER_REAL, min(max(self._left_seconds, 1e-6), LONGEST_ALARM_SECONDS))
        if self._beside is None:
            self._beside = threading.Thread(target=self._watch, name="xylem watch", daemon=True)
            self._beside.start()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: Any) -> None:
        self._rest()
        if self._error is not None:
            raise self._error from None

    def close(self) -> None:
        """Stop watching: the run is over."""
        self._is_closed.set()
        self._rest()

    def error(self) -> DynamicError:
        """The limit reached, if the exception arrived after the end of `with`."""
        self._rest()
        assert self._error is not None
        return self._error

    def _rest(self) -> None:
        """Stop watching, and let nothing arrive later."""
        try:
            self._is_working = False
            with self._lock:
                # The watching thread raises nothing from here on. An exception that it raised arrives by the next step
                # or has arrived: revoking it would leave the interpreter checking for it for ever.
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

    # --- the watching thread

    def _watch(self) -> None:
        # Loaded here, before anything runs out: few runs have limits.
        importlib.import_module("ctypes")
        while not self._is_closed.wait(LOOK_EVERY_SECONDS):
            with self._lock:
                if not self._is_working or self._error is not None:
                    continue
                # Signals received meanwhile are kept.
                self._error = self._exceeded() or self._error
                if self._error is None:
                    continue
                working = working_thread(self._thread_id)
                if self._uses_signal and working == self._thread_id:
                    # The run may be waiting for input, where only a signal interrupts it.
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
    """XYRT0040."""
    return DynamicError("XYRT0040", f"{seconds:g} seconds are allowed")


def out_of_memory(most_bytes: int) -> DynamicError | None:
    """XYRT0041 if the process has exceeded its memory."""
    size = resident_bytes()
    if size is None or size <= most_bytes:
        return None
    return DynamicError("XYRT0041", f"{size / 1e6:,.0f} MB where {most_bytes / 1e6:,.0f} MB are allowed")


def resident_bytes() -> int | None:
    """Current memory of this process or, if the system does not report it, the peak."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        import resource
        import sys

        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def _raise_in(thread_id: int, error: type[BaseException]) -> None:
    """Raise an exception in a thread, between two of its steps."""
    import ctypes

    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread_id), ctypes.py_object(error))
