"""`xylem schema`: the facts of a schema, in the words of plans."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .command_app import command_app
from .failures import reported

if TYPE_CHECKING:
    from xylem.schema import AutomatonConstraints, DeclaredSchema

app = command_app("schema", "Show what a DTD or an XML Schema guarantees about documents.")


class Format(StrEnum):
    """How facts are written."""

    TEXT = "text"
    JSON = "json"


@app.callback()
def _all_commands() -> None:
    """A single command would take the place of the group."""


@app.command(
    epilog="""Examples:

`xylem schema show books.dtd`

`xylem schema show books.dtd book`

`xylem schema show invoice.xsd Invoice --format json`

For an element, it prints the content model, how often each child occurs, which children always come before which others
(this order lets a query stream without buffers), and the attributes."""
)
@reported()
def show(
    schema: Annotated[
        Path, typer.Argument(metavar="SCHEMA", help="A `.dtd` or `.xsd` file, or a document with a DOCTYPE.")
    ],
    element: Annotated[
        str | None,
        typer.Argument(
            metavar="ELEMENT",
            help="Name of an element: `book`, or `Q{uri}book`. Default: all elements.",
            show_default=False,
        ),
    ] = None,
    format: Annotated[Format, typer.Option("--format", help="Text for people, or JSON for programs.")] = Format.TEXT,
) -> None:
    """Show the elements of a schema, or the constraints of one element."""
    from xylem.schema import load_schema

    loaded = load_schema(schema)
    if element is None:
        lines, facts = _list(loaded)
    else:
        lines, facts = _details(_found(loaded, element, schema))
    if format is Format.JSON:
        import json

        typer.echo(json.dumps(facts, indent=2, ensure_ascii=False))
    else:
        typer.echo("\n".join(lines))


def _list(schema: DeclaredSchema) -> tuple[list[str], object]:
    from xylem.schema.description import written

    every = [one for name in schema.names for one in schema.declarations(name)]
    width = min(max(len(one.name) for one in every), 30)
    facts = [{"element": one.name, "namespace": one.declaration.uri, "content": written(one.content)} for one in every]
    return [f"{one.name:<{width}}  {written(one.content)}" for one in every], facts


def _details(found: list[AutomatonConstraints]) -> tuple[list[str], object]:
    from xylem.schema.description import description, description_lines

    lines: list[str] = []
    for one in found:
        lines += [*([""] if lines else []), *description_lines(one)]
    facts = [description(one) for one in found]
    return lines, facts[0] if len(facts) == 1 else facts


def _found(schema: DeclaredSchema, element: str, path: Path) -> list[AutomatonConstraints]:
    from xylem.errors import InputError
    from xylem.schema.symbols import symbol

    name = symbol(element)
    found = schema.declarations(name.local or element, name.uri)
    if not found:
        from difflib import get_close_matches

        near = get_close_matches(element, schema.names, 3)
        hint = f"did you mean {' or '.join(near)}?" if near else f"xylem schema show {path} lists its elements"
        raise InputError("XYIN0020", f"{path} declares no element '{element}'", hint=hint)
    return found
