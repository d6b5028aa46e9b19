"""A recorded input that is replayed: received bytes, and files of a directory, are admitted when they are due.

The clock of a replay is not read here: it shows the times of records where these are read (`document_answers.py`), so
it is the same after a restart and at every speed. This module only waits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from xylem.errors import InputError
from xylem.source.byte_source import ByteSource
from xylem.source.limits import DEFAULT_LIMITS
from xylem.source.replay import RecordTimes, Replay, ReplayClock, moment_of

PATIENCE_SECONDS = 0.1
"""How long to wait before checking on earlier input again."""


def paced(
    pieces: Iterable[bytes | None],
    replay: Replay,
    clock: ReplayClock,
    wait: Callable[[float], bool],
    delimiter: bytes | None = None,
) -> Iterator[bytes | None]:
    """Pieces, cut before the records that have to wait; None while one does. `wait` returns whether to give up.

    With a delimiter, each delimited message is a separate document.
    """
    has_found = False
    times = RecordTimes(replay.path, DEFAULT_LIMITS)
    for piece in pieces:
        if piece is None:
            yield None
            continue
        for number, message in enumerate(_messages(piece, delimiter)):
            if number:
                has_found = has_found or times.has_found
                times = RecordTimes(replay.path, DEFAULT_LIMITS)
            for part in times.pieces(message):
                for text in times.found_in(part):
                    seconds, _ = moment_of(text, replay.path)
                    while (left := clock.seconds_left(seconds)) > 0:
                        # Earlier input counts by now.
                        yield None
                        if wait(min(left, PATIENCE_SECONDS)):
                            return
                yield part
    if not has_found and not times.has_found:
        raise InputError("XYIN0031", f"no record has {replay.path}")


def _messages(piece: bytes, delimiter: bytes | None) -> list[bytes]:
    """A piece after each delimiter that ends in it. A delimiter cut in two ends with the next piece: a little late."""
    if delimiter is None:
        return [piece]
    *ended, rest = piece.split(delimiter)
    return [*(message + delimiter for message in ended), rest]


class PacedFiles:
    """Determines which files of a directory are due: a file is due when its first record is."""

    def __init__(self, replay: Replay, clock: ReplayClock | None = None) -> None:
        self._replay = replay
        self._clock = clock or ReplayClock(replay.speed)
        self._times: dict[str, float] = {}

    def due(self, paths: Iterable[str]) -> int:
        """The number of consecutive files that may be read now."""
        number = 0
        for number, path in enumerate(paths, 1):
            if self._clock.seconds_left(self._time(path)) > 0:
                return number - 1
            self._times.pop(path, None)
        return number

    def _time(self, path: str) -> float:
        found = self._times.get(path)
        if found is None:
            found = self._times[path] = self._first_time(path)
        return found

    def _first_time(self, path: str) -> float:
        times = RecordTimes(self._replay.path, DEFAULT_LIMITS)
        with ByteSource.of(Path(path), DEFAULT_LIMITS.decompression_ratio) as source:
            for chunk in source:
                for text in times.found_in(chunk):
                    return moment_of(text, self._replay.path)[0]
        raise InputError("XYIN0031", f"no record has {self._replay.path} in {path}")
