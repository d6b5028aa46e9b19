"""`spark.readStream.format("xylem")`: the items of a query over documents that appear in a directory.

    items = (spark.readStream.format("xylem").option("query", "//order ! map { 'id': string(@id) }")
             .option("journal", "state/journal").load("incoming"))

Each document is queried separately. Options beyond those of the batch format: `journal`, a directory that belongs to
this stream like its checkpoint, where the order of the files is recorded; `maxBytesPerTrigger`; `mode`, FAILFAST or
DROPMALFORMED (documents that cannot be evaluated are skipped, and named in the log of the worker).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from os.path import abspath, isdir
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadLimit, ReadMaxBytes, SupportsTriggerAvailableNow

from xylem.errors import DynamicError, InputError

from .continuous.directory_log import DirectoryLog
from .inputs import InputFile
from .short_errors import short_errors, short_errors_of
from .table import Table, WholeTable

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

BATCH_BYTES = 64 << 20
TASK_BYTES = 4 << 20


def reader(options: dict[str, str], schema: StructType) -> DocumentStreamReader:
    """The reader of a stream; XYRT0007 if an option is missing."""
    from .data_source import stream_table

    for name, way in (("path", "load(path)"), ("journal", 'option("journal", DIR)')):
        if name not in options:
            raise InputError("XYRT0007", f"no {name} is given", hint=way)
    table = stream_table(options, schema)
    mode = options.get("mode", "FAILFAST").upper()
    return DocumentStreamReader(
        replace(table, query=table.query.spread(several_documents=False).with_items()),
        # Workers may be elsewhere, and have their own working directories.
        abspath(options["path"].removeprefix("file://")),
        Path(options["journal"].removeprefix("file://")).absolute(),
        int(options.get("maxbytespertrigger", BATCH_BYTES)),
        drops=mode == "DROPMALFORMED",
    )


@dataclass
class Documents(InputPartition):
    """The input of one task."""

    paths: tuple[tuple[str, int], ...]


class DocumentStreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Files of a directory, in the order they were found; an offset is the number read."""

    def __init__(self, table: Table, path: str, journal: Path, batch_bytes: int, *, drops: bool) -> None:
        if not isdir(path) and not isdir(Path(path).parent):
            raise InputError("XYIN0002", f"{path}: there is no such directory")
        self._table = table
        self._batch_bytes = batch_bytes
        self._drops = drops
        self._log = DirectoryLog(path, journal / "files.journal")
        self._last: int | None = None

    @short_errors
    def prepareForTriggerAvailableNow(self) -> None:
        self._log.discover()
        self._last = len(self._log)

    def getDefaultReadLimit(self) -> ReadLimit:
        return ReadMaxBytes(self._batch_bytes)

    def initialOffset(self) -> dict[str, int]:
        return {"files": 0}

    @short_errors
    def latestOffset(self, start: dict[str, int], limit: ReadLimit) -> dict[str, int]:
        if self._last is None:
            self._log.discover()
        most = None if isinstance(limit, ReadAllAvailable) else self._batch_bytes
        return {"files": self._log.reach(start["files"], most, self._last)}

    @short_errors
    def partitions(self, start: dict[str, int], end: dict[str, int]) -> Sequence[InputPartition]:
        self._log.refresh()
        groups: list[list[tuple[str, int]]] = [[]]
        held = 0
        for file in self._log[start["files"] : end["files"]]:
            if groups[-1] and held + file.size > TASK_BYTES:
                groups.append([])
                held = 0
            groups[-1].append((file.path, file.size))
            held += file.size
        return [Documents(tuple(group)) for group in groups if group]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        """The rows of some documents; a document that cannot be evaluated contributes none."""
        assert isinstance(partition, Documents)
        for path, size in partition.paths:
            batches = WholeTable(self._table, (InputFile(path, size, False),)).batches([None])
            if not self._drops:
                yield from short_errors_of(batches)
                continue
            try:
                yield from list(batches)
            except DynamicError as error:
                print(f"left out: {path}: {error}", file=sys.stderr)
