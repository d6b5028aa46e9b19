"""Memory that has run out, as an error of the catalogue.

Python's own error keeps all frames that it came through, and with them what has filled the memory. The error that takes
its place lets go of them, so that whoever catches it has room again.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from .error import DynamicError

_RESERVED_BYTES = 8 * 1024 * 1024
_reserve = [bytes(_RESERVED_BYTES)]
"""Zeros that Python does not write: they take addresses and no memory. Without them, there may be no room for the error
either."""


def no_memory_left(error: MemoryError) -> DynamicError:
    """XYRT0042, to be raised in place of Python's error."""
    _reserve.clear()
    error.__traceback__ = None
    return DynamicError("XYRT0042")


@contextmanager
def memory_may_run_out() -> Iterator[None]:
    """Raise XYRT0042 if memory runs out inside."""
    try:
        if not _reserve:
            _reserve.append(bytes(_RESERVED_BYTES))
        yield
    except MemoryError as error:
        raise no_memory_left(error) from None
