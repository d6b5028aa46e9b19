"""Names and text nodes of computed constructors in generated code (XQuery 3.1 §3.9.3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from xylem.errors import DynamicError
from xylem.values.atomic import type_of
from xylem.values.atomic_type import NCNAME, QNAME, STRING, UNTYPED_ATOMIC
from xylem.values.builder import TreeBuilder
from xylem.values.casting import cast, string_of
from xylem.values.node import Node
from xylem.values.qname import QName


def element_name(value: Any, namespaces: Mapping[str, str]) -> QName:
    """The name of a computed element; an unprefixed string is in the default element namespace."""
    return _name(value, namespaces, namespaces.get("", ""))


def attribute_name(value: Any, namespaces: Mapping[str, str]) -> QName:
    """The name of a computed attribute; an unprefixed string is in no namespace."""
    return _name(value, namespaces, "")


def _name(value: Any, namespaces: Mapping[str, str], default: str) -> QName:
    if type(value) is QName:
        return value
    kind = type_of(value)
    if kind is None or not (kind.derives_from(STRING) or kind is UNTYPED_ATOMIC):
        raise DynamicError("XPTY0004", f"a node name must be a QName or a string, found {kind}")
    text = str(value).strip(" \t\r\n")
    try:
        if text.startswith("Q{"):
            uri, _, local = text[2:].partition("}")
            if "{" in uri or "}" in local:
                raise DynamicError("XQDY0074", f"{value!r}")
            return QName(" ".join(uri.split()), str(cast(local, NCNAME)))
        if ":" in text:
            name: QName = cast(text, QNAME, namespaces)
            return name
        return QName(default, str(cast(text, NCNAME)))
    except DynamicError as error:
        raise DynamicError("XQDY0074", f"{value!r}") from error


def pi_target(value: Any) -> str:
    kind = type_of(value)
    if kind is None or not (kind.derives_from(STRING) or kind is UNTYPED_ATOMIC):
        raise DynamicError("XPTY0004", f"a target must be a string, found {kind}")
    try:
        return str(cast(str(value), NCNAME))
    except DynamicError as error:
        raise DynamicError("XQDY0041", f"{value!r}") from error


def namespace_prefix(value: Any) -> str:
    if value is None:
        return ""
    kind = type_of(value)
    if kind is None or not (kind.derives_from(STRING) or kind is UNTYPED_ATOMIC):
        raise DynamicError("XPTY0004", f"a prefix must be a string, found {kind}")
    text = str(value).strip(" \t\r\n")
    if not text:
        return ""
    try:
        return str(cast(text, NCNAME))
    except DynamicError as error:
        raise DynamicError("XQDY0074", f"{value!r}") from error


def text_node(atoms: Sequence[Any]) -> Node | None:
    """A text node, or None for an empty sequence."""
    return TreeBuilder.text_node(" ".join(map(string_of, atoms))) if atoms else None


def text_of_texts(nodes: Iterable[Node]) -> str:
    """The characters of consecutive text nodes as content."""
    return "".join([node.string_value for node in nodes])
