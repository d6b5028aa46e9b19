"""Documents for the tests of output: parsed from text, or of a given shape."""

from __future__ import annotations

from typing import Any

from xylem.sink import SerializationParameters, serialize
from xylem.source.xml_reader import read_document
from xylem.values.node import Node


def document(text: str) -> Node:
    return read_document(text)


def element(text: str) -> Node:
    """The outermost element of a document."""
    node = document(text)
    return Node(node.tree, 1)


def written(*items: Any, namespaces: Any = None, **options: str) -> str:
    """Items serialised by options as a query writes them; without XML declaration unless one is asked for."""
    named = {name.replace("_", "-"): value for name, value in options.items()}
    if named.get("method", "xml") in ("xml", "xhtml") and "standalone" not in named:
        named.setdefault("omit-xml-declaration", "yes")
    return serialize(items, SerializationParameters.from_options(named, namespaces))
