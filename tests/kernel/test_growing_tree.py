"""Buffers in the kernel hold what buffers in Python lists hold, whatever namespaces and prefixes children have."""

from __future__ import annotations

import pytest
from hypothesis import given, reject, settings
from xylem.errors import InputError
from xylem.sink.serialization_parameters import SerializationParameters
from xylem.sink.serialize import serialize
from xylem.source.kernel import is_kernel_built
from xylem.source.xml_reader import read_document
from xylem.values import name_pool
from xylem.values.compact_tree import CompactTree
from xylem.values.growing_tree import GrowingTree, append_child, held_characters, opened
from xylem.values.node import ELEMENT, Node
from xylem.values.tree import Tree

from .random_documents import DOCUMENTS

pytestmark = pytest.mark.skipif(not is_kernel_built(), reason="the kernel was not built here")

PLAIN = SerializationParameters(method="xml", omit_xml_declaration=True)


def elements(document: Node) -> list[Node]:
    return [Node(document.tree, row) for row in range(len(document.tree)) if document.tree.kind(row) == ELEMENT]


def view(tree: GrowingTree) -> tuple[object, ...]:
    """All that can be seen of a buffer."""
    nodes = [Node(tree, row) for row in range(len(tree))]
    shown = [(str(node.name), node.string_value, node.namespaces) for node in nodes]
    columns = list(tree.codes), list(tree.ends), list(tree.parents), list(tree.values)
    return columns, shown, serialize([Node(tree, 0)], PLAIN), held_characters(tree, 0, len(tree)), tree.id_attributes()


@settings(max_examples=100, deadline=None)
@given(DOCUMENTS)
def test_children_are_kept_alike(text: str) -> None:
    try:
        ours, reference = (read_document(text, "urn:doc", reader=reader) for reader in ("kernel", "python"))
    except InputError:
        reject()
    for here, there in zip(elements(ours), elements(reference), strict=True):
        tree, wanted = opened(here), opened(there)
        assert type(tree) is CompactTree
        assert type(wanted) is Tree
        assert view(tree) == view(wanted)
        for child, other in zip(elements(ours), elements(reference), strict=True):
            append_child(tree, child)
            append_child(wanted, other)
        assert view(tree) == view(wanted)


def test_a_document_is_kept_open() -> None:
    document = read_document("<a xmlns='u'><b/></a>", "urn:doc", reader="kernel")
    tree = opened(document)
    assert (len(tree), tree.document_uri) == (1, "urn:doc")
    append_child(tree, Node(document.tree, 1))
    assert serialize([Node(tree, 0)], PLAIN) == '<a xmlns="u"><b/></a>'


def test_reading_between_two_children() -> None:
    document = read_document("<a><b i='1'/><b i='2'/></a>", reader="kernel")
    tree = opened(Node(document.tree, 1))
    root = Node(tree, 0)
    code = document.tree.codes[2]
    for count, row in enumerate((2, 4), 1):
        append_child(tree, Node(document.tree, row))
        assert root.tree is tree
        assert len(tree.elements_named(code)) == count
        assert tree.children(0) == list(range(1, 2 * count, 2))


@pytest.mark.parametrize("reader", ["kernel", "python"])
def test_a_child_with_names_of_another_pool(reader: str, monkeypatch: pytest.MonkeyPatch) -> None:
    first = read_document("<p:a xmlns:p='u'><p:b x='1'>t</p:b></p:a>", reader="kernel")
    tree = opened(Node(first.tree, 1))
    append_child(tree, Node(first.tree, 2))
    monkeypatch.setattr(name_pool, "_current", name_pool.NamePool())
    second = read_document("<q:a xmlns:q='u'><q:b y='2'><!--c--><z:new xmlns:z='v'/></q:b></q:a>", reader=reader)
    assert second.tree.names is not first.tree.names
    append_child(tree, Node(second.tree, 2))
    append_child(tree, Node(first.tree, 2))
    own = '<p:b x="1">t</p:b>'
    other = '<q:b xmlns:q="u" y="2"><!--c--><z:new xmlns:z="v"/></q:b>'
    assert serialize([Node(tree, 0)], PLAIN) == f'<p:a xmlns:p="u">{own}{other}{own}</p:a>'
    assert serialize([first], PLAIN) == f'<p:a xmlns:p="u">{own}</p:a>'
    assert [str(tree.name(row)) for row in tree.children(0)] == ["p:b", "q:b", "p:b"]
