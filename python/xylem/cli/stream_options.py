"""The options of `xylem stream` and what its `--help` teaches."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from .command_app import command_app
from .common_options import (
    INPUT,
    OUTPUT,
    Allowed,
    FunctionFiles,
    OutputParameters,
    QueryText,
    VariableFiles,
    Variables,
)
from .duration import time_limit_seconds
from .event_time_option import EventTimePath, LatePolicy, Watermark
from .failures import reported
from .history_options import (
    ChangesOption,
    DeletePath,
    KeepTime,
    KeepVersions,
    KeyPath,
    RecordPath,
    TimePath,
    Updates,
    VersionPath,
)
from .project_option import Project, listed
from .replay_option import ReplaySpeed, ReplayTime
from .route_option import StreamRoutes, routes_of
from .run_limits import LIMITS, run_limits

app = command_app()

SPARK = "How it runs"


class Changed(StrEnum):
    """How to handle a file that changed before it was read."""

    TELL = "tell"
    STOP = "stop"


class Report(StrEnum):
    """When answers that change are written."""

    AUTO = "auto"
    CHANGES = "changes"
    FINAL = "final"


@app.command(
    epilog="""Examples:

`xylem stream alerts.xq --input dir:incoming --output dir:alerts --checkpoint state`

`xylem stream vela.xq rxj.xq --input tcp://satellite:7000 --output console --checkpoint state`

`xylem stream -q 'count(collection()//order)' --input kafka://broker:9092/orders --output console --checkpoint state`

When you start it again with the same checkpoint, it continues where it stopped and repeats no result. docs/spark.md has
the details.

Exit codes: 0 the input ended or you stopped the query (Ctrl-C), 1 an error in the query, 2 a wrong option, 3 unreadable
input."""
)
@reported()
def stream(
    queries: Annotated[
        list[Path] | None,
        typer.Argument(metavar="QUERY.xq...", help="Files with queries; all share the input.", show_default=False),
    ] = None,
    text: QueryText = None,
    functions: FunctionFiles = None,
    inputs: Annotated[
        list[str] | None,
        typer.Option(
            "-i",
            "--input",
            metavar="PLACE",
            help="`dir:PATH` documents that appear in a directory (also `dir:PATH/*.xml`); `file:PATH` one document "
            "that grows; `tcp://HOST:PORT` or `-` (standard input) one endless document, or messages (`?frames=lines`, "
            "`stdin:?frames=lines`); `kafka://HOST:PORT/TOPIC` messages. Default: `-`. Two inputs are joined: "
            '`NAME=PLACE` is `stream("NAME")` in the query.',
            rich_help_panel=INPUT,
        ),
    ] = None,
    within: Annotated[
        str | None,
        typer.Option(
            "--within",
            metavar="TIME",
            help="Maximum time between the arrivals of two items that join.",
            rich_help_panel=INPUT,
        ),
    ] = None,
    output: Annotated[
        str,
        typer.Option(
            "-o",
            "--output",
            metavar="PLACE",
            help="`dir:PATH` a file for each batch; `file:PATH` one file that grows; `console`; `kafka://HOST:PORT/TOPIC`.",
            rich_help_panel=OUTPUT,
        ),
    ] = "console",
    route: StreamRoutes = None,
    checkpoint: Annotated[
        Path,
        typer.Option("--checkpoint", metavar="DIR", help="Directory for progress and state.", rich_help_panel=SPARK),
    ] = ...,  # type: ignore[assignment]  # it must be given
    trigger: Annotated[
        str,
        typer.Option(
            "--trigger",
            metavar="TIME",
            help="Time between batches (`500ms`, `1s`). `available-now` reads what is there and stops; `once` does so "
            "in one batch.",
            rich_help_panel=SPARK,
        ),
    ] = "1s",
    on_malformed: Annotated[
        str,
        typer.Option(
            "--on-malformed",
            metavar="POLICY",
            help="How to handle records that fail: `stop`, `skip` and count them, or write them to `dead-letter=DIR`.",
            rich_help_panel=INPUT,
        ),
    ] = "stop",
    on_changed: Annotated[
        Changed,
        typer.Option(
            "--on-changed",
            help="How to handle a file that changed after it was found and before it was read: read it as it is and "
            "report it, or stop the query.",
            rich_help_panel=INPUT,
        ),
    ] = Changed.TELL,
    time_limit: Annotated[
        float | None,
        typer.Option(
            "--time-limit",
            parser=time_limit_seconds,
            metavar="SECONDS",
            help="Maximum time for one document, such as `30` or `5m`. `--on-malformed` decides what happens to "
            "one that takes longer.",
            show_default=False,
            rich_help_panel=LIMITS,
        ),
    ] = None,
    memory_limit: Annotated[
        str | None,
        typer.Option(
            "--memory-limit",
            metavar="SIZE",
            help="Maximum memory of a task while it evaluates one document, such as `2GB`.",
            show_default=False,
            rich_help_panel=LIMITS,
        ),
    ] = None,
    event_time: EventTimePath = None,
    watermark: Watermark = None,
    late: LatePolicy = None,
    replay_speed: ReplaySpeed = None,
    replay_time: ReplayTime = None,
    settle: Annotated[
        str,
        typer.Option(
            "--settle",
            metavar="TIME",
            help="Read a file only after it has not changed for this long.",
            rich_help_panel=INPUT,
        ),
    ] = "0s",
    report: Annotated[
        Report,
        typer.Option(
            "--report",
            help="For answers that change, such as counts: write every change, or only the final answer. By default "
            "the console shows changes and other outputs get the final answer.",
            rich_help_panel=OUTPUT,
        ),
    ] = Report.AUTO,
    metrics: Annotated[
        Path | None,
        typer.Option("--metrics", metavar="FILE", help="Append a line of JSON per batch.", rich_help_panel=OUTPUT),
    ] = None,
    project: Project = None,
    var: Variables = None,
    var_file: VariableFiles = None,
    allow: Allowed = None,
    output_param: OutputParameters = None,
    limit: Annotated[
        list[str] | None,
        typer.Option("--limit", metavar="NAME=NUMBER", help="As for `xylem run`.", rich_help_panel=INPUT),
    ] = None,
    no_dtd: Annotated[
        bool, typer.Option("--no-dtd", help="Refuse inputs with a document type declaration.", rich_help_panel=INPUT)
    ] = False,
    batch_size: Annotated[
        str,
        typer.Option("--batch-size", metavar="SIZE", help="Maximum size of one batch.", rich_help_panel=SPARK),
    ] = "64MB",
    batch_files: Annotated[
        int,
        typer.Option(
            "--batch-files",
            min=1,
            metavar="NUMBER",
            help="Maximum number of files in one batch. Results appear after each batch.",
            rich_help_panel=SPARK,
        ),
    ] = 5_000,
    state_limit: Annotated[
        str,
        typer.Option(
            "--state-limit", metavar="SIZE", help="Maximum size of the state that answers keep.", rich_help_panel=SPARK
        ),
    ] = "256MB",
    master: Annotated[
        str | None,
        typer.Option("--master", metavar="URL", help="Spark master; by default this machine.", rich_help_panel=SPARK),
    ] = None,
    conf: Annotated[
        list[str] | None,
        typer.Option("--conf", metavar="NAME=VALUE", help="Set a Spark property.", rich_help_panel=SPARK),
    ] = None,
    updates: Updates = None,
    changes: ChangesOption = None,
    keep_versions: KeepVersions = None,
    keep_time: KeepTime = None,
    record: RecordPath = None,
    key: KeyPath = None,
    time: TimePath = None,
    version_path: VersionPath = None,
    delete: DeletePath = None,
    partitions: Annotated[
        int | None,
        typer.Option(
            "--partitions",
            metavar="N",
            min=1,
            help="Number of tasks for keyed windows, fixed by the first batch; by default one per core.",
            show_default=False,
            rich_help_panel=SPARK,
        ),
    ] = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", help="Write nothing to standard error.", rich_help_panel=OUTPUT)
    ] = False,
) -> None:
    """Run queries over an input that never ends, on Spark. Each result is written once, as soon as it is final.

    A path from the root applies to each document separately; `collection()` stands for all documents of the stream.
    Over one endless document, both mean that document.
    """
    from .function_files import load_functions
    from .query_source import limits_of
    from .stream_command import StreamArguments, stream_queries

    load_functions(functions)
    with listed(project, queries or [], inputs or ["-"], "stream", metrics) as figures:
        stream_queries(
            StreamArguments(
                queries or [],
                text,
                inputs or ["-"],
                output,
                checkpoint,
                within=within,
                trigger=trigger,
                on_malformed=on_malformed,
                on_changed=on_changed.value,
                run_limits=run_limits(time_limit, memory_limit),
                metrics=figures,
                report=report.value,
                values=var or [],
                documents=var_file or [],
                allowed=allow or [],
                output_parameters=output_param or [],
                master=master,
                config=conf or [],
                batch_size=batch_size,
                batch_files=batch_files,
                state_limit=state_limit,
                settle=settle,
                quiet=quiet,
                event_time=event_time,
                watermark=watermark,
                late=late,
                replay_speed=replay_speed,
                replay_time=replay_time,
                partitions=partitions,
                updates=updates,
                changes=changes,
                routes=routes_of(route or ()),
                paths={"record": record, "key": key, "time": time, "version-path": version_path, "delete": delete},
                keep={"versions": keep_versions, "time": keep_time},
                limits=limits_of(limit or (), allow_dtd=not no_dtd),
            )
        )
