"""Parts of a display: the text of items, and whether a value stands at either end of it.

Values that follow each other in a sequence are separated by a space, whichever operators they come from; so a piece
knows whether it begins and ends with one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from xylem.sink.character_expansion import escape_attribute, escape_text, unchanged
from xylem.sink.output_buffer import OutputBuffer
from xylem.sink.plain_xml import PlainXml
from xylem.values.atomic import TYPE_OF_CLASS
from xylem.values.node import ATTRIBUTE, DOCUMENT, NAMESPACE, Node
from xylem.values.string_of import string_of

from .unit_notes import Unsuitable

__all__ = ["Piece", "PieceWriter", "joined"]


class Piece(NamedTuple):
    """The text of one or more items, each with what separates it from the one before."""

    parts: tuple[str, ...]
    begins_with_value: bool = False
    ends_with_value: bool = False

    @property
    def text(self) -> str:
        return self.parts[0] if len(self.parts) == 1 else "".join(self.parts)


class PieceWriter:
    """Writes items as XML, as they stand."""

    def __init__(self) -> None:
        self._buffer = OutputBuffer(lambda text: None)
        self._plain = PlainXml(self._buffer, escape_text, escape_attribute, unchanged)

    def piece(self, items: Sequence[Any]) -> Piece | None:
        """The piece of a sequence; None where it is empty."""
        if not items:
            return None
        texts: list[str] = []
        after_value = False
        for item in items:
            kind = type(item)
            if kind is Node:
                texts.append(self._node(item))
                after_value = False
            elif kind in TYPE_OF_CLASS:
                text = escape_text(string_of(item))
                texts.append(f" {text}" if after_value else text)
                after_value = True
            else:
                raise Unsuitable("its items are not written as XML")
        return Piece(tuple(texts), type(items[0]) is not Node, after_value)

    def _node(self, node: Node) -> str:
        tree, pre = node.tree, node.pre
        kind = tree.kind(pre)
        if kind in (ATTRIBUTE, NAMESPACE):
            raise Unsuitable("it gives attributes")
        parts = self._buffer.parts
        parts.clear()
        self._plain.write(tree, pre + 1 if kind == DOCUMENT else pre, tree.end(pre))
        return parts[0] if len(parts) == 1 else "".join(parts)


def joined(pieces: Iterable[Piece | None]) -> Piece | None:
    """Pieces of one sequence, one after the other."""
    parts: list[str] = []
    begins = ends = False
    for piece in pieces:
        if piece is None:
            continue
        if not parts:
            begins = piece.begins_with_value
        if ends and piece.begins_with_value:
            parts.append(f" {piece.parts[0]}")
            parts += piece.parts[1:]
        else:
            parts += piece.parts
        ends = piece.ends_with_value
    return Piece(tuple(parts), begins, ends) if parts else None
