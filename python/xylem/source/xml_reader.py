"""Reading XML: bytes in, a document node out, or an error with its place in the input.

The kernel reads documents, if it is built and nothing external is needed. Otherwise expat does, which checks
well-formedness, normalises line ends and attribute values, and never recurses on depth; then we handle namespaces,
limits and the tree (`tree_loader.py`), and restrict document types (`doctype.py`).
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from functools import cache
from os import PathLike
from pathlib import Path
from typing import BinaryIO

from xylem.errors import InputError
from xylem.values.node import Node
from xylem.values.tree_interface import TreeInterface

from .decompression import LONGEST_MAGIC, decompressed, is_compressed
from .doctype import DoctypeHandlers, ResolveEntity
from .encodings import LONGEST_DECLARATION, codec_beyond_kernel, shown, xml_encoding
from .limits import DEFAULT_LIMITS, Limits
from .tree_loader import TreeLoader

_WRAPPER = b"<_>"
# An external parsed entity may begin with a text declaration: the encoding is required, the version is not.
_TEXT_DECLARATION = re.compile(
    r"""<\?xml(?:\s+version\s*=\s*(?:"1\.[0-9]+"|'1\.[0-9]+'))?\s+encoding\s*=\s*(?:"[A-Za-z][\w.\-]*"|'[A-Za-z][\w.\-]*')\s*\?>"""
)
_AMPLIFICATION_LIMIT = 43  # XML_ERROR_AMPLIFICATION_LIMIT_BREACH
_UNKNOWN_ENCODING, _INCORRECT_ENCODING = 18, 19
_RECURSIVE_ENTITY = 12
_BUFFER_CHARACTERS = 65_536
SMALL_BYTES = 1 << 16
"""A document up to this size is read by a reader that knows the names of earlier ones."""


def read_document(
    source: bytes | str | PathLike[str] | BinaryIO,
    uri: str | None = None,
    *,
    base_uri: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
    strip_space: bool = False,
    resolve_entity: ResolveEntity | None = None,
    code: str = "XYIN0001",
    reader: str = "auto",
) -> Node:
    """The document node of an XML document.

    The source is the XML itself, as bytes or text, or a path or open binary file to read it from; bytes may be
    compressed. Text is already decoded, whatever its declaration says. `uri` becomes the document URI and, unless
    `base_uri` says otherwise, the base URI; a path has its own. With `strip_space`, text of white space alone is
    dropped. `code` is the caller's error code for malformed input, if it has one. `reader` is kernel, python, or auto
    for the best available: the kernel makes trees of `values/compact_tree.py`, Python the reference, `values/tree.py`.
    """
    by_kernel = uses_kernel(reader)
    if isinstance(source, PathLike):
        content: bytes | str = _file_content(Path(source))
        uri = uri or Path(source).absolute().as_uri()
    else:
        content = source if isinstance(source, (bytes, str)) else source.read()
    try:
        if isinstance(content, bytes) and is_compressed(content[:LONGEST_MAGIC]):
            content = b"".join(decompressed([content], limits.decompression_ratio))
        if resolve_entity is not None and _may_name_entities(content):
            by_kernel = False
        return _read(content, uri, base_uri or uri, limits, strip_space, resolve_entity, by_kernel)
    except InputError as error:
        name = str(source) if isinstance(source, PathLike) else uri
        why = f"{name}: {error.why}" if name else error.why
        if code != "XYIN0001":
            raise InputError(code, f"{error.title}: {why}", hint=error.hint) from error
        raise error.located(name or "") from error.__cause__


def _may_name_entities(content: bytes | str) -> bool:
    """Whether a document may need something external: it has a document type, or its raw bytes cannot be searched."""
    if isinstance(content, str):
        return "<!DOCTYPE" in content
    start = content[:LONGEST_DECLARATION].removeprefix(codecs.BOM_UTF8).lstrip()
    return not start.startswith(b"<") or b"\0" in start or b"<!DOCTYPE" in content


def uses_kernel(reader: str) -> bool:
    """Whether the kernel reads. XYIN0010: it was requested, but is not built."""
    if reader not in ("auto", "kernel", "python"):
        raise ValueError(f"the reader is auto, kernel or python, not {reader!r}")
    # Imported here, because a query without a document needs no kernel: loading its dependencies takes a tenth of the
    # start.
    from .kernel import is_kernel_built

    if reader == "kernel" and not is_kernel_built():
        raise InputError("XYIN0010")
    return reader != "python" and is_kernel_built()


def _file_content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError("XYIN0002", error.strerror or str(error), source=str(path)) from error


def read_fragment(
    text: str, *, base_uri: str | None = None, limits: Limits = DEFAULT_LIMITS, code: str = "XYIN0001"
) -> Node:
    """A document node over well-formed content that need not have a single root (fn:parse-xml-fragment)."""
    declaration = _TEXT_DECLARATION.match(text)
    content = text[declaration.end() :] if declaration else text
    try:
        if content.startswith("<?xml") and content[5:6] in (" ", "\t", "\n", "\r"):
            raise InputError("XYIN0001", "a fragment has no XML declaration but for an encoding", hint="remove it")
        loader = _loader(b"", "utf-8", base_uri, limits, None, is_fragment=True)
        _parse(loader, [_WRAPPER, content.encode("utf-8", "surrogatepass"), b"</_>"], len(_WRAPPER))
    except InputError as error:
        raise InputError(code, error.message, hint=error.hint) from error
    tree = loader.finish()
    tree.base = base_uri
    return Node(tree, 0)


def _read(
    content: bytes | str,
    uri: str | None,
    base_uri: str | None,
    limits: Limits,
    strip_space: bool,
    resolve_entity: ResolveEntity | None,
    by_kernel: bool,
) -> Node:
    tree: TreeInterface | None = None
    if by_kernel and not strip_space and len(content) <= SMALL_BYTES:
        tree = _small_tree()(content, limits)
    if tree is not None:
        tree.base = base_uri
        tree.document_uri = uri
        return Node(tree, 0)
    data, encoding = _as_bytes(content, codec_beyond_kernel if by_kernel else xml_encoding)
    if by_kernel:
        from .kernel import read_tree

        tree = read_tree(data, limits, encoding=encoding, strip_space=strip_space)
    else:
        loader = _loader(data, encoding, base_uri, limits, resolve_entity)
        if strip_space:
            from .strip_space import drop_white_space

            drop_white_space(loader)
        _parse(loader, [data], 0)
        tree = loader.finish()
    tree.base = base_uri
    tree.document_uri = uri
    return Node(tree, 0)


@cache
def _small_tree() -> Callable[[bytes | str, Limits], TreeInterface | None]:
    # Imported here, because message_reader imports this module for the documents that it leaves.
    from .message_reader import small_tree

    return small_tree


def _as_bytes(content: bytes | str, codec_of: Callable[[bytes], str | None]) -> tuple[bytes, str | None]:
    """Bytes that the parser can read, and the encoding for it, which overrides the declaration.

    `codec_of` returns the codec for encodings that the parser cannot decode itself.
    """
    if isinstance(content, str):
        return content.removeprefix("\ufeff").encode("utf-8", "surrogatepass"), "utf-8"
    codec = codec_of(content[:LONGEST_DECLARATION])
    if codec is None:
        return content, None
    try:
        return content.decode(codec).encode("utf-8"), "utf-8"
    except UnicodeError as error:
        where = getattr(error, "start", None)
        place = "" if where is None else f", at byte {where}"
        raise InputError("XYIN0007", f"bytes that are not {codec}{place}") from error


def _loader(
    data: bytes,
    encoding: str | None,
    base_uri: str | None,
    limits: Limits,
    resolve_entity: ResolveEntity | None,
    is_fragment: bool = False,
) -> TreeLoader:
    from pyexpat import ParserCreate

    parser = ParserCreate(encoding)
    parser.buffer_text = True
    parser.buffer_size = _BUFFER_CHARACTERS
    parser.ordered_attributes = True
    if base_uri is not None:
        parser.SetBase(base_uri)
    loader = TreeLoader(parser, limits, is_fragment=is_fragment)
    loader.attach()
    DoctypeHandlers(loader, data, resolve_entity).attach()
    return loader


def _parse(loader: TreeLoader, pieces: list[bytes], shift: int) -> None:
    """Feed the parser; `shift` characters before the user's own text do not count in places."""
    from pyexpat import ExpatError

    parser = loader.parser
    try:
        for piece in pieces[:-1]:
            parser.Parse(piece, False)
        parser.Parse(pieces[-1], True)
    except (ExpatError, LookupError, ValueError, UnicodeError) as error:
        raise input_error(loader, error, shift) from error


def input_error(loader: TreeLoader, error: Exception, shift: int = 0) -> InputError:
    """The parser's error as an error of the catalogue with its place."""
    from pyexpat import ExpatError

    if not isinstance(error, ExpatError):
        # An unknown encoding name, or one whose characters take several bytes.
        return InputError("XYIN0007", shown(str(error)))
    column = error.offset - (shift if error.lineno == 1 else 0)
    place = loader.place(error.lineno, max(column, 0), max(loader.parser.ErrorByteIndex - shift, 0))
    return InputError(error_code(error.code), error_sentence(error.code), place=place)


def error_code(number: int) -> str:
    if number == _AMPLIFICATION_LIMIT:
        return "XYIN0004"
    return "XYIN0007" if number in (_UNKNOWN_ENCODING, _INCORRECT_ENCODING) else "XYIN0001"


def error_sentence(number: int) -> str:
    from pyexpat import ErrorString

    if number == _AMPLIFICATION_LIMIT:
        return "entities grow too much"
    if number == _RECURSIVE_ENTITY:
        return "an entity refers to itself"
    return ErrorString(number) or f"error {number}"
