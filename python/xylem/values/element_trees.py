"""Elements and trees of lxml and ElementTree as nodes: objects with `tag`, `attrib`, `text`, `tail` and children.

An element becomes the root of a new document, with everything below it; a tree is that document. Prefixes are those of
lxml; ElementTree keeps none, so names in a namespace get the default prefix.
"""

from __future__ import annotations

from typing import Any

from xylem.errors import InputError

from .builder import TreeBuilder
from .node import Node
from .qname import QName


def is_element_tree(value: Any) -> bool:
    """Whether a Python value is a tree of elements."""
    return callable(getattr(value, "getroot", None)) and hasattr(value, "iter")


def is_foreign_element(value: Any) -> bool:
    """Whether a Python value is an element of lxml or ElementTree."""
    return hasattr(value, "tag") and hasattr(value, "attrib") and hasattr(value, "tail") and hasattr(value, "iter")


def node_from_elements(value: Any) -> Node:
    """The document node of a tree, or the node of an element in a new document."""
    builder = TreeBuilder()
    builder.start_document()
    is_tree = is_element_tree(value)
    root = value.getroot() if is_tree else value
    if root is None:
        raise InputError("XYIN0005", "the tree has no root element")
    for before in _siblings(root, is_tree, preceding=True):
        _start(builder, before)
    row = len(builder.codes)
    _append(builder, root)
    for after in _siblings(root, is_tree, preceding=False):
        _start(builder, after)
    builder.end_document()
    return Node(builder.tree, 0 if is_tree else row)


def _siblings(root: Any, is_tree: bool, *, preceding: bool) -> list[Any]:
    """The comments and processing instructions around the root, which lxml keeps."""
    if not is_tree or not hasattr(root, "itersiblings"):
        return []
    found = list(root.itersiblings(preceding=preceding))
    return found[::-1] if preceding else found


def _append(builder: TreeBuilder, root: Any) -> None:
    """The rows of an element and all below it; without recursion, since trees may be deep."""
    if not _start(builder, root):
        return
    is_open = [(root, iter(root))]
    while is_open:
        element, children = is_open[-1]
        child = next(children, None)
        if child is not None:
            if _start(builder, child):
                is_open.append((child, iter(child)))
            else:
                builder.text(child.tail or "")
            continue
        is_open.pop()
        builder.end_element()
        if is_open:
            builder.text(element.tail or "")


def _start(builder: TreeBuilder, element: Any) -> bool:
    """Begin an element, or add a whole comment or processing instruction; return whether children follow."""
    tag = element.tag
    if not isinstance(tag, str):
        _add_other(builder, element, getattr(tag, "__name__", ""))
        return False
    declared = {prefix or "": uri for prefix, uri in getattr(element, "nsmap", {}).items()}
    builder.start_element(_name(tag, getattr(element, "prefix", None) or ""), declared, literal=True)
    prefixes = {uri: prefix for prefix, uri in declared.items() if prefix}
    for name, value in element.attrib.items():
        uri = name[1:].partition("}")[0] if name.startswith("{") else ""
        builder.attribute(_name(name, prefixes.get(uri, "")), value)
    builder.text(element.text or "")
    return True


def _add_other(builder: TreeBuilder, element: Any, kind: str) -> None:
    text = element.text or ""
    if kind == "Comment":
        builder.comment(text)
    elif kind in ("ProcessingInstruction", "PI"):
        # ElementTree keeps target and content in one text, lxml in two.
        target = getattr(element, "target", None)
        if target is None:
            target, _, text = text.partition(" ")
        builder.processing_instruction(target, text)
    else:
        raise InputError("XYIN0005", f"an element tree with {kind or 'an unknown kind of node'} in it")


def _name(name: str, prefix: str) -> QName:
    """A name in Clark's notation, {uri}local, as used by these libraries."""
    if not name.startswith("{"):
        return QName("", name)
    uri, _, local = name[1:].partition("}")
    return QName(uri, local, prefix)
