"""The items that saved cursors refer to: each as bytes under a number, for as long as a window may need it.

Numbers grow with the stream, so that they tell the document order of items. Of an item that comes back as a node, the
tree is its own: one item keeps no others alive, whatever batch it came with.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from xylem.sink.serialization_parameters import SerializationParameters
from xylem.sink.serialize import serialize
from xylem.values.node import ELEMENT, Node

_XML = SerializationParameters(omit_xml_declaration=True)
_BEFORE_ALL = -(1 << 62)
"""Items of the past stand before all that arrives, in the order of their numbers."""


class KeptItems:
    """The items of all cursors of one state."""

    def __init__(self) -> None:
        self.packed: dict[int, bytes] = {}
        """By number."""
        self._made: dict[int, Node] = {}
        """Those that have been nodes already."""
        self._known: dict[tuple[int, int], int] = {}
        """The numbers of those, by tree and row."""
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
            if known is None or node.tree.order != _BEFORE_ALL + known:
                # It has not been here before, or has got another place among the items since.
                new[place] = node
            else:
                found[place] = known
        for place, node in sorted(new.items(), key=lambda entry: (entry[1].tree.order, entry[1].pre)):
            found[place] = self._next
            self.packed[self._next] = _packed(node)
            self._next += 1
        return found

    def nodes(self, numbers: Sequence[int]) -> dict[int, Node]:
        """The nodes of these numbers; one that was made before is the same node again."""
        found = {}
        for number in numbers:
            node = self._made.get(number)
            if node is None:
                node = self._made[number] = _unpacked(self.packed[number])
                node.tree.order = _BEFORE_ALL + number
                self._known[id(node.tree), node.pre] = number
            found[number] = node
        return found

    def add(self, packed: dict[int, bytes], following: int) -> None:
        """Items that were saved before; the next one gets the number `following`."""
        self.packed.update(packed)
        self._next = following

    def since(self, number: int) -> dict[int, bytes]:
        """Those that were added from a number on and are still there."""
        return {one: self.packed[one] for one in range(number, self._next) if one in self.packed}

    @property
    def following(self) -> int:
        """The number that the next item gets."""
        return self._next

    def forget(self, numbers: Iterable[int]) -> None:
        """No window needs these any more."""
        for number in numbers:
            self.packed.pop(number, None)
            node = self._made.pop(number, None)
            if node is not None:
                self._known.pop((id(node.tree), node.pre), None)


def _packed(node: Node) -> bytes:
    if node.kind == ELEMENT:
        return b"x" + serialize((node,), _XML).encode()
    from ..distributed.packing import pack_items

    return b"p" + pack_items((node,))


def _unpacked(data: bytes) -> Node:
    if data[:1] == b"x":
        from ..distributed.pruned_copy import unbundled

        return unbundled(data[1:])[0]
    from ..distributed.packing import unpack

    (node,) = unpack(data[1:])
    found: Any = node
    assert type(found) is Node
    return found
