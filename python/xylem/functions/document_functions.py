"""Documents, collections and texts from outside the query (F&O 3.1 §14.6 and §14.8), and XML in strings (§14.9)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from xylem.errors import DynamicError, XylemError
from xylem.values.node import Node
from xylem.values.strings import AnyURI
from xylem.values.uri import is_absolute, resolve
from xylem.values.xml_characters import first_illegal

from .context import Context
from .registry import function

# Characters that no URI reference contains, even one with characters still to be escaped.
_NOT_IN_URIS = re.compile(r'%(?![0-9A-Fa-f]{2})|[\x00-\x1f<>"{}|\\^`]|^:|^[^/?#:]*[^A-Za-z0-9+.\-/?#:][^/?#:]*:')
_LINE_END = re.compile(r"\r\n|\r|\n")


def _absolute(reference: str, ctx: Context, invalid: str, unavailable: str) -> str:
    """The reference resolved against the static base URI, or an error with one of the two codes."""
    if _NOT_IN_URIS.search(reference):
        raise DynamicError(invalid, f"{reference!r} is not a URI")
    if is_absolute(reference):
        return reference
    if ctx.static.base_uri is None:
        raise DynamicError(unavailable, f"{reference!r} is relative, and there is no base URI to resolve it with")
    return resolve(reference, ctx.static.base_uri)


@function("fn:doc", "xs:string?", "document-node()?", context=True)
def doc(ctx: Context, uri: str | None) -> Node | None:
    if uri is None:
        return None
    return ctx.run.resources.document(_absolute(uri, ctx, "FODC0005", "FODC0002"))


@function("fn:doc-available", "xs:string?", "xs:boolean", context=True)
def doc_available(ctx: Context, uri: str | None) -> bool:
    if uri is None:
        return False
    try:
        doc(ctx, uri)
    except XylemError:
        return False
    return True


@function("fn:collection", "xs:string?", "item()*", context=True)
def collection(ctx: Context, uri: str | None = None) -> list[Any]:
    return ctx.run.resources.collection(_collection_uri(ctx, uri))


@function("fn:uri-collection", "xs:string?", "xs:anyURI*", context=True)
def uri_collection(ctx: Context, uri: str | None = None) -> list[AnyURI]:
    return [AnyURI(found) for found in ctx.run.resources.collection_uris(_collection_uri(ctx, uri))]


def _collection_uri(ctx: Context, uri: str | None) -> str | None:
    return None if uri is None else _absolute(uri, ctx, "FODC0004", "FODC0002")


@function("fn:unparsed-text", "xs:string?, xs:string", "xs:string?", context=True)
def unparsed_text(ctx: Context, uri: str | None, encoding: str | None = None) -> str | None:
    if uri is None:
        return None
    text = resource_text(ctx, uri, encoding)
    bad = first_illegal(text)
    if bad is not None:
        raise DynamicError("FOUT1190", f"the character U+{ord(bad):04X} is not one XML allows")
    return text


def resource_text(ctx: Context, uri: str, encoding: str | None = None) -> str:
    """The text at a URI, whatever its characters."""
    if "#" in uri:
        raise DynamicError("FOUT1170", f"{uri!r} has a fragment identifier")
    return ctx.run.resources.text(_absolute(uri, ctx, "FOUT1170", "FOUT1170"), encoding)


@function("fn:unparsed-text-lines", "xs:string?, xs:string", "xs:string*", context=True)
def unparsed_text_lines(ctx: Context, uri: str | None, encoding: str | None = None) -> Sequence[str]:
    text = unparsed_text(ctx, uri, encoding)
    if not text:
        return ()
    lines = _LINE_END.split(text)
    return lines if lines[-1] else lines[:-1]


@function("fn:unparsed-text-available", "xs:string?, xs:string", "xs:boolean", context=True)
def unparsed_text_available(ctx: Context, uri: str | None, encoding: str | None = None) -> bool:
    if uri is None:
        return False
    try:
        unparsed_text(ctx, uri, encoding)
    except XylemError:
        return False
    return True


@function("fn:parse-xml", "xs:string?", "document-node(element(*))?", context=True)
def parse_xml(ctx: Context, text: str | None) -> Node | None:
    from xylem.source.xml_reader import read_document

    if text is None:
        return None
    entity = ctx.run.resources.entity
    return read_document(text, base_uri=ctx.static.base_uri, resolve_entity=entity, code="FODC0006")


@function("fn:parse-xml-fragment", "xs:string?", "document-node()?", context=True)
def parse_xml_fragment(ctx: Context, text: str | None) -> Node | None:
    from xylem.source.xml_reader import read_fragment

    if text is None:
        return None
    return read_fragment(text, base_uri=ctx.static.base_uri, code="FODC0006")
