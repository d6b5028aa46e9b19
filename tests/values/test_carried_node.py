"""Pickled nodes arrive as copies of their subtrees, in this process and in others."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from pathlib import Path

import pytest
import xylem
from xylem.sink.serialization_parameters import SerializationParameters
from xylem.sink.serialize import serialize
from xylem.source.kernel import is_kernel_built
from xylem.source.xml_reader import read_document
from xylem.values.builder import TreeBuilder
from xylem.values.node import ATTRIBUTE, Node
from xylem.values.qname import QName

PLAIN = SerializationParameters(method="xml", omit_xml_declaration=True)
DOCUMENT = """<!DOCTYPE p:a [<!ATTLIST b key ID #IMPLIED ref IDREF #IMPLIED>]>
<p:a xmlns:p="u" xmlns="d" xml:base="http://example.org/x/"><?pi data?><!--c--><b xmlns="" key="k" ref="k">one
<q:c xmlns:q="u" xml:id="i" xml:base="sub/">é<p:c q:x="1" p:y="2"/></q:c></b>two</p:a>"""
READERS = ["python", pytest.param("kernel", marks=pytest.mark.skipif(not is_kernel_built(), reason="no kernel"))]


def shown(node: Node) -> tuple[object, ...]:
    tree = node.tree
    below = [Node(tree, row) for row in range(node.pre, tree.end(node.pre))]
    facts = [(n.kind, str(n.name), n.string_value, n.namespaces, n.base_uri) for n in below]
    ids = [tree.is_id(n.pre) for n in below if n.kind == ATTRIBUTE and n.pre > node.pre]
    text = serialize([node], PLAIN) if node.kind != ATTRIBUTE else ""
    return node.document_uri, facts, ids, text


@pytest.mark.parametrize("reader", READERS)
def test_every_node_of_a_document(reader: str) -> None:
    document = read_document(DOCUMENT, "http://example.org/doc.xml", reader=reader)
    for row in range(len(document.tree)):
        node = Node(document.tree, row)
        arrived = pickle.loads(pickle.dumps(node))
        assert arrived != node
        assert arrived.parent is None
        assert shown(arrived) == shown(node)


@pytest.mark.parametrize("reader", READERS)
def test_identifiers_arrive(reader: str) -> None:
    tree = pickle.loads(pickle.dumps(read_document(DOCUMENT, reader=reader))).tree
    assert str(tree.name(tree.element_with_id("k"))) == "b"
    assert str(tree.name(tree.element_with_id("i"))) == "q:c"
    assert [tree.values[row] for row in tree.idref_attributes()] == ["k"]


def test_elements_that_do_not_inherit() -> None:
    inner = TreeBuilder()
    inner.start_element(QName("", "inner"))
    inner.end_element()
    builder = TreeBuilder(copy_inherit=False)
    builder.start_element(QName("", "outer"), {"p": "u"})
    builder.copy(inner.finish())
    builder.end_element()
    node = builder.finish()
    arrived = pickle.loads(pickle.dumps(node))
    assert shown(arrived) == shown(node)
    assert "p" not in Node(arrived.tree, 1).namespaces


def test_nodes_without_a_parent() -> None:
    for node in (
        TreeBuilder.text_node("t"),
        TreeBuilder.comment_node("c"),
        TreeBuilder.pi_node("target", "data"),
        TreeBuilder.attribute_node(QName("u", "x", "p"), "v"),
    ):
        assert shown(pickle.loads(pickle.dumps(node))) == shown(node)
    namespace = pickle.loads(pickle.dumps(TreeBuilder.namespace_node("p", "u")))
    assert (str(namespace.name), namespace.string_value) == ("p", "u")


def test_a_handle_met_twice_arrives_once() -> None:
    node = Node(read_document("<a><b/></a>").tree, 2)
    first, second, other = pickle.loads(pickle.dumps([node, node, Node(node.tree, 2)]))
    assert first is second
    assert first != other


def test_copies_within_a_process_are_the_node_itself() -> None:
    node = read_document("<a/>")
    assert copy.copy(node) is node
    assert copy.deepcopy([node])[0] is node


@pytest.mark.parametrize("reader", READERS)
def test_another_process(reader: str, tmp_path: Path) -> None:
    document = read_document(DOCUMENT, reader=reader)
    file = tmp_path / "node.pickle"
    file.write_bytes(pickle.dumps([Node(document.tree, 1), {"n": 1}]))
    code = (
        "import pickle, sys; from xylem.source.xml_reader import read_document; "
        # Other names first, so that codes differ.
        "read_document('<z><y x=\"1\"/></z>'); import xylem; "
        "node = pickle.load(open(sys.argv[1], 'rb'))[0]; "
        "sys.stdout.reconfigure(encoding='utf-8'); "
        "print(xylem.compile('serialize(.), count(.//@*), string((.//*:c)[1])').run(context=node).serialize())"
    )
    environment = {"PYTHONPATH": str(Path(xylem.__file__).parents[1]), "PYTHONHASHSEED": "1"}
    ended = subprocess.run([sys.executable, "-c", code, str(file)], capture_output=True, env=environment, timeout=60)
    assert ended.returncode == 0, ended.stderr
    here = xylem.compile("serialize(.), count(.//@*), string((.//*:c)[1])").run(context=Node(document.tree, 1))
    assert ended.stdout.decode().rstrip("\n") == here.serialize().rstrip("\n")
