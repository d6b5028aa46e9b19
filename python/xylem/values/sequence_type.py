"""Sequence types with resolved names: matching values against them, and subtyping between them (XQuery 3.1 §2.5)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from . import atomic_type as at
from .array import XArray
from .atomic import type_of
from .atomic_type import AtomicType
from .function_item import FunctionItem
from .map import XMap
from .node import ELEMENT, KIND_NAMES, TEXT, Node


class Occurrence(Enum):
    """The number of items: the value is (least, most) with None for no upper bound, and the symbol."""

    ONE = (1, 1, "")
    OPTIONAL = (0, 1, "?")
    MANY = (0, None, "*")
    SOME = (1, None, "+")
    NONE = (0, 0, "")

    @property
    def least(self) -> int:
        return int(self.value[0])

    @property
    def allows_many(self) -> bool:
        return self.value[1] is None

    @property
    def sign(self) -> str:
        return str(self.value[2])

    @staticmethod
    def of(sign: str) -> Occurrence:
        return {"": Occurrence.ONE, "?": Occurrence.OPTIONAL, "*": Occurrence.MANY, "+": Occurrence.SOME}[sign]

    def within(self, other: Occurrence) -> bool:
        """True if every count this allows is allowed by the other."""
        most, limit = self.value[1], other.value[1]
        return self.least >= other.least and (limit is None or (most is not None and most <= limit))


@dataclass(frozen=True)
class ItemType:
    """item(), and the base of all item types."""

    def accepts(self, item: object) -> bool:
        return True

    def within(self, other: ItemType) -> bool:
        """Subtyping: every item of this type is one of the other."""
        return type(other) is ItemType or self == other

    def __str__(self) -> str:
        return "item()"


ANY_ITEM = ItemType()


@dataclass(frozen=True)
class AtomicItem(ItemType):
    """An atomic type, xs:numeric and xs:error included."""

    type: AtomicType

    def accepts(self, item: object) -> bool:
        actual = type_of(item)
        return actual is not None and actual.derives_from(self.type)

    def within(self, other: ItemType) -> bool:
        if isinstance(other, AtomicItem):
            return self.type.derives_from(other.type)
        return type(other) is ItemType

    def __str__(self) -> str:
        return repr(self.type)


@dataclass(frozen=True)
class NodeItem(ItemType):
    """A kind test. `kind` None is node(). The name is (uri, local), where None is a wildcard part.

    `untyped` is False if the test needs a type annotation that no unvalidated node has.
    """

    kind: int | None = None
    name: tuple[str | None, str | None] | None = None
    element: NodeItem | None = None  # document-node(element(…))
    untyped: bool = True
    type_name: str = ""

    def accepts(self, item: object) -> bool:
        if not isinstance(item, Node):
            return False
        if self.kind is None:
            return True
        if item.kind != self.kind or not self.untyped:
            return False
        if self.name is not None and not self._names(item):
            return False
        return self.element is None or self._holds_one_element(item)

    def _names(self, item: Node) -> bool:
        name = item.name
        uri, local = self.name or (None, None)
        return name is not None and (local is None or name.local == local) and (uri is None or name.uri == uri)

    def _holds_one_element(self, document: Node) -> bool:
        children = document.tree.children(document.pre)
        elements = [Node(document.tree, pre) for pre in children if document.tree.kind(pre) == ELEMENT]
        has_text = any(document.tree.kind(pre) == TEXT for pre in children)
        return not has_text and len(elements) == 1 and self.element is not None and self.element.accepts(elements[0])

    def within(self, other: ItemType) -> bool:
        if type(other) is ItemType:
            return True
        if not isinstance(other, NodeItem):
            return False
        if other.kind is None:
            return True
        if self.kind != other.kind:
            return False
        if other.element is not None and (self.element is None or not self.element.within(other.element)):
            return False
        if other.type_name not in ("", "anyType") and self.type_name != other.type_name:
            return False
        if other.name is None:
            return True
        return self.name is not None and all(b is None or a == b for a, b in zip(self.name, other.name, strict=True))

    def __str__(self) -> str:
        if self.kind is None:
            return "node()"
        inner = ""
        if self.element is not None:
            inner = str(self.element)
        elif self.name is not None:
            uri, local = self.name
            inner = f"{'*:' if uri is None else f'Q{{{uri}}}' if uri else ''}{'*' if local is None else local}"
        if self.type_name:
            inner = f"{inner or '*'}, xs:{self.type_name}"
        return f"{KIND_NAMES[self.kind]}({inner})"


@dataclass(frozen=True)
class FunctionItemType(ItemType):
    """function(*) when `parameters` is None."""

    parameters: tuple[SequenceType, ...] | None = None
    returns: SequenceType | None = None

    def accepts(self, item: object) -> bool:
        if isinstance(item, FunctionItem):
            if self.parameters is None:
                return True
            actual = FunctionItemType(item.parameters, item.returns)
        elif isinstance(item, XMap):
            if self.parameters is None:
                return True
            return self._accepts_map(item)
        elif isinstance(item, XArray):
            if self.parameters is None:
                return True
            return self._accepts_array(item)
        else:
            return False
        return actual.within(self)

    def _accepts_map(self, item: XMap) -> bool:
        # A map is function(xs:anyAtomicType) as V?, the value possibly absent.
        assert self.parameters is not None and self.returns is not None
        if len(self.parameters) != 1 or not self.parameters[0].within(ONE_ATOMIC):
            return False
        return self.returns.occurrence.least == 0 and all(self.returns.matches(value) for _, value in item.items())

    def _accepts_array(self, item: XArray) -> bool:
        assert self.parameters is not None and self.returns is not None
        if len(self.parameters) != 1 or not self.parameters[0].within(ONE_INTEGER):
            return False
        return all(self.returns.matches(member) for member in item)

    def within(self, other: ItemType) -> bool:
        if type(other) is ItemType:
            return True
        if not isinstance(other, FunctionItemType):
            return False
        if other.parameters is None:
            return True
        if self.parameters is None or len(self.parameters) != len(other.parameters):
            return False
        assert self.returns is not None and other.returns is not None
        return self.returns.within(other.returns) and all(
            theirs.within(ours) for ours, theirs in zip(self.parameters, other.parameters, strict=True)
        )

    def __str__(self) -> str:
        if self.parameters is None:
            return "function(*)"
        return f"function({', '.join(map(str, self.parameters))}) as {self.returns}"


@dataclass(frozen=True)
class MapItem(ItemType):
    """map(*) when `key` is None."""

    key: ItemType | None = None
    value: SequenceType | None = None

    def accepts(self, item: object) -> bool:
        if not isinstance(item, XMap):
            return False
        if self.key is None or self.value is None:
            return True
        return all(self.key.accepts(key) and self.value.matches(value) for key, value in item.items())

    def within(self, other: ItemType) -> bool:
        if isinstance(other, MapItem):
            if other.key is None or other.value is None:
                return True
            if self.key is None or self.value is None:
                return type(other.key) is AtomicItem and other.key.type is at.ANY_ATOMIC and other.value == ANY_SEQUENCE
            return self.key.within(other.key) and self.value.within(other.value)
        if isinstance(other, FunctionItemType):
            value = self.value or ANY_SEQUENCE
            may_be_empty = SequenceType(value.item, _OR_EMPTY[value.occurrence])
            return FunctionItemType((ONE_ATOMIC,), may_be_empty).within(other)
        return type(other) is ItemType

    def __str__(self) -> str:
        return "map(*)" if self.key is None else f"map({self.key}, {self.value})"


@dataclass(frozen=True)
class ArrayItem(ItemType):
    """array(*) when `member` is None."""

    member: SequenceType | None = None

    def accepts(self, item: object) -> bool:
        if not isinstance(item, XArray):
            return False
        return self.member is None or all(self.member.matches(value) for value in item)

    def within(self, other: ItemType) -> bool:
        if isinstance(other, ArrayItem):
            if other.member is None:
                return True
            return (self.member or ANY_SEQUENCE).within(other.member)
        if isinstance(other, FunctionItemType):
            return FunctionItemType((ONE_INTEGER,), self.member or ANY_SEQUENCE).within(other)
        return type(other) is ItemType

    def __str__(self) -> str:
        return "array(*)" if self.member is None else f"array({self.member})"


@dataclass(frozen=True)
class SequenceType:
    """An item type and an occurrence. empty-sequence() has the occurrence NONE."""

    item: ItemType
    occurrence: Occurrence = Occurrence.ONE

    def matches(self, sequence: Sequence[object]) -> bool:
        """Whether a materialised sequence has this type."""
        count = len(sequence)
        if count < self.occurrence.least or (count > 1 and not self.occurrence.allows_many):
            return False
        if self.occurrence is Occurrence.NONE:
            return count == 0
        if type(self.item) is ItemType:
            return True
        accepts = self.item.accepts
        return all(accepts(item) for item in sequence)

    def within(self, other: SequenceType) -> bool:
        if self.occurrence is Occurrence.NONE:
            return other.occurrence.least == 0
        return self.occurrence.within(other.occurrence) and self.item.within(other.item)

    def __str__(self) -> str:
        if self.occurrence is Occurrence.NONE:
            return "empty-sequence()"
        text = str(self.item)
        if isinstance(self.item, FunctionItemType) and self.item.parameters is not None and self.occurrence.sign:
            text = f"({text})"
        return text + self.occurrence.sign


_OR_EMPTY = {
    Occurrence.ONE: Occurrence.OPTIONAL,
    Occurrence.SOME: Occurrence.MANY,
    Occurrence.OPTIONAL: Occurrence.OPTIONAL,
    Occurrence.MANY: Occurrence.MANY,
    Occurrence.NONE: Occurrence.NONE,
}

ANY_SEQUENCE = SequenceType(ANY_ITEM, Occurrence.MANY)
EMPTY_SEQUENCE = SequenceType(ANY_ITEM, Occurrence.NONE)
ONE_ATOMIC = SequenceType(AtomicItem(at.ANY_ATOMIC))
ONE_INTEGER = SequenceType(AtomicItem(at.INTEGER))


def as_sequence(value: Iterable[Any]) -> Sequence[Any]:
    """A sequence that can be read again: itself, or its items as a list."""
    return value if isinstance(value, (list, tuple, range)) else list(value)
