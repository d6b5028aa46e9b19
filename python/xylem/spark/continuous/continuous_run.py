"""A continuous query from its start to its end: log, session, Spark's query, signals, the final report."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xylem.errors import DynamicError, XylemError
from xylem.run.limited_run import UNLIMITED, RunLimits
from xylem.source.replay import Replay

from ..carried_error import told_in
from ..java import end_in_silence, has_ended
from ..jobs import failure_of
from ..shipped_query import ShippedQuery
from .batch_commit import START, BatchCommit
from .checkpoint import Checkpoint
from .directory_log import look_at, refuse_results_as_input
from .evaluations import Evaluations, Join
from .feed import WATCH_SECONDS, Feed, FeedLimits
from .places import InputKind, InputPlace, OutputKind, OutputPlace
from .progress import ProgressReport
from .routed_sink import RoutedSink
from .sinks import ConsoleSink, DirectorySink, FileSink, Sink
from .spark_files import check_spark_files, remove_unfinished
from .stop_signals import StopSignals
from .subscription import Changed, Malformed
from .told_query import file_ending, fingerprint
from .update_stream import UpdateStream

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SETTINGS = {
    # An empty trigger is no batch.
    "spark.sql.streaming.noDataMicroBatches.enabled": "false",
    "spark.sql.streaming.minBatchesToRetain": "10",
}
GRACE_SECONDS = 30.0
ATTEMPTS = 3
ALL_BYTES = 1 << 62


@dataclass(frozen=True)
class Trigger:
    """When batches are made: at intervals, or until all available input has been read."""

    seconds: float | None = 1.0
    """None: read the available input, then end."""
    is_single: bool = False
    """All available input in a single batch."""


@dataclass(frozen=True)
class ContinuousQuery:
    """The settings of a continuous query."""

    queries: Sequence[tuple[str, ShippedQuery]]
    """With the names of their outputs."""
    inputs: Sequence[InputPlace]
    """One, two that are joined, or some that carry updates."""
    output: OutputPlace
    checkpoint: Path
    routes: Mapping[str, OutputPlace] = field(default_factory=dict)
    """Outputs for elements with certain names."""
    join: Join | None = None
    trigger: Trigger = Trigger()
    malformed: Malformed = Malformed.STOP
    dead_letters: Path | None = None
    metrics: Path | None = None
    reports_changes: bool | None = None
    """Whether changed answers are written each time; None: if the output is live."""
    master: str | None = None
    config: Mapping[str, str] = field(default_factory=dict)
    batch_bytes: int = 64 << 20
    batch_files: int = 5_000
    """The most files of a directory per batch: results and progress come after each batch."""
    changed: Changed = Changed.TELL
    run_limits: RunLimits = UNLIMITED
    """Limits for evaluating one document, in a task."""
    state_limit_bytes: int = 256 << 20
    settle_seconds: float = 0.0
    is_quiet: bool = False
    partitions: int | None = None
    """The fixed number of places for windows by key; None: the number of cores."""
    replay: Replay | None = None
    """How the input was recorded, if it is replayed."""
    updates: UpdateStream | None = None
    """How the input carries updates of earlier messages, if it does: the output is a change log."""
    late_letters: Path | None = None
    """Where items are stored that come too late for event time, if they are kept."""


def run_continuous(query: ContinuousQuery) -> str:
    """Run until the input ends or a signal arrives; return a readable summary."""
    checkpoint = Checkpoint(query.checkpoint)
    try:
        return _Run(query, checkpoint).run()
    finally:
        checkpoint.close()


class _Run:
    def __init__(self, query: ContinuousQuery, checkpoint: Checkpoint) -> None:
        self._query = query
        self._checkpoint = checkpoint
        self._evaluations = Evaluations(
            query.queries,
            query.inputs,
            query.join,
            malformed=query.malformed,
            changed=query.changed,
            run_limits=query.run_limits,
            # Routing by name divides the text of the answer, also inside its outermost element.
            each_item=query.output.kind in (OutputKind.KAFKA, OutputKind.CONSOLE) and not query.routes,
            updates=query.updates,
        )
        self._evaluations.works(0)
        self._look_at_places()
        # From here on the checkpoint belongs to the query.
        self._identity, self._started_ms = checkpoint.claim(self._owner())
        self._works = self._evaluations.works(self._started_ms)
        is_single = query.trigger.is_single
        limits = FeedLimits(
            ALL_BYTES if is_single else query.batch_bytes,
            None if is_single else query.batch_files,
            query.settle_seconds,
            query.replay,
        )
        self._feeds = [
            Feed(place, work, checkpoint.source(number), limits)
            for number, (place, work) in enumerate(zip(query.inputs, self._works, strict=True))
        ]
        commit = checkpoint.last_commit()
        remove_unfinished(checkpoint.spark_folder)
        check_spark_files(checkpoint.spark_folder, commit.batch, commit.offsets)
        for number, feed in enumerate(self._feeds):
            feed.check(commit.reached.get(str(number)), commit.logs.get(str(number)))
        self._report = ProgressReport(query.metrics, is_quiet=query.is_quiet)
        self._is_stopping = False

    def _look_at_places(self) -> None:
        """XYIN0002 for missing places, before waiting for Spark."""
        for place in self._query.inputs:
            if place.kind is InputKind.DIRECTORY:
                look_at(place.path)
        sinks: list[Sink] = [DirectorySink(str(place), {"letters": ".jsonl"}) for place in self._letters()]
        outputs = [self._query.output, *self._query.routes.values()]
        sinks += [self._sink_of(place) for place in outputs if place.kind in (OutputKind.DIRECTORY, OutputKind.FILE)]
        for sink in sinks:
            if not isinstance(sink, (DirectorySink, FileSink)):
                continue
            for place in self._query.inputs:
                if place.kind is InputKind.DIRECTORY:
                    refuse_results_as_input(place.path, sink.files())
            if self._checkpoint.is_new:
                sink.refuse_other_results()

    def _letters(self) -> list[Path]:
        """Where skipped records are stored, if they are kept."""
        return [place for place in (self._query.dead_letters, self._query.late_letters) if place is not None]

    def _owner(self) -> dict[str, Any]:
        """The settings that must stay the same while a checkpoint is used, in a user's words."""
        query = self._query
        owner: dict[str, Any] = {
            "queries": {name: fingerprint(one) for name, one in query.queries},
            "input": ["-" if place.kind is InputKind.STDIN else place.text for place in query.inputs],
            "output": query.output.text,
        }
        if query.routes:
            owner = {**owner, "routes": {name: place.text for name, place in query.routes.items()}}
        if self._evaluations.updates is not None:
            owner = {**owner, "updates": self._evaluations.updates.told}
        if query.join is None or query.join.within_seconds is None:
            return owner
        return owner | {"time bound": query.join.within_seconds}

    # --- from start to end

    def run(self) -> str:
        for line in self._evaluations.lines():
            self._report.say(line)
        for feed in self._feeds:
            feed.start()
        try:
            with StopSignals(self._stop) as signals:
                spark = self._session()
                # PySpark has turned an interrupt into its own exception.
                signals.take()
                commit = self._commit()
                try:
                    return self._report.summary(self._batches(spark, commit))
                except Exception as reason:
                    if has_ended(reason):
                        raise DynamicError("XYRT0026", "Java was killed, or had no memory left") from reason
                    raise
                finally:
                    commit.close()
        finally:
            for feed in self._feeds:
                feed.stop()
            self._report.close()

    def _commit(self) -> BatchCommit:
        query, works = self._query, self._works
        return BatchCommit(
            self._evaluations.names,
            [one.query.text for work in works for one in work.subscriptions],
            self._evaluations.answers(
                works,
                self._checkpoint,
                self._started_ms,
                query.state_limit_bytes,
                keeps_late=query.late_letters is not None,
            ),
            self._sink(),
            self._checkpoint,
            self._report,
            dead_letters=query.dead_letters,
            spool=self._feeds[0].spool if works[0].has_state_in_order else None,
            windows=self._evaluations.windows(
                works,
                self._checkpoint,
                self._slots,
                query.state_limit_bytes,
                keeps_late=query.late_letters is not None,
            ),
            late_letters=query.late_letters,
            journals={str(n): feed.journal for n, feed in enumerate(self._feeds) if feed.journal is not None},
            gathers=self._evaluations.gathers,
        )

    @property
    def _slots(self) -> int:
        from xylem.run.tasks.windows_task import BUCKETS

        return max(1, min(BUCKETS, self._query.partitions or os.cpu_count() or 1))

    def _session(self) -> SparkSession:
        from ..session import session

        # Spark's own files of the checkpoint are for the owner only, like ours.
        private = {"spark.hadoop.fs.permissions.umask-mode": "077"}
        spark = session(self._query.master, app_name="xylem stream", config={**private, **self._query.config})
        for name, value in SETTINGS.items():
            if name not in self._query.config:
                spark.conf.set(name, value)
        _quieten(spark)
        return spark

    def _batches(self, spark: SparkSession, commit: BatchCommit) -> str:
        """Let Spark make batches until an end is reached; return which one."""
        if self._query.trigger.seconds is None:
            for feed in self._feeds:
                feed.catch_up(lambda: self._is_stopping)
        if self._is_stopping:
            # It was stopped while Spark started.
            return "stopped"
        if self._has_ended(commit):
            # There is nothing for Spark to do, for example if an input failed at its first byte.
            self._raise_fault_of_input()
            commit.finish()
            return "ended"
        for attempt in range(1, ATTEMPTS + 1):
            running = self._begun(spark, commit)
            if attempt == 1:
                self._report.say("ready")
            try:
                while running.isActive and not self._is_stopping and not self._has_ended(commit):
                    time.sleep(WATCH_SECONDS)
                is_complete = self._let_finish(running)
            finally:
                running.stop()
            if attempt == ATTEMPTS or commit.fault is not None or not is_slow_start(str(running.exception())):
                break
            self._report.say("a Python worker was too slow to start: once more")
        if not is_complete and self._is_abandoned(commit):
            self._report.say("a batch was abandoned: it is computed again after the next start")
            return "stopped"
        self._raise(running, commit)
        if not self._is_stopping:
            commit.finish()
        self._tell_left_out()
        return "stopped" if self._is_stopping else "ended"

    def _begun(self, spark: SparkSession, commit: BatchCommit) -> Any:
        """Spark's query; XYRT0026 if it cannot start, for example on a full disk."""
        try:
            return self._started(spark, commit)
        except XylemError:
            raise
        except Exception as reason:
            self._raise_fault_of_input()
            raise told_in(str(reason)) or DynamicError("XYRT0026", failure_of(reason)) from reason

    def _started(self, spark: SparkSession, commit: BatchCommit) -> Any:
        rows = reduce(lambda a, b: a.unionByName(b), [feed.rows(spark) for feed in self._feeds])
        writer = rows.writeStream.foreachBatch(commit).option("checkpointLocation", self._checkpoint.spark)
        seconds = self._query.trigger.seconds
        if seconds is None and any(feed.ends_by_itself for feed in self._feeds):
            seconds = 0.0
        if seconds is None:
            writer = writer.trigger(availableNow=True)
        else:
            writer = writer.trigger(processingTime=f"{int(seconds * 1000)} milliseconds")
        return writer.start()

    # --- the ends

    def _stop(self) -> None:
        self._is_stopping = True

    def _is_abandoned(self, commit: BatchCommit) -> bool:
        """Whether a batch was taken away from Spark and its workers: their errors about it are then meaningless."""
        return self._is_stopping and not isinstance(commit.fault, XylemError)

    def _has_ended(self, commit: BatchCommit) -> bool:
        """Whether all inputs have ended and have been answered."""
        reached = commit.commit.reached
        return all(feed.has_ended(reached.get(str(number), START)) for number, feed in enumerate(self._feeds))

    def _let_finish(self, running: Any) -> bool:
        """Let the current batch end; return whether it did in time.

        A query that is just starting may finish its start: a process of Spark that is stopped before it connects prints
        a stack trace.
        """
        until = time.monotonic() + GRACE_SECONDS
        while running.isActive and time.monotonic() < until:
            status = running.status
            if not status["isTriggerActive"] and not status["message"].startswith("Initializing"):
                return True
            time.sleep(WATCH_SECONDS)
        return not running.isActive

    def _raise(self, running: Any, commit: BatchCommit) -> None:
        """Raise the error, in our words if it is ours."""
        if commit.fault is not None:
            if isinstance(commit.fault, XylemError):
                raise commit.fault
            raise DynamicError("XYRT0026", f"{type(commit.fault).__name__}: {commit.fault}") from commit.fault
        failure = running.exception()
        if failure is not None:
            raise told_in(str(failure)) or DynamicError("XYRT0026", _first_line(str(failure)))
        self._raise_fault_of_input()

    def _raise_fault_of_input(self) -> None:
        for feed in self._feeds:
            if feed.receiver is not None and feed.receiver.fault is not None:
                raise feed.receiver.fault

    def _tell_left_out(self) -> None:
        size = sum(feed.receiver.left_out_bytes for feed in self._feeds if feed.receiver is not None)
        if size:
            self._report.say(f"{size:,} bytes of items that a connection left incomplete were left out")

    def _sink(self) -> Sink:
        rest = self._sink_of(self._query.output)
        if not self._query.routes:
            return rest
        routes = {name: self._sink_of(place, name) for name, place in self._query.routes.items()}
        return RoutedSink(rest, routes)

    def _sink_of(self, place: OutputPlace, route: str = "") -> Sink:
        query = self._query
        names = [name for name, _ in query.queries]
        changes = bool(query.reports_changes)
        if place.kind is OutputKind.CONSOLE:
            return ConsoleSink(is_named=len(names) > 1, wants_changes=query.reports_changes is not False)
        if place.kind is OutputKind.DIRECTORY:
            endings = {name: ".jsonl" if query.updates else file_ending(one) for name, one in query.queries}
            return DirectorySink(place.path, endings, wants_changes=changes)
        if place.kind is OutputKind.FILE:
            return FileSink(place.path, wants_changes=changes)
        from .kafka_sink import KafkaSink

        return KafkaSink(
            place.servers,
            place.topic,
            dict(place.options),
            query_id=f"{self._identity}-{route}" if route else self._identity,
            is_named=len(names) > 1,
            wants_changes=changes,
        )


def _quieten(spark: SparkSession) -> None:
    """Report the error that ends a query once; Spark would print it before, with the stacks of two languages."""
    end_in_silence(spark.sparkContext)
    jvm: Any = spark.sparkContext._jvm
    off = jvm.org.apache.logging.log4j.Level.OFF
    jvm.org.apache.logging.log4j.core.config.Configurator.setLevel("org.apache.spark.sql.execution.streaming", off)


def is_slow_start(failure: str) -> bool:
    """Whether the planner process did not start within Spark's ten seconds, as on a busy machine.

    Spark has no setting for this time. Nothing was begun then: the query resumes from its checkpoint.
    """
    return "connect back" in failure


def _first_line(text: str) -> str:
    return next((line for line in text.splitlines() if line.strip()), text)
