"""The root element of a document from its first bytes: its name, its namespace, and the prefixes it declares."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

HEAD_BYTES = 1 << 16
"""If the root begins later than this, nothing is reported."""
_XMLNS = "xmlns"


@dataclass(frozen=True)
class RootElement:
    """The contents of the root's start tag."""

    name: str
    """As written, with its prefix."""
    namespaces: dict[str, str]
    """Prefix to URI; '' is the default namespace."""

    @property
    def uri(self) -> str:
        """The namespace of the root itself."""
        prefix, colon, _ = self.name.partition(":")
        return self.namespaces.get(prefix if colon else "", "")


class _Found(Exception):
    """Stops the parser at the first start tag."""


def root_element(head: bytes) -> RootElement | None:
    """The root at the beginning of a document; None if these bytes do not reach it, or are not XML."""
    # Imported here, since every source knows this file, and few need their root.
    from xml.parsers import expat

    found: list[RootElement] = []

    def start(name: str, attributes: dict[str, str]) -> None:
        declared = {
            key.partition(":")[2]: value
            for key, value in attributes.items()
            if key == _XMLNS or key.startswith(f"{_XMLNS}:")
        }
        found.append(RootElement(name, declared))
        raise _Found

    parser = expat.ParserCreate()
    parser.StartElementHandler = start
    with suppress(_Found, expat.ExpatError, ValueError, LookupError):
        parser.Parse(head[:HEAD_BYTES], False)
    return found[0] if found else None


def head_of(chunks: Iterable[bytes]) -> bytes:
    """The first bytes of an input that arrives in chunks."""
    head = b""
    for chunk in chunks:
        head += chunk
        if len(head) >= HEAD_BYTES:
            break
    return head[:HEAD_BYTES]
