"""Sequence types, item types and node tests, as written."""

from __future__ import annotations

from dataclasses import dataclass

from .node import Name, Node


@dataclass(frozen=True)
class ItemTypeNode(Node):
    """Any item type."""


@dataclass(frozen=True)
class SequenceTypeNode(Node):
    """`item` with an occurrence: '' (one), '?', '*', '+' or '**' (possibly infinite). No item: empty-sequence()."""

    item: ItemTypeNode | None
    occurrence: str = ""


@dataclass(frozen=True)
class SingleType(Node):
    """The target of `cast` and `castable`."""

    name: Name
    optional: bool = False


@dataclass(frozen=True)
class AtomicType(ItemTypeNode):
    """An atomic or union type by name."""

    name: Name


@dataclass(frozen=True)
class AnyItemType(ItemTypeNode):
    """item()"""


@dataclass(frozen=True)
class Annotation(Node):
    """%name(literals): the values are str, int, Decimal or float."""

    name: Name
    values: tuple[object, ...] = ()


@dataclass(frozen=True)
class FunctionType(ItemTypeNode):
    """function(*) when `parameters` is None, else function(P, …) as R."""

    annotations: tuple[Annotation, ...] = ()
    parameters: tuple[SequenceTypeNode, ...] | None = None
    returns: SequenceTypeNode | None = None


@dataclass(frozen=True)
class MapType(ItemTypeNode):
    """map(*) when `key` is None, else map(K, V)."""

    key: ItemTypeNode | None = None
    value: SequenceTypeNode | None = None


@dataclass(frozen=True)
class ArrayType(ItemTypeNode):
    """array(*) when `member` is None, else array(M)."""

    member: SequenceTypeNode | None = None


# --- node tests: kind tests are item types; name tests stand in steps only


@dataclass(frozen=True)
class AnyKindTest(ItemTypeNode):
    """node()"""


@dataclass(frozen=True)
class TextTest(ItemTypeNode):
    """text()"""


@dataclass(frozen=True)
class CommentTest(ItemTypeNode):
    """comment()"""


@dataclass(frozen=True)
class NamespaceNodeTest(ItemTypeNode):
    """namespace-node()"""


@dataclass(frozen=True)
class PITest(ItemTypeNode):
    """processing-instruction(target?)"""

    target: str | None = None


@dataclass(frozen=True)
class ElementTest(ItemTypeNode):
    """element(name?, type?): no name is a wildcard; `nillable` for type followed by '?'."""

    name: Name | None = None
    type: Name | None = None
    nillable: bool = False


@dataclass(frozen=True)
class AttributeTest(ItemTypeNode):
    """attribute(name?, type?)"""

    name: Name | None = None
    type: Name | None = None


@dataclass(frozen=True)
class SchemaElementTest(ItemTypeNode):
    """schema-element(name)"""

    name: Name


@dataclass(frozen=True)
class SchemaAttributeTest(ItemTypeNode):
    """schema-attribute(name)"""

    name: Name


@dataclass(frozen=True)
class DocumentTest(ItemTypeNode):
    """document-node(element?)"""

    element: ElementTest | SchemaElementTest | None = None


@dataclass(frozen=True)
class NameTest(Node):
    """A name in a step."""

    name: Name


@dataclass(frozen=True)
class Wildcard(Node):
    """`*`, `p:*` (prefix or uri given) or `*:local` (local given)."""

    prefix: str | None = None
    uri: str | None = None
    local: str | None = None


NodeTest = ItemTypeNode | NameTest | Wildcard
