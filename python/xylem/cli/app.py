"""The commands and what their `--help` teaches. Each one hands over to its own file as soon as it knows what to do."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from xylem.version import VERSION

from .answer_format import Format as AnswerFormatOption
from .answer_format import checked_format
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
    SchemaFile,
    Stream,
    VariableFiles,
    Variables,
)
from .event_time_option import EventTimePath, LatePolicy, Watermark, event_time_of, late_items_of
from .failures import debug as show_tracebacks
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
from .replay_option import ReplaySpeed, ReplayTime, replay_of
from .route_option import Routes, routes_of
from .run_limits import MemoryLimit, TimeLimit, run_limits, within_limits

app = typer.Typer(
    name="xylem",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="XQuery 3.1 over XML that is huge or never ends.",
    epilog="Start with: `xylem run -q '1 to 3'`, then `xylem run --help`.",
)


class Scanner(StrEnum):
    """What scans the input."""

    AUTO = "auto"
    KERNEL = "kernel"
    PYTHON = "python"


class Validation(StrEnum):
    """What is compared with the schema."""

    FULL = "full"
    LAZY = "lazy"


class Statistics(StrEnum):
    """How figures are told."""

    TEXT = "text"
    JSON = "json"


class Runner(StrEnum):
    """What carries a run."""

    LOCAL = "local"
    SPARK = "spark"


class GraphFormat(StrEnum):
    """How a graph is written."""

    TEXT = "text"
    DOT = "dot"
    SVG = "svg"


class Format(StrEnum):
    """How an explanation is written."""

    TEXT = "text"
    JSON = "json"


class CheckFormat(StrEnum):
    """How errors of queries are written."""

    TEXT = "text"
    JSON = "json"
    GITHUB = "github"
    SARIF = "sarif"


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"xylem {VERSION}")
        raise typer.Exit


@app.callback()
def _all_commands(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show Python tracebacks, for work on Xylem itself.")] = False,
) -> None:
    show_tracebacks(debug)


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
            help="Save progress in this file. After an interruption, the same command continues. Needs `-i` and `-o`.",
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
            "Items that a best-match join keeps go there, too, beyond half of what `--memory-limit` leaves, or beyond "
            "`--buffer-limit`.",
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
        output_param or [],
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
        # There is nothing to replay where a tree is built first.
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
        if history is not None:
            from .history_run import run_over_updates

            with limited, run_metrics(metrics) as told:
                run_over_updates(source, replace(options, metrics=told), history)
            return
        with limited, run_metrics(metrics) as told, late_items_of(options.event_time, late_place) as late_items:
            run_query(source, replace(options, late_items=late_items, metrics=told))
    else:
        given_here = (
            ("--on-malformed", on_malformed != "stop"),
            ("--checkpoint", checkpoint is not None),
            ("--metrics", metrics is not None),
            ("--format", options.format is not None),
            ("--dtd", dtd is not None),
            ("--replay-speed", options.replay is not None),
        )
        for name, given in given_here:
            if given:
                raise typer.BadParameter("this option cannot be used with --on spark", param_hint=name)
        from .spark_run import run_on_spark

        run_on_spark(source, options, run_limits(time_limit, memory_limit), master, partitions, conf or ())


@app.command(
    epilog="""Examples:

`xylem check report.xq && echo fine`

`xylem check queries/*.xq --format github`"""
)
@reported()
def check(
    queries: Annotated[
        list[Path] | None,
        typer.Argument(metavar="QUERY.xq...", help="Files with queries; `-` is standard input.", show_default=False),
    ] = None,
    text: QueryText = None,
    functions: FunctionFiles = None,
    format: Annotated[
        CheckFormat,
        typer.Option("--format", help="Text for people, JSON for programs, annotations for GitHub, or SARIF."),
    ] = CheckFormat.TEXT,
    updates: Annotated[
        bool, typer.Option("--updates", help="Check for runs over update streams, where `/a/name#1` is a version.")
    ] = False,
) -> None:
    """Find the static errors of queries without running them: grammar, names, arities, types.

    Each query is checked up to its first error. The exit code is 1 if any has one.
    """
    from .check_queries import check_queries
    from .function_files import load_functions
    from .query_source import query_source

    load_functions(functions)
    sources = [query_source(file, None) for file in queries or ()]
    if text is not None or not sources:
        sources.append(query_source(None, text))
    check_queries(sources, format.value, over_updates=updates)


@app.command(epilog="Example: `xylem shell -i dump.xml.bz2`")
@reported()
def shell(
    place: Annotated[
        str | None, typer.Option("-i", "--input", metavar="DOC.xml", help="The document that queries start from.")
    ] = None,
) -> None:
    """Try queries one after another, with history, completion and `:explain`."""
    from xylem.interactive.shell import run_shell

    run_shell(place)


@app.command(epilog="Example: `xylem console`, then open the address that it prints.")
@reported()
def console(
    host: Annotated[str, typer.Option("--host", help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", help="Port to listen on.")] = 8480,
    token: Annotated[
        str | None, typer.Option("--token", help="Require this token; needed beyond this machine.")
    ] = None,
    certificate: Annotated[
        Path | None, typer.Option("--tls-cert", metavar="FILE", help="TLS certificate, needed beyond this machine.")
    ] = None,
    key: Annotated[Path | None, typer.Option("--tls-key", metavar="FILE", help="Key of the TLS certificate.")] = None,
    project: Annotated[
        Path,
        typer.Option(
            "--project", metavar="DIR", help="Directory with the queries and inputs of runs.", show_default="."
        ),
    ] = Path(),
) -> None:
    """Try queries in a browser and watch runs.

    The playground underlines errors and says what each line does. Runs show their result as it changes, their figures,
    their plan and their dead letters.
    """
    from .console_command import run_console

    run_console(host, port, token, certificate, key, project)


@app.command("language-server")
@reported()
def language_server() -> None:
    """Serve an editor: errors, hints and completion by the Language Server Protocol on standard input and output."""
    from xylem.interactive.language_server import serve

    serve()


@app.command(
    epilog="""Examples:

`xylem explain report.xq --schema report.dtd`

`xylem explain report.xq --on spark`

`xylem explain report.xq --plan svg > plan.svg`

`xylem explain report.xq --graph svg > report.svg`

`xylem explain -q 'for $x in 1 to 3 return $x * 2' --code`"""
)
@reported()
def explain(
    query: QueryFile = None,
    text: QueryText = None,
    functions: FunctionFiles = None,
    schema: SchemaFile = None,
    format: Annotated[Format, typer.Option("--format", help="Text for people, or JSON for programs.")] = Format.TEXT,
    code: Annotated[bool, typer.Option("--code", help="Also print the generated Python code.")] = False,
    ast: Annotated[bool, typer.Option("--ast", help="Also print the syntax tree.")] = False,
    graph: Annotated[
        GraphFormat | None,
        typer.Option(
            "--graph",
            help="Print only the data flow graph: what depends on what, and what one pass computes together.",
        ),
    ] = None,
    plan: Annotated[
        GraphFormat | None,
        typer.Option("--plan", help="Print only the operators: what runs, where, and what each keeps at most."),
    ] = None,
    on: Annotated[
        Runner, typer.Option("--on", help="Explain a run in one process, or how Spark divides the query into tasks.")
    ] = Runner.LOCAL,
    network: Annotated[
        str | None,
        typer.Option(
            "--network",
            metavar="FILE@PEER",
            help="Explain what the query would share with the subscriptions of a network, if it is asked at this peer.",
            show_default=False,
        ),
    ] = None,
    updates: Annotated[
        bool,
        typer.Option("--updates", help="Explain a run over update streams: what updates cost, what is kept."),
    ] = False,
) -> None:
    """Explain how a query runs, line by line: what streams, what is buffered, for how long and how much."""
    from .explain_query import explain_distribution, explain_graph, explain_plan, explain_query
    from .function_files import load_functions
    from .query_source import query_source

    load_functions(functions)
    if network is not None:
        from .network_plan import explain_in_network

        explain_in_network(query_source(query, text), network)
        return
    if updates:
        from .explain_query import explain_updates

        explain_updates(query_source(query, text), as_json=format is Format.JSON)
        return
    if on is Runner.SPARK:
        for name, given in (("--schema", schema), ("--code", code), ("--ast", ast), ("--graph", graph)):
            if given:
                raise typer.BadParameter("this option cannot be used with --on spark", param_hint=name)
        if plan is not None:
            explain_plan(query_source(query, text), None, plan.value, on_spark=True)
            return
        explain_distribution(query_source(query, text), as_json=format is Format.JSON)
        return
    if graph is not None:
        explain_graph(query_source(query, text), graph.value)
        return
    if plan is not None:
        explain_plan(query_source(query, text), schema, plan.value, on_spark=False)
        return
    explain_query(query_source(query, text), schema, as_json=format is Format.JSON, with_code=code, with_ast=ast)


@app.command()
@reported()
def doctor() -> None:
    """Show versions, and which optional parts are installed or missing.

    The exit code is 1 if a required package is missing.
    """
    from .doctor import missing_packages, report

    for line in report():
        typer.echo(line)
    if missing_packages():
        raise typer.Exit(1)


@app.command(
    add_help_option=False,
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []},
)
@reported()
def bench(context: typer.Context) -> None:
    """Generate data and run benchmarks: `xylem bench --help` lists them."""
    from xylem.bench.cli import app as bench_app

    bench_app(args=context.args, prog_name="xylem bench")


@app.command(
    add_help_option=False,
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []},
)
@reported()
def schema(context: typer.Context) -> None:
    """Show what a schema guarantees about documents: `xylem schema --help`."""
    from .schema_command import app as schema_app

    schema_app(args=context.args, prog_name="xylem schema")


@app.command(
    add_help_option=False,
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []},
)
@reported()
def stream(context: typer.Context) -> None:
    """Run queries over an input that never ends, on Spark: `xylem stream --help`."""
    from .stream_options import app as stream_app

    stream_app(args=context.args, prog_name="xylem stream")


@app.command(
    add_help_option=False,
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []},
)
@reported()
def network(context: typer.Context) -> None:
    """Run queries that share streams: `xylem network --help`."""
    from .network_command import app as network_app

    network_app(args=context.args, prog_name="xylem network")


@app.command(
    add_help_option=False,
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []},
)
@reported()
def publish(context: typer.Context) -> None:
    """Add records to a stream that others subscribe to: `xylem publish --help`."""
    from .site_options import app as site_app

    site_app(args=["publish", *context.args], prog_name="xylem")


@app.command(
    add_help_option=False,
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []},
)
@reported()
def subscribe(context: typer.Context) -> None:
    """Subscribe a query to a stream of a site: `xylem subscribe --help`."""
    from .site_options import app as site_app

    site_app(args=["subscribe", *context.args], prog_name="xylem")


@app.command(
    add_help_option=False,
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []},
)
@reported()
def unsubscribe(context: typer.Context) -> None:
    """End a subscription."""
    from .site_options import app as site_app

    site_app(args=["unsubscribe", *context.args], prog_name="xylem")


@app.command(
    add_help_option=False,
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []},
)
@reported()
def subscriptions(context: typer.Context) -> None:
    """List the subscriptions of a site."""
    from .site_options import app as site_app

    site_app(args=["subscriptions", *context.args], prog_name="xylem")


@app.command(
    add_help_option=False,
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []},
)
@reported()
def sources(context: typer.Context) -> None:
    """List the streams of a site."""
    from .site_options import app as site_app

    site_app(args=["sources", *context.args], prog_name="xylem")


@app.command(
    add_help_option=False,
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []},
)
@reported()
def peers(context: typer.Context) -> None:
    """List the peers of the network that a site is part of."""
    from .site_options import app as site_app

    site_app(args=["peers", *context.args], prog_name="xylem")
