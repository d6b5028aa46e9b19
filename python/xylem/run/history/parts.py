"""Items as parts of a display: the text of each, and whether it is a value of a sequence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from xylem.sink.character_expansion import escape_attribute, escape_text, unchanged
from xylem.sink.display_edits import Edit, Part
from xylem.sink.display_parts import DisplayParts
from xylem.sink.output_buffer import OutputBuffer
from xylem.sink.plain_xml import PlainXml
from xylem.values.atomic import TYPE_OF_CLASS
from xylem.values.name_pool import KIND_BITS, KIND_MASK
from xylem.values.node import ATTRIBUTE, DOCUMENT, ELEMENT, NAMESPACE, TEXT, Node
from xylem.values.string_of import string_of
from xylem.values.tree import Tree

from .unit_notes import Unsuitable

__all__ = ["ItemWriter", "Parts", "Written", "text_of"]

Parts = tuple[Part, ...]


class Written(str):
    """A node that is already text."""

    __slots__ = ()


class ItemWriter:
    """Writes items as XML, unchanged."""

    def __init__(self) -> None:
        self._buffer = OutputBuffer(lambda text: None)
        self._plain = PlainXml(self._buffer, escape_text, escape_attribute, unchanged)

    def parts(self, items: Sequence[Any], sequence: int) -> Parts:
        """The parts of the items of a sequence, given by its number."""
        if len(items) == 1:
            item = items[0]
            if type(item) is Node:
                return ((self._node(item), 0),)
            if type(item) is int:
                return ((str(item), sequence),)
        found: list[Part] = []
        for item in items:
            kind = type(item)
            if kind is Written:
                found.append((str(item), 0))
            elif kind is Node:
                found.append((self._node(item), 0))
            elif kind in TYPE_OF_CLASS:
                found.append((escape_text(string_of(item)), sequence))
            else:
                raise Unsuitable("its items are not written as XML")
        return tuple(found)

    def inside(self, items: Sequence[Any]) -> str | None:
        """The content of an element made from items; None if it depends on more than their text."""
        found = ""
        after_value = False
        for item in items:
            if type(item) is Node:
                tree = item.tree
                if tree.declared or tree.prefixed or tree.kind(item.pre) in (ATTRIBUTE, NAMESPACE):
                    return None
                found += self._node(item)
                after_value = False
            elif type(item) in TYPE_OF_CLASS:
                text = escape_text(string_of(item))
                found += f" {text}" if after_value else text
                after_value = True
            else:
                return None
        return found

    def _node(self, node: Node) -> str:
        tree, pre = node.tree, node.pre
        if isinstance(tree, Tree) and tree.ends[pre] == pre + 2 and not (tree.declared or tree.prefixed):
            code, inner = tree.codes[pre], tree.codes[pre + 1]
            name = tree.qnames[code >> KIND_BITS]
            if code & KIND_MASK == ELEMENT and inner & KIND_MASK == TEXT and name is not None and not name.uri:
                # The most common case: a text in an element.
                return f"<{name.local}>{escape_text(tree.values[pre + 1] or '')}</{name.local}>"
        kind = tree.kind(pre)
        if kind in (ATTRIBUTE, NAMESPACE):
            raise Unsuitable("it gives attributes")
        parts = self._buffer.parts
        parts.clear()
        self._plain.write(tree, pre + 1 if kind == DOCUMENT else pre, tree.end(pre))
        return parts[0] if len(parts) == 1 else "".join(parts)


def text_of(parts: Iterable[Part]) -> str:
    """The concatenated parts, with separators between values."""
    shown = DisplayParts()
    shown.apply([Edit(0, 0, list(parts))])
    return shown.text
