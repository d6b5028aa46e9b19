"""Where the entries of a log are kept: in files of the site, or in a topic of Kafka. One interface for both.

An entry says what an addition to the log is, and comes with the bytes of its records. When `add` returns, both are
kept for good. A store keeps what it has in pieces, and forgets whole pieces.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

_MOST_IN_PIECE = 64 << 20
_PIECES = 8
"""A limit is divided among so many pieces: as much as one of them is kept beyond it at most."""


@dataclass(frozen=True)
class LogLimits:
    """The size and age up to which a log is kept; None means no limit."""

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
    """A stretch of a log that is forgotten as a whole: the byte of the stream where it begins, and when that was."""

    offset: int
    begun: float


class LogStore(ABC):
    """The entries of one log. One process adds to it; the same process reads it."""

    def __init__(self, limits: LogLimits | None = None, clock: Callable[[], float] = time.time) -> None:
        self.limits = limits or LogLimits()
        self.clock = clock
        self.pieces = [Piece(0, clock())]
        """Those that are kept; the last one grows."""

    @abstractmethod
    def entries(self) -> Iterator[dict[str, Any]]:
        """All that are kept, in their order; asked for once, before anything else."""

    @abstractmethod
    def write(self, entry: Mapping[str, Any], data: bytes = b"", offset: int = 0) -> None:
        """Keep an entry with its bytes, which begin at a byte of the stream."""

    @abstractmethod
    def read(self, offset: int, size: int) -> bytes:
        """The bytes of one addition."""

    @abstractmethod
    def damage(self, offset: int, told: str) -> Exception:
        """XYRT0033 for bytes that are not what came."""

    @abstractmethod
    def remove(self, offset: int) -> None:
        """Let go of the bytes before one of the stream, where a piece begins; again where that was interrupted."""

    @abstractmethod
    def destroy(self) -> None:
        """Remove all there is: the stream is gone."""

    @abstractmethod
    def close(self) -> None:
        """Give back what the store holds open."""

    def add(self, entry: Mapping[str, Any], data: bytes, offset: int, state: Mapping[str, Any]) -> None:
        """Keep an addition that has records. `state` is what the log knows before it, for a piece that begins here."""
        last, now = self.pieces[-1], self.clock()
        is_full = offset - last.offset >= self.limits.bytes_in_piece
        if offset > last.offset and (is_full or now - last.begun >= self.limits.seconds_in_piece):
            self.begin_piece({"file": offset, "time": now}, state)
            self.pieces.append(Piece(offset, now))
        self.write(entry, data, offset)

    def begin_piece(self, entry: Mapping[str, Any], state: Mapping[str, Any]) -> None:
        """Write down that a piece begins."""
        self.write(entry)

    def forgotten(self, offset: int) -> None:
        """The pieces before a byte are not kept any more."""
        self.remove(offset)
        self.pieces = [piece for piece in self.pieces if piece.offset >= offset]
