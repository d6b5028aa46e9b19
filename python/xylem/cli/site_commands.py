"""`xylem publish`, `subscribe`, `unsubscribe`, `subscriptions`, `sources`: what is asked of a site that runs."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from xylem.errors import InputError

from .query_source import STANDARD_INPUT, query_source

if TYPE_CHECKING:
    from xylem.network.site_client import SiteClient

DEFAULT_SITE = Path(".xylem-site")
_PIECE_BYTES = 1 << 16


def client(site: Path) -> SiteClient:
    from xylem.network.site_client import SiteClient

    return SiteClient(site)


def publish(name: str, places: list[str], site: Path) -> None:
    """Add the records of files, or of standard input, to a stream."""
    for place in places:
        found = client(site).publish(name, _chunks(place))
        typer.echo(f"{found['records']:,} records; the stream has {found['position']:,}", err=True)


def _chunks(place: str) -> Iterator[bytes]:
    if place == STANDARD_INPUT:
        # As soon as something is there: the rest may be long in coming.
        number = sys.stdin.fileno()
        yield from iter(lambda: os.read(number, _PIECE_BYTES), b"")
        return
    from xylem.source.byte_source import ByteSource

    try:
        with ByteSource.of(Path(place)) as source:
            yield from source
    except OSError as reason:
        raise InputError("XYIN0002", f"{place}: {reason.strerror}") from reason


def subscribe(
    file: Path | None, text: str | None, name: str, source: str | None, start: str, output: str | None, site: Path
) -> None:
    """Subscribe a query; with an output, write its answer as it comes."""
    asked = client(site)
    query = query_source(file, text)
    made = asked.subscribe(name, query.text, source, start)
    typer.echo(f"{name}: {made['source']} from position {made['from']}", err=True)
    if output is not None:
        follow(asked, name, output)


def follow(asked: SiteClient, name: str, output: str) -> None:
    """Write an answer as it comes; a file that has some of it already gets the rest."""
    with ExitStack() as stack:
        if output == STANDARD_INPUT:
            target, after = sys.stdout.buffer, 0
        else:
            path = Path(output)
            after = path.stat().st_size if path.exists() else 0
            target = stack.enter_context(path.open("ab"))
        for _, piece in asked.results(name, after):
            target.write(piece.encode("utf-8"))
            target.flush()


def listed(rows: list[dict[str, Any]], columns: dict[str, str], as_json: bool) -> None:
    """Print what there is, as a table or as JSON."""
    if as_json:
        import json

        typer.echo(json.dumps(rows, indent=2, ensure_ascii=False))
        return
    lines = [list(columns.values())]
    lines += [["" if row.get(key) is None else str(row[key]) for key in columns] for row in rows]
    widths = [max(len(line[at]) for line in lines) for at in range(len(columns))]
    for line in lines:
        typer.echo("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())
