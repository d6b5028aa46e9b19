"""The stream that a user-defined operator makes from another one.

Together with the operator's output, the log holds the position it has reached in its source. A restarted site runs the
operator over the records up to there once more, without writing, and continues.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from xylem.errors import XylemError

from .record_log import RecordLog
from .record_splitter import RecordSplitter
from .stream_operator import OperatorFault, StreamOperator
from .virtual_stream import PIECE_BYTES


class OperatorStream:
    """Runs one operator. One thread works here."""

    def __init__(self, log: RecordLog, start: int, begin: Callable[[], StreamOperator]) -> None:
        """`start` is the position of its first record."""
        self.log = log
        self._begin = begin
        self._operator: StreamOperator | None = None
        self._at = self._start = start
        self._splitter = RecordSplitter()
        self.faults: dict[str, str] = {}
        """Its source, with the error that stopped the operator."""

    def work(self, parts: Mapping[str, RecordLog]) -> bool:
        """Pass some records to the operator; False if there are none."""
        for name, part in parts.items():
            if name in self.faults or not part.opening or self._at >= part.end:
                continue
            try:
                self._work(name, part)
            except (OperatorFault, XylemError) as reason:
                self.faults[name] = str(reason)
                self.close()
            return True
        return False

    def _work(self, name: str, part: RecordLog) -> None:
        if part.base > self._at:
            raise OperatorFault(f"it goes on with record {self._at:,}, and {name} has those from {part.base:,} on")
        if self._operator is None:
            self._operator = self._begin()
            self._splitter.feed(part.opening)
        done = self.log.parts.get(name, self._start)
        # Records it has seen before are replayed: their output is not written again.
        found = part.records(self._at, part.end if self._at >= done else done, PIECE_BYTES)
        made = [one for _, record in found.each() for one in self._given(record)]
        if self._at >= done:
            self.log.begin(part.opening)
            self.log.append(made, {name: found.end})
        self._at = found.end

    def _given(self, record: bytes) -> list[bytes]:
        """The operator's output for one record; a fault if it is not whole records."""
        assert self._operator is not None
        given = self._operator.push(record)
        if not given.strip():
            return []
        records, fault = self._splitter.feed(given)
        if fault is not None or b"".join(records).strip() != given.strip() or self._splitter.is_over:
            raise OperatorFault(f"it gives no records: {given[:60]!r}")
        return records

    def close(self) -> None:
        if self._operator is not None:
            self._operator.close()
            self._operator = None
