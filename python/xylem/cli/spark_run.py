"""`xylem run --on spark`: the same query with the same answer, computed by tasks; their progress and figures."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import typer

from xylem.query.stream_query import loaded_schema
from xylem.run.limited_run import RunLimits
from xylem.spark.batch import BatchRun, Measured
from xylem.spark.inputs import input_files
from xylem.spark.named_input import with_named_input
from xylem.spark.session import BatchSpark, require_spark, without_sql
from xylem.spark.shipped_query import shipped_query

from .progress_line import progress_line
from .query_source import QuerySource, output_parameters, spark_settings, variables
from .result_output import result_output
from .run_query import RunOptions
from .statistics import Facts, operator_rows, peak_rss_bytes, report_as


def run_on_spark(
    source: QuerySource,
    options: RunOptions,
    task_limits: RunLimits,
    master: str | None,
    partitions: int | None,
    settings: Sequence[str] = (),
) -> None:
    """Run the query by tasks and write its result; `settings` are Spark properties, NAME=VALUE.

    A task that takes more than `task_limits` ends the run.
    """
    _refuse_others(options)
    if partitions is not None and partitions < 1:
        raise typer.BadParameter("there must be at least one", param_hint="--partitions")
    files = input_files(list(options.inputs))
    query = shipped_query(
        source.text,
        variables=variables(options.values, options.documents),
        name=source.name,
        base_uri=source.base_uri,
        namespaces=source.namespaces,
        module_folders=[source.folder],
        allow=options.allowed,
        environment=dict(os.environ) if options.allow_environment else None,
        limits=options.limits,
        run_limits=task_limits,
        scanner=options.scanner,
        output=output_parameters(options.output_parameters),
        several_documents=len(files) > 1,
        schema=loaded_schema(options.schema),
        event_time=options.event_time,
    )
    query, files = with_named_input(query, files)
    session = _Session(master, spark_settings(settings))
    line = progress_line(options.quiet)
    shown = _Shown()
    run = BatchRun(session.start, query, files, partitions=partitions, observe=shown.see)
    if options.statistics is not None:
        from xylem.run.counters import Counters

        run.counters = Counters()
    if line is not None:
        shown.draw = lambda: line.show(shown)
    shown.run = run
    with result_output(options.output, line, options.routes) as output:
        encode = _encoder(run)
        try:
            for piece in run.pieces():
                output.write(encode(piece))
                if shown.has_news():
                    output.flush()
            output.write(encode(""))
        finally:
            if line is not None:
                line.close()
    if options.statistics is not None:
        report_as(_facts(run, session), _rows, options.statistics)


def _refuse_others(options: RunOptions) -> None:
    given = (
        ("--validate", options.validate),
        ("--plot-buffers", options.plot),
        ("--stream", options.stream),
        ("--no-stream", options.stream is False),
        ("--on-malformed", options.on_malformed != "stop"),
        ("--checkpoint", options.checkpoint),
        ("--items", options.items),
    )
    for name, value in given:
        if value:
            raise typer.BadParameter("this option cannot be used with --on spark", param_hint=name)


class _Session:
    """The session, started when the first task needs it."""

    def __init__(self, master: str | None, settings: Mapping[str, str]) -> None:
        self._master = master
        self._settings = settings
        self.seconds: float | None = None
        self.master: str | None = None
        require_spark()

    def start(self) -> BatchSpark:
        started = time.monotonic()
        spark = without_sql(self._master, config=self._settings)
        self.seconds = time.monotonic() - started
        self.master = spark.sparkContext.master
        return spark


class _Shown:
    """The progress of a run, for the line on the terminal."""

    def __init__(self) -> None:
        self.run: BatchRun | None = None
        self.draw: Any = None
        self._measured: Measured | None = None
        self._told = 0

    def see(self, measured: Measured) -> None:
        self._measured = measured
        if self.draw is not None:
            self.draw()

    def has_news(self) -> bool:
        """Whether another task has delivered since the last call: a reader may be waiting for its results."""
        told, self._told = self._told, self._measured.tasks if self._measured is not None else 0
        return told != self._told

    def words(self) -> Iterator[str]:
        assert self.run is not None
        measured, plan = self.run.measured, self.run.plan
        yield f"{measured.tasks:,} of {len(plan.tasks):,} tasks "
        yield f"{measured.input_bytes / 1e6:,.1f}/{plan.size / 1e6:,.1f} MB "
        yield f"{measured.input_bytes / 1e6 / max(measured.seconds, 1e-6):,.1f} MB/s"


def _encoder(run: BatchRun) -> Any:
    from xylem.sink.output_encoding import byte_encoder

    return byte_encoder(run.output_parameters())


def _facts(run: BatchRun, session: _Session) -> Facts:
    measured = run.measured
    distribution = run.program.distribution
    facts: Facts = {
        "on": "spark",
        "master": session.master,
        "session_seconds": None if session.seconds is None else round(session.seconds, 3),
        "seconds": round(measured.seconds - (session.seconds or 0), 3),
        "parts": [{"kind": part.kind.value, "text": part.text, "why": part.why} for part in distribution.parts],
        "stages": run.program.stages,
        "tasks": measured.tasks,
        "ranges": measured.ranges,
        "input_bytes": measured.input_bytes,
        "records": measured.records,
        "peak_buffered_bytes": measured.peak_buffered_bytes,
        "task_cpu_seconds": round(measured.task_cpu_seconds, 3),
        "peak_worker_rss_bytes": measured.peak_worker_rss_bytes,
        "spilled_bytes": measured.spilled_bytes,
        "peak_rss_bytes": peak_rss_bytes(),
        "operators": run.operators().to_dict(),
    }
    if run.is_spread:
        facts |= {"split": run.plan.lines(), "cut_seconds": round(run.plan.cut_seconds, 3)}
        facts |= {} if run.joins is None else {"join": run.joins.told(), "join_bytes": run.joins.measured.item_bytes}
    return facts


def _rows(facts: Facts) -> Iterator[tuple[str, str]]:
    if facts["master"] is None:
        yield "on Spark", "no: it is one task, and ran right here"
    else:
        yield "on Spark", f"{facts['master']}, started in {facts['session_seconds']:.3g} s"
    for part in facts["parts"]:
        yield f"  {part['kind']}:", " ".join(part["text"].split()) + (f" ({part['why']})" if part["why"] else "")
    for line in facts.get("split", ()):
        yield "split", line
    if "cut_seconds" in facts:
        yield "cut points", f"found in {facts['cut_seconds']:.3g} s"
    if "join" in facts:
        yield "joined", facts["join"]
    seconds = max(facts["seconds"], 1e-6)
    megabytes = facts["input_bytes"] / 1e6
    yield "input", f"{facts['input_bytes']:,} bytes in {facts['seconds']:.3g} s, {megabytes / seconds:,.1f} MB/s"
    yield "tasks", f"{facts['tasks']:,} in {facts['stages']} stage(s), {facts['task_cpu_seconds']:.3g} s of CPU"
    yield "records", f"{facts['records']:,}"
    yield "buffered at most", f"{facts['peak_buffered_bytes']:,} bytes in a task"
    if facts["spilled_bytes"]:
        yield "waited in a file", f"{facts['spilled_bytes']:,} bytes of rows"
    yield "memory at most", f"{facts['peak_worker_rss_bytes'] / 1e6:,.1f} MB in a task"
    yield from operator_rows(facts)
