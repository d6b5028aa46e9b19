"""Where the query comes from: a file, `-q`, or standard input; and what `-v`, `--var-file` and `-i` bind to it."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import typer

from xylem.errors import DynamicError, InputError
from xylem.source.limits import DEFAULT_LIMITS, MOST_NUMBER, Limits

from .byte_size import in_bytes

if TYPE_CHECKING:
    from xylem.source.byte_source import ByteSource
    from xylem.values.node import Node

STANDARD_INPUT = "-"
MOST_BYTES = 100_000_000
"""The length of a query; a device or pipe may never end."""
_SUFFIXES = (".xq", ".xql", ".xqy", ".xqm", ".xquery")
"""Endings of query files: a `-q` text that ends like this was meant as a file name."""
_NAME = re.compile(r"\$?((?:Q\{[^{}]*\})?[^\W\d][\w.-]*(?::[^\W\d][\w.-]*)?)")


@dataclass(frozen=True)
class QuerySource:
    """A query text, its name in errors, and the base URI for relative URIs."""

    text: str
    name: str
    base_uri: str
    namespaces: Mapping[str, str] = field(default_factory=dict)
    """Prefixes from options; '' is the default element namespace."""

    @property
    def folder(self) -> Path:
        """The directory for library modules with a relative location."""
        return Path.cwd() if self.name == "query" else Path(self.name).resolve().parent


def query_source(file: Path | None, text: str | None) -> QuerySource:
    """The query that the arguments name; exactly one of file and text must be given."""
    if (file is None) == (text is None):
        raise typer.BadParameter("give a query file, or the query text with -q", param_hint="QUERY")
    if text is not None:
        return QuerySource(text, "query", Path.cwd().as_uri() + "/")
    assert file is not None
    if str(file) == STANDARD_INPUT:
        data = _text_of(sys.stdin.buffer, "standard input")
        return QuerySource(decoded(data, "standard input"), "query", Path.cwd().as_uri() + "/")
    try:
        with file.open("rb") as opened:
            data = _text_of(opened, str(file))
    except OSError as reason:
        hint = "" if file.suffix in _SUFFIXES else "a query itself is given with -q: xylem run -q 'count(//x)' -i FILE"
        raise InputError("XYIN0002", f"{file}: {reason.strerror}", hint=hint) from reason
    return QuerySource(decoded(data, str(file)), str(file), file.resolve().as_uri())


def _text_of(file: BinaryIO, name: str) -> bytes:
    data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise InputError("XYIN0002", f"{name}: a query has at most {MOST_BYTES:,} bytes")
    return data


_ENCODING = re.compile(rb"""\s*xquery\s+(?:version\s+["'][^"']*["']\s+)?encoding\s+["']([\w.-]+)["']""")


def decoded(data: bytes, name: str) -> str:
    """The text of a query: UTF-16 or UTF-8 by its mark, else the encoding it declares, else UTF-8."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        encoding = "utf-16"
    elif data[:3] == b"\xef\xbb\xbf":
        encoding = "utf-8-sig"
    else:
        declared = _ENCODING.match(data)
        encoding = declared[1].decode("ascii") if declared else "utf-8"
    try:
        return data.decode(encoding)
    except (UnicodeDecodeError, LookupError) as reason:
        raise InputError("XYIN0002", f"{name}: the query is not {encoding}: {reason}") from reason


def variables(values: Iterable[str], documents: Iterable[str]) -> dict[str, Any]:
    """The bindings of `-v name=value` (untyped values) and `--var-file name=doc.xml` (documents)."""
    from xylem.values.strings import UntypedAtomic

    bound: dict[str, Any] = {}
    for option, pairs in (("-v", values), ("--var-file", documents)):
        for pair in pairs:
            name, equals, value = split_pair(pair)
            if not equals:
                raise typer.BadParameter(f"{pair!r} is not NAME=VALUE", param_hint=option)
            bound[name] = UntypedAtomic(value) if option == "-v" else document(value).node
    return bound


def split_pair(pair: str) -> tuple[str, str, str]:
    """NAME=VALUE in three parts; the last two are empty without a `=`."""
    found = _NAME.match(pair)
    if found is None or not pair.startswith("=", found.end()):
        return pair, "", ""
    return found[1], "=", pair[found.end() + 1 :]


STDIN_URI = "file:///dev/stdin"


def input_source(
    place: str, limits: Limits = DEFAULT_LIMITS, *, finely: bool = False, entities: Mapping[str, str] | None = None
) -> ByteSource:
    """The bytes of a streamed input; `finely` gives small pieces, for a finer plot. `entities` come from a DTD that the
    user gave.
    """
    from xylem.source.byte_source import ByteSource

    source = ByteSource.of(place, limits.decompression_ratio)
    if place == STANDARD_INPUT:
        source.uri = STDIN_URI
    if entities:
        from xylem.source.supplied_entities import SuppliedEntities

        source = SuppliedEntities(source, entities)
    if finely:
        from xylem.run.stream.plot import in_small_pieces

        return in_small_pieces(source)
    return source


def given_entities(dtd: Path | None, schema: Path | None, *, allow_dtd: bool) -> dict[str, str]:
    """The entities of a DTD that the user gave, by itself or as a schema."""
    if dtd is not None and not allow_dtd:
        raise typer.BadParameter("this option contradicts --no-dtd", param_hint="--dtd")
    chosen = dtd or (schema if schema is not None and schema.suffix.lower() == ".dtd" else None)
    if chosen is None or not allow_dtd:
        return {}
    from xylem.source.supplied_entities import entities_of

    return entities_of(chosen)


@dataclass(frozen=True)
class InputDocument:
    """A document read from an input."""

    node: Node
    input_bytes: int
    """Its size, after decompression."""


def document(
    place: str,
    limits: Limits = DEFAULT_LIMITS,
    sound: Callable[[ByteSource], ByteSource] | None = None,
    entities: Mapping[str, str] | None = None,
) -> InputDocument:
    """The document in a file, or on standard input for `-`, compressed or not. `sound` skips malformed records."""
    from xylem import api

    with input_source(place, limits, entities=entities) as source:
        data = b"".join(_within(source if sound is None else sound(source), limits.buffered_bytes))
    try:
        return InputDocument(api.parse(data, uri=source.uri, limits=limits), len(data))
    except InputError as error:
        raise source.located(error) from error.__cause__


def _within(chunks: Iterable[bytes], limit_bytes: int) -> Iterator[bytes]:
    """The bytes of a document that becomes a tree, counted against the limit for buffers."""
    read = 0
    for chunk in chunks:
        read += len(chunk)
        if read > limit_bytes:
            why = f"the whole tree of the input, which has more than {limit_bytes:,} bytes"
            raise DynamicError("XYDY0005", why)
        yield chunk


def output_parameters(pairs: Iterable[str]) -> dict[str, str]:
    """The parameters of `--output-param name=value`."""
    return _settings(pairs, "--output-param")


def spark_settings(pairs: Iterable[str]) -> dict[str, str]:
    """The settings of `--conf name=value`."""
    return _settings(pairs, "--conf")


def _settings(pairs: Iterable[str], option: str) -> dict[str, str]:
    settings = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals:
            raise typer.BadParameter(f"{pair!r} is not NAME=VALUE", param_hint=option)
        settings[name] = value
    return settings


def limits_of(pairs: Iterable[str], *, allow_dtd: bool = True, buffer_limit: str | None = None) -> Limits:
    """The limits with the values of `--limit name=number` and `--buffer-limit size`."""
    changed: dict[str, int] = {}
    known = {limit.name for limit in fields(Limits) if limit.type == "int"}
    for pair in pairs:
        name, _, value = pair.partition("=")
        name = name.replace("-", "_")
        if name not in known or not value.isdecimal():
            names = ", ".join(sorted(name.replace("_", "-") for name in known))
            raise typer.BadParameter(f"{pair!r} is not NAME=NUMBER with one of {names}", param_hint="--limit")
        # Conversion of longer numbers is refused by Python itself.
        if len(value) > 30 or (number := int(value)) > MOST_NUMBER:
            raise typer.BadParameter(f"{pair!r}: at most {MOST_NUMBER:,}", param_hint="--limit")
        changed[name] = number
    if buffer_limit is not None:
        changed["buffered_bytes"] = in_bytes(buffer_limit, "--buffer-limit")
    return replace(DEFAULT_LIMITS, allow_dtd=allow_dtd, **changed)
