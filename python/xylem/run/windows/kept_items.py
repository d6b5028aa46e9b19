"""The items that saved cursors refer to: each as bytes under a number, for as long as a window may need it.

Numbers grow with the stream, so they give the document order of items. Items restored as nodes share a tree only with
items of the same cursor and batch, so items that are no longer needed are freed soon.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xylem.sink.serialization_parameters import SerializationParameters
from xylem.sink.serialize import serialize
from xylem.values.node import ELEMENT, Node

_BETWEEN = "\x1e"
"""A separator that occurs in no XML."""
_XML = SerializationParameters(omit_xml_declaration=True, item_separator=_BETWEEN)
_BEFORE_ALL = -(1 << 62)
"""Items of the past precede all that arrive, in the order of their numbers."""


class KeptItems:
    """The items of all cursors of one state."""

    def __init__(self) -> None:
        self.packed: dict[int, bytes] = {}
        """By number."""
        self._made: dict[int, Node] = {}
        """Those already restored as nodes."""
        self._known: dict[tuple[int, int], int] = {}
        """Their numbers, by tree and row."""
        self._next = 0

    @property
    def size(self) -> int:
        """In bytes."""
        return sum(map(len, self.packed.values()))

    def numbers(self, nodes: Iterable[Node]) -> dict[tuple[int, int], int]:
        """The numbers of some nodes, by (identity of the tree, row); new ones are packed, in document order."""
        found: dict[tuple[int, int], int] = {}
        new: dict[tuple[int, int], Node] = {}
        for node in nodes:
            place = id(node.tree), node.pre
            known = self._known.get(place)
            if known is None:
                new[place] = node
            else:
                found[place] = known
        in_order = sorted(new.items(), key=lambda entry: (entry[1].tree.order, entry[1].pre))
        for (place, _), data in zip(in_order, _packed([node for _, node in in_order]), strict=True):
            found[place] = self._next
            self.packed[self._next] = data
            self._next += 1
        return found

    def nodes(self, numbers: Sequence[int]) -> dict[int, Node]:
        """The nodes with these numbers; a node that was restored before is the same node again."""
        missing = [number for number in numbers if number not in self._made]
        for number, node in zip(missing, _unpacked([self.packed[number] for number in missing]), strict=True):
            self._made[number] = node
            self._known[id(node.tree), node.pre] = number
            if node.tree.order > 0:
                node.tree.order = _BEFORE_ALL + number
        return {number: self._made[number] for number in numbers}

    def add(self, packed: dict[int, bytes], following: int) -> None:
        """Add items that were saved before; the next one gets the number `following`."""
        self.packed.update(packed)
        self._next = following

    def since(self, number: int) -> dict[int, bytes]:
        """The items added from a number on that are still there."""
        return {one: self.packed[one] for one in range(number, self._next) if one in self.packed}

    @property
    def following(self) -> int:
        """The number of the next item."""
        return self._next

    def forget(self, numbers: Iterable[int]) -> None:
        """No window needs these any more."""
        for number in numbers:
            self.packed.pop(number, None)
            node = self._made.pop(number, None)
            if node is not None:
                self._known.pop((id(node.tree), node.pre), None)


def _packed(nodes: Sequence[Node]) -> list[bytes]:
    if all(node.kind == ELEMENT for node in nodes):
        return [b"x" + text.encode() for text in xml_of(nodes)]
    from ..packing import pack_items

    return [b"p" + pack_items((node,)) for node in nodes]


def xml_of(elements: Sequence[Node]) -> list[str]:
    """The text of each element."""
    return serialize(elements, _XML).split(_BETWEEN) if elements else []


def _unpacked(packed: Sequence[bytes]) -> list[Node]:
    from ..packing import unpack
    from ..pruned_copy import unbundled

    if all(data[:1] == b"x" for data in packed):
        return unbundled(b"".join([data[1:] for data in packed])) if packed else []
    return [node for data in packed for node in (unbundled(data[1:]) if data[:1] == b"x" else unpack(data[1:]))]
