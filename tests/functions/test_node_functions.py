"""Functions of nodes: names, properties, sets, paths, identifiers."""

from __future__ import annotations

import pytest
from xylem.errors import DynamicError
from xylem.functions import id_functions, node_functions
from xylem.source.xml_reader import read_document
from xylem.values.axes import step
from xylem.values.builder import TreeBuilder
from xylem.values.node import ELEMENT, TEXT, Node
from xylem.values.node_test import NodeTest
from xylem.values.qname import QName

fn = node_functions

DOCUMENT = read_document(
    b"""<!DOCTYPE r [<!ATTLIST i id ID #IMPLIED ref IDREFS #IMPLIED>]>
<r xmlns:p="urn:p" xml:lang="en"><p:a>one</p:a>mid<!--c--><?t x?><p:a xml:lang="de-AT" p:k="v"><b/>two</p:a>
<i id="x"/><i id="y" ref="x  z"/><i id="x" ref="y"/></r>""",
    "http://h/d.xml",
)


def all_of(local: str) -> list[Node]:
    return step("descendant", NodeTest(ELEMENT, None, local))(DOCUMENT)


def test_names() -> None:
    a = all_of("a")[0]
    assert (fn.name(a), fn.local_name(a), fn.namespace_uri(a)) == ("p:a", "a", "urn:p")
    assert fn.node_name(a) == QName("urn:p", "a")
    assert (fn.name(None), fn.local_name(DOCUMENT), fn.namespace_uri(DOCUMENT)) == ("", "", "")
    assert fn.node_name(DOCUMENT) is None
    assert fn.node_name(TreeBuilder.namespace_node("", "urn:p")) is None
    assert fn.name(TreeBuilder.namespace_node("p", "urn:p")) == "p"


def test_properties() -> None:
    a, b = all_of("a")[1], all_of("b")[0]
    assert fn.root(b) == DOCUMENT
    assert (fn.has_children(a), fn.has_children(b), fn.has_children(None)) == (True, False, False)
    assert (fn.nilled(a), fn.nilled(DOCUMENT)) == (False, None)
    assert (fn.base_uri(b), fn.document_uri(DOCUMENT), fn.document_uri(b)) == ("http://h/d.xml", "http://h/d.xml", None)
    assert fn.base_uri(TreeBuilder.text_node("x")) is None
    assert fn.generate_id(a) == fn.generate_id(Node(a.tree, a.pre)) != fn.generate_id(b)
    assert fn.generate_id(a).isalnum()


def test_languages() -> None:
    first, second = all_of("a")
    assert fn.lang("EN", first)
    assert fn.lang("de", second)
    assert not fn.lang("d", second)
    assert not fn.lang("en", second)
    assert not fn.lang("en", DOCUMENT)
    assert not fn.lang(None, first)


def test_namespaces() -> None:
    a = all_of("a")[0]
    assert set(fn.in_scope_prefixes(a)) == {"p", "xml"}
    assert fn.namespace_uri_for_prefix("p", a) == "urn:p"
    assert fn.namespace_uri_for_prefix("", a) is None
    assert fn.namespace_uri_for_prefix("q", a) is None


def test_innermost_and_outermost() -> None:
    everything = step("descendant-or-self", NodeTest())(DOCUMENT)
    assert fn.outermost(everything) == [DOCUMENT]
    leaves = [n for n in everything if not fn.has_children(n)]
    assert fn.innermost(everything[::-1]) == leaves
    assert fn.innermost([]) == []
    attribute = step("attribute", NodeTest())(all_of("a")[1])[0]
    assert fn.innermost([all_of("a")[1], attribute]) == [attribute]


def test_paths() -> None:
    assert fn.path(DOCUMENT) == "/"
    assert fn.path(all_of("b")[0]) == "/Q{}r[1]/Q{urn:p}a[2]/Q{}b[1]"
    assert [fn.path(a) for a in step("attribute", NodeTest())(all_of("a")[1])] == [
        "/Q{}r[1]/Q{urn:p}a[2]/@Q{http://www.w3.org/XML/1998/namespace}lang",
        "/Q{}r[1]/Q{urn:p}a[2]/@Q{urn:p}k",
    ]
    assert fn.path(step("child", NodeTest(TEXT))(all_of("r")[0])[1]) == "/Q{}r[1]/text()[2]"
    root = "Q{http://www.w3.org/2005/xpath-functions}root()"
    builder = TreeBuilder()
    builder.start_element(QName("", "e"))
    builder.comment("c")
    builder.processing_instruction("t", "")
    builder.end_element()
    made = builder.finish()
    assert fn.path(made) == root
    assert [fn.path(n) for n in step("child", NodeTest())(made)] == [
        f"{root}/comment()[1]",
        f"{root}/processing-instruction(t)[1]",
    ]


def test_identifiers() -> None:
    ids = id_functions
    first, second, third = all_of("i")
    assert ids.id_([" y  x", "nothing"], first) == [first, second]
    assert ids.element_with_id(["x"], DOCUMENT) == [first]
    assert [n.parent for n in ids.idref(["x"], DOCUMENT)] == [second]
    assert [n.parent for n in ids.idref(["y", "z"], DOCUMENT)] == [second, third]
    with pytest.raises(DynamicError) as caught:
        ids.id_(["x"], TreeBuilder.text_node("x"))
    assert caught.value.code == "FODC0001"
