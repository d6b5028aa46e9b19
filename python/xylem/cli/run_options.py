"""The options of `xylem run` and what its `--help` teaches."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from .answer_format import Format as AnswerFormatOption
from .answer_format import checked_format, with_method
from .command_app import command_app
from .common_options import (
    INPUT,
    SPARK,
    STREAM,
    Allowed,
    AllowEnvironment,
    FunctionFiles,
    Inputs,
    Items,
    OutputFile,
    OutputParameters,
    QueryFile,
    QueryText,
    Runner,
    SchemaFile,
    Stream,
    VariableFiles,
    Variables,
)
from .event_time_option import EventTimePath, LatePolicy, Watermark, event_time_of, late_items_of
from .failures import reported
from .history_options import (
    AsOf,
    ChangesOption,
    CommitOption,
    CommitWhen,
    DeletePath,
    KeepTime,
    KeepVersions,
    KeyPath,
    RecordPath,
    Report,
    ReportOption,
    Serve,
    TimePath,
    Updates,
    VersionPath,
    history_options,
)
from .namespace_options import DefaultNamespace, Namespaces
from .project_option import Project, listed
from .replay_option import ReplaySpeed, ReplayTime, replay_of
from .route_option import Routes, routes_of
from .run_limits import MemoryLimit, TimeLimit, run_limits, within_limits

app = command_app()


class Scanner(StrEnum):
    """The scanner of the input."""

    AUTO = "auto"
    KERNEL = "kernel"
    PYTHON = "python"


class Validation(StrEnum):
    """The elements to validate."""

    FULL = "full"
    LAZY = "lazy"


class Statistics(StrEnum):
    """The form of the figures."""

    TEXT = "text"
    JSON = "json"


@app.command(
    epilog="""Examples:

`xylem run -q '//book/title' -i books.xml`

`xylem run report.xq -i - -v year=2024 -o report.html < books.xml`

`xylem run -q 'count(collection())' -i a.xml -i b.xml`

`zcat dump.xml.gz | xylem run -q '//page/title' -i - --stats`

`xylem run -q '//book ! map { "title": string(title), "year": xs:integer(@year) }' -i books.xml --format csv`

`curl … | xylem run above-average.xq -i - --spill /var/tmp`

`xylem run report.xq -i 'dumps/*.xml' --on spark --stats`

`xylem run report.xq -i orders.xml --functions discounts.py`

`xylem run rises.xq -i tickers=quotes.xml --updates native --report commits`

Exit codes: 0 success, 1 an error in the query, 2 a wrong option, 3 unreadable input."""
)
@reported()
def run(
    query: QueryFile = None,
    text: QueryText = None,
    ns: Namespaces = None,
    default_ns: DefaultNamespace = None,
    functions: FunctionFiles = None,
    inputs: Inputs = None,
    var: Variables = None,
    var_file: VariableFiles = None,
    items: Items = None,
    allow: Allowed = None,
    allow_env: AllowEnvironment = False,
    output: OutputFile = None,
    route: Routes = None,
    format: AnswerFormatOption = None,
    output_param: OutputParameters = None,
    stream: Stream = None,
    schema: SchemaFile = None,
    validate: Annotated[
        Validation | None,
        typer.Option(
            "--validate",
            metavar="[full|lazy]",
            help="Validate the input against its schema while it is read: all of it, or only what the answer "
            "relies on.",
            rich_help_panel=STREAM,
        ),
    ] = None,
    scanner: Annotated[
        Scanner,
        typer.Option("--scanner", help="Read the input with the native kernel or with Python.", rich_help_panel=STREAM),
    ] = Scanner.AUTO,
    stats: Annotated[
        Statistics | None,
        typer.Option(
            "--stats",
            metavar="[text|json]",
            help="Report bytes read, buffers, time and memory on standard error, as a table or as one line of JSON.",
            rich_help_panel=STREAM,
        ),
    ] = None,
    plot_buffers: Annotated[
        Path | None,
        typer.Option(
            "--plot-buffers",
            metavar="FILE.svg",
            help="Plot output and buffered bytes against the input read so far.",
            rich_help_panel=STREAM,
        ),
    ] = None,
    metrics: Annotated[
        Path | None,
        typer.Option(
            "--metrics",
            metavar="FILE",
            help="Write a line of JSON four times a second: bytes read, results, buffers, memory.",
            rich_help_panel=STREAM,
        ),
    ] = None,
    project: Project = None,
    limit: Annotated[
        list[str] | None,
        typer.Option(
            "--limit",
            metavar="NAME=NUMBER",
            help="Raise or lower a safety limit: `depth`, `attributes`, `text-characters`, `item-bytes`, … "
            "(docs/streaming.md lists all of them).",
            rich_help_panel=INPUT,
        ),
    ] = None,
    no_dtd: Annotated[
        bool,
        typer.Option("--no-dtd", help="Refuse inputs with a document type declaration.", rich_help_panel=INPUT),
    ] = False,
    dtd: Annotated[
        Path | None,
        typer.Option(
            "--dtd",
            metavar="FILE.dtd",
            help="Take entities such as `&uuml;` from this DTD. `--schema FILE.dtd` does so too.",
            rich_help_panel=INPUT,
        ),
    ] = None,
    on_malformed: Annotated[
        str,
        typer.Option(
            "--on-malformed",
            metavar="stop|skip|dead-letter[=FILE]",
            help="How to handle records that are not well formed, and unreadable files among several: stop at the "
            "first, skip and count them, or also write them to a file.",
            rich_help_panel=INPUT,
        ),
    ] = "stop",
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            "--checkpoint",
            metavar="FILE",
            help="Save progress in this file. After an interruption, the same command continues. Needs `-i` and `-o`. "
            "With `--updates` and `--as-of`, the checkpoint of `xylem stream` to read the answer from.",
            rich_help_panel=STREAM,
        ),
    ] = None,
    event_time: EventTimePath = None,
    watermark: Watermark = None,
    late: LatePolicy = None,
    buffer_limit: Annotated[
        str | None,
        typer.Option(
            "--buffer-limit",
            metavar="SIZE",
            help="Maximum size of buffers, such as `200MB`; 1 GB by default. A run that needs more stops and says why. "
            "With `0`, a query whose buffers grow with the input is refused before it starts.",
            rich_help_panel=STREAM,
        ),
    ] = None,
    spill: Annotated[
        Path | None,
        typer.Option(
            "--spill",
            metavar="DIR",
            help="Spill an input that can be read only once (a pipe, standard input) to this directory if the query "
            "needs several passes; by default it stays in memory. Files are simply read again. "
            "Items that a best-match join keeps go there, too, beyond an eighth of what `--memory-limit` leaves, or "
            "beyond `--buffer-limit`.",
            rich_help_panel=STREAM,
        ),
    ] = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", help="Show no progress on a terminal.", rich_help_panel=STREAM)
    ] = False,
    replay_speed: ReplaySpeed = None,
    replay_time: ReplayTime = None,
    updates: Updates = None,
    report: ReportOption = Report.COMMITS,
    changes: ChangesOption = None,
    as_of: AsOf = None,
    serve: Serve = None,
    keep_versions: KeepVersions = None,
    keep_time: KeepTime = None,
    record: RecordPath = None,
    key: KeyPath = None,
    time: TimePath = None,
    version_path: VersionPath = None,
    delete: DeletePath = None,
    commit: CommitOption = CommitWhen.BASE,
    time_limit: TimeLimit = None,
    memory_limit: MemoryLimit = None,
    on: Annotated[
        Runner,
        typer.Option(
            "--on",
            help="Run in this process or on Spark. Spark reads files, directories and patterns, and splits large "
            "documents. With several documents, a leading `/` means each of them.",
            rich_help_panel=SPARK,
        ),
    ] = Runner.LOCAL,
    master: Annotated[
        str | None,
        typer.Option(
            "--master",
            metavar="URL",
            help="Spark master: `local[4]`, `spark://host:7077`, `yarn`. Default: all cores of this machine.",
            rich_help_panel=SPARK,
        ),
    ] = None,
    partitions: Annotated[
        int | None,
        typer.Option(
            "--partitions",
            metavar="N",
            help="Approximate number of tasks; by default chosen from the input size and the number of cores.",
            show_default=False,
            rich_help_panel=SPARK,
        ),
    ] = None,
    conf: Annotated[
        list[str] | None,
        typer.Option("--conf", metavar="NAME=VALUE", help="Set a Spark property.", rich_help_panel=SPARK),
    ] = None,
) -> None:
    """Run a query and write its result.

    Each result is written as soon as it is final, while the input is still being read.
    """
    from .function_files import load_functions
    from .namespace_options import namespaces_of
    from .query_source import given_entities, limits_of, query_source
    from .run_metrics import run_metrics
    from .run_query import RunOptions, check_routes, run_query

    load_functions(functions)
    paths = {"record": record, "key": key, "time": time, "version-path": version_path, "delete": delete}
    name = query.stem if query is not None else "query"
    keep = keep_versions, keep_time
    history = history_options(updates, report, changes, as_of, late, commit, paths, name, keep, serve)
    told_event_time, late_place = event_time_of(event_time, watermark, late if history is None else None)
    options = RunOptions(
        inputs or [],
        var or [],
        var_file or [],
        allow or [],
        allow_env,
        output,
        with_method(format, output_param or []),
        items=items or [],
        stream=stream,
        schema=schema,
        validate=validate.value if validate else None,
        scanner=scanner.value,
        statistics=stats.value if stats else None,
        plot=plot_buffers,
        quiet=quiet,
        limits=limits_of(limit or (), allow_dtd=not no_dtd, buffer_limit=buffer_limit),
        spill=spill,
        memory_bytes=run_limits(None, memory_limit).memory_bytes,
        on_malformed=on_malformed,
        checkpoint=checkpoint,
        entities=given_entities(dtd, schema, allow_dtd=not no_dtd),
        format=checked_format(format, output_param or (), output),
        event_time=told_event_time,
        replay=replay_of(replay_speed, replay_time),
        routes=routes_of(route or ()),
    )
    namespaces = namespaces_of(ns or (), default_ns, options.inputs, options.limits)
    source = replace(query_source(query, text), namespaces=namespaces)
    if options.replay is not None:
        # A tree cannot be replayed.
        options = replace(options, stream=True)
    if options.routes:
        if history is not None:
            raise typer.BadParameter("--updates does not go with it", param_hint="--route")
        check_routes(source, options)
    if on is Runner.LOCAL:
        for name, value in (("--master", master), ("--partitions", partitions), ("--conf", conf or None)):
            if value is not None:
                raise typer.BadParameter("this option needs --on spark", param_hint=name)
        limited = within_limits(time_limit, memory_limit)
        is_listed = listed(project, [query] if query else [], options.inputs, "process", metrics)
        if history is not None:
            from .history_run import run_over_updates

            with limited, is_listed as figures, run_metrics(figures) as told:
                run_over_updates(source, replace(options, metrics=told), history)
            return
        with (
            limited,
            is_listed as figures,
            run_metrics(figures) as told,
            late_items_of(options.event_time, late_place) as late_items,
        ):
            run_query(source, replace(options, late_items=late_items, metrics=told))
    else:
        given_here = (
            ("--on-malformed", on_malformed != "stop"),
            ("--checkpoint", checkpoint is not None),
            ("--metrics", metrics is not None),
            ("--project", project is not None),
            ("--format", options.format is not None),
            ("--dtd", dtd is not None),
            ("--replay-speed", options.replay is not None),
        )
        for name, given in given_here:
            if given:
                raise typer.BadParameter("this option cannot be used with --on spark", param_hint=name)
        from .spark_run import run_on_spark

        run_on_spark(source, options, run_limits(time_limit, memory_limit), master, partitions, conf or ())
