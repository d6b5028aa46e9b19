"""Types, node tests and annotations as text; none of them needs line breaks or brackets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import ast
from .lexical import braced_uri, literal_text, name_text, string_text


def sequence_type_text(node: ast.SequenceTypeNode) -> str:
    """A sequence type. A function type that ends in a type needs brackets before an indicator."""
    if node.item is None:
        return "empty-sequence()"
    item = node_test_text(node.item)
    if node.occurrence and isinstance(node.item, ast.FunctionType) and node.item.returns is not None:
        item = f"({item})"
    return item + node.occurrence


def single_type_text(node: ast.SingleType) -> str:
    """The target of a cast."""
    return name_text(node.name) + ("?" if node.optional else "")


def type_declaration(node: ast.SequenceTypeNode | None) -> str:
    """`as T` behind a name, or nothing."""
    return "" if node is None else f" as {sequence_type_text(node)}"


def annotations_text(annotations: tuple[ast.Annotation, ...]) -> str:
    """Annotations, each followed by a space."""
    return "".join(f"{_annotation(annotation)} " for annotation in annotations)


def _annotation(node: ast.Annotation) -> str:
    values = ", ".join(literal_text(value) for value in node.values)
    return f"%{name_text(node.name)}" + (f"({values})" if node.values else "")


def node_test_text(node: ast.Node) -> str:
    """An item type, a kind test or a name test."""
    return _TEXTS[type(node)](node)


def _element(node: ast.ElementTest) -> str:
    return f"element({_arguments(node.name, node.type)}{'?' if node.nillable else ''})"


def _arguments(name: ast.Name | None, type_name: ast.Name | None) -> str:
    if type_name is not None:
        return f"{name_text(name) if name else '*'}, {name_text(type_name)}"
    return name_text(name) if name else ""


def _function(node: ast.FunctionType) -> str:
    head = annotations_text(node.annotations) + "function("
    if node.parameters is None or node.returns is None:
        return head + "*)"
    parameters = ", ".join(sequence_type_text(parameter) for parameter in node.parameters)
    return f"{head}{parameters}) as {sequence_type_text(node.returns)}"


def _map(node: ast.MapType) -> str:
    if node.key is None or node.value is None:
        return "map(*)"
    return f"map({node_test_text(node.key)}, {sequence_type_text(node.value)})"


def _array(node: ast.ArrayType) -> str:
    return f"array({'*' if node.member is None else sequence_type_text(node.member)})"


def _pi(node: ast.PITest) -> str:
    return f"processing-instruction({'' if node.target is None else string_text(node.target)})"


def _document(node: ast.DocumentTest) -> str:
    return f"document-node({'' if node.element is None else node_test_text(node.element)})"


def wildcard_text(node: ast.Wildcard) -> str:
    """`*`, `p:*`, `Q{uri}*` or `*:local`."""
    if node.local is not None:
        return f"*:{node.local}"
    if node.prefix is not None:
        return f"{node.prefix}:*"
    return "*" if node.uri is None else f"Q{{{braced_uri(node.uri)}}}*"


_TEXTS: dict[type[ast.Node], Callable[[Any], str]] = {
    ast.AtomicType: lambda node: name_text(node.name),
    ast.AnyItemType: lambda node: "item()",
    ast.FunctionType: _function,
    ast.MapType: _map,
    ast.ArrayType: _array,
    ast.AnyKindTest: lambda node: "node()",
    ast.TextTest: lambda node: "text()",
    ast.CommentTest: lambda node: "comment()",
    ast.NamespaceNodeTest: lambda node: "namespace-node()",
    ast.PITest: _pi,
    ast.ElementTest: _element,
    ast.AttributeTest: lambda node: f"attribute({_arguments(node.name, node.type)})",
    ast.SchemaElementTest: lambda node: f"schema-element({name_text(node.name)})",
    ast.SchemaAttributeTest: lambda node: f"schema-attribute({name_text(node.name)})",
    ast.DocumentTest: _document,
    ast.NameTest: lambda node: name_text(node.name),
    ast.Wildcard: wildcard_text,
    ast.Annotation: _annotation,
    ast.SequenceTypeNode: sequence_type_text,
    ast.SingleType: single_type_text,
}
