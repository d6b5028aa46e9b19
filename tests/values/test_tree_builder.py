"""Node constructors: content sequences, namespaces and their repair, copies and errors (XQuery 3.1 §3.9)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from xylem.errors import DynamicError
from xylem.source.xml_reader import read_document
from xylem.values.array import XArray
from xylem.values.axes import step
from xylem.values.builder import TreeBuilder
from xylem.values.map import XMap
from xylem.values.node import ELEMENT, Node
from xylem.values.node_test import NodeTest
from xylem.values.qname import QName
from xylem.values.strings import UntypedAtomic

XML = "http://www.w3.org/XML/1998/namespace"


def name(text: str, uri: str = "") -> QName:
    prefix, _, local = text.rpartition(":")
    return QName(uri, local, prefix)


def element(*content: Any, called: QName | None = None, declared: dict[str, str] | None = None) -> Node:
    builder = TreeBuilder(base_uri="http://base/")
    builder.start_element(called or name("e"), declared or {})
    for part in content:
        builder.items(part if isinstance(part, list) else [part])
    builder.end_element()
    return builder.finish()


def children(node: Node) -> list[Node]:
    return step("child", NodeTest())(node)


def attributes(node: Node) -> dict[str, str]:
    return {str(a.name): a.string_value for a in step("attribute", NodeTest())(node)}


def prefixes(node: Node) -> dict[str, str]:
    return {prefix: uri for prefix, uri in node.namespaces.items() if prefix != "xml"}


# --- content


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ([[1, 2, "x"]], ["1 2 x"]),
        ([[1], [2]], ["12"]),
        ([["a", TreeBuilder.text_node("b"), "c", "d"]], ["abc d"]),
        ([["a", TreeBuilder.text_node(""), "c"]], ["ac"]),
        ([[XArray([[1, 2], [XArray([[3]])]]), 4]], ["1 2 3 4"]),
        ([[""]], []),
        ([["", ""]], [" "]),
        ([[]], []),
        ([[True, 1.5, UntypedAtomic("u")]], ["true 1.5 u"]),
    ],
)
def test_atomic_content(content: list[list[Any]], expected: list[str]) -> None:
    assert [child.string_value for child in children(element(*content))] == expected


def test_nodes_are_copied_and_text_joined() -> None:
    inner = element([1])
    outer = element(["a", inner, "b"], "c")
    assert [n.string_value for n in children(outer)] == ["a", "1", "bc"]
    assert children(outer)[1] != inner
    document = read_document(b"<x>1</x>")
    assert [str(n.name) for n in children(element(document, document))] == ["x", "x"]


def test_attributes_and_their_place() -> None:
    made = element([TreeBuilder.attribute_node(name("a"), "1"), TreeBuilder.attribute_node(name("b"), "2")], "text")
    assert attributes(made) == {"a": "1", "b": "2"}
    assert made.string_value == "text"


def code_of(call: Callable[[], Any]) -> str:
    with pytest.raises(DynamicError) as caught:
        call()
    return caught.value.code


def test_errors_of_content() -> None:
    attribute = TreeBuilder.attribute_node(name("a"), "1")
    assert code_of(lambda: element("x", attribute)) == "XQTY0024"
    assert code_of(lambda: element(element(), attribute)) == "XQTY0024"
    assert code_of(lambda: element("x", TreeBuilder.namespace_node("p", "u"))) == "XQTY0024"
    assert code_of(lambda: element(attribute, attribute)) == "XQDY0025"
    assert code_of(lambda: element(XMap())) == "XQTY0105"
    assert attributes(element("", attribute)) == {"a": "1"}

    def document() -> None:
        builder = TreeBuilder()
        builder.start_document()
        builder.items([attribute])

    assert code_of(document) == "XPTY0004"


def test_errors_of_names_and_characters() -> None:
    make = TreeBuilder
    assert code_of(lambda: make.comment_node("a--b")) == "XQDY0072"
    assert code_of(lambda: make.comment_node("a-")) == "XQDY0072"
    assert code_of(lambda: make.pi_node("p", "?>")) == "XQDY0026"
    assert code_of(lambda: make.pi_node("XmL", "")) == "XQDY0064"
    assert code_of(lambda: make.pi_node("a:b", "")) == "XQDY0041"
    assert code_of(lambda: make.attribute_node(name("xmlns"), "")) == "XQDY0044"
    assert code_of(lambda: make.attribute_node(name("xml:a", "u"), "")) == "XQDY0044"
    assert code_of(lambda: make.attribute_node(name("xml:id", XML), "1")) == "XQDY0091"
    assert code_of(lambda: make.namespace_node("xmlns", "u")) == "XQDY0101"
    assert code_of(lambda: make.namespace_node("p", "")) == "XQDY0101"
    assert code_of(lambda: make.namespace_node("p", XML)) == "XQDY0101"
    assert code_of(lambda: make.namespace_node("1", "u")) == "XQDY0074"
    assert code_of(lambda: TreeBuilder().start_element(name("xmlns:a", "u"))) == "XQDY0096"


def test_leaves() -> None:
    make = TreeBuilder
    assert make.pi_node("p", "  x ").string_value == "x "
    assert make.attribute_node(name("xml:id", XML), " a ").string_value == "a"
    assert str(make.attribute_node(name("p:a", "u"), "").name) == "p:a"
    assert str(make.attribute_node(name("q:a", "u"), "").name) == "q:a"
    assert make.text_node("").string_value == ""
    assert make.text_node("x").base_uri is None
    assert str(make.namespace_node("p", "u").name) == "p"


# --- namespaces


def test_names_bind_their_prefixes() -> None:
    made = element(TreeBuilder.attribute_node(name("q:a", "v"), "1"), called=name("p:e", "u"))
    assert prefixes(made) == {"p": "u", "q": "v"}


def test_prefixes_of_attributes_yield() -> None:
    attribute = TreeBuilder.attribute_node(name("p:a", "v"), "1")
    made = element(attribute, called=name("p:e", "u"))
    (found,) = step("attribute", NodeTest())(made)
    assert found.name == QName("v", "a")
    assert prefixes(made)[found.name.prefix] == "v"
    assert prefixes(made)["p"] == "u"
    later = element(attribute, TreeBuilder.namespace_node("p", "w"))
    (found,) = step("attribute", NodeTest())(later)
    assert prefixes(later)["p"] == "w"
    assert prefixes(later)[found.name.prefix] == "v"  # type: ignore[union-attr]


def test_an_attribute_in_a_namespace_gets_a_prefix() -> None:
    builder = TreeBuilder()
    builder.start_element(name("e", "u"), {"": "u"})
    builder.attribute(name("a", "u"), "1")
    builder.end_element()
    made = builder.finish()
    (found,) = step("attribute", NodeTest())(made)
    assert found.name is not None
    assert found.name.prefix
    assert prefixes(made) == {"": "u", found.name.prefix: "u"}


def test_conflicting_namespace_nodes() -> None:
    make = TreeBuilder.namespace_node
    assert code_of(lambda: element(make("p", "u"), make("p", "v"))) == "XQDY0102"
    assert code_of(lambda: element(make("", "u"))) == "XQDY0102"
    assert code_of(lambda: element(make("p", "u"), called=name("p:e", "v"))) == "XQDY0102"
    assert code_of(lambda: element(make("p", "u"), declared={"p": "v"})) == "XQDY0102"
    assert prefixes(element(make("p", "u"), make("p", "u"))) == {"p": "u"}


def nested(inner: QName, **modes: bool) -> Node:
    builder = TreeBuilder(**modes)
    builder.start_element(name("e", "u"), {"": "u", "p": "v"})
    builder.start_element(inner)
    builder.end_element()
    builder.end_element()
    return children(builder.finish())[0]


def test_children_without_namespace_undeclare_the_default_one() -> None:
    assert prefixes(nested(name("f"))) == {"p": "v"}
    assert prefixes(nested(name("f", "u"))) == {"": "u", "p": "v"}
    assert prefixes(nested(name("f"), copy_inherit=False)) == {}


def copied(source: bytes, *, preserve: bool = True, inherit: bool = True, into: dict[str, str] | None = None) -> Node:
    """The first b of a document, copied into an element."""
    node = step("descendant", NodeTest(ELEMENT, None, "b"))(read_document(source))[0]
    builder = TreeBuilder(copy_preserve=preserve, copy_inherit=inherit)
    uri = (into or {}).get("", "")
    builder.start_element(name("e", uri), into or {})
    builder.items([node])
    builder.end_element()
    return children(builder.finish())[0]


def test_copies_keep_the_namespaces_of_the_original() -> None:
    assert prefixes(copied(b"<a xmlns:p='u' xmlns='d'><b/></a>")) == {"p": "u", "": "d"}
    assert prefixes(copied(b"<a xmlns:p='u' xmlns:q='v'><q:b/></a>", preserve=False)) == {"q": "v"}
    assert prefixes(copied(b"<a xmlns:p='u'><b p:x='1'/></a>", preserve=False)) == {"p": "u"}


def test_copies_inherit_what_is_around_them() -> None:
    assert prefixes(copied(b"<a xmlns:p='u'><b/></a>", into={"q": "w"})) == {"p": "u", "q": "w"}
    assert prefixes(copied(b"<a xmlns:p='u'><b/></a>", into={"p": "w"})) == {"p": "u"}
    assert prefixes(copied(b"<a xmlns:p='u'><b/></a>", into={"q": "w"}, inherit=False)) == {"p": "u"}
    assert prefixes(copied(b"<a><b/></a>", into={"q": "w"}, inherit=False)) == {}


def test_copies_without_namespace_stay_so() -> None:
    found = copied(b"<a><b><c/></b></a>", into={"": "w"})
    assert prefixes(found) == {}
    assert prefixes(children(found)[0]) == {}
    found = copied(b"<a xmlns:p='u'><p:b><c/></p:b></a>", into={"": "w"})
    assert prefixes(found) == {"p": "u", "": "w"}
    assert prefixes(children(found)[0]) == {"p": "u"}


def test_copies_keep_prefixes() -> None:
    read_document(b"<first:b xmlns:first='prefix-test'/>")
    found = copied(b"<a><second:b xmlns:second='prefix-test'/></a>")
    assert str(found.name) == "second:b"


def test_base_uri_of_constructed_nodes() -> None:
    made = element(element())
    assert made.base_uri == "http://base/"
    assert children(made)[0].base_uri == "http://base/"


def test_identity_is_new_for_each_construction() -> None:
    assert element() != element()
    one = element()
    assert one == Node(one.tree, one.pre)
    assert len({one, Node(one.tree, 0)}) == 1
