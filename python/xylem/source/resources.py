"""Documents, texts, collections and modules by URI: those registered, and files in allowed places.

Reading is stable: within one `FileResources` the same URI always gives the same node and the same text (F&O 3.1
§14.6.1). Nothing is ever fetched from the network.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fnmatch import fnmatchcase
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from xylem.errors import InputError
from xylem.values.node import DOCUMENT, Node
from xylem.values.uri import split

from .allowed_places import AllowedPlaces
from .decompression import LONGEST_MAGIC, is_compressed
from .limits import DEFAULT_LIMITS, Limits
from .root_element import HEAD_BYTES
from .text_decoding import decode_text
from .xml_reader import read_document


class TextSource(NamedTuple):
    """A text by its content or file, with external information about it."""

    content: bytes | str | PathLike[str]
    encoding: str | None = None
    media_type: str | None = None


class FileResources:
    """Implements `functions.context.Resources`."""

    def __init__(
        self,
        allow: Iterable[str | PathLike[str]] = (),
        *,
        limits: Limits = DEFAULT_LIMITS,
        read_external_entities: bool = False,
    ) -> None:
        """`allow`: directories and files that may be read, including external DTDs and entities if enabled."""
        self.places = AllowedPlaces(allow)
        self.limits = limits
        self._reads_entities = read_external_entities
        self._documents: dict[str, Node | bytes | str | PathLike[str]] = {}
        self._texts: dict[str, TextSource] = {}
        self._decoded: dict[tuple[str, str | None], str] = {}
        self._collections: dict[str, Sequence[Any] | Callable[[], Sequence[Any]]] = {}
        self._modules: dict[str, bytes | str | PathLike[str]] = {}

    # --- registering

    def add_document(self, uri: str, source: Node | bytes | str | PathLike[str]) -> None:
        """A document for a URI: a node, or XML (or a path to it) that is read on first use."""
        self._documents[uri] = source

    def add_text(
        self,
        uri: str,
        content: bytes | str | PathLike[str],
        encoding: str | None = None,
        media_type: str | None = None,
    ) -> None:
        self._texts[uri] = TextSource(content, encoding, media_type)

    def add_collection(self, uri: str | None, items: Sequence[Any] | Callable[[], Sequence[Any]]) -> None:
        """A collection by absolute URI, None or '' for the default one; a function is called on first use."""
        self._collections[uri or ""] = items

    def add_module(self, location: str, content: bytes | str | PathLike[str]) -> None:
        self._modules[location] = content

    # --- the interface for functions

    def document(self, uri: str) -> Node:
        found = self._documents.get(uri)
        if isinstance(found, Node):
            return found
        if found is None:
            bare = uri.partition("#")[0]
            if bare != uri and bare in self._documents:
                return self.document(bare)
            found = self.places.path(bare, "FODC0002")
        if isinstance(found, PathLike):
            found = _content(found, uri, "FODC0002")
        node = read_document(found, uri, limits=self.limits, resolve_entity=self.entity, code="FODC0002")
        self._documents[uri] = node
        return node

    def unread_file(self, uri: str) -> Path | None:
        """The file of a document that has not been read and needs nothing external; None for any other document."""
        found = self._documents.get(uri)
        if isinstance(found, (Node, bytes, str)) or "#" in uri:
            return None
        try:
            path = self.places.path(uri, "FODC0002") if found is None else Path(found)
            with path.open("rb") as file:
                head = file.read(HEAD_BYTES)
        except (InputError, OSError):
            # Its reader reports the error.
            return None
        is_plain = path.is_file() and not is_compressed(head[:LONGEST_MAGIC]) and head.lstrip()[:1] == b"<"
        return path if is_plain and b"<!DOCTYPE" not in head else None

    def collection(self, uri: str | None) -> list[Any]:
        key = uri or ""
        found = self._collections.get(key)
        if found is None:
            if not key:
                raise InputError("FODC0002", "there is no default collection", hint="pass one: collection=[…]")
            found = [self.document(member) for member in self._members(key)]
        items = list(found() if callable(found) else found)
        self._collections[key] = items
        return items

    def collection_uris(self, uri: str | None) -> list[str]:
        """fn:uri-collection: the URIs of a collection's documents, without reading them."""
        found = self._collections.get(uri or "")
        if found is None and uri:
            return self._members(uri)
        items = self.collection(uri)
        uris = [item.tree.document_uri for item in items if isinstance(item, Node) and item.kind == DOCUMENT]
        return [known for known in uris if known is not None]

    def _members(self, uri: str) -> list[str]:
        """The files of a directory: `dir/?select=*.xml`, with `;recurse=yes` those below it too."""
        parts = split(uri)
        path = self.places.path(uri.partition("?")[0], "FODC0002")
        if not path.is_dir():
            raise InputError("FODC0002", f"{uri} is neither a collection nor a directory")
        options = dict(part.partition("=")[::2] for part in (parts.query or "").replace("&", ";").split(";"))
        pattern = options.get("select", "*.xml")
        files = path.rglob("*") if options.get("recurse") == "yes" else path.iterdir()
        return [file.as_uri() for file in sorted(files) if file.is_file() and fnmatchcase(file.name, pattern)]

    def text(self, uri: str, encoding: str | None) -> str:
        if (uri, encoding) not in self._decoded:
            self._decoded[uri, encoding] = self._read_text(uri, encoding)
        return self._decoded[uri, encoding]

    def _read_text(self, uri: str, encoding: str | None) -> str:
        source = self._texts.get(uri)
        if source is None:
            known = self._documents.get(uri)
            if known is not None and not isinstance(known, Node):
                source = TextSource(known)
            else:
                source = TextSource(self.places.path(uri, "FOUT1170"))
        content = source.content
        if isinstance(content, str):
            return content
        data = _content(content, uri, "FOUT1170") if isinstance(content, PathLike) else content
        return decode_text(data, encoding, source.encoding, source.media_type)

    def module_text(self, uri: str) -> str:
        content = self._modules.get(uri)
        if content is None:
            content = self.places.path(uri, "XQST0059")
        if isinstance(content, str):
            return content
        data = _content(content, uri, "XQST0059") if isinstance(content, PathLike) else content
        return decode_text(data, None)

    def entity(self, uri: str) -> bytes | None:
        if not self._reads_entities:
            return None
        known = self._texts.get(uri)
        if known is not None:
            content = known.content
            if isinstance(content, PathLike):
                return _content(content, uri, "FODC0002")
            return content if isinstance(content, bytes) else content.encode()
        try:
            return self.places.read(uri, "FODC0002")
        except InputError:
            return None


def _content(path: PathLike[str], uri: str, code: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise InputError(code, f"{uri}: {error.strerror}") from error
