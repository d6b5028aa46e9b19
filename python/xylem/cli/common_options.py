"""Options that several commands have: each is declared once, with the help that all of them show."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

QUERY = "Which query"
INPUT = "What it reads"
OUTPUT = "What it writes"

QueryFile = Annotated[
    Path | None,
    typer.Argument(metavar="QUERY.xq", help="The file with the query; `-` is standard input.", show_default=False),
]
QueryText = Annotated[
    str | None,
    typer.Option("-q", "--query", metavar="TEXT", help="The query itself.", rich_help_panel=QUERY),
]
Inputs = Annotated[
    list[str] | None,
    typer.Option(
        "-i",
        "--input",
        metavar="DOC.xml",
        help="The document the query starts from; `-` is standard input. With several of them, by a directory or a "
        "pattern too, a leading `/` means each, and `collection()` all.",
        rich_help_panel=INPUT,
    ),
]
Variables = Annotated[
    list[str] | None,
    typer.Option(
        "-v",
        "--var",
        metavar="NAME=VALUE",
        help="An external variable, as an untyped value. NAME is `local`, `prefix:local` or `Q{uri}local`.",
        rich_help_panel=INPUT,
    ),
]
VariableFiles = Annotated[
    list[str] | None,
    typer.Option(
        "--var-file", metavar="NAME=DOC.xml", help="An external variable, as a document.", rich_help_panel=INPUT
    ),
]
Items = Annotated[
    list[str] | None,
    typer.Option(
        "--items",
        metavar="NAME=DOC.xml",
        help="A variable declared `as T**`, or a `stream(\"NAME\")`: the elements below the root of a document, "
        "one after the other as they arrive; `-` is standard input.",
        rich_help_panel=INPUT,
    ),
]
Allowed = Annotated[
    list[Path] | None,
    typer.Option(
        "--allow",
        metavar="DIR",
        help="A directory that `doc()`, `unparsed-text()` and their like may read. Without it they read nothing.",
        rich_help_panel=INPUT,
    ),
]
AllowEnvironment = Annotated[
    bool, typer.Option("--allow-env", help="Let the query see environment variables.", rich_help_panel=INPUT)
]
FunctionFiles = Annotated[
    list[Path] | None,
    typer.Option(
        "--functions",
        metavar="FILE.py",
        help="Python functions for the query: the file is executed, and registers them with `@xylem.function` and "
        "`@xylem.aggregate`.",
        rich_help_panel=QUERY,
    ),
]
OutputFile = Annotated[
    Path | None,
    typer.Option("-o", "--output", metavar="FILE", help="Write there, not to standard output.", rich_help_panel=OUTPUT),
]
OutputParameters = Annotated[
    list[str] | None,
    typer.Option(
        "--output-param",
        metavar="NAME=VALUE",
        help="A serialization parameter such as `method=json` or `indent=yes`; it goes before the query's own.",
        rich_help_panel=OUTPUT,
    ),
]
STREAM = "How it streams"
SPARK = "Where it runs"

Stream = Annotated[
    bool | None,
    typer.Option(
        "--stream/--no-stream",
        help="Answer while the one input streams by, or from its tree in memory. By default it streams where "
        "the query can be answered so; with `--stream` it is an error where it cannot.",
        show_default=False,
        rich_help_panel=STREAM,
    ),
]
SchemaFile = Annotated[
    Path | None,
    typer.Option(
        "--schema",
        metavar="FILE",
        help="A DTD or an XML Schema that the input follows: what it proves need not be buffered.",
        rich_help_panel=STREAM,
    ),
]
