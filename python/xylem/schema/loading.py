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
_SCHEMA_FILES = frozenset({".dtd", ".xsd", ".ent", ".mod"})
MOST_BYTES_BEFORE_ROOT = 1_000_000
"""Most bytes of a document before its root, including the DOCTYPE."""


def load_schema(schema: str | Path, *, root: str | None = None) -> DeclaredSchema:
    """A schema from a file, or from a text that holds markup.

    A schema may refer to other local files by relative paths; nothing else is ever read. A document gives the schema of
    its DOCTYPE. `root` names the first element of documents, if the schema does not; without it, any declared element
    is allowed.

    >>> load_schema("<!ELEMENT book (title, author*)>").element("book").ordered("title", "author")
    True
    """
    if isinstance(schema, str) and "<" in schema:
        return _of_text(SourceText(schema, "schema"), None, root)
    path = Path(schema)
    if path.suffix.lower() in _SCHEMA_FILES:
        return _of_text(SourceText(_decoded(_bytes_of(path)), str(path)), path, root)
    found = document_schema(_bytes_of(path, MOST_BYTES_BEFORE_ROOT), path, root=root)
    if found is None:
        raise InputError("XYIN0020", f"{path} has no DOCTYPE with declarations of elements")
    return found


def document_schema(start: bytes, path: Path | None = None, *, root: str | None = None) -> DeclaredSchema | None:
    """The schema in a document's own first bytes; None if its DOCTYPE declares no elements.

    An external subset is read only if it is a file in the document's directory or below.
    """
    text = _decoded(start, is_cut=True)
    source = SourceText(text, str(path) if path else "document")
    dtd = read_doctype(source, _beside(path, is_trusted=False) if path is not None else None)
    if dtd is None or not dtd.elements:
        return None
    return dtd_schema(dtd, root)


def _of_text(source: SourceText, path: Path | None, root: str | None) -> DeclaredSchema:
    if (path is not None and path.suffix.lower() == ".xsd") or _XSD_NAMESPACE in source.text:
        from .xsd import xsd_schema

        return xsd_schema(source, path, root)
    read_entity = _beside(path, is_trusted=True) if path is not None else None
    dtd = read_doctype(source, read_entity) if _DOCTYPE in source.text else None
    if dtd is None:
        dtd = read_dtd(source, read_entity)
    if not dtd.elements:
        raise InputError("XYIN0020", f"{source.name} declares no element")
    if root is not None and root not in dtd.elements:
        raise InputError("XYIN0020", f"{source.name} declares no element '{root}'")
    return dtd_schema(dtd, root)


def _beside(path: Path, *, is_trusted: bool) -> ReadEntity:
    """Reads entities by paths relative to a file; those of a document, which is data, from below its directory only."""
    directory = path.resolve().parent

    def read(system_id: str) -> tuple[str, str] | None:
        if "://" in system_id or Path(system_id).is_absolute():
            return None
        target = (directory / system_id).resolve()
        if not target.is_file() or not (is_trusted or target.is_relative_to(directory)):
            return None
        return _decoded(_bytes_of(target)), str(path.parent / system_id)

    return read


def _bytes_of(path: Path, most: int = -1) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(most)
    except OSError as reason:
        raise InputError("XYIN0002", f"{path}: {reason.strerror}") from reason


def _decoded(data: bytes, *, is_cut: bool = False) -> str:
    codec = encoding_mark(data) or known_codec(declared_encoding(data) or "utf-8")
    try:
        # Only the start of a document was read, and the last character may be incomplete.
        return data.decode(codec, "replace" if is_cut else "strict").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeError as reason:
        raise InputError("XYIN0007", f"the schema is not {codec}: {reason}") from reason
