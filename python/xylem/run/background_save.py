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
"""The next save waits this many times as long as the last child took to write."""
LEAST_SECONDS = 1.0
"""The next save waits at least this long."""
_IMPOSSIBLE = 3
"""Exit status of a child that cannot save its data."""
_MOST_REASON_BYTES = 2_000
"""A pipe takes this much without blocking."""


class BackgroundSave:
    """Runs one child at a time."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._child: int | None = None
        self._reason: int | None = None
        """The pipe through which a failing child reports the reason."""
        self._started = self._next = 0.0
        self.is_impossible = False
        """Whether a child found something that cannot be saved; no further save is then due."""

    @property
    def is_due(self) -> bool:
        """Whether no child is writing and enough time has passed since the last save; XYIN0002 if that save failed."""
        return not self.is_busy and not self.is_impossible and time.monotonic() >= self._next

    @property
    def is_busy(self) -> bool:
        """Whether a child is writing; XYIN0002 if the last one failed."""
        if self._child is not None:
            self._reap(os.WNOHANG)
        return self._child is not None

    def start(self, write: Callable[[], object]) -> None:
        """Call a function in a forked child."""
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
            # The parent alone cleans up: nothing is cleaned up twice.
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
        """The message of a child that has ended."""
        assert self._reason is not None
        try:
            # Another child forked in between may hold the other end of the pipe, so do not wait for end of file.
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
