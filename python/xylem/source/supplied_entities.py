"""Entities of a DTD that the user gave, for documents that refer to them: `&uuml;` of DBLP's external `dblp.dtd`.

Xylem never fetches an external DTD. If the user names one (`--dtd FILE`), its entities are inserted into the internal
subset of the document while it streams, on one line, so that every reader knows them and applies its own limits. Places
in messages refer to the original document.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any
from xml.parsers import expat

from xylem.errors import InputError

from .byte_source import ByteSource

MOST_ENTITIES = 10_000
MOST_CHARACTERS = 1_000_000
PROLOG_BYTES = 1 << 20
"""A longer prolog is not searched."""
_SKIPPED = re.compile(rb"\s+|<\?.*?\?>|<!--.*?-->", re.DOTALL)
# The last alternatives are beginnings of incomplete tokens.
_UNFINISHED = (b"<!--", b"<?", b'"', b"'")
_IN_SUBSET = re.compile(rb"<!--.*?-->|<\?.*?\?>|\"[^\"]*\"|'[^']*'|\]|<!--|<\?|[\"']", re.DOTALL)
_IN_DOCTYPE = re.compile(rb"\"[^\"]*\"|'[^']*'|\[|>|[\"']")
_PREDEFINED = frozenset({"amp", "lt", "gt", "quot", "apos"})


def entities_of(dtd: Path) -> dict[str, str]:
    """The general entities that a DTD declares, with their replacement texts. No other file is read."""
    try:
        modified = dtd.stat().st_mtime_ns
    except OSError as error:
        raise InputError("XYIN0002", error.strerror or str(error), source=str(dtd)) from error
    return _entities_of(dtd, modified)


@cache
def _entities_of(dtd: Path, modified: int) -> dict[str, str]:
    found: dict[str, str] = {}

    def declared(name: str, is_parameter: bool, value: str | None, *_: Any) -> None:
        if is_parameter or value is None or name in found or name in _PREDEFINED:
            return
        found[name] = value
        if len(found) > MOST_ENTITIES or sum(map(len, (value, *found.values()))) > MOST_CHARACTERS:
            why = f"entities: more than {MOST_ENTITIES:,}, or of more than {MOST_CHARACTERS:,} characters"
            raise InputError("XYIN0004", why, source=str(dtd))

    parser = expat.ParserCreate()
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_ALWAYS)
    parser.EntityDeclHandler = declared
    is_read = False

    def external(context: str, base: str | None, system: str | None, public: str | None) -> int:
        nonlocal is_read
        if not is_read:
            is_read = True
            inner = parser.ExternalEntityParserCreate(context)
            inner.Parse(dtd.read_bytes(), True)
        return 1

    parser.ExternalEntityRefHandler = external
    try:
        parser.Parse(b'<!DOCTYPE x SYSTEM "given"><x/>', True)
    except expat.ExpatError as error:
        raise InputError("XYIN0020", f"{dtd}: {error}") from error
    return found


def declarations(entities: Mapping[str, str]) -> bytes:
    """The declarations of entities, in ASCII and without a line break."""
    return b"".join(
        f'<!ENTITY {name} "{_literal(value)}">'.encode("ascii", "xmlcharrefreplace") for name, value in entities.items()
    )


def _literal(value: str) -> str:
    """A replacement text as a literal that stands for exactly it."""
    return re.sub(r'[&%"\x00-\x1f]', lambda found: f"&#{ord(found[0])};", value)


class SuppliedEntities(ByteSource):
    """A byte source whose document declares some more entities.

    Holds:  the prolog of the document, until its end is seen.
    """

    def __init__(self, source: ByteSource, entities: Mapping[str, str]) -> None:
        again = (lambda: SuppliedEntities(source.again(), entities)) if source.can_be_read_again else None
        super().__init__((), name=source.name, uri=source.uri, size=source.size, close=source.close, again=again)
        self._source = source
        self._declarations = declarations(entities)
        self._inserted_at: int | None = None
        self._inserted_line = 0
        self._length = 0

    def __iter__(self) -> Iterator[bytes]:
        self._source.before_waiting = self.before_waiting
        prolog: bytes | None = b""
        for chunk in self._source:
            self.position = self._source.position
            if prolog is None:
                yield chunk
                continue
            prolog += chunk
            found = _place_for(prolog)
            if found is None and len(prolog) < PROLOG_BYTES:
                continue
            yield self._with_declarations(prolog, found)
            prolog = None
        if prolog:
            yield prolog

    def _with_declarations(self, prolog: bytes, found: tuple[int, str] | None) -> bytes:
        self.head = prolog[:PROLOG_BYTES]
        if found is None:
            return prolog
        offset, around = found
        added = around.encode().replace(b"*", self._declarations)
        self._inserted_at, self._length = offset, len(added)
        self._inserted_line = prolog.count(b"\n", 0, offset) + 1
        return prolog[:offset] + added + prolog[offset:]

    def located(self, error: InputError) -> InputError:
        """The error with its place in the original document."""
        place, at = error.place, self._inserted_at
        if place is not None and at is not None and place.byte_offset >= at:
            column = place.column
            if column is not None and place.line == self._inserted_line:
                column = max(1, column - self._length)
            offset = max(at, place.byte_offset - self._length)
            error = error.located(error.source or self.name or "", replace(place, byte_offset=offset, column=column))
        return self._source.located(error)


def _place_for(prolog: bytes) -> tuple[int, str] | None:
    """The place for declarations, and the text around them; None if the prolog is not complete yet."""
    if prolog[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in prolog[:4]:
        raise InputError("XYIN0007", "a DTD cannot supply entities for a document in UTF-16")
    position = 3 if prolog.startswith(b"\xef\xbb\xbf") else 0
    while skipped := _SKIPPED.match(prolog, position):
        position = skipped.end()
    rest = prolog[position : position + 9]
    if len(rest) < 9 and b"<!DOCTYPE".startswith(rest):
        return None
    if rest != b"<!DOCTYPE":
        if rest.startswith((b"<?", b"<!--")):
            return None
        return position, "<!DOCTYPE given [*]>"
    for token in _IN_DOCTYPE.finditer(prolog, position + 9):
        if token[0] in _UNFINISHED:
            return None
        if token[0] == b">":
            return token.start(), " [*]"
        if token[0] == b"[":
            return _end_of_subset(prolog, token.end())
    return None


def _end_of_subset(prolog: bytes, position: int) -> tuple[int, str] | None:
    """The end of an internal subset: the document's own declarations come first, and count."""
    for token in _IN_SUBSET.finditer(prolog, position):
        if token[0] in _UNFINISHED:
            return None
        if token[0] == b"]":
            return token.start(), "*"
    return None
