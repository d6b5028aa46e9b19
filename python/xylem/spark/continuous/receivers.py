"""Threads that write arriving bytes to the spool: from a socket, from standard input, from a file that grows.

They run from before Spark has started until the input ends. `is_over` says that nothing more will arrive; a fault is
kept and raised at the next call.
"""

from __future__ import annotations

import errno
import os
import select
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from xylem.errors import EngineBug, InputError, XylemError
from xylem.source.byte_ranges import Scope
from xylem.source.replay import Replay, ReplayClock

from .document_end import DocumentState, document_state, fault_of, whole_before
from .places import InputKind, InputPlace
from .spool import Segment
from .spool_writer import DelimiterFinder, Finder, ItemFinder, SpoolWriter, next_segment

COMMIT_SECONDS = 0.1
COMMIT_BYTES = 4 << 20
RECEIVED_BYTES = 1 << 16
SUSPICIOUS_BYTES = 1 << 20
"""This many bytes without a single item raise the question whether they are XML at all."""
_LITTLE_BYTES = 1 << 12
_NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
PATIENCE_SECONDS = 10.0
"""How long to retry the first connection."""


class Receiver(threading.Thread):
    """Receives one input into the spool. `_connections` implements the differences between inputs."""

    def __init__(
        self, place: InputPlace, spool: Path, finder: Callable[[Segment | None], Finder], *, has_context: bool
    ) -> None:
        super().__init__(name=f"receive {place.text}", daemon=True)
        self._place = place
        self._spool = spool
        self._finder = finder
        self._has_context = has_context
        self._stopping = threading.Event()
        self.replay: Replay | None = None
        """How the input was recorded, if it is replayed."""
        self._clock: ReplayClock | None = None
        self.is_over = False
        self.fault: XylemError | None = None
        self._was_closed = False
        """Whether the other side closed the last connection regularly."""
        self.left_out_bytes = 0
        """Bytes of items that a broken connection left incomplete."""

    def run(self) -> None:
        try:
            for pieces in self._connections():
                if self._receive(self._paced(pieces)):
                    break
        except XylemError as error:
            self.fault = error
        except OSError as error:
            # A full disk is a fault of the spool, not of an input.
            place = self._spool if error.errno in _NO_SPACE else self._place.text
            self.fault = InputError("XYIN0002", f"{place}: {error.strerror or error}")
        except Exception as error:
            # If a thread died silently, its input would seem to have ended regularly.
            self.fault = EngineBug("XYBUG0001", f"{self._place.text}: {type(error).__name__}: {error}")
        finally:
            self.is_over = True

    def stop(self) -> None:
        """End as soon as possible; counted input stays counted."""
        self._stopping.set()

    def _connections(self) -> Iterator[Iterator[bytes | None]]:
        """The pieces of each connection as they arrive; None if nothing came for a moment."""
        raise NotImplementedError

    def _paced(self, pieces: Iterator[bytes | None]) -> Iterator[bytes | None]:
        replay = self.replay
        if replay is None:
            return pieces
        from .paced_input import paced

        # One clock for all connections: repeated input was due already.
        self._clock = self._clock or ReplayClock(replay.speed)
        return paced(pieces, replay, self._clock, self._stopping.wait, self._place.frames.delimiter)

    def _writer(self) -> SpoolWriter:
        return SpoolWriter(self._spool, self._finder(None), has_context=self._has_context)

    def _receive(self, pieces: Iterator[bytes | None]) -> bool:
        """Receive a connection; return whether the input has ended, and not only the connection."""
        writer = self._writer()
        try:
            is_complete = self._taken(pieces, writer)
            writer.end(is_complete=is_complete or self._counts_without_end(writer))
        finally:
            writer.close()
        self.left_out_bytes += len(writer.uncounted.strip()) if not is_complete else 0
        # Messages have no root element that marks the end: closing the connection does.
        is_closed = self._place.frames.delimiter is not None and self._was_closed
        return is_complete or is_closed or self._stopping.is_set()

    def _taken(self, pieces: Iterator[bytes | None], writer: SpoolWriter) -> bool:
        """Take all pieces into the spool; return whether the document is complete."""
        watch = _EndWatch(writer, self._place.text) if self._has_context else None
        due, size = time.monotonic() + COMMIT_SECONDS, 0
        for piece in pieces:
            if piece is not None:
                writer.take(piece)
                size += len(piece)
            if piece is None or size >= COMMIT_BYTES or time.monotonic() >= due:
                writer.commit()
                due, size = time.monotonic() + COMMIT_SECONDS, 0
                if watch is not None and watch.has_ended(piece is None):
                    return True
            if self._stopping.is_set():
                break
        writer.commit()
        return watch is not None and watch.has_ended(True, is_last=True)

    def _counts_without_end(self, writer: SpoolWriter) -> bool:
        """Whether the last message needs no delimiter after it."""
        has_delimiters = self._place.frames.delimiter is not None
        return has_delimiters and bool(writer.uncounted.strip()) and not self._stopping.is_set()


class _EndWatch:
    """Watches for the end of the root element, and for bytes that cannot be XML."""

    def __init__(self, writer: SpoolWriter, source: str) -> None:
        self._writer = writer
        self._source = source
        self._looked_at = 0
        self._suspicious = SUSPICIOUS_BYTES

    def has_ended(self, is_quiet: bool, *, is_last: bool = False) -> bool:
        """Whether the document is complete; XYIN0001 if it is broken, after its whole items.

        Parses only when there is reason to: at the end of a connection, in a quiet moment after the end of a tag or at
        the beginning, and when no item comes for long.
        """
        tail = self._writer.uncounted
        if len(tail) >= self._suspicious:
            self._suspicious *= 2
        elif not is_last and (not is_quiet or len(tail) == self._looked_at or not _may_end(tail)):
            return False
        self._looked_at = len(tail)
        context = self._writer.last_context
        state = document_state(context, tail)
        if state is DocumentState.BROKEN:
            fault = fault_of(context, tail, self._source)
            whole = whole_before(context, tail, fault)
            if whole:
                self._writer.count(whole)
            raise fault
        return state is DocumentState.ENDED


def _may_end(tail: bytes) -> bool:
    """Whether parsing is worth it: there is little text, or a tag ends here, in whatever encoding."""
    return len(tail) <= _LITTLE_BYTES or tail.rstrip(b" \t\r\n\0").endswith(b">")


class TcpReceiver(Receiver):
    """A socket; if it breaks before the root element is closed, it reconnects, as a new document."""

    def _connections(self) -> Iterator[Iterator[bytes | None]]:
        patience = time.monotonic() + PATIENCE_SECONDS
        wait = 0.1
        has_connected = False
        while not self._stopping.is_set():
            try:
                connection = socket.create_connection((self._place.host, self._place.port), timeout=5.0)
            except OSError as error:
                if not has_connected and time.monotonic() > patience:
                    raise InputError("XYIN0002", f"{self._place.text}: {error.strerror or error}") from error
                self._stopping.wait(wait)
                wait = min(5.0, wait * 2)
                continue
            has_connected, wait = True, 0.1
            self._was_closed = False
            with connection:
                yield self._pieces(connection)
            print(f"{self._place.text}: the connection ended; connecting again", file=sys.stderr)

    def _pieces(self, connection: socket.socket) -> Iterator[bytes | None]:
        connection.settimeout(COMMIT_SECONDS)
        while not self._stopping.is_set():
            try:
                piece = connection.recv(RECEIVED_BYTES)
            except TimeoutError:
                yield None
                continue
            except ConnectionError:
                return
            if not piece:
                self._was_closed = True
                return
            yield piece


class PipeReceiver(Receiver):
    """Standard input; its end is the end of the input."""

    def _connections(self) -> Iterator[Iterator[bytes | None]]:
        yield self._pieces(sys.stdin.fileno())

    def _pieces(self, number: int) -> Iterator[bytes | None]:
        while not self._stopping.is_set():
            if not select.select([number], [], [], COMMIT_SECONDS)[0]:
                yield None
                continue
            piece = os.read(number, RECEIVED_BYTES)
            if not piece:
                return
            yield piece


class FileReceiver(Receiver):
    """A file that grows until its root element is closed. It is its own spool: nothing is copied."""

    caught_up = False
    """Whether everything that was there at the start has been read."""

    def _connections(self) -> Iterator[Iterator[bytes | None]]:
        known = self._known()
        if known is not None and known.is_end:
            return
        position = known.marks[-1].position.byte_offset if known is not None and known.marks else 0
        with open(self._place.path, "rb", buffering=0) as file:
            file.seek(position)
            yield self._pieces(file.fileno())

    def _writer(self) -> SpoolWriter:
        finder = self._finder(self._known())
        return SpoolWriter(self._spool, finder, has_context=self._has_context, path=Path(self._place.path))

    def _known(self) -> Segment | None:
        if not next_segment(self._spool):
            return None
        known = Segment(self._spool, 0)
        known.refresh()
        return known

    def _pieces(self, number: int) -> Iterator[bytes | None]:
        while not self._stopping.is_set():
            piece = os.read(number, 1 << 20)
            yield piece or None
            if not piece:
                self.caught_up = True
                self._stopping.wait(COMMIT_SECONDS)


def receiver(place: InputPlace, spool: Path, make_finder: Callable[[Segment | None], Finder]) -> Receiver | None:
    """The thread that receives an input into the spool; None if the input is itself a log."""
    classes: dict[InputKind, type[Receiver]] = {
        InputKind.TCP: TcpReceiver,
        InputKind.STDIN: PipeReceiver,
        InputKind.FILE: FileReceiver,
    }
    if place.kind not in classes:
        return None
    delimiter = place.frames.delimiter
    if delimiter is not None:
        return classes[place.kind](place, spool, lambda known: DelimiterFinder(delimiter), has_context=False)
    return classes[place.kind](place, spool, make_finder, has_context=True)


ROOT_CHILDREN: Scope = (("child", None, None), ("child", None, None))
"""The default places to cut a document if no query determines them: it is only passed on, in pieces."""


def item_finder(scopes: Sequence[Scope]) -> Callable[[Segment | None], Finder]:
    """Finders for the items of the queries; for a known segment, one continues after its last cut."""

    def make(known: Segment | None) -> Finder:
        cut = known.marks[-1].cut if known is not None and known.marks else None
        return ItemFinder(scopes or (ROOT_CHILDREN,), cut)

    return make
