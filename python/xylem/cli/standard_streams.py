"""Standard input, output and error as a command finds them: open, closed, or on a disk that is full.

A result that cannot be written is an error with a message. A message that cannot be written is dropped; the exit code
still says how the command ended. A thread that is writing when the command ends does not make it fail.
"""

from __future__ import annotations

import atexit
import os
import sys
import threading
from io import BufferedWriter, FileIO, TextIOWrapper
from typing import TextIO

_FLUSH_SECONDS = 1.0


class OutputLost(OSError):
    """Standard output cannot be written: it is closed, or the disk is full."""


class _Output(FileIO):
    def write(self, data: bytes, /) -> int:  # type: ignore[override]
        try:
            return super().write(data)
        except BrokenPipeError:
            raise
        except OSError as reason:
            raise OutputLost(reason.errno, reason.strerror) from reason


class _Messages(FileIO):
    def write(self, data: bytes, /) -> int:  # type: ignore[override]
        try:
            return super().write(data)
        except OSError:
            return len(data)


def take_standard_streams() -> None:
    """Let standard output and error behave as described above, and open what the caller has closed.

    Otherwise the next file that is opened would get the closed number, and printed text would go into that file. The
    replacement of standard input cannot be read, and that of standard output cannot be written.
    """
    if sys.stdin is None:
        _open(0, os.O_WRONLY)
        sys.stdin = TextIOWrapper(FileIO(0, "r", closefd=False))
    if sys.stdout is None:
        _open(1, os.O_RDONLY)
    if sys.stderr is None:
        _open(2, os.O_WRONLY)
    sys.stdout = _text(_Output(1, "w", closefd=False), sys.stdout)
    sys.stderr = _text(_Messages(2, "w", closefd=False), sys.stderr)
    sys.stderr.reconfigure(line_buffering=True)
    # Registered before all others, and therefore called after them.
    atexit.register(_let_go_of_streams)


def _let_go_of_streams() -> None:
    """Make sure that the exiting interpreter does not touch streams to which other threads may be writing.

    Threads that serve Spark or a connection do not end with the command. A thread that is writing at that moment never
    releases the lock of the stream, and Python aborts the process if it cannot get that lock.
    """
    if all(thread is threading.main_thread() or not thread.daemon for thread in threading.enumerate()):
        return
    streams = [stream for stream in (sys.stdout, sys.stderr) if stream is not None]
    flushing = threading.Thread(target=_flush, args=(streams,), daemon=True)
    flushing.start()
    flushing.join(_FLUSH_SECONDS)
    sys.stdout, sys.stderr = None, TextIOWrapper(_Messages(2, "w", closefd=False), write_through=True)


def _flush(streams: list[TextIO]) -> None:
    for stream in streams:
        try:
            stream.flush()
        except OSError:
            # Reported before, or the stream was closed on purpose.
            continue


def _open(number: int, mode: int) -> None:
    opened = os.open(os.devnull, mode)
    if opened != number:
        os.dup2(opened, number)
        os.close(opened)
    os.set_inheritable(number, True)


def _text(raw: FileIO, before: TextIO | None) -> TextIOWrapper:
    """A text stream with the settings of the previous one."""
    encoding = "utf-8" if before is None else before.encoding
    errors = "backslashreplace" if before is None else before.errors
    return TextIOWrapper(BufferedWriter(raw), encoding, errors, line_buffering=raw.isatty())
