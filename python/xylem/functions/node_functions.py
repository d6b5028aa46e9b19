"""Accessors and functions of nodes (F&O 3.1 §2 and §13)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xylem.values.document_order import document_order
from xylem.values.node import (
    ATTRIBUTE,
    DOCUMENT,
    ELEMENT,
    NAMESPACE,
    PROCESSING_INSTRUCTION,
    TEXT,
    Node,
)
from xylem.values.qname import QName
from xylem.values.strings import AnyURI
from xylem.values.tree_interface import XML_NAMESPACE

from .context import Context
from .registry import FN, function
from .sibling_places import sibling_place

# --- names


@function("fn:name", "node()?", "xs:string", focus=True)
def name(node: Node | None) -> str:
    found = None if node is None else node.name
    return "" if found is None else str(found)


@function("fn:local-name", "node()?", "xs:string", focus=True)
def local_name(node: Node | None) -> str:
    found = None if node is None else node.name
    return "" if found is None else found.local


@function("fn:namespace-uri", "node()?", "xs:anyURI", focus=True)
def namespace_uri(node: Node | None) -> AnyURI:
    found = None if node is None else node.name
    return AnyURI("" if found is None else found.uri)


@function("fn:node-name", "node()?", "xs:QName?", focus=True)
def node_name(node: Node | None) -> QName | None:
    found = None if node is None else node.name
    # The namespace node of the default namespace has no name.
    return found if found is not None and found.local else None


# --- properties


@function("fn:nilled", "node()?", "xs:boolean?", focus=True)
def nilled(node: Node | None) -> bool | None:
    """False for every element: only validation makes an element nilled."""
    return False if node is not None and node.kind == ELEMENT else None


@function("fn:base-uri", "node()?", "xs:anyURI?", focus=True)
def base_uri(node: Node | None) -> AnyURI | None:
    found = None if node is None else node.base_uri
    return None if found is None else AnyURI(found)


@function("fn:document-uri", "node()?", "xs:anyURI?", focus=True)
def document_uri(node: Node | None) -> AnyURI | None:
    found = None if node is None else node.document_uri
    return None if found is None else AnyURI(found)


@function("fn:static-base-uri", "", "xs:anyURI?", context=True)
def static_base_uri(ctx: Context) -> AnyURI | None:
    return None if ctx.static.base_uri is None else AnyURI(ctx.static.base_uri)


@function("fn:root", "node()?", "node()?", focus=True)
def root(node: Node | None) -> Node | None:
    return None if node is None else node.root


@function("fn:has-children", "node()?", "xs:boolean", focus=True)
def has_children(node: Node | None) -> bool:
    return node is not None and node.tree.ends[node.pre] > node.tree.attributes(node.pre).stop


@function("fn:generate-id", "node()?", "xs:string", focus=True)
def generate_id(node: Node | None) -> str:
    return "" if node is None else f"d{node.tree.order}n{node.pre}"


@function("fn:lang", "xs:string?, node()", "xs:boolean", focus=True)
def lang(wanted: str | None, node: Node) -> bool:
    """Whether the nearest xml:lang is the given language or a sub-language of it."""
    tree = node.tree
    code = tree.names.code(ATTRIBUTE, XML_NAMESPACE, "lang", "xml")
    row = node.pre
    while row >= 0:
        for attribute in tree.attributes(row):
            if tree.codes[attribute] == code:
                language, asked = (tree.values[attribute] or "").lower(), (wanted or "").lower()
                return language == asked or language.startswith(asked + "-")
        row = tree.parents[row]
    return False


# --- namespaces


@function("fn:in-scope-prefixes", "element()", "xs:string*")
def in_scope_prefixes(element: Node) -> Iterable[str]:
    return list(element.namespaces)


@function("fn:namespace-uri-for-prefix", "xs:string?, element()", "xs:anyURI?")
def namespace_uri_for_prefix(prefix: str | None, element: Node) -> AnyURI | None:
    found = element.namespaces.get(prefix or "")
    return None if found is None else AnyURI(found)


# --- sets of nodes


@function("fn:outermost", "node()*", "node()*")
def outermost(nodes: Sequence[Node]) -> list[Node]:
    """The nodes without an ancestor among them."""
    kept: list[Node] = []
    tree, end = None, 0
    for node in document_order(nodes):
        if node.tree is not tree or node.pre >= end:
            tree, end = node.tree, node.tree.ends[node.pre]
            kept.append(node)
    return kept


@function("fn:innermost", "node()*", "node()*")
def innermost(nodes: Sequence[Node]) -> list[Node]:
    """The nodes without a descendant, or attribute, among them."""
    ordered = document_order(nodes)
    kept = ordered[-1:]
    for place in range(len(ordered) - 2, -1, -1):
        node, following = ordered[place], ordered[place + 1]
        if following.tree is not node.tree or following.pre >= node.tree.ends[node.pre]:
            kept.append(node)
    kept.reverse()
    return kept


# --- fn:path


@function("fn:path", "node()?", "xs:string?", focus=True)
def path(node: Node | None) -> str | None:
    """A path from the root that selects the node and needs no namespace declarations (§13.2.5)."""
    if node is None:
        return None
    tree, row = node.tree, node.pre
    steps: list[str] = []
    while tree.parent(row) >= 0:
        steps.append(_path_step(Node(tree, row)))
        row = tree.parent(row)
    if tree.kind(row) == DOCUMENT:
        return "".join(reversed(steps)) or "/"
    return f"Q{{{FN}}}root()" + "".join(reversed(steps))


def _path_step(node: Node) -> str:
    kind, found = node.kind, node.name
    if kind == ATTRIBUTE:
        assert found is not None
        return f"/@{found.eqname if found.uri else found.local}"
    if kind == NAMESPACE:
        prefix = str(found)
        return f"/namespace::{prefix}" if prefix else f'/namespace::*[Q{{{FN}}}local-name()=""]'
    if kind == ELEMENT:
        assert found is not None
        test = found.eqname
    elif kind == PROCESSING_INSTRUCTION:
        test = f"processing-instruction({found})"
    else:
        test = "text()" if kind == TEXT else "comment()"
    return f"/{test}[{sibling_place(node.tree, node.pre)}]"
