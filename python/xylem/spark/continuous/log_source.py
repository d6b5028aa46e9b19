"""The log as a streaming data source of Spark: offsets, admission, partitions; tasks that return rows and not XML.

Spark asks a planner next to the driver how far the log has grown (`latestOffset`), records the answer, and only then
lets tasks read the partitions of the batch: a repeated batch always has the same input.
"""

from __future__ import annotations

import pickle
from base64 import b64decode, b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark import cloudpickle
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import (
    ReadAllAvailable,
    ReadLimit,
    ReadMaxBytes,
    SupportsTriggerAvailableNow,
)

from .directory_log import DirectoryLog
from .paced_input import PacedFiles
from .pieces import SUB_PIECES, MessageRun, Piece
from .places import Frames
from .spool import Position, SpoolLog, Stretch
from .subscription import Work
from .task import ROW_SCHEMA, Task

if TYPE_CHECKING:
    import pyarrow as pa

    from xylem.source.replay import Replay

SOURCE_NAME = "xylem_log"
SMALLEST_PARTITION_BYTES = 256 << 10
"""A separate task costs more than evaluating this much."""
FILE_COST_BYTES = 4 << 10
"""Opening a file, and producing its answer, takes about as long as evaluating this much."""
ROWS_IN_BATCH = 4_096
BYTES_IN_BATCH = 8 << 20


@dataclass(frozen=True)
class LogDescription:
    """The log and its processing; sent as an option of the source."""

    work: Work
    journal: str
    """The directory of the spool, or the journal of the files found."""
    directory: str | None
    """Where files appear; None for a spool."""
    frames: Frames = Frames.DOCUMENT
    is_kept: bool = False
    """Whether input is needed again after a restart."""
    batch_bytes: int = 64 << 20
    batch_files: int | None = None
    """The most files per batch."""
    parallelism: int = 2
    settle_seconds: float = 0.0
    replay: Replay | None = None
    """Files are admitted when they are due."""

    def to_option(self) -> str:
        # A user's functions are sent by value: one defined in a notebook or inside another has no module.
        return b64encode(cloudpickle.dumps(self)).decode()  # type: ignore[no-untyped-call]

    @classmethod
    def from_option(cls, text: str) -> LogDescription:
        found = pickle.loads(b64decode(text))
        assert isinstance(found, cls)
        return found


@dataclass
class PieceList(InputPartition):
    """The input of one task."""

    pieces: tuple[Piece | MessageRun, ...]


class LogSource(DataSource):
    """The source; its only option is the description of the log."""

    @classmethod
    def name(cls) -> str:
        return SOURCE_NAME

    def schema(self) -> str:
        return ROW_SCHEMA

    def streamReader(self, schema: Any) -> DataSourceStreamReader:
        description = LogDescription.from_option(self.options["log"])
        return DirectoryReader(description) if description.directory else SpoolReader(description)


class LogReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """The common part of both kinds of logs: the limit of a batch, and the work of a task."""

    def __init__(self, description: LogDescription) -> None:
        self._description = description

    def getDefaultReadLimit(self) -> ReadLimit:
        return ReadMaxBytes(self._description.batch_bytes)

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        assert isinstance(partition, PieceList)
        return record_batches(Task(self._description.work).rows(partition.pieces))

    def _most_bytes(self, limit: ReadLimit) -> int | None:
        if isinstance(limit, ReadMaxBytes):
            return limit.max_bytes
        # availableNow takes all available input, but still in batches.
        return None if isinstance(limit, ReadAllAvailable) else self._description.batch_bytes

    def _share(self, size: int) -> int:
        """Number of bytes for one task."""
        return max(SMALLEST_PARTITION_BYTES, -(-size // self._description.parallelism))


class DirectoryReader(LogReader):
    """Files of a directory: an offset is the number of files read."""

    def __init__(self, description: LogDescription) -> None:
        super().__init__(description)
        assert description.directory is not None
        self._log = DirectoryLog(description.directory, Path(description.journal), description.settle_seconds)
        self._last: int | None = None
        waits = description.replay is not None and description.replay.waits
        self._paced = PacedFiles(description.replay) if waits and description.replay is not None else None

    def prepareForTriggerAvailableNow(self) -> None:
        self._log.discover()
        self._last = len(self._log)

    def initialOffset(self) -> dict[str, int]:
        return {"files": 0}

    def latestOffset(self, start: dict[str, int], limit: ReadLimit) -> dict[str, int]:
        if self._last is None:
            self._log.discover()
        first, last = start["files"], self._last
        if self._paced is not None:
            last = first + self._paced.due(file.path for file in self._log[first : len(self._log)])
        most = self._description.batch_files
        return {"files": self._log.reach(first, self._most_bytes(limit), last, most)}

    def partitions(self, start: dict[str, int], end: dict[str, int]) -> Sequence[InputPartition]:
        self._log.refresh()
        files = self._log.between(start["files"], end["files"])
        pieces = [
            Piece(
                number * SUB_PIECES,
                Path(file.path),
                file.size,
                file.found_ms,
                file.path,
                modified_ns=file.modified_ns,
            )
            for number, file in enumerate(files, start["files"] > 0)
        ]
        costs = [piece.size + FILE_COST_BYTES for piece in pieces]
        return packed(pieces, costs, self._share(sum(costs)))


class SpoolReader(LogReader):
    """A spool: an offset is a position in it."""

    def __init__(self, description: LogDescription) -> None:
        super().__init__(description)
        self._log = SpoolLog(Path(description.journal))
        self._last: Position | None = None

    def prepareForTriggerAvailableNow(self) -> None:
        self._log.refresh()
        self._last = self._log.end

    def initialOffset(self) -> dict[str, int]:
        return Position().to_offset()

    def latestOffset(self, start: dict[str, int], limit: ReadLimit) -> dict[str, int]:
        self._log.refresh()
        reached = self._log.reach(Position.from_offset(start), self._most_bytes(limit))
        return (reached if self._last is None else min(reached, self._last)).to_offset()

    def partitions(self, start: dict[str, int], end: dict[str, int]) -> Sequence[InputPartition]:
        self._log.refresh()
        first, last = Position.from_offset(start), Position.from_offset(end)
        self._log.check(first, last)
        size = sum(stretch.size for stretch in self._log.stretches(first, last))
        stretches = self._log.stretches(first, last, self._share(size))
        pieces = [
            self._piece(number * SUB_PIECES, stretch) for number, stretch in enumerate(stretches, first > Position())
        ]
        return packed(pieces, [stretch.size for stretch in stretches], self._share(size))

    def commit(self, end: dict[str, int]) -> None:
        self._log.refresh()
        if self._description.is_kept:
            self._log.forget_before(Position.from_offset(end))
        else:
            self._log.drop_before(Position.from_offset(end))

    def _piece(self, number: int, stretch: Stretch) -> Piece | MessageRun:
        if stretch.range is None:
            frames = self._description.frames
            return MessageRun(
                number, stretch.path, stretch.start, stretch.end, frames, stretch.arrived_ms, stretch.reached
            )
        name = f"{stretch.path} at byte {stretch.start}"
        return Piece(number, stretch.range, stretch.size, stretch.arrived_ms, name, stretch.items, stretch.reached)


def packed(pieces: Sequence[Piece | MessageRun], sizes: Sequence[int], share: int) -> list[PieceList]:
    """Merge neighbouring pieces, for about equal bytes per task."""
    partitions: list[PieceList] = []
    group: list[Piece | MessageRun] = []
    held = 0
    for piece, size in zip(pieces, sizes, strict=True):
        if group and held + size > share:
            partitions.append(PieceList(tuple(group)))
            group, held = [], 0
        group.append(piece)
        held += size
    if group:
        partitions.append(PieceList(tuple(group)))
    return partitions


def record_batches(rows: Iterator[tuple[int, int, bytes, int, int, bytes]]) -> Iterator[pa.RecordBatch]:
    """Rows in Arrow batches that Spark takes over without inspection."""
    import pyarrow as pa

    types = (pa.int32(), pa.int32(), pa.binary(), pa.int64(), pa.int64(), pa.binary())
    names = ("query", "part", "key", "range", "ordinal", "value")
    schema = pa.schema([pa.field(name, kind) for name, kind in zip(names, types, strict=True)])

    def batch(held: list[tuple[int, int, bytes, int, int, bytes]]) -> pa.RecordBatch:
        columns = [pa.array(column, kind) for column, kind in zip(zip(*held, strict=True), types, strict=True)]
        return pa.RecordBatch.from_arrays(columns, schema=schema)

    held: list[tuple[int, int, bytes, int, int, bytes]] = []
    size = 0
    for row in rows:
        held.append(row)
        size += len(row[5])
        if len(held) >= ROWS_IN_BATCH or size >= BYTES_IN_BATCH:
            yield batch(held)
            held, size = [], 0
    if held:
        yield batch(held)
