"""Trees in the kernel show exactly what trees in Python lists show: every axis and test, values, text, names, order."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from xylem.errors import DynamicError, InputError
from xylem.functions.deep_equal import sequences_equal
from xylem.sink.serialization_parameters import SerializationParameters
from xylem.sink.serialize import serialize
from xylem.source.kernel import is_kernel_built, read_tree
from xylem.source.xml_reader import read_document
from xylem.values.axes import AXES, path_many, step, step_first, step_lazy, step_many
from xylem.values.builder import TreeBuilder
from xylem.values.compact_tree import CompactTree
from xylem.values.document_order import document_order, is_before
from xylem.values.node import ATTRIBUTE, COMMENT, DOCUMENT, ELEMENT, NAMESPACE, PROCESSING_INSTRUCTION, TEXT, Node
from xylem.values.node_test import NO_KIND, NodeTest
from xylem.values.qname import QName
from xylem.values.tree import Tree

from .random_documents import DOCUMENTS

pytestmark = pytest.mark.skipif(not is_kernel_built(), reason="the kernel was not built here")

TESTS = [
    NodeTest(),
    NodeTest(ELEMENT),
    NodeTest(ELEMENT, "", "a"),
    NodeTest(ELEMENT, "urn:p", "c"),
    NodeTest(ELEMENT, None, "c"),
    NodeTest(ELEMENT, "urn:q", None),
    NodeTest(ELEMENT, "", "nowhere"),
    NodeTest(ATTRIBUTE),
    NodeTest(ATTRIBUTE, "", "x"),
    NodeTest(ATTRIBUTE, None, "x"),
    NodeTest(TEXT),
    NodeTest(COMMENT),
    NodeTest(PROCESSING_INSTRUCTION),
    NodeTest(PROCESSING_INSTRUCTION, "", "pi"),
    NodeTest(DOCUMENT),
    NodeTest(DOCUMENT, element=NodeTest(ELEMENT, "", "r")),
    NodeTest(NAMESPACE),
    NodeTest(NO_KIND),
]
PLAIN = SerializationParameters(method="xml", omit_xml_declaration=True)


def both(text: str) -> tuple[Node, Node]:
    """The document in the kernel, and in Python; one that cannot be read is no example."""
    try:
        ours = read_document(text, "urn:doc", reader="kernel")
    except InputError:
        reject()
    reference = read_document(text, "urn:doc", reader="python")
    assert type(ours.tree) is CompactTree
    assert type(reference.tree) is Tree
    return ours, reference


def rows(nodes: list[Node]) -> list[int]:
    return [node.pre for node in nodes]


def nodes_of(document: Node) -> list[Node]:
    return [Node(document.tree, row) for row in range(len(document.tree))]


@settings(max_examples=12, deadline=None)
@given(DOCUMENTS, st.data())
def test_steps(text: str, data: st.DataObject) -> None:
    ours, reference = both(text)
    size = len(reference.tree)
    chosen = data.draw(st.lists(st.integers(0, size - 1), min_size=1, max_size=4))
    others = data.draw(st.tuples(st.sampled_from(sorted(AXES)), st.sampled_from(TESTS)))
    for axis, test in product(AXES, TESTS):
        one, first, lazily = step(axis, test), step_first(axis, test), step_lazy(axis, test)
        for row in chosen:
            here, there = Node(ours.tree, row), Node(reference.tree, row)
            assert rows(one(here)) == rows(one(there))
            assert rows(list(lazily(here))) == rows(list(lazily(there)))
            found, wanted = first(here), first(there)
            assert (found and found.pre) == (wanted and wanted.pre)
        for path in (step_many(axis, test), path_many([(axis, test), others]), path_many([others, (axis, test)])):
            here_all = path([Node(ours.tree, row) for row in chosen])
            there_all = path([Node(reference.tree, row) for row in chosen])
            assert rows(here_all) == rows(there_all)


@settings(max_examples=25, deadline=None)
@given(DOCUMENTS)
def test_from_all_nodes_at_once(text: str) -> None:
    ours, reference = both(text)
    for axis, test in product(AXES, TESTS):
        many = step_many(axis, test)
        assert rows(many(nodes_of(ours))) == rows(many(nodes_of(reference)))


@settings(max_examples=100, deadline=None)
@given(DOCUMENTS)
def test_what_a_node_shows(text: str) -> None:
    ours, reference = both(text)
    for here, there in zip(nodes_of(ours), nodes_of(reference), strict=True):
        assert here.kind == there.kind
        assert (here.name, str(here.name)) == (there.name, str(there.name))
        assert here.string_value == there.string_value
        assert (here.typed_value, type(here.typed_value)) == (there.typed_value, type(there.typed_value))
        assert here.namespaces == there.namespaces
        assert list(here.namespaces) == list(there.namespaces)
        assert here.base_uri == there.base_uri
        assert here.document_uri == there.document_uri
        assert (here.parent and here.parent.pre) == (there.parent and there.parent.pre)
        tree, other = here.tree, there.tree
        assert tree.attributes(here.pre) == other.attributes(there.pre)
        assert tree.children(here.pre) == other.children(there.pre)
        assert (tree.end(here.pre), tree.value(here.pre)) == (other.end(there.pre), other.value(there.pre))
        if here.kind != ATTRIBUTE:
            assert serialize([here], PLAIN) == serialize([there], PLAIN)


@settings(max_examples=100, deadline=None)
@given(DOCUMENTS)
def test_identifiers(text: str) -> None:
    tree, reference = (document.tree for document in both(text))
    assert tree.id_rules == reference.id_rules
    assert tree.id_attributes() == reference.id_attributes()
    assert tree.idref_attributes() == reference.idref_attributes()
    for row in reference.id_attributes():
        value = reference.values[row] or ""
        assert tree.element_with_id(value) == reference.element_with_id(value) >= 0
    assert tree.element_with_id("nowhere") == -1
    assert tree.spine() == reference.spine()


@settings(max_examples=60, deadline=None)
@given(
    DOCUMENTS,
    st.sampled_from([{"indent": True}, {"encoding": "us-ascii"}, {"normalization_form": "NFD"}, {"method": "html"}]),
)
def test_other_parameters(text: str, options: dict[str, object]) -> None:
    ours, reference = both(text)
    parameters = SerializationParameters(**{"method": "xml", **options})  # type: ignore[arg-type]
    assert written(ours, parameters) == written(reference, parameters)


def written(document: Node, parameters: SerializationParameters) -> str:
    try:
        return serialize([document], parameters)
    except DynamicError as error:
        return error.code


def copied(document: Node, row: int) -> str:
    """A subtree between others in a new element, under a prefix and a default namespace."""
    builder = TreeBuilder()
    builder.start_element(QName("urn:w", "wrap"), {"": "urn:w", "p": "urn:other"})
    builder.items([Node(document.tree, row), 1, 2])
    builder.end_element()
    return serialize([builder.finish()], PLAIN)


@settings(max_examples=60, deadline=None)
@given(DOCUMENTS)
def test_copies_in_constructors(text: str) -> None:
    ours, reference = both(text)
    for row in range(len(reference.tree)):
        if reference.tree.kind(row) not in (ATTRIBUTE, NAMESPACE):
            assert copied(ours, row) == copied(reference, row)


@settings(max_examples=60, deadline=None)
@given(DOCUMENTS, DOCUMENTS)
def test_order_and_equality(text: str, other: str) -> None:
    ours, reference = both(text)
    second, _ = both(other)
    mixed = [*nodes_of(second), *reversed(nodes_of(ours)), *nodes_of(ours)]
    assert document_order(mixed) == [*nodes_of(ours), *nodes_of(second)]
    assert is_before(ours, second)
    assert not is_before(second, ours)
    assert Node(ours.tree, 1) == Node(ours.tree, 1) != Node(second.tree, 1)
    assert sequences_equal([ours], [reference])
    assert sequences_equal([reference], [ours])
    assert sequences_equal([ours], [second]) == sequences_equal([reference], [second])


@settings(max_examples=60, deadline=None)
@given(DOCUMENTS, st.data())
def test_columns_read_like_lists(text: str, data: st.DataObject) -> None:
    ours, reference = both(text)
    size = len(reference.tree)
    for name in ("codes", "ends", "parents", "values"):
        column, wanted = getattr(ours.tree, name), getattr(reference.tree, name)
        assert len(column) == size
        assert list(column) == wanted
        start, stop = data.draw(st.integers(-size, size)), data.draw(st.integers(-size, size))
        stride = data.draw(st.sampled_from([1, 2, -1]))
        assert column[start:stop:stride] == wanted[start:stop:stride]
        assert column[-1] == wanted[-1]
        assert [column[row] for row in range(size)] == wanted
        with pytest.raises(IndexError):
            column[size]
        with pytest.raises(TypeError):
            column["0"]
    codes = reference.tree.codes
    assert [ours.tree.codes.index(code) for code in codes] == [codes.index(code) for code in codes]
    with pytest.raises(ValueError):
        ours.tree.codes.index(codes[0], 1)


@settings(max_examples=60, deadline=None)
@given(DOCUMENTS)
def test_the_kernel_fills_python_columns_too(text: str) -> None:
    compact = both(text)[0].tree
    listed = read_tree(text.encode(), compact=False)
    assert type(listed) is Tree
    assert list(compact.codes) == listed.codes
    assert list(compact.values) == listed.values
    assert compact.declared == listed.declared
    assert compact.prefixed == listed.prefixed


def test_wildcards_meet_names_that_came_later() -> None:
    every = step_many("descendant", NodeTest(ELEMENT, "urn:late", None))
    first = read_document("<a/>", reader="kernel")
    assert every([first]) == []
    second = read_document("<z:fresh-name xmlns:z='urn:late'/>", reader="kernel")
    assert rows(every([second])) == [1]


def test_rows_that_are_not_there() -> None:
    native = read_document("<a>b</a>", reader="kernel").tree.native
    assert native is not None
    for ask in (native.kind, native.end, native.string_value, native.in_scope):
        with pytest.raises(IndexError):
            ask(3)
        with pytest.raises(OverflowError):
            ask(-1)
    with pytest.raises(IndexError):
        native.path([0, 3], native.plan([("child", "any", ())]))
    with pytest.raises(IndexError):
        list(native.text(1, 4))
    with pytest.raises(ValueError, match="no axis"):
        native.plan([("sideways", "any", ())])
    with pytest.raises(ValueError, match="no test"):
        native.plan([("child", "code", ())])


def test_an_index_is_used_in_large_trees() -> None:
    inner = "".join(f"<b n='{number}'><c/></b>" for number in range(3000))
    ours, reference = both(f"<a>{inner}<b><b/></b></a>")
    for axis in ("descendant", "descendant-or-self", "child"):
        for test in (NodeTest(ELEMENT, "", "b"), NodeTest(ELEMENT, "", "c")):
            for start in (0, 1, 2, len(reference.tree) - 2):
                one = step(axis, test)
                for _ in range(2):
                    assert rows(one(Node(ours.tree, start))) == rows(one(Node(reference.tree, start)))


def test_text_of_large_trees_comes_in_pieces() -> None:
    ours, reference = both("<a>" + "<b x='&lt;'>é &amp; so on</b>" * 20_000 + "</a>")
    pieces: list[str] = []
    assert ours.tree.native is not None
    pieces.extend(ours.tree.native.text(1, len(ours.tree)))
    assert len(pieces) > 5
    assert "".join(pieces) == serialize([reference], PLAIN)
