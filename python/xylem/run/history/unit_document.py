"""A unit as a document with the parts that its loop reads, and the positions of its regions' texts.

    <ticker><name>A</name><peer>B</peer><found0><ticker><name>B</name><quote>7</quote></ticker></found0></ticker>

The units that it looks up stand behind its own content, each group in an element of its own (`plan/unit_rows.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from xylem.plan.unit_rows import Chosen
from xylem.sink.character_expansion import escape_attribute, escape_text
from xylem.values.node import TEXT

from .content import Content, Element, Leaf, Slot
from .unit_notes import Unit, value_of

__all__ = ["NotPlain", "TextPlace", "UnitDocument"]

Children = frozenset[tuple[str, str]] | None


class NotPlain(Exception):
    """Some content of a unit would change if it were written and parsed again."""


class TextPlace(NamedTuple):
    """Where the text of a region stands in the document, in bytes."""

    slot: Slot
    start: int
    size: int
    has_versions: bool
    """Whether earlier versions of it are chosen, which the document does not have yet."""


class UnitDocument:
    """The newest content of a unit as text. NotPlain if names have namespaces or texts stand beside each other."""

    __slots__ = ("_chosen", "_follows", "_parts", "_size", "data", "places")

    def __init__(
        self,
        unit: Unit,
        own: Slot | None,
        follows: Callable[[Slot], bool],
        chosen: Sequence[Chosen],
        found: Sequence[tuple[str, Sequence[Unit]]] = (),
    ) -> None:
        """`own`: the slot of its element, if that is a region. `follows`: whether the text of a slot is followed.

        `chosen`: the versions of children that are read. `found`: the units that it looks up, by the name of the
        element around them.
        """
        if type(unit.item) is not Element or unit.scope:
            raise NotPlain
        self._parts: list[bytes] = []
        self._size = 0
        self._follows = follows
        self._chosen = chosen
        self.places: list[TextPlace] = []
        children = unit.source.children
        if own is not None and children is None:
            self._value(own, unit.item, has_versions=False)
        else:
            self._element(unit.item, children, is_unit=True, found=found)
        self.data = b"".join(self._parts)

    def _write(self, text: str) -> None:
        data = text.encode()
        self._parts.append(data)
        self._size += len(data)

    def _element(
        self,
        element: Element,
        children: Children = None,
        *,
        is_unit: bool = False,
        found: Sequence[tuple[str, Sequence[Unit]]] = (),
    ) -> None:
        name = element.name
        if name.uri or element.declared or not element.shown:
            raise NotPlain
        self._write(f"<{name.local}")
        for attribute, value in element.attributes:
            if attribute.uri:
                raise NotPlain
            self._write(f' {attribute.local}="{escape_attribute(value)}"')
        self._write(">")
        self._content(element.content, children, is_unit=is_unit)
        for around, units in found:
            self._write(f"<{around}>")
            for unit in units:
                if type(unit.item) is not Element or unit.scope:
                    raise NotPlain
                self._element(unit.item, unit.source.children, is_unit=True)
            self._write(f"</{around}>")
        self._write(f"</{name.local}>")

    def _content(self, content: Sequence[Content], children: Children, *, is_unit: bool) -> None:
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
                    # It is its own newest version, and has no other one.
                    if is_unit and any(one.name == item.name.local and not one.first for one in self._chosen):
                        raise NotPlain
                    self._element(item)
            else:
                self._slot(item, children, is_unit=is_unit)  # type: ignore[arg-type]  # nothing else is content
            was_text = is_text

    def _slot(self, slot: Slot, children: Children, *, is_unit: bool) -> None:
        value = value_of(slot.versions[-1])
        if slot.before or slot.after or value is None:
            raise NotPlain
        name = value[0].name
        has_versions = is_unit and any(one.name == name.local for one in self._chosen)
        if has_versions and not self._follows(slot):
            raise NotPlain
        if children is None or (name.uri, name.local) in children:
            self._value(slot, value[0], has_versions=has_versions)

    def _value(self, slot: Slot, element: Element, *, has_versions: bool) -> None:
        """An element around the text of a region."""
        leaf = element.content[0]
        name = element.name
        assert type(leaf) is Leaf
        if name.uri or not element.shown or not leaf.shown or not leaf.value:
            raise NotPlain
        self._write(f"<{name.local}>")
        start = self._size
        self._write(escape_text(leaf.value))
        if self._follows(slot):
            self.places.append(TextPlace(slot, start, self._size - start, has_versions))
        self._write(f"</{name.local}>")
