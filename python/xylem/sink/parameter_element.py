"""Serialisation parameters written as an XML element (Serialization 3.1 §3.1 and appendix B).

    <output:serialization-parameters xmlns:output="http://www.w3.org/2010/xslt-xquery-serialization">
      <output:indent value="yes"/>
      <output:use-character-maps><output:character-map character="$" map-string="£"/></output:use-character-maps>
    </output:serialization-parameters>

The element is not validated by a schema processor: the rules of its schema are checked as it is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from xylem.errors import DynamicError
from xylem.values.node import DOCUMENT, ELEMENT, TEXT, Node

from .parameter_values import READERS
from .serialization_parameters import OUTPUT_NAMESPACE, field_of


def read_element(node: Node) -> dict[str, Any]:
    """The parameters in an element, by field of the record.

    XPTY0004 for another element, SEPM0017 if it violates its schema, SEPM0018 and SEPM0019 for duplicate characters
    and parameters.
    """
    element = _root(node)
    values: dict[str, Any] = {}
    seen: set[tuple[str, str]] = set()
    for child in _elements(element):
        name = child.name
        assert name is not None
        if (name.uri, name.local) in seen:
            raise DynamicError("SEPM0019", f"{name} is given twice")
        seen.add((name.uri, name.local))
        if name.uri == OUTPUT_NAMESPACE:
            values[field_of(name.local)] = _value(child, name.local)
        elif not name.uri:
            raise DynamicError("SEPM0017", f"the element {name} is in no namespace")
    return values


def _root(node: Node) -> Node:
    if node.kind == DOCUMENT:
        children = list(_elements(node))
        node = children[0] if len(children) == 1 else node
    name = node.name
    if node.kind != ELEMENT or name is None or (name.uri, name.local) != (OUTPUT_NAMESPACE, "serialization-parameters"):
        raise DynamicError("XPTY0004", "expected an output:serialization-parameters element")
    _attributes(node, frozenset())
    return node


def _value(element: Node, name: str) -> Any:
    if name == "use-character-maps":
        return _character_map(element)
    reader = READERS.get(name)
    if reader is None:
        raise DynamicError("SEPM0017", f"there is no serialisation parameter {name!r}")
    if next(_elements(element), None) is not None:
        raise DynamicError("SEPM0017", f"{name} holds an element")
    text = _attributes(element, frozenset({"value"}))["value"]
    try:
        return reader(text, element.namespaces)
    except ValueError as reason:
        raise DynamicError("SEPM0017", f"{name}={text!r}: {reason}") from None


def _character_map(element: Node) -> dict[str, str]:
    _attributes(element, frozenset())
    mapping: dict[str, str] = {}
    for child in _elements(element):
        name = child.name
        if name is None or (name.uri, name.local) != (OUTPUT_NAMESPACE, "character-map"):
            raise DynamicError("SEPM0017", f"use-character-maps holds {name}")
        attributes = _attributes(child, frozenset({"character", "map-string"}))
        character = attributes["character"]
        if len(character) != 1:
            raise DynamicError("SEPM0017", f"{character!r} is not one character")
        if character in mapping:
            raise DynamicError("SEPM0018", f"{character!r} is mapped twice")
        mapping[character] = attributes["map-string"]
    return mapping


def _elements(parent: Node) -> Iterator[Node]:
    """The child elements; any text between them must be white space."""
    tree = parent.tree
    for pre in tree.children(parent.pre):
        child = Node(tree, pre)
        if child.kind == ELEMENT:
            yield child
        elif child.kind == TEXT and child.string_value.strip(" \t\r\n"):
            raise DynamicError("SEPM0017", f"unexpected text {child.string_value.strip()!r}")


def _attributes(element: Node, required: frozenset[str]) -> dict[str, str]:
    """The attributes in no namespace: exactly the required ones. Others are ignored."""
    found: dict[str, str] = {}
    for pre in element.tree.attributes(element.pre):
        attribute = Node(element.tree, pre)
        name = attribute.name
        assert name is not None
        if not name.uri:
            found[name.local] = attribute.string_value
        elif name.uri == OUTPUT_NAMESPACE:
            raise DynamicError("SEPM0017", f"unexpected attribute {name}")
    if found.keys() != required:
        wrong = sorted(found.keys() ^ required)
        raise DynamicError("SEPM0017", f"missing or unexpected attribute {wrong[0]!r} of {element.name}")
    return found
