"""A virtual stream: the records of several streams, one after another as they arrive at one site.

The site decides once how to interleave them and records it: together with the records, the log holds the position
reached in each part. So a site that restarts continues with the missing records, and every later reader finds the same
order. Records of one part keep their order. A part may end at a position: what it has before remains.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from .record_log import RecordLog

PIECE_BYTES = 1 << 18
"""Bytes of each part to take in turn."""


class VirtualStream:
    """Merges the parts of one virtual stream. One thread works here."""

    def __init__(self, log: RecordLog, ended: Callable[[str], int | None] = lambda part: None) -> None:
        """`ended` says where a part ends; None if it goes on."""
        self.log = log
        self._ended = ended
        self.faults: dict[str, str] = {}
        """Parts whose records do not fit among the others, with the reason."""

    def work(self, parts: Mapping[str, RecordLog]) -> bool:
        """Take some records of each part; False if there are none."""
        done = False
        for name, part in parts.items():
            start = max(part.base, self.log.parts.get(name, 0))
            ended = self._ended(name)
            end = part.end if ended is None else min(ended, part.end)
            if start >= end or name in self.faults or not part.opening:
                continue
            if not self.log.takes(part.opening):
                self.faults[name] = f"the records of {name} stand in other elements than those before them"
                continue
            found = part.records(start, end, PIECE_BYTES)
            self.log.begin(part.opening)
            self.log.append([record for _, record in found.each()], {name: found.end})
            done = True
        return done

    def close(self) -> None:
        """Nothing is open."""
