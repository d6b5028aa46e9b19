"""fn: functions on QNames."""

from __future__ import annotations

import pytest
from xylem.errors import DynamicError
from xylem.functions import qname_functions as fn
from xylem.values.builder import TreeBuilder
from xylem.values.node import Node
from xylem.values.qname import QName
from xylem.values.strings import AnyURI, NCName


@pytest.fixture
def element() -> Node:
    builder = TreeBuilder()
    builder.start_element(QName("", "e"), {"p": "urn:p"})
    builder.end_element()
    return builder.finish()


def test_making_and_taking_apart() -> None:
    name = fn.qname("urn:x", "p:l")
    assert name == QName("urn:x", "l")
    assert fn.prefix_from_qname(name) == "p"
    assert type(fn.local_name_from_qname(name)) is NCName
    assert type(fn.namespace_uri_from_qname(name)) is AnyURI
    assert fn.prefix_from_qname(fn.qname(None, "l")) is None
    assert fn.namespace_uri_from_qname(fn.qname(None, "l")) == ""


@pytest.mark.parametrize(
    ("uri", "name"), [("", "p:l"), (None, "p:l"), ("u", "1l"), ("u", ""), ("u", "a:b:c"), ("u", ":a")]
)
def test_faulty_names(uri: str | None, name: str) -> None:
    with pytest.raises(DynamicError, match="FOCA0002"):
        fn.qname(uri, name)


def test_resolve_qname(element: Node) -> None:
    assert fn.resolve_qname("p:l", element) == QName("urn:p", "l")
    assert fn.resolve_qname("l", element) == QName("", "l")
    assert fn.resolve_qname(None, element) is None
    with pytest.raises(DynamicError, match="FONS0004"):
        fn.resolve_qname("q:l", element)
    with pytest.raises(DynamicError, match="FOCA0002"):
        fn.resolve_qname("1", element)
