"""A continuous query from its start to its end: log, session, Spark's query, signals, the last words."""

from __future__ import annotations

import signal
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from xylem.errors import DynamicError, XylemError

from ..shipped_query import ShippedQuery
from .answers import Answer, AnswerInItems, AnswerInOrder, AnswerInParts, AnswerOfEach
from .batch_commit import BatchCommit
from .checkpoint import Checkpoint
from .document_answers import DocumentAnswers, moment
from .modes import mode_of
from .places import InputKind, InputPlace, OutputKind, OutputPlace
from .progress import ProgressReport
from .receivers import FileReceiver, Receiver, item_finder, receiver
from .sinks import ConsoleSink, DirectorySink, FileSink, Sink
from .spool import Position, SpoolLog
from .subscription import Malformed, Mode, Subscription, Work
from .told_query import file_ending, fingerprint

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SETTINGS = {
    # Nothing to do is no batch.
    "spark.sql.streaming.noDataMicroBatches.enabled": "false",
    "spark.sql.streaming.minBatchesToRetain": "10",
}
WATCH_SECONDS = 0.05
GRACE_SECONDS = 30.0


@dataclass(frozen=True)
class Trigger:
    """When batches are made: at intervals, or until all that there is has been read."""

    seconds: float | None = 1.0
    """None: read what there is, then end."""
    is_single: bool = False
    """What there is in a single batch."""


@dataclass(frozen=True)
class ContinuousQuery:
    """All that a continuous query is told."""

    queries: Sequence[tuple[str, ShippedQuery]]
    """With the names of their outputs."""
    input: InputPlace
    output: OutputPlace
    checkpoint: Path
    trigger: Trigger = Trigger()
    malformed: Malformed = Malformed.STOP
    dead_letters: Path | None = None
    metrics: Path | None = None
    reports_changes: bool | None = None
    """Whether answers that change are written each time; None: where the output is live."""
    master: str | None = None
    config: Mapping[str, str] = field(default_factory=dict)
    batch_bytes: int = 64 << 20
    state_limit_bytes: int = 256 << 20
    settle_seconds: float = 0.0
    is_quiet: bool = False


def run_continuous(query: ContinuousQuery) -> str:
    """Run until the input ends or a signal comes; what was done in all, for people."""
    checkpoint = Checkpoint(query.checkpoint)
    try:
        return _Run(query, checkpoint).run()
    finally:
        checkpoint.close()


class _Run:
    def __init__(self, query: ContinuousQuery, checkpoint: Checkpoint) -> None:
        self._query = query
        self._checkpoint = checkpoint
        is_one_document = query.input.is_one_document
        modes = [mode_of(one, is_one_document=is_one_document) for _, one in query.queries]
        identity, started_ms = checkpoint.claim(self._owner())
        self._identity, self._started_ms = identity, started_ms
        self._work = Work(
            tuple(
                Subscription(name, _begun(one, started_ms), mode)
                for (name, one), mode in zip(query.queries, modes, strict=True)
            ),
            malformed=query.malformed,
            each_item=query.output.kind in (OutputKind.KAFKA, OutputKind.CONSOLE),
        )
        self._report = ProgressReport(query.metrics, is_quiet=query.is_quiet)
        self._is_stopping = False

    def _owner(self) -> dict[str, Any]:
        """What must stay the same as long as a checkpoint is used, in the words of a user."""
        query = self._query
        return {
            "queries": {name: fingerprint(one) for name, one in query.queries},
            "input": query.input.text if query.input.kind is not InputKind.STDIN else "-",
            "output": query.output.text,
        }

    # --- from start to end

    def run(self) -> str:
        query = self._query
        self._tell_modes()
        receiving = self._receiver()
        if receiving is not None:
            receiving.start()
        try:
            with _Signals(self._stop) as signals:
                spark = self._session()
                # PySpark has made an interrupt its own.
                signals.take()
                commit = BatchCommit(
                    self._work,
                    self._answers(),
                    self._sink(),
                    self._checkpoint,
                    self._report,
                    dead_letters=query.dead_letters,
                    spool=self._checkpoint.source if receiving is not None else None,
                )
                try:
                    return self._report.summary(self._batches(spark, commit, receiving))
                finally:
                    commit.close()
        finally:
            if receiving is not None:
                receiving.stop()
            self._report.close()

    def _session(self) -> SparkSession:
        from ..session import session

        spark = session(self._query.master, app_name="xylem stream", config=self._query.config)
        for name, value in SETTINGS.items():
            if name not in self._query.config:
                spark.conf.set(name, value)
        _quieten(spark)
        return spark

    def _batches(self, spark: SparkSession, commit: BatchCommit, receiving: Receiver | None) -> str:
        """Let Spark make batches until there is an end; which one it was."""
        self._wait_for_file(receiving)
        running = self._started(spark, self._rows(spark), commit)
        why = "stopped"
        try:
            while running.isActive:
                if self._is_stopping:
                    break
                if self._has_ended(commit, receiving):
                    break
                time.sleep(WATCH_SECONDS)
            self._let_finish(running)
        finally:
            running.stop()
        self._raise(running, commit, receiving)
        if not self._is_stopping:
            commit.finish()
            why = "ended"
        self._tell_left_out(receiving)
        return why

    def _started(self, spark: SparkSession, rows: DataFrame, commit: BatchCommit) -> Any:
        writer = rows.writeStream.foreachBatch(commit).option("checkpointLocation", self._checkpoint.spark)
        seconds = self._query.trigger.seconds
        if seconds is None and self._query.input.kind in (InputKind.TCP, InputKind.STDIN):
            # They end by themselves.
            seconds = 0.0
        if seconds is None:
            writer = writer.trigger(availableNow=True)
        else:
            writer = writer.trigger(processingTime=f"{int(seconds * 1000)} milliseconds")
        return writer.start()

    def _rows(self, spark: SparkSession) -> DataFrame:
        query = self._query
        if query.input.kind is InputKind.KAFKA:
            from .kafka_source import kafka_rows

            return kafka_rows(spark, query.input, self._work)
        from .log_source import SOURCE_NAME, LogDescription, LogSource

        spark.dataSource.register(LogSource)
        is_directory = query.input.kind is InputKind.DIRECTORY
        description = LogDescription(
            self._work,
            str(self._checkpoint.source / "files.journal" if is_directory else self._checkpoint.source),
            query.input.path if is_directory else None,
            frames=query.input.frames,
            is_kept=self._work.has_state_in_order or query.input.kind is InputKind.FILE,
            batch_bytes=1 << 62 if query.trigger.is_single else query.batch_bytes,
            parallelism=spark.sparkContext.defaultParallelism,
            settle_seconds=query.settle_seconds,
        )
        return spark.readStream.format(SOURCE_NAME).option("log", description.to_option()).load()

    # --- the ends

    def _stop(self) -> None:
        self._is_stopping = True

    def _has_ended(self, commit: BatchCommit, receiving: Receiver | None) -> bool:
        """Whether the input has ended and all of it has been answered."""
        if receiving is None or not receiving.is_over:
            return False
        log = SpoolLog(self._checkpoint.source)
        log.refresh()
        return Position(*commit.commit.reached) >= log.end

    def _let_finish(self, running: Any) -> None:
        """Let the batch that is being computed come to its end."""
        until = time.monotonic() + GRACE_SECONDS
        while running.isActive and running.status["isTriggerActive"] and time.monotonic() < until:
            time.sleep(WATCH_SECONDS)

    def _wait_for_file(self, receiving: Receiver | None) -> None:
        """Of a file that grows, what is there now is what `available-now` means."""
        if self._query.trigger.seconds is None and isinstance(receiving, FileReceiver):
            while not (receiving.caught_up or receiving.is_over or self._is_stopping):
                time.sleep(WATCH_SECONDS)

    def _raise(self, running: Any, commit: BatchCommit, receiving: Receiver | None) -> None:
        """Tell what went wrong, in our words where they are ours."""
        if commit.fault is not None:
            if isinstance(commit.fault, XylemError):
                raise commit.fault
            raise DynamicError("XYRT0026", f"{type(commit.fault).__name__}: {commit.fault}") from commit.fault
        failure = running.exception()
        if failure is not None:
            raise DynamicError("XYRT0026", _first_line(str(failure)))
        if receiving is not None and receiving.fault is not None:
            raise receiving.fault

    def _tell_modes(self) -> None:
        """How each query is evaluated, and what will be long in coming."""
        for one in self._work.subscriptions:
            self._report.say(f"{one.name}: {one.mode}")
            if one.mode is Mode.IN_ORDER and not DocumentAnswers(one.query).is_streaming:
                self._report.say(f"{one.name}: it needs its whole input, and gives no answer before that ends")

    def _tell_left_out(self, receiving: Receiver | None) -> None:
        if receiving is not None and receiving.left_out_bytes:
            self._report.say(
                f"{receiving.left_out_bytes:,} bytes of items that a connection left incomplete were left out"
            )

    # --- what belongs to the input and the output

    def _receiver(self) -> Receiver | None:
        spread = [one.query for one in self._work.subscriptions if one.mode is Mode.SPREAD]
        scopes = [scope for query in spread for scope in query.program().scopes]
        return receiver(self._query.input, self._checkpoint.source, item_finder(scopes))

    def _answers(self) -> list[Answer]:
        commit, files = self._checkpoint.last_commit(), self._checkpoint.states
        return [self._answer(one, files.load(commit.states.get(one.name, []))) for one in self._work.subscriptions]

    def _answer(self, subscription: Subscription, saved: Sequence[bytes]) -> Answer:
        if subscription.mode is Mode.EACH:
            return AnswerOfEach()
        if subscription.mode is Mode.IN_ORDER:
            answers, each_item = DocumentAnswers(subscription.query), self._work.each_item
            return AnswerInOrder(answers, now_ms=self._started_ms, each_item=each_item, saved=saved)
        program, options = subscription.query.program(), subscription.query.seen()
        limit = self._query.state_limit_bytes
        kind = AnswerInItems if self._work.each_item else AnswerInParts
        return kind(program, options, state_limit_bytes=limit, saved=saved)

    def _sink(self) -> Sink:
        query, place = self._query, self._query.output
        names = [name for name, _ in query.queries]
        changes = bool(query.reports_changes)
        if place.kind is OutputKind.CONSOLE:
            return ConsoleSink(is_named=len(names) > 1, wants_changes=query.reports_changes is not False)
        if place.kind is OutputKind.DIRECTORY:
            endings = {name: file_ending(one) for name, one in query.queries}
            return DirectorySink(place.path, endings, wants_changes=changes)
        if place.kind is OutputKind.FILE:
            return FileSink(place.path, wants_changes=changes)
        from .kafka_sink import KafkaSink

        return KafkaSink(
            place.servers,
            place.topic,
            dict(place.options),
            query_id=self._identity,
            is_named=len(names) > 1,
            wants_changes=changes,
        )


class _Signals:
    """While this is open, an interrupt or a request to end is told, and nothing else happens."""

    def __init__(self, stop: Any) -> None:
        self._stop = stop
        self._before: dict[int, Any] = {}

    def __enter__(self) -> _Signals:
        self._before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
        self.take()
        return self

    def take(self) -> None:
        """From now on they come here."""
        for number in self._before:
            signal.signal(number, self._handle)

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        self._stop()


def _quieten(spark: SparkSession) -> None:
    """What ends a query is told once, by us; Spark would tell it before, with the stacks of two languages."""
    jvm: Any = spark.sparkContext._jvm
    off = jvm.org.apache.logging.log4j.Level.OFF
    jvm.org.apache.logging.log4j.core.config.Configurator.setLevel("org.apache.spark.sql.execution.streaming", off)


def _begun(query: ShippedQuery, started_ms: int) -> ShippedQuery:
    return replace(query, now=moment(started_ms), key=uuid.uuid4().hex)


def _first_line(text: str) -> str:
    return next((line for line in text.splitlines() if line.strip()), text)
