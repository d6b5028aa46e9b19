"""Stop Python's search for cycles while many values are made that cannot be in one.

Python looks for cycles whenever some hundred objects more are alive. While a large JSON text becomes maps and arrays,
that search takes longer than the parser.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

_LOCK = Lock()
_pauses = 0
_was_enabled = False


@contextmanager
def no_cycle_search() -> Iterator[None]:
    """No search in this process until the block ends; the last of several threads turns it on again."""
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
