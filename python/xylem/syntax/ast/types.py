"""Sequence types, item types and node tests, as written."""

from __future__ import annotations

from .node import Name, Node, ast_node


@ast_node
class ItemTypeNode(Node):
    """Any item type."""


@ast_node
class SequenceTypeNode(Node):
    """`item` with an occurrence: '' (one), '?', '*', '+' or '**' (possibly infinite). No item: empty-sequence()."""

    item: ItemTypeNode | None
    occurrence: str = ""


@ast_node
class SingleType(Node):
    """The target of `cast` and `castable`."""

    name: Name
    optional: bool = False


@ast_node
class AtomicType(ItemTypeNode):
    """An atomic or union type by name."""

    name: Name


@ast_node
class AnyItemType(ItemTypeNode):
    """item()"""


@ast_node
class Annotation(Node):
    """%name(literals): the values are str, int, Decimal or float."""

    name: Name
    values: tuple[object, ...] = ()


@ast_node
class FunctionType(ItemTypeNode):
    """function(*) when `parameters` is None, else function(P, …) as R."""

    annotations: tuple[Annotation, ...] = ()
    parameters: tuple[SequenceTypeNode, ...] | None = None
    returns: SequenceTypeNode | None = None


@ast_node
class MapType(ItemTypeNode):
    """map(*) when `key` is None, else map(K, V)."""

    key: ItemTypeNode | None = None
    value: SequenceTypeNode | None = None


@ast_node
class ArrayType(ItemTypeNode):
    """array(*) when `member` is None, else array(M)."""

    member: SequenceTypeNode | None = None


# --- node tests: kind tests are item types; name tests stand in steps only


@ast_node
class AnyKindTest(ItemTypeNode):
    """node()"""


@ast_node
class TextTest(ItemTypeNode):
    """text()"""


@ast_node
class CommentTest(ItemTypeNode):
    """comment()"""


@ast_node
class NamespaceNodeTest(ItemTypeNode):
    """namespace-node()"""


@ast_node
class PITest(ItemTypeNode):
    """processing-instruction(target?)"""

    target: str | None = None


@ast_node
class ElementTest(ItemTypeNode):
    """element(name?, type?): no name is a wildcard; `nillable` for type followed by '?'."""

    name: Name | None = None
    type: Name | None = None
    nillable: bool = False


@ast_node
class AttributeTest(ItemTypeNode):
    """attribute(name?, type?)"""

    name: Name | None = None
    type: Name | None = None


@ast_node
class SchemaElementTest(ItemTypeNode):
    """schema-element(name)"""

    name: Name


@ast_node
class SchemaAttributeTest(ItemTypeNode):
    """schema-attribute(name)"""

    name: Name


@ast_node
class DocumentTest(ItemTypeNode):
    """document-node(element?)"""

    element: ElementTest | SchemaElementTest | None = None


@ast_node
class NameTest(Node):
    """A name in a step."""

    name: Name


@ast_node
class Wildcard(Node):
    """`*`, `p:*` (prefix or uri given) or `*:local` (local given)."""

    prefix: str | None = None
    uri: str | None = None
    local: str | None = None


NodeTest = ItemTypeNode | NameTest | Wildcard
