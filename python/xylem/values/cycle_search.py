"""Suspend Python's search for cycles while many acyclic values are created, or make it less frequent.

Python looks for cycles whenever some hundred objects more are alive. While a large JSON text becomes maps and arrays,
that search takes longer than the parser. While a recursive function copies a document, it takes half of the time.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

_LOCK = Lock()
_pauses = 0
_was_enabled = False
_rests = 0
_thresholds = (0, 0, 0)
YOUNG_OBJECTS = 20_000
"""In less frequent mode, the search starts when this many new objects are still alive."""


@contextmanager
def no_cycle_search() -> Iterator[None]:
    """No search in this process until the block ends; the last of several threads re-enables it."""
    global _pauses, _was_enabled
    with _LOCK:
        if _pauses == 0:
            _was_enabled = gc.isenabled()
            gc.disable()
        _pauses += 1
    try:
        yield
    finally:
        with _LOCK:
            _pauses -= 1
            if _pauses == 0 and _was_enabled:
                gc.enable()


@contextmanager
def seldom_cycle_search() -> Iterator[None]:
    """Less frequent search in this process until the block ends; then the old settings return."""
    global _rests, _thresholds
    with _LOCK:
        if _rests == 0:
            _thresholds = gc.get_threshold()
            # If it is disabled, it stays disabled.
            if 0 < _thresholds[0] < YOUNG_OBJECTS:
                gc.set_threshold(YOUNG_OBJECTS, 20, 20)
        _rests += 1
    try:
        yield
    finally:
        with _LOCK:
            _rests -= 1
            if _rests == 0:
                gc.set_threshold(*_thresholds)
