"""Nodes as elements and trees of lxml or ElementTree: the inverse of `values/element_trees.py`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xylem.errors import InputError
from xylem.errors.optional_package import optional_package
from xylem.values.node import DOCUMENT, ELEMENT, Node

from .serialization_parameters import SerializationParameters
from .serialize import serialize


def to_lxml(node: Node) -> Any:
    """An element as lxml's element, a document as its tree.

    >>> import xylem
    >>> element = xylem.compile("//b").run(xylem.parse("<a><b x='1'>text</b></a>"))[0]
    >>> to_lxml(element).get("x")
    '1'
    """
    etree = optional_package("lxml.etree", "lxml")
    # Documents within our limits may be deeper and longer than lxml allows by default.
    parser = etree.XMLParser(huge_tree=True, resolve_entities=False, no_network=True)
    return _converted(node, lambda data: etree.fromstring(data, parser), lambda root: root.getroottree())


def to_etree(node: Node) -> Any:
    """An element as the standard library's element, a document as its ElementTree."""
    from xml.etree import ElementTree

    return _converted(node, ElementTree.fromstring, ElementTree.ElementTree)


def _converted(node: Node, parsed: Callable[[bytes], Any], tree_of: Callable[[Any], Any]) -> Any:
    if not isinstance(node, Node) or node.kind not in (ELEMENT, DOCUMENT):
        raise InputError("XYIN0005", "only elements and documents become elements of another library")
    text = serialize([node], SerializationParameters(method="xml", omit_xml_declaration=True))
    root = parsed(text.encode())
    return tree_of(root) if node.kind == DOCUMENT else root
