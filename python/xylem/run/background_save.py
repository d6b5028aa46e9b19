"""Write a file from a forked child, so that the run does not wait.

A large state takes seconds to write. The child sees all values as they were at the fork, and shares their memory until
one of the two processes changes it; the run waits for the fork alone. Saving takes at most a quarter of the time and
starts at most once a second, so a state that takes long to write is saved less often.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable

from xylem.errors import InputError
from xylem.values.state_codec import CannotSave

REST = 3.0
"""So many times as long as the last child wrote, no other is due."""
LEAST_SECONDS = 1.0
"""And so long at least."""
_IMPOSSIBLE = 3
"""How a child ends that cannot save what it is given."""
_MOST_REASON_BYTES = 2_000
"""A pipe takes so much without waiting."""


class BackgroundSave:
    """One child at a time: while one writes, no other is started."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._child: int | None = None
        self._reason: int | None = None
        """Where a child that fails says why."""
        self._started = self._next = 0.0
        self.is_impossible = False
        """Whether a child found something that cannot be saved: then no other is due."""

    @property
    def is_due(self) -> bool:
        """Whether no child is writing, and the last one was long enough ago; XYIN0002 if it failed."""
        return not self.is_busy and not self.is_impossible and time.monotonic() >= self._next

    @property
    def is_busy(self) -> bool:
        """Whether a child is writing; XYIN0002 if the last one failed."""
        if self._child is not None:
            self._reap(os.WNOHANG)
        return self._child is not None

    def start(self, write: Callable[[], object]) -> None:
        """Have a function called in a child."""
        self._started = time.monotonic()
        self._reason, telling = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                write()
            except CannotSave:
                os._exit(_IMPOSSIBLE)
            except BaseException as error:
                os.write(telling, _told(error).encode("utf-8", "replace")[:_MOST_REASON_BYTES])
                os._exit(1)
            # Nothing of the parent is cleaned up twice.
            os._exit(0)
        os.close(telling)
        self._child = child

    def finish(self) -> None:
        """Wait for the child that writes."""
        if self._child is not None:
            self._reap(0)

    def _reap(self, options: int) -> None:
        assert self._child is not None
        child, status = os.waitpid(self._child, options)
        if child == 0:
            return
        self._child = None
        reason = self._heard()
        now = time.monotonic()
        self._next = now + max(LEAST_SECONDS, REST * (now - self._started))
        self.is_impossible = os.waitstatus_to_exitcode(status) == _IMPOSSIBLE
        if status and not self.is_impossible:
            raise InputError("XYIN0002", f"{self._what}: {reason or 'what writes it was killed'}")

    def _heard(self) -> str:
        """What the child has said that has ended."""
        assert self._reason is not None
        try:
            # Another process that was forked in between may have the other end: its end is not waited for.
            os.set_blocking(self._reason, False)
            return os.read(self._reason, _MOST_REASON_BYTES).decode("utf-8", "replace")
        except BlockingIOError:
            return ""
        finally:
            os.close(self._reason)


def _told(error: BaseException) -> str:
    if isinstance(error, MemoryError):
        return "there is not enough memory to write it"
    return (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__
