"""`xylem stream`: queries that never end, on Spark. Turns the options into plain values."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from xylem.run.limited_run import UNLIMITED, RunLimits
from xylem.source.limits import DEFAULT_LIMITS, Limits

from .byte_size import in_bytes
from .duration import in_seconds
from .event_time_option import event_time_of
from .history_options import Changes, UpdatesFormat, kept, update_format
from .query_source import QuerySource, output_parameters, query_source, spark_settings, variables
from .replay_option import replay_of
from .route_option import check_routable

if TYPE_CHECKING:
    from xylem.analysis.event_time import EventTime
    from xylem.sink.changelog import Envelope
    from xylem.source.replay import Replay
    from xylem.spark.continuous.continuous_run import ContinuousQuery, Trigger
    from xylem.spark.continuous.evaluations import Join
    from xylem.spark.continuous.places import InputPlace
    from xylem.spark.continuous.subscription import Malformed
    from xylem.spark.continuous.update_stream import UpdateStream
    from xylem.spark.shipped_query import ShippedQuery

_NAMED = re.compile(r"([A-Za-z_][\w.-]*)=((?:dir|file|tcp|kafka|stdin):.*|-)")


@dataclass(frozen=True)
class StreamArguments:
    """The options of a continuous query."""

    files: Sequence[Path]
    text: str | None
    inputs: Sequence[str]
    output: str
    checkpoint: Path
    within: str | None = None
    trigger: str = "1s"
    on_malformed: str = "stop"
    on_changed: str = "tell"
    run_limits: RunLimits = UNLIMITED
    metrics: Path | None = None
    report: str = "auto"
    values: Sequence[str] = ()
    documents: Sequence[str] = ()
    allowed: Sequence[Path] = ()
    output_parameters: Sequence[str] = ()
    master: str | None = None
    config: Sequence[str] = ()
    batch_size: str = "64MB"
    batch_files: int = 5_000
    state_limit: str = "256MB"
    settle: str = "0s"
    quiet: bool = False
    limits: Limits = field(default=DEFAULT_LIMITS)
    event_time: str | None = None
    watermark: str | None = None
    late: str | None = None
    partitions: int | None = None
    replay_speed: str | None = None
    replay_time: str | None = None
    updates: UpdatesFormat | None = None
    changes: Changes | None = None
    routes: Mapping[str, str] = field(default_factory=dict)
    """Outputs for elements of some names."""
    paths: Mapping[str, str | None] = field(default_factory=dict)
    """For feeds: where records are, and their keys, times, versions and deletions."""
    keep: Mapping[str, float | None] = field(default_factory=dict)
    """For update streams: how many versions are kept beyond those that are read, or for how long."""


def stream_queries(arguments: StreamArguments) -> None:
    """Run until the input ends, or until told to stop."""
    query = continuous_query(arguments)
    from xylem.spark.continuous.continuous_run import run_continuous

    summary = run_continuous(query)
    if not arguments.quiet:
        print(summary, file=sys.stderr)


def continuous_query(arguments: StreamArguments) -> ContinuousQuery:
    """The arguments in plain values; BadParameter if one is wrong."""
    from xylem.spark.continuous.continuous_run import ContinuousQuery
    from xylem.spark.continuous.places import WrongPlace, input_place, output_place
    from xylem.spark.continuous.subscription import Changed

    named = [_named(text) for text in arguments.inputs]
    try:
        read, written = [input_place(text) for _, text in named], output_place(arguments.output)
        routes = {name: output_place(text) for name, text in arguments.routes.items()}
    except WrongPlace as reason:
        raise typer.BadParameter(str(reason)) from reason
    names = [name for name, _ in named]
    sources = _sources(arguments)
    if any(place.kind == "file" for place in (written, *routes.values())) and len(sources) > 1:
        raise typer.BadParameter("several queries write to a directory: --output dir:PATH", param_hint="--output")
    malformed, dead_letters = _on_malformed(arguments.on_malformed)
    replay = _replay(arguments, read)
    updates = _updates(arguments, names, read)
    late = None if updates is not None else arguments.late
    event_time, late_letters = event_time_of(arguments.event_time, arguments.watermark, late)
    queries = _told(sources, arguments, event_time, replay, several_documents=not read[0].is_one_document)
    join = None if updates is not None else _join(names, arguments.within, queries)
    if routes:
        if updates is not None:
            raise typer.BadParameter("--updates does not go with it", param_hint="--route")
        for _, query in queries:
            check_routable({**query.compiled.program.output, **query.output})
    return ContinuousQuery(
        queries=queries,
        inputs=read,
        output=written,
        routes=routes,
        checkpoint=arguments.checkpoint,
        join=join,
        trigger=trigger(arguments.trigger),
        malformed=malformed,
        changed=Changed(arguments.on_changed),
        run_limits=arguments.run_limits,
        dead_letters=dead_letters,
        metrics=arguments.metrics,
        reports_changes={"changes": True, "final": False}.get(arguments.report),
        master=arguments.master,
        config=spark_settings(arguments.config),
        batch_bytes=in_bytes(arguments.batch_size, "--batch-size"),
        batch_files=arguments.batch_files,
        state_limit_bytes=in_bytes(arguments.state_limit, "--state-limit"),
        settle_seconds=in_seconds(arguments.settle, "--settle"),
        is_quiet=arguments.quiet,
        partitions=arguments.partitions,
        late_letters=late_letters,
        replay=replay,
        updates=updates,
    )


def _updates(arguments: StreamArguments, names: Sequence[str], read: Sequence[InputPlace]) -> UpdateStream | None:
    """The format of updates; None without updates, and then their options are errors."""
    if arguments.updates is None:
        given: dict[str, object] = {"--changes": arguments.changes}
        given |= {f"--{name}": value for name, value in arguments.paths.items()}
        given |= {f"--keep-{name}": value is not None for name, value in arguments.keep.items()}
        for option, value in given.items():
            if value:
                raise typer.BadParameter("this option needs --updates", param_hint=option)
        return None
    from xylem.run.history.feed import LATE
    from xylem.run.history.logged_run import ONE_STREAM
    from xylem.source.update_stream.formats import IN_MESSAGES
    from xylem.spark.continuous.update_stream import UpdateStream

    if arguments.updates.value not in IN_MESSAGES:
        told = f"a stream can carry {', '.join(IN_MESSAGES)}; `xylem run --updates` reads the others"
        raise typer.BadParameter(told, param_hint="--updates")
    late = next((late for late in LATE[:3] if late == (arguments.late or "stop")), None)
    if late is None:
        raise typer.BadParameter(f"{arguments.late!r} is not one of {', '.join(LATE[:3])}", param_hint="--late")
    if any(place.is_one_document for place in read):
        told = "updates come as documents of a directory or messages: dir:PATH, kafka:, ?frames=lines"
        raise typer.BadParameter(told, param_hint="--input")
    if arguments.within is not None:
        raise typer.BadParameter("--updates does not go with it", param_hint="--within")
    if len(names) > 1 and (not all(names) or len(set(names)) < len(names)):
        told = "several inputs need names: --input a=dir:… --input b=dir:…"
        raise typer.BadParameter(told, param_hint="--input")
    how = update_format(arguments.updates, dict(arguments.paths), commits_items=False)
    changes: Envelope | None = None if arguments.changes is None else arguments.changes.value
    keep = kept(arguments.keep.get("versions"), arguments.keep.get("time"))
    # If there is only one stream, it may have any name in the query.
    return UpdateStream(how, changes, late, tuple(names) if len(names) > 1 else ONE_STREAM, keep)


def _replay(arguments: StreamArguments, read: Sequence[InputPlace]) -> Replay | None:
    """The replay of the input; BadParameter for inputs that cannot be replayed."""
    from xylem.spark.continuous.places import InputKind

    replay = replay_of(arguments.replay_speed, arguments.replay_time)
    if replay is None:
        return None
    hint = "--replay-speed"
    if len(read) > 1:
        raise typer.BadParameter("two joined inputs cannot be replayed: they have no common clock", param_hint=hint)
    if read[0].kind is InputKind.KAFKA:
        raise typer.BadParameter("a Kafka topic cannot be replayed; dir:, tcp: and - can", param_hint=hint)
    if read[0].kind is InputKind.FILE:
        told = "a growing file cannot be replayed; give it on standard input: --input - < FILE"
        raise typer.BadParameter(told, param_hint=hint)
    if replay.waits and arguments.trigger in ("available-now", "once"):
        told = f"--trigger {arguments.trigger} reads what is there now and does not wait: --replay-speed max"
        raise typer.BadParameter(told, param_hint=hint)
    replay.check()
    return replay


def _named(text: str) -> tuple[str, str]:
    """The name that a query gives to an input, and the input: `orders=dir:in`; without a name it is empty."""
    found = _NAMED.fullmatch(text)
    return (found[1], found[2]) if found else ("", text)


def _join(
    names: Sequence[str], within: str | None, queries: Sequence[tuple[str, ShippedQuery]]
) -> Join | None:
    from xylem.spark.continuous.evaluations import Join
    from xylem.spark.continuous.match_plan import is_match

    if len(names) == 1:
        if within is not None:
            raise typer.BadParameter("this option needs two inputs", param_hint="--within")
        return None
    if len(names) > 2 or not all(names) or len(set(names)) < 2:
        wanted = "two inputs need names: --input a=dir:… --input b=dir:…"
        raise typer.BadParameter(wanted, param_hint="--input")
    if any(is_match(query.compiled.written) for _, query in queries):
        if within is not None:
            told = "the orders and conditions of a best-match join say how far apart items may be"
            raise typer.BadParameter(told, param_hint="--within")
        return Join((names[0], names[1]), None)
    if within is None:
        raise typer.BadParameter("say how far apart items that join may arrive, such as 10m", param_hint="--within")
    return Join((names[0], names[1]), in_seconds(within, "--within"))


def _sources(arguments: StreamArguments) -> list[tuple[str, QuerySource]]:
    """The queries with the names of their outputs."""
    if arguments.text is not None or not arguments.files:
        return [("query", query_source(arguments.files[0] if arguments.files else None, arguments.text))]
    names = [file.stem for file in arguments.files]
    for name in names:
        if names.count(name) > 1:
            raise typer.BadParameter(
                f"two queries are called {name!r}, and so would be their outputs", param_hint="QUERY.xq"
            )
    return [(name, query_source(file, None)) for name, file in zip(names, arguments.files, strict=True)]


def _told(
    sources: Sequence[tuple[str, QuerySource]],
    arguments: StreamArguments,
    event_time: EventTime | None,
    replay: Replay | None,
    *,
    several_documents: bool,
) -> list[tuple[str, ShippedQuery]]:
    from xylem.spark.continuous.told_query import QueryText, told_queries

    return told_queries(
        [QueryText(name, source.text, source.name, source.base_uri, source.folder) for name, source in sources],
        variables=variables(arguments.values, arguments.documents),
        allow=arguments.allowed,
        output=output_parameters(arguments.output_parameters),
        limits=arguments.limits,
        several_documents=several_documents,
        event_time=event_time,
        replay=replay,
        over_updates=arguments.updates is not None,
    )


def trigger(text: str) -> Trigger:
    """When batches are made: `500ms`, `1s`, `available-now`, `once`."""
    from xylem.spark.continuous.continuous_run import Trigger

    if text in ("available-now", "once"):
        return Trigger(None, is_single=text == "once")
    return Trigger(in_seconds(text, "--trigger", "available-now", "once"))


def _on_malformed(text: str) -> tuple[Malformed, Path | None]:
    from xylem.spark.continuous.subscription import Malformed

    policy, _, path = text.partition("=")
    if text in ("stop", "skip"):
        return Malformed(text), None
    if policy == "dead-letter" and path:
        return Malformed.DEAD_LETTER, Path(path)
    raise typer.BadParameter(f"{text!r} is not stop, skip or dead-letter=PATH", param_hint="--on-malformed")
