"""A unit as a document with the parts that its loop reads, and the positions of its regions' texts."""

from __future__ import annotations

from collections.abc import Sequence

from xylem.sink.character_expansion import escape_attribute, escape_text
from xylem.values.node import TEXT

from .content import Content, Element, Leaf, Slot
from .unit_notes import Unit, value_of

__all__ = ["NotPlain", "UnitDocument"]

Children = frozenset[tuple[str, str]] | None


class NotPlain(Exception):
    """Some content of a unit would change if it were written and parsed again."""


class UnitDocument:
    """The newest content of a unit as text. NotPlain if names have namespaces or texts stand beside each other."""

    __slots__ = ("_parts", "_size", "data", "places")

    def __init__(self, unit: Unit) -> None:
        if type(unit.item) is not Element or unit.scope:
            raise NotPlain
        self._parts: list[bytes] = []
        self._size = 0
        self.places: dict[Slot, tuple[int, int]] = {}
        """Start and length of the text of each region."""
        self._element(unit.item, unit.source.children)
        self.data = b"".join(self._parts)

    def _write(self, text: str) -> None:
        data = text.encode()
        self._parts.append(data)
        self._size += len(data)

    def _element(self, element: Element, children: Children = None) -> None:
        name = element.name
        if name.uri or element.declared or not element.shown:
            raise NotPlain
        self._write(f"<{name.local}")
        for attribute, value in element.attributes:
            if attribute.uri:
                raise NotPlain
            self._write(f' {attribute.local}="{escape_attribute(value)}"')
        self._write(">")
        self._content(element.content, children)
        self._write(f"</{name.local}>")

    def _content(self, content: Sequence[Content], children: Children) -> None:
        was_text = False
        for item in content:
            is_text = False
            if type(item) is Leaf:
                is_text = children is None
                if item.kind != TEXT or not item.shown or not item.value or (is_text and was_text):
                    raise NotPlain
                if is_text:
                    self._write(escape_text(item.value))
            elif type(item) is Element:
                if children is None or (item.name.uri, item.name.local) in children:
                    self._element(item)
            else:
                self._slot(item, children)  # type: ignore[arg-type]  # nothing else is content
            was_text = is_text

    def _slot(self, slot: Slot, children: Children) -> None:
        value = value_of(slot.versions[-1])
        if slot.before or slot.after or value is None:
            raise NotPlain
        element, leaf = value
        name = element.name
        if name.uri or not element.shown or not leaf.shown or not leaf.value:
            raise NotPlain
        if children is None or (name.uri, name.local) in children:
            self._write(f"<{name.local}>")
            start = self._size
            self._write(escape_text(leaf.value))
            self.places[slot] = start, self._size - start
            self._write(f"</{name.local}>")
