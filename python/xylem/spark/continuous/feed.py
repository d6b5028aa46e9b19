"""One input of a continuous query: its log, its receiver, and the rows that tasks make of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xylem.run.durable_files import Journal, Reached
from xylem.source.replay import Replay

from .places import InputKind, InputPlace
from .receivers import FileReceiver, Receiver, item_finder, receiver
from .spool import Position, SpoolLog
from .subscription import Mode, Work

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

FILES = "files.journal"
WATCH_SECONDS = 0.05


@dataclass(frozen=True)
class FeedLimits:
    """Limits for reading an input."""

    batch_bytes: int = 64 << 20
    batch_files: int | None = None
    settle_seconds: float = 0.0
    replay: Replay | None = None


class Feed:
    """An input while a query runs."""

    def __init__(self, place: InputPlace, work: Work, source: Path, limits: FeedLimits) -> None:
        self.place = place
        self._work = work
        self._source = source
        self._limits = limits
        spread = [one.query for one in work.subscriptions if one.mode is Mode.SPREAD]
        scopes = [scope for query in spread for scope in query.program().scopes]
        self.receiver: Receiver | None = receiver(place, source, item_finder(scopes))
        if self.receiver is not None:
            self.receiver.replay = limits.replay

    @property
    def spool(self) -> Path | None:
        """The place of its bytes, for answers that must see them in order; None if they are not spooled."""
        return self._source if self.receiver is not None else None

    @property
    def ends_by_itself(self) -> bool:
        """Whether the other side signals an end."""
        return self.place.kind in (InputKind.TCP, InputKind.STDIN)

    @property
    def journal(self) -> Journal | None:
        """The journal that fixes the order of a directory's files."""
        return Journal(self._source / FILES) if self.place.kind is InputKind.DIRECTORY else None

    def check(self, reached: Sequence[int] | None, log: Sequence[Any] | None) -> None:
        """XYRT0033 if input received or found until the last commit is no longer there."""
        if self.journal is not None and log is not None:
            self.journal.check(Reached(*log))
        if self.spool is not None and reached is not None:
            spool = SpoolLog(self.spool)
            spool.refresh()
            spool.check(Position(*reached), Position(*reached))

    def start(self) -> None:
        if self.receiver is not None:
            self.receiver.start()

    def stop(self) -> None:
        if self.receiver is not None:
            self.receiver.stop()

    def catch_up(self, is_stopping: Callable[[], bool]) -> None:
        """Wait until everything in a file has been read."""
        thread = self.receiver
        if isinstance(thread, FileReceiver):
            while not (thread.caught_up or thread.is_over or is_stopping()):
                time.sleep(WATCH_SECONDS)

    def has_ended(self, reached: list[int]) -> bool:
        """Whether no more input will come, and all of it has been answered."""
        if self.receiver is None or not self.receiver.is_over:
            return False
        log = SpoolLog(self._source)
        log.refresh()
        return Position(*reached) >= log.end

    def rows(self, spark: SparkSession) -> DataFrame:
        """The endless rows that tasks make of it."""
        if self.place.kind is InputKind.KAFKA:
            from .kafka_source import kafka_rows

            return kafka_rows(spark, self.place, self._work)
        from .log_source import SOURCE_NAME, LogDescription, LogSource

        spark.dataSource.register(LogSource)
        is_directory = self.place.kind is InputKind.DIRECTORY
        description = LogDescription(
            self._work,
            str(self._source / FILES if is_directory else self._source),
            self.place.path if is_directory else None,
            frames=self.place.frames,
            is_kept=self._work.has_state_in_order or self.place.kind is InputKind.FILE,
            batch_bytes=self._limits.batch_bytes,
            batch_files=self._limits.batch_files,
            parallelism=spark.sparkContext.defaultParallelism,
            settle_seconds=self._limits.settle_seconds,
            replay=self._limits.replay,
        )
        return spark.readStream.format(SOURCE_NAME).option("log", description.to_option()).load()
