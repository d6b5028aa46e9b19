"""`xylem publish`, `subscribe`, `unsubscribe`, `subscriptions`, `sources`: requests to a running site."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import typer

from xylem.errors import InputError

from .query_source import STANDARD_INPUT, query_source

if TYPE_CHECKING:
    from xylem.network.site_client import SiteClient

DEFAULT_SITE = Path(".xylem-site")
_PIECE_BYTES = 1 << 16


_ADDRESS = re.compile(r"(https?):/+")


def client(site: Path, token_file: Path | None = None) -> SiteClient:
    """A site by its directory, or by its address and a file with a token."""
    from xylem.network.site_client import SiteClient

    try:
        token = None if token_file is None else token_file.read_text().strip()
    except OSError as reason:
        raise InputError("XYIN0002", f"{reason.filename}: {reason.strerror}") from reason
    # As a path, an address has lost one of its slashes.
    address = _ADDRESS.sub(r"\1://", str(site)) if _ADDRESS.match(str(site)) else None
    return SiteClient(site if address is None else address, token)


def publish(
    name: str,
    places: list[str],
    asked: SiteClient,
    schema: Path | None,
    format: str,
    record: str,
    virtual: str | None,
    sites: str | None,
) -> None:
    """Add the records of files, or of standard input, to a stream."""
    if schema is not None:
        from xylem.schema import load_schema

        load_schema(schema)
        body = {"ending": schema.suffix, "text": schema.read_text(encoding="utf-8")}
        asked.ask("PUT", f"/sources/{quote(name)}/schema", body)
    if sites is not None:
        listed_sites = [one.strip() for one in sites.split(",") if one.strip()]
        asked.ask("PUT", f"/sources/{quote(name)}/sites", {"sites": listed_sites})
    if virtual is not None:
        made = asked.ask("POST", f"/virtual/{quote(virtual)}", {"stream": name})
        typer.echo(f"{name} is part of {virtual}, which is put together at {made['at']}", err=True)
    for place in places:
        found = asked.publish(name, _records(place, format, record))
        typer.echo(f"{found['records']:,} records; the stream has {found['position']:,}", err=True)


def _records(place: str, format: str, record: str) -> Iterator[bytes]:
    """The bytes of an input as an XML document; records of other formats are converted."""
    endings = {".csv": "csv", ".json": "json", ".jsonl": "json", ".ndjson": "json"}
    kind = format if format != "auto" else endings.get(Path(place).suffix.lower(), "xml")
    if kind == "xml":
        return _chunks(place)
    from xylem.network.wrappers import wrapped

    return wrapped(_chunks(place), kind, record)


def _chunks(place: str) -> Iterator[bytes]:
    if place == STANDARD_INPUT:
        # Send data as soon as it arrives: the rest may come much later.
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
    file: Path | None,
    text: str | None,
    name: str,
    source: str | None,
    start: str,
    output: str | None,
    asked: SiteClient,
    at: str | None,
) -> None:
    """Subscribe a query; with an output, write its answer as it arrives."""
    query = query_source(file, text)
    made = asked.subscribe(name, query.text, source, start, at)
    typer.echo(f"{name}: {made['source']} from position {made['from']}", err=True)
    for line in made.get("told", ()):
        typer.echo(line, err=True)
    if output is not None:
        follow(asked, name, output)


def follow(asked: SiteClient, name: str, output: str) -> None:
    """Write an answer as it arrives; a file that already has a part of it gets the rest."""
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
    """Print a list as a table or as JSON."""
    if as_json:
        import json

        typer.echo(json.dumps(rows, indent=2, ensure_ascii=False))
        return
    lines = [list(columns.values())]
    lines += [["" if row.get(key) is None else str(row[key]) for key in columns] for row in rows]
    widths = [max(len(line[at]) for line in lines) for at in range(len(columns))]
    for line in lines:
        typer.echo("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())
