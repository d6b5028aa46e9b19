"""A piece of generated Python with the static facts about its value."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import NamedTuple

from xylem.values import atomic_type as at
from xylem.values.atomic_type import AtomicType
from xylem.values.node_test import NodeTest
from xylem.values.sequence_type import (
    ANY_ITEM,
    ANY_SEQUENCE,
    EMPTY_SEQUENCE,
    AtomicItem,
    ItemType,
    MapItem,
    NodeItem,
    Occurrence,
    SequenceType,
)


class Shape(Enum):
    """The Python form of a sequence; the calling convention of `values/function_item.py` with one refinement."""

    ONE = "the item itself"
    OPTIONAL = "the item, or None"
    SEQUENCE = "list, tuple or range: can be read again"
    ITERABLE = "any iterable: to be read once"


class OneStep(NamedTuple):
    """A step from one node, with its code: it is valid only while the code is unchanged."""

    text: str
    context: str
    axis: str
    test: NodeTest


@dataclass(frozen=True)
class Code:
    """A Python expression, the shape of its value, and its static type."""

    text: str
    shape: Shape
    type: SequenceType
    ordered: bool = False
    """Nodes known to be distinct and in document order."""
    simple: bool = False
    """A name or a constant, which may be written several times."""
    endless: bool = False
    """Possibly infinite: must be read as it arrives, never collected."""
    pauses: bool = False
    """Fed by a stream: pauses stand among its items (`run/windows/feed.py`)."""
    step: OneStep | None = None
    """The step, if the nodes are those of one step from one node."""
    fields: tuple[str, ...] = ()
    """The names of the record that a map most likely is."""
    value_fields: tuple[str, ...] = ()
    """The names of the records that its values most likely are."""
    row: tuple[str, ...] = ()
    """The names of a record whose items the value is, as a tuple: no map is built for them."""
    row_items: str = ""
    """The tuple of items of a record under construction."""
    each: str = ""
    """`x for x in y`, if the text is that in parentheses."""

    @property
    def item(self) -> ItemType:
        return self.type.item

    @property
    def atomic(self) -> AtomicType | None:
        """The static atomic type, if the items are known to be atomic."""
        return self.type.item.type if isinstance(self.type.item, AtomicItem) else None

    @property
    def is_nodes(self) -> bool:
        return isinstance(self.type.item, NodeItem)

    @property
    def is_one(self) -> bool:
        return self.shape is Shape.ONE

    @property
    def is_empty(self) -> bool:
        return self.type.occurrence is Occurrence.NONE

    def typed(self, sequence_type: SequenceType) -> Code:
        return replace(self, type=sequence_type)


def one(text: str, item: ItemType, simple: bool = False) -> Code:
    return Code(text, Shape.ONE, SequenceType(item), simple=simple)


def optional(text: str, item: ItemType, simple: bool = False) -> Code:
    return Code(text, Shape.OPTIONAL, SequenceType(item, Occurrence.OPTIONAL), simple=simple)


def many(text: str, item: ItemType = ANY_ITEM, *, reread: bool = False, ordered: bool = False) -> Code:
    shape = Shape.SEQUENCE if reread else Shape.ITERABLE
    return Code(text, shape, SequenceType(item, Occurrence.MANY), ordered=ordered)


def atomic(text: str, kind: AtomicType, simple: bool = False) -> Code:
    return one(text, AtomicItem(kind), simple)


def boolean(text: str) -> Code:
    return atomic(text, at.BOOLEAN)


EMPTY = Code("()", Shape.SEQUENCE, EMPTY_SEQUENCE, ordered=True, simple=True)


def shape_of(occurrence: Occurrence) -> Shape:
    """The shape of an argument or a result whose type has this occurrence."""
    if occurrence is Occurrence.ONE:
        return Shape.ONE
    if occurrence is Occurrence.OPTIONAL:
        return Shape.OPTIONAL
    return Shape.SEQUENCE


def union_type(a: SequenceType, b: SequenceType) -> SequenceType:
    """A type that holds the values of either."""
    if a.within(b):
        return b
    if b.within(a):
        return a
    if a.occurrence is Occurrence.NONE:
        return SequenceType(b.item, _with_empty(b.occurrence))
    if b.occurrence is Occurrence.NONE:
        return SequenceType(a.item, _with_empty(a.occurrence))
    item = union_item(a.item, b.item)
    for occurrence in (Occurrence.ONE, Occurrence.OPTIONAL, Occurrence.SOME):
        if a.occurrence.within(occurrence) and b.occurrence.within(occurrence):
            return SequenceType(item, occurrence)
    return SequenceType(item, Occurrence.MANY)


def _with_empty(occurrence: Occurrence) -> Occurrence:
    return {Occurrence.ONE: Occurrence.OPTIONAL, Occurrence.SOME: Occurrence.MANY}.get(occurrence, occurrence)


def union_item(a: ItemType, b: ItemType) -> ItemType:
    """A type that holds the items of either."""
    if a.within(b) or (isinstance(a, AtomicItem) and a.type is at.ERROR):
        return b
    if b.within(a) or (isinstance(b, AtomicItem) and b.type is at.ERROR):
        return a
    if isinstance(a, NodeItem) and isinstance(b, NodeItem):
        is_of_one_kind = a.kind == b.kind and a.untyped and b.untyped
        return NodeItem(a.kind) if is_of_one_kind else NodeItem()
    if isinstance(a, MapItem) and isinstance(b, MapItem):
        return _union_map(a, b)
    if isinstance(a, AtomicItem) and isinstance(b, AtomicItem):
        numeric = a.type.derives_from(at.NUMERIC) and b.type.derives_from(at.NUMERIC)
        return AtomicItem(at.NUMERIC if numeric else at.ANY_ATOMIC)
    return ANY_ITEM


def _union_map(a: MapItem, b: MapItem) -> MapItem:
    if a.key is None or b.key is None or a.value is None or b.value is None:
        return MapItem()
    return MapItem(union_item(a.key, b.key), union_type(a.value, b.value))


__all__ = [
    "ANY_ITEM",
    "ANY_SEQUENCE",
    "EMPTY",
    "Code",
    "OneStep",
    "Shape",
    "atomic",
    "boolean",
    "many",
    "one",
    "optional",
    "shape_of",
    "union_item",
    "union_type",
]
