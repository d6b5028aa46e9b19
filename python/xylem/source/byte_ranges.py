"""Parts of one document that are documents themselves: what a task on Spark reads, and where a stopped run goes on.

A document is cut before an element that a *scope* leads to, never inside one. A cut point carries its exact context:
the prolog (encoding, entities) and the start tags of the open elements, with attributes and namespaces. The
bytes from one cut point to the next, between the context of the first and the end tags of the second, are well formed:

    opening of the first + bytes + closing of the second

so that a range is scanned by the ordinary scanner and has every item of the scope once, with its true ancestors.
"""

from __future__ import annotations

from dataclasses import dataclass

PathStep = tuple[str, str | None, str | None]
"""Axis (child or descendant), namespace URI, local name; None fits any."""
Scope = tuple[PathStep, ...]
"""The path from the document node to the elements before which a document may be cut."""


@dataclass(frozen=True)
class CutPoint:
    """A place in a document where it may be cut."""

    offset: int
    """In bytes of the input, after decompression."""
    line: int
    """The line of this place, from 1."""
    opening: bytes
    """Makes what follows a document: declaration and DOCTYPE as far as they matter, start tags of the open elements."""
    closing: bytes
    """Makes what precedes a document: the end tags of the open elements."""


@dataclass(frozen=True)
class ByteRange:
    """The bytes of a file from one cut point to another; None is the beginning or the end of the file."""

    path: str
    start: CutPoint | None = None
    end: CutPoint | None = None
