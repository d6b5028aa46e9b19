"""Storage for the entries of a log: files of the site, or a Kafka topic, behind one interface.

An entry describes an addition to the log, and comes with the bytes of its records. When `add` returns, both are
durable. A store keeps its content in pieces, and drops whole pieces.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

_MOST_IN_PIECE = 64 << 20
_PIECES = 8
"""A limit is divided into this many pieces: the log exceeds it by at most one piece."""


@dataclass(frozen=True)
class LogLimits:
    """The size and age limits of a log; None means no limit."""

    bytes: int | None = None
    seconds: float | None = None

    @property
    def bytes_in_piece(self) -> int:
        return _MOST_IN_PIECE if self.bytes is None else max(1, min(_MOST_IN_PIECE, self.bytes // _PIECES))

    @property
    def seconds_in_piece(self) -> float:
        return float("inf") if self.seconds is None else self.seconds / _PIECES


@dataclass(frozen=True)
class Piece:
    """A stretch of a log that is dropped as a whole: the stream offset where it begins, and the time of that."""

    offset: int
    begun: float


class LogStore(ABC):
    """The entries of one log. One process adds to it; the same process reads it."""

    def __init__(self, limits: LogLimits | None = None, clock: Callable[[], float] = time.time) -> None:
        self.limits = limits or LogLimits()
        self.clock = clock
        self.pieces = [Piece(0, clock())]
        """The kept pieces; the last one grows."""

    @abstractmethod
    def entries(self) -> Iterator[dict[str, Any]]:
        """All kept entries, in order; called once, before anything else."""

    @abstractmethod
    def write(self, entry: Mapping[str, Any], data: bytes = b"", offset: int = 0) -> None:
        """Store an entry with its bytes, which begin at a stream offset."""

    @abstractmethod
    def read(self, offset: int, size: int) -> bytes:
        """The bytes of one addition."""

    @abstractmethod
    def damage(self, offset: int, told: str) -> Exception:
        """XYRT0033 for bytes that differ from those written."""

    @abstractmethod
    def remove(self, offset: int) -> None:
        """Drop the bytes before a stream offset where a piece begins; repeated after an interruption."""

    @abstractmethod
    def destroy(self) -> None:
        """Remove everything: the stream is gone."""

    @abstractmethod
    def close(self) -> None:
        """Release open resources."""

    def add(self, entry: Mapping[str, Any], data: bytes, offset: int, state: Mapping[str, Any]) -> None:
        """Store an addition with records. `state` is the state of the log before it, in case a piece begins here."""
        last, now = self.pieces[-1], self.clock()
        is_full = offset - last.offset >= self.limits.bytes_in_piece
        if offset > last.offset and (is_full or now - last.begun >= self.limits.seconds_in_piece):
            self.begin_piece({"file": offset, "time": now}, state)
            self.pieces.append(Piece(offset, now))
        self.write(entry, data, offset)

    def begin_piece(self, entry: Mapping[str, Any], state: Mapping[str, Any]) -> None:
        """Record that a piece begins."""
        self.write(entry)

    def forgotten(self, offset: int) -> None:
        """Drop the pieces before an offset from the list."""
        self.remove(offset)
        self.pieces = [piece for piece in self.pieces if piece.offset >= offset]
