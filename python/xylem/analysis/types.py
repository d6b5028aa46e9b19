"""Turn types as written, with resolved names, into types that values can be matched against."""

from __future__ import annotations

from functools import cache

from xylem.errors import StaticError
from xylem.syntax import ast, parse_sequence_type
from xylem.values import atomic_type as at
from xylem.values import node as nk
from xylem.values.atomic_type import ATOMIC_TYPES, AtomicType
from xylem.values.sequence_type import (
    ANY_ITEM,
    ANY_SEQUENCE,
    EMPTY_SEQUENCE,
    ArrayItem,
    AtomicItem,
    FunctionItemType,
    ItemType,
    MapItem,
    NodeItem,
    Occurrence,
    SequenceType,
)
from xylem.values.xml_names import is_ncname

from .resolve_names import resolve_names
from .static_context import RESERVED_FOR_FUNCTIONS, XQUERY, XS, StaticContext

LIST_TYPES = ("NMTOKENS", "IDREFS", "ENTITIES")
ABSTRACT_TYPES = ("anyType", "anySimpleType", "untyped")


def sequence_type(node: ast.SequenceTypeNode | None) -> SequenceType:
    """The type in a declaration; by default item()*."""
    if node is None:
        return ANY_SEQUENCE
    if node.item is None:
        return EMPTY_SEQUENCE
    if node.occurrence == "**":
        # The same type as with one asterisk: the analysis of boundedness handles that it may be infinite.
        return SequenceType(_streamed_item(node.item), Occurrence.MANY)
    return SequenceType(item_type(node.item), Occurrence.of(node.occurrence))


def _streamed_item(node: ast.ItemTypeNode) -> ItemType:
    """The item type of `T**`. If T is not an atomic type, `(temp)**` means elements of this name (windows paper, 4)."""
    if isinstance(node, ast.AtomicType) and not node.name.prefix and node.name.uri != XS:
        return NodeItem(nk.ELEMENT, node.name.expanded)
    return item_type(node)


def item_type(node: ast.ItemTypeNode) -> ItemType:
    match node:
        case ast.AnyItemType():
            return ANY_ITEM
        case ast.AtomicType(name=name):
            return AtomicItem(atomic_type(name))
        case ast.FunctionType(parameters=None, annotations=annotations):
            _check_assertions(annotations)
            return FunctionItemType()
        case ast.FunctionType(parameters=parameters, returns=returns, annotations=annotations):
            assert parameters is not None
            _check_assertions(annotations)
            return FunctionItemType(tuple(map(sequence_type, parameters)), sequence_type(returns))
        case ast.MapType(key=None):
            return MapItem()
        case ast.MapType(key=key, value=value):
            assert key is not None
            return MapItem(item_type(key), sequence_type(value))
        case ast.ArrayType(member=None):
            return ArrayItem()
        case ast.ArrayType(member=member):
            return ArrayItem(sequence_type(member))
    return node_type(node)


def _check_assertions(annotations: tuple[ast.Annotation, ...]) -> None:
    """Annotation assertions may use the XQuery namespace, but no other reserved one."""
    for annotation in annotations:
        if annotation.name.uri in RESERVED_FOR_FUNCTIONS - {XQUERY}:
            raise StaticError("XQST0045", f"%{annotation.name}", span=annotation.span)


def leaf_kind(test: ast.Node) -> int:
    """The kind of the nodes that pass a test of texts, comments or processing instructions."""
    kind = node_type(test).kind
    assert kind is not None
    return kind


def node_type(node: ast.Node) -> NodeItem:
    """A kind test as an item type."""
    match node:
        case ast.AnyKindTest():
            return NodeItem()
        case ast.TextTest():
            return NodeItem(nk.TEXT)
        case ast.CommentTest():
            return NodeItem(nk.COMMENT)
        case ast.NamespaceNodeTest():
            return NodeItem(nk.NAMESPACE)
        case ast.PITest(target=target):
            if target is not None and not is_ncname(target):
                raise StaticError(
                    "XPTY0004", f"{target!r} cannot be the target of a processing instruction", span=node.span
                )
            return NodeItem(nk.PROCESSING_INSTRUCTION, None if target is None else ("", target))
        case ast.ElementTest(name=name, type=kind):
            return _typed_node(nk.ELEMENT, name, kind, ("anyType", "untyped"))
        case ast.AttributeTest(name=name, type=kind):
            return _typed_node(nk.ATTRIBUTE, name, kind, ("anyType", "anySimpleType", "anyAtomicType", "untypedAtomic"))
        case ast.DocumentTest(element=None):
            return NodeItem(nk.DOCUMENT)
        case ast.DocumentTest(element=element):
            assert element is not None
            return NodeItem(nk.DOCUMENT, element=node_type(element))
        case ast.SchemaElementTest(name=name) | ast.SchemaAttributeTest(name=name):
            raise StaticError("XPST0008", f"no schema declares {name}", span=node.span)
    raise StaticError("XPST0003", f"not a kind test: {node!r}", span=node.span)


def _typed_node(kind: int, name: ast.Name | None, annotation: ast.Name | None, fits: tuple[str, ...]) -> NodeItem:
    expanded = None if name is None else name.expanded
    if annotation is None:
        return NodeItem(kind, expanded)
    if annotation.uri != XS or not _is_schema_type(annotation.local):
        raise StaticError("XPST0008", f"the type {annotation} is not known", span=annotation.span)
    return NodeItem(kind, expanded, untyped=annotation.local in fits, type_name=annotation.local)


def _is_schema_type(local: str) -> bool:
    return local in ATOMIC_TYPES or local in LIST_TYPES or local in ABSTRACT_TYPES


def atomic_type(name: ast.Name, unknown: str = "XPST0051") -> AtomicType:
    """The atomic type of a name, or XPST0051 (XQST0052 in a cast)."""
    if name.uri == XS:
        known = ATOMIC_TYPES.get(name.local)
        if known is not None:
            return known
        near = [t for t in ATOMIC_TYPES if t.lower() == name.local.lower()]
        hint = f"did you mean xs:{near[0]}?" if near else ""
        raise StaticError(unknown, f"{name} is not an atomic type", span=name.span, hint=hint)
    hint = f"element({name.local}) is an element of this name; ({name.local})** a sequence of them without an end"
    if name.local in ATOMIC_TYPES and not name.prefix:
        hint = f"did you mean xs:{name.local}?"
    raise StaticError(unknown, str(name), span=name.span, hint="" if name.prefix else hint)


@cache
def signature_type(text: str) -> SequenceType:
    """The type in a built-in function's signature, such as ``xs:string?``."""
    return sequence_type(resolve_names(parse_sequence_type(text), StaticContext()))


__all__ = ["LIST_TYPES", "at", "atomic_type", "item_type", "node_type", "sequence_type", "signature_type"]
