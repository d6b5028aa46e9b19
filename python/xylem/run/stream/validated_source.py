"""Validate an input during its scan: the same bytes, up to the first violation (thesis §3.7.1).

Expat sees each chunk just before the scanner does. At a violation, the scanner still gets the bytes before it, so that
all complete results are delivered; then the error follows, with its place.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from xylem.errors import InputError
from xylem.schema.declared_schema import DeclaredSchema
from xylem.schema.validator import Validator, Violation
from xylem.source.byte_source import ByteSource

_BETWEEN = "\n"
"""Separates namespace and local name; no name contains it."""


class ValidatedSource(ByteSource):
    """A byte source that ends in XYIN0021 if it does not follow a schema.

    Holds:  one small record per open element.
    """

    def __init__(self, source: ByteSource, schema: DeclaredSchema, only: Collection[str] | None = None) -> None:
        """`only` names the elements whose content is checked: all by default."""
        super().__init__((), name=source.name, uri=source.uri, size=source.size, close=source.close)
        self._source = source
        self._validator = Validator(schema, only)

    def __iter__(self) -> Iterator[bytes]:
        comparison = _Comparison(self._validator)
        for chunk in self._source:
            self.position = self._source.position
            safe = comparison.feed(chunk)
            yield chunk[:safe]
            if comparison.error is not None:
                raise comparison.error


class _Comparison:
    """Feeds a validator from expat's events."""

    def __init__(self, validator: Validator) -> None:
        import pyexpat

        self.error: InputError | None = None
        self._validator = validator
        self._start = 0
        self._safe = 0
        self._is_well_formed = True
        self._broken = pyexpat.ExpatError
        parser = self._parser = pyexpat.ParserCreate(namespace_separator=_BETWEEN)
        parser.ordered_attributes = True
        parser.buffer_text = True
        parser.StartElementHandler = self._on_start
        parser.EndElementHandler = lambda name: self._tell(validator.end())
        parser.CharacterDataHandler = lambda data: self._tell(validator.text(data))
        # With a handler, expat does not expand entities: their content is not checked, and entity bombs stay inert.
        parser.DefaultHandler = lambda data: None

    def feed(self, chunk: bytes) -> int:
        """Check a chunk; return the length of the part before the first violation."""
        self._safe = len(chunk)
        if self._is_well_formed:
            try:
                self._parser.Parse(chunk, False)
            except (self._broken, UnicodeError, ValueError, LookupError):
                # The scanner will find the error too, with a better message.
                self._is_well_formed = False
        self._start += len(chunk)
        return self._safe

    def _on_start(self, name: str, attributes: list[str]) -> None:
        uri, _, local = name.rpartition(_BETWEEN)
        self._tell(self._validator.start(local, uri, list(_attributes(attributes))))

    def _tell(self, violation: Violation | None) -> None:
        if violation is None or self.error is not None:
            return
        parser: Any = self._parser
        place = f", at line {parser.CurrentLineNumber}, column {parser.CurrentColumnNumber + 1}"
        self.error = violation.error(f"{place} (byte {parser.CurrentByteIndex})")
        self._safe = max(0, parser.CurrentByteIndex - self._start)


def _attributes(flat: list[str]) -> Iterator[tuple[str, str, str]]:
    for index in range(0, len(flat), 2):
        uri, _, local = flat[index].rpartition(_BETWEEN)
        yield uri, local, flat[index + 1]
