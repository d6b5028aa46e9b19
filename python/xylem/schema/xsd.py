"""XML Schemas, read by the `xmlschema` package."""

from __future__ import annotations

from pathlib import Path

from xylem.errors import InputError, SourceText

from .declared_schema import DeclaredSchema


def xsd_schema(source: SourceText, path: Path | None, root: str | None) -> DeclaredSchema:
    """The schema of an XSD."""
    raise InputError("XYIN0022")
