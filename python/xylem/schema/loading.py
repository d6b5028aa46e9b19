"""Reading a schema: from a `.dtd` or `.xsd` file, from the DOCTYPE of a document, or from text."""

from __future__ import annotations

from pathlib import Path

from xylem.errors import InputError, SourceText
from xylem.source.encodings import declared_encoding, encoding_mark, known_codec

from .declared_schema import DeclaredSchema, dtd_schema
from .dtd import read_doctype, read_dtd
from .dtd_source import ReadEntity

_DOCTYPE = "<!DOCTYPE"
_XSD_NAMESPACE = "http://www.w3.org/2001/XMLSchema"


def load_schema(schema: str | Path, *, root: str | None = None) -> DeclaredSchema:
    """A schema from a file, or from a text that holds markup.

    A `.dtd` may refer to other files in its directory and below; nothing else is ever read. A document with a DOCTYPE
    gives the schema of its internal subset. `root` names the element documents start with, where the schema does
    not say; without it, that may be any declared element.

    >>> load_schema("<!ELEMENT book (title, author*)>").element("book").ordered("title", "author")
    True
    """
    if isinstance(schema, str) and "<" in schema:
        return _of_text(SourceText(schema, "schema"), None, root)
    path = Path(schema)
    text = _decoded(_bytes_of(path))
    return _of_text(SourceText(text, str(path)), path, root)


def _of_text(source: SourceText, path: Path | None, root: str | None) -> DeclaredSchema:
    if (path is not None and path.suffix.lower() == ".xsd") or _XSD_NAMESPACE in source.text:
        from .xsd import xsd_schema

        return xsd_schema(source, path, root)
    read_entity = _beside(path) if path is not None else None
    dtd = read_doctype(source, read_entity) if _DOCTYPE in source.text else None
    if dtd is None:
        dtd = read_dtd(source, read_entity)
    if not dtd.elements:
        raise InputError("XYIN0020", f"{source.name} declares no element")
    if root is not None and root not in dtd.elements:
        raise InputError("XYIN0020", f"{source.name} declares no element '{root}'")
    return dtd_schema(dtd, root)


def _beside(path: Path) -> ReadEntity:
    """Reads entities from the directory of a schema and below, and from nowhere else."""
    directory = path.resolve().parent

    def read(system_id: str) -> tuple[str, str] | None:
        if "://" in system_id:
            return None
        target = (directory / system_id).resolve()
        if not target.is_relative_to(directory) or not target.is_file():
            return None
        return _decoded(_bytes_of(target)), str(path.parent / system_id)

    return read


def _bytes_of(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as reason:
        raise InputError("XYIN0002", f"{path}: {reason.strerror}") from reason


def _decoded(data: bytes) -> str:
    codec = encoding_mark(data) or known_codec(declared_encoding(data) or "utf-8")
    try:
        return data.decode(codec).replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeError as reason:
        raise InputError("XYIN0007", f"the schema is not {codec}: {reason}") from reason
