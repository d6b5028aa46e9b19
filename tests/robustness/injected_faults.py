"""Faults at the calls that make files last: the n-th write, flush, truncation, fsync, rename, opening or removal fails.

A fault is an error of the system (a full disk), memory that cannot be had, or the end of the process at that very call:
a write has then put down half of its bytes. Memory is also needed to make what is written: encoding and sealing count
as calls where it may be missing. Whoever uses it begins with the first call and ends when a run meets no fault any
more, as SQLite's tests do.
"""

from __future__ import annotations

import builtins
import errno
import hashlib
import io
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import Any

import pytest


class Fault(Enum):
    """What happens at the call."""

    FULL_DISK = "full disk"
    NO_MEMORY = "no memory"
    CRASH = "crash"


class Crash(BaseException):
    """The process is no more: nobody catches this."""


class FaultPoint:
    """Counts the calls, and fails at one of them; all that comes behind it in a process that has ended fails too."""

    def __init__(self, number: int, fault: Fault, folder: Path) -> None:
        self._number = number
        self._fault = fault
        self._folder = str(folder)
        self.calls = 0
        self.met: str | None = None
        """The call that failed; None where there were not so many."""

    def at(self, what: str, half: Callable[[], object] | None = None) -> None:
        """One of the calls is made."""
        if self.met is not None and self._fault is Fault.CRASH:
            raise Crash
        self.calls += 1
        if self.calls != self._number:
            return
        self.met = what
        if self._fault is Fault.FULL_DISK:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        if self._fault is Fault.NO_MEMORY:
            raise MemoryError
        if half is not None:
            half()
        raise Crash

    def allocates(self, what: str) -> None:
        """Memory is asked for, which can be refused and nothing else."""
        if self._fault is Fault.NO_MEMORY:
            self.at(what)

    def concerns(self, path: object) -> bool:
        """Whether a file is one of those that are looked at."""
        return isinstance(path, (str, os.PathLike)) and os.fspath(path).startswith(self._folder)  # type: ignore[arg-type]


class _Written:
    """A file that is written to, through the fault point."""

    def __init__(self, file: Any, point: FaultPoint) -> None:
        self._file = file
        self._point = point

    def write(self, data: Any) -> Any:
        self._point.at("write", lambda: (self._file.write(data[: len(data) // 2]), self._file.flush()))
        return self._file.write(data)

    def flush(self) -> None:
        self._point.at("flush")
        self._file.flush()

    def truncate(self, size: int | None = None) -> Any:
        self._point.at("truncate")
        return self._file.truncate(size)

    def __enter__(self) -> _Written:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()

    def __iter__(self) -> Iterator[Any]:
        return iter(self._file)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


@contextmanager
def fault_at(number: int, fault: Fault, folder: Path) -> Iterator[FaultPoint]:
    """Let the call with this number fail, of those that concern files below a folder."""
    point = FaultPoint(number, fault, folder)
    plain_open, plain_os_open, plain_fdopen = builtins.open, os.open, os.fdopen
    descriptors: set[int] = set()

    def opened(file: Any, mode: str = "r", *rest: Any, **named: Any) -> Any:
        writes = any(sign in mode for sign in "wax+") and (point.concerns(file) or file in descriptors)
        if writes and not isinstance(file, int):
            point.at("open")
        made = plain_open(file, mode, *rest, **named)
        return _Written(made, point) if writes else made

    def os_opened(path: Any, flags: int, *rest: Any, **named: Any) -> int:
        writes = bool(flags & (os.O_WRONLY | os.O_RDWR)) and point.concerns(path)
        if writes:
            point.at("open")
        found = plain_os_open(path, flags, *rest, **named)
        if writes:
            descriptors.add(found)
        return found

    def fdopened(descriptor: int, mode: str = "r", *rest: Any, **named: Any) -> Any:
        made = plain_fdopen(descriptor, mode, *rest, **named)
        return _Written(made, point) if descriptor in descriptors and "r" not in mode else made

    def counted(name: str, plain: Callable[..., Any]) -> Callable[..., Any]:
        def call(first: Any, *rest: Any, **named: Any) -> Any:
            if isinstance(first, int) or point.concerns(first):
                point.at(name)
            return plain(first, *rest, **named)

        return call

    def allocating(name: str, plain: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any, **named: Any) -> Any:
            point.allocates(name)
            return plain(*given, **named)

        return call

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(builtins, "open", opened)
        patch.setattr(io, "open", opened)
        patch.setattr(os, "open", os_opened)
        patch.setattr(os, "fdopen", fdopened)
        for name in ("fsync", "replace", "truncate", "unlink"):
            patch.setattr(os, name, counted(name, getattr(os, name)))
        for module, name in ((json, "dumps"), (json, "loads"), (hashlib, "sha256"), (io, "BytesIO")):
            patch.setattr(module, name, allocating(f"{module.__name__}.{name}", getattr(module, name)))
        yield point
