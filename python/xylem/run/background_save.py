"""A file written by a child of this process, while this one goes on: the child has all values as they were.

A large state takes seconds to write. The child is a copy of the process (fork), whose memory is shared until one of
the two changes it, so that nothing waits but for the copy itself.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from xylem.errors import InputError


class BackgroundSave:
    """One child at a time: while one writes, no other is started."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._child: int | None = None

    @property
    def is_busy(self) -> bool:
        """Whether a child is writing; XYIN0002 if the last one failed."""
        if self._child is not None:
            self._reap(os.WNOHANG)
        return self._child is not None

    def start(self, write: Callable[[], object]) -> None:
        """Have a function called in a child."""
        child = os.fork()
        if child == 0:
            try:
                write()
            except BaseException:
                os._exit(1)
            # Nothing of the parent is cleaned up twice.
            os._exit(0)
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
        if status:
            raise InputError("XYIN0002", f"{self._what}: it could not be written")
