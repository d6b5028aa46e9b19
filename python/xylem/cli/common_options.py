"""Options that several commands have: each is declared once, with the help that all of them show."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

QUERY = "Query"
INPUT = "Input"
OUTPUT = "Output"


class Runner(StrEnum):
    """What runs a query."""

    LOCAL = "local"
    SPARK = "spark"


QueryFile = Annotated[
    Path | None,
    typer.Argument(metavar="QUERY.xq", help="File with the query; `-` is standard input.", show_default=False),
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
        help="Input document: a file, directory, pattern, zip archive or URL; `-` is standard input. With several "
        "documents, a leading `/` means each of them and `collection()` all. `FILE?frames=lines` has a document in "
        "each line; with `frames=length` four bytes before each say its length; with `frames=netconf`, `]]>]]>` ends "
        "each.",
        rich_help_panel=INPUT,
    ),
]
Variables = Annotated[
    list[str] | None,
    typer.Option(
        "-v",
        "--var",
        metavar="NAME=VALUE",
        help="Set an external variable to an untyped value. NAME is `local`, `prefix:local` or `Q{uri}local`.",
        rich_help_panel=INPUT,
    ),
]
VariableFiles = Annotated[
    list[str] | None,
    typer.Option(
        "--var-file", metavar="NAME=DOC.xml", help="Set an external variable to a document.", rich_help_panel=INPUT
    ),
]
Items = Annotated[
    list[str] | None,
    typer.Option(
        "--items",
        metavar="NAME=DOC.xml",
        help='Feed a variable declared `as T**`, or `stream("NAME")`, with the elements below the root of a '
        "document, one by one as they arrive; `-` is standard input.",
        rich_help_panel=INPUT,
    ),
]
Allowed = Annotated[
    list[Path] | None,
    typer.Option(
        "--allow",
        metavar="DIR",
        help="Allow `doc()`, `unparsed-text()` and similar functions to read this directory. By default they read "
        "nothing.",
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
        help="Run this Python file, which registers functions with `@xylem.function` and `@xylem.aggregate`.",
        rich_help_panel=QUERY,
    ),
]
OutputFile = Annotated[
    Path | None,
    typer.Option("-o", "--output", metavar="FILE", help="Write the result to this file.", rich_help_panel=OUTPUT),
]
OutputParameters = Annotated[
    list[str] | None,
    typer.Option(
        "--output-param",
        metavar="NAME=VALUE",
        help="Set a serialization parameter such as `method=json` or `indent=yes`; it overrides the query's own.",
        rich_help_panel=OUTPUT,
    ),
]
STREAM = "Streaming"
SPARK = "Execution"

Stream = Annotated[
    bool | None,
    typer.Option(
        "--stream/--no-stream",
        help="Stream the input, or load it as a tree. By default the input streams if the query allows it; "
        "`--stream` makes it an error if it does not.",
        show_default=False,
        rich_help_panel=STREAM,
    ),
]
SchemaFile = Annotated[
    Path | None,
    typer.Option(
        "--schema",
        metavar="FILE",
        help="DTD or XML Schema that the input conforms to. Xylem buffers less where it fixes order and number.",
        rich_help_panel=STREAM,
    ),
]
