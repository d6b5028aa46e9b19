"""The options of `xylem explain` and what its `--help` teaches."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from .command_app import command_app
from .common_options import FunctionFiles, QueryFile, QueryText, Runner, SchemaFile
from .failures import reported

app = command_app()


class GraphFormat(StrEnum):
    """How a graph is written."""

    TEXT = "text"
    DOT = "dot"
    SVG = "svg"


class Format(StrEnum):
    """How an explanation is written."""

    TEXT = "text"
    JSON = "json"


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
    source: Annotated[
        str | None,
        typer.Option(
            "--source",
            metavar="STREAM",
            help="With --network SITE@PEER: the stream that the query reads, if it does not name one.",
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

        explain_in_network(query_source(query, text), network, source)
        return
    if source is not None:
        raise typer.BadParameter("it names a stream of a network: give --network SITE@PEER", param_hint="--source")
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
