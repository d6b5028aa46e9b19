"""What is written event by event is what the built tree gives when it is serialised."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xylem.errors import EngineBug, XylemError
from xylem.sink.event_writer import EventWriter, can_write_events
from xylem.sink.serialization_parameters import SerializationParameters
from xylem.sink.serialize import serialize
from xylem.source.xml_reader import read_document
from xylem.values.array import XArray
from xylem.values.builder import TreeBuilder
from xylem.values.map import XMap
from xylem.values.node import Node
from xylem.values.qname import QName

BARE = SerializationParameters(omit_xml_declaration=True)

DOCUMENTS = (
    "<a/>",
    "<a x='1'>t<b>u</b><!--c--><?p q?></a>",
    "<p:a xmlns:p='u1' p:x='1'><b xmlns='d'>t<c xmlns=''/></b></p:a>",
    "<a xmlns='d' xmlns:p='u2'><p:b p:y='2' z='&lt;&#10;'/>&amp;&#13;é</a>",
    "<a xmlns:q='u1'><b><c xmlns:q='u3' q:r='s'/></b></a>",
)


def all_nodes() -> list[Node]:
    roots = [read_document(text.encode()) for text in DOCUMENTS]
    found = [Node(root.tree, row) for root in roots for row in range(len(root.tree))]
    found.append(TreeBuilder.namespace_node("n", "u1"))
    found.append(TreeBuilder.namespace_node("p", "u9"))
    found.append(TreeBuilder.text_node(""))
    return found


NODES = all_nodes()
CONTENT_NODES = [node for node in NODES if node.kind not in (2, 6)]


@dataclass
class Element:
    """A constructor: what the calls on a builder or writer are made from."""

    name: QName
    declared: dict[str, str]
    literal: bool
    attributes: list[tuple[QName, str]] = field(default_factory=list)
    content: list[Any] = field(default_factory=list)

    def build(self, target: TreeBuilder | EventWriter) -> None:
        target.start_element(self.name, self.declared, {}, self.literal)
        for name, value in self.attributes:
            target.attribute(name, value)
        for part in self.content:
            if isinstance(part, Element):
                part.build(target)
            elif isinstance(part, str):
                target.text(part)
            else:
                target.items(part)
        target.end_element()


NAMES = st.builds(
    QName, st.sampled_from(["", "u1", "u2", "d"]), st.sampled_from("abc"), st.sampled_from(["", "p", "q"])
)
ELEMENT_NAMES = NAMES.filter(lambda name: bool(name.uri) or not name.prefix)
TEXTS = st.sampled_from(["", "x", " ", "<&>", "é\r", "]]>"])
ATOMICS = st.sampled_from(["", "s", 1, Decimal("2.5"), True, QName("u", "l", "p")])


def parts(nodes: list[Node]) -> st.SearchStrategy[Any]:
    items = st.one_of(ATOMICS, st.sampled_from(nodes), st.builds(lambda a, b: XArray([[a, b], []]), ATOMICS, ATOMICS))
    return st.one_of(TEXTS, st.lists(items, max_size=4))


ELEMENTS: st.SearchStrategy[Element] = st.recursive(
    st.builds(
        Element,
        ELEMENT_NAMES,
        st.dictionaries(st.sampled_from(["p", "q", "r", ""]), st.sampled_from(["u1", "u2", "d"]), max_size=2),
        st.booleans(),
        st.lists(st.tuples(ELEMENT_NAMES, TEXTS), max_size=3, unique_by=lambda pair: pair[0]),
        st.lists(parts(CONTENT_NODES), max_size=3),
    ),
    lambda inner: st.builds(
        Element,
        ELEMENT_NAMES,
        st.dictionaries(st.sampled_from(["p", "r"]), st.sampled_from(["u1", "u2"]), max_size=2),
        st.booleans(),
        st.lists(st.tuples(ELEMENT_NAMES, TEXTS), max_size=2, unique_by=lambda pair: pair[0]),
        st.lists(st.one_of(parts(NODES), inner), max_size=4),
    ),
    max_leaves=6,
)
PARAMETERS = st.sampled_from(
    [
        BARE,
        SerializationParameters(),
        SerializationParameters(item_separator="|<"),
        SerializationParameters(omit_xml_declaration=True, encoding="US-ASCII", character_map={"x": "<x/>"}),
        SerializationParameters(version="1.1"),
    ]
)


def outcome(make: Any) -> str:
    try:
        return str(make())
    except XylemError as error:
        return error.code


def written(things: list[Any], parameters: SerializationParameters, preserve: bool = True, inherit: bool = True) -> str:
    pieces: list[str] = []
    writer = EventWriter(parameters, pieces.append, copy_preserve=preserve, copy_inherit=inherit)
    for thing in things:
        if isinstance(thing, Element):
            thing.build(writer)
        else:
            writer.item(thing)
    writer.finish()
    return "".join(pieces)


def built(things: list[Any], parameters: SerializationParameters, preserve: bool = True, inherit: bool = True) -> str:
    def items() -> Iterator[Any]:
        # Built as they are asked for, so that of two errors the same one comes first.
        for thing in things:
            if isinstance(thing, Element):
                builder = TreeBuilder(copy_preserve=preserve, copy_inherit=inherit)
                thing.build(builder)
                yield builder.finish()
            else:
                yield thing

    return serialize(items(), parameters)


@settings(max_examples=600, deadline=None)
@given(
    st.lists(st.one_of(ELEMENTS, ATOMICS, st.sampled_from(NODES)), max_size=4), PARAMETERS, st.booleans(), st.booleans()
)
def test_same_as_the_serialised_tree(
    things: list[Any], parameters: SerializationParameters, preserve: bool, inherit: bool
) -> None:
    expected = outcome(lambda: built(things, parameters, preserve, inherit))
    assert outcome(lambda: written(things, parameters, preserve, inherit)) == expected


def test_attributes_after_content_are_refused() -> None:
    writer = EventWriter(BARE, lambda text: None)
    writer.start_element(QName("", "a"))
    writer.text("")
    writer.attribute(QName("", "x"), "1")
    writer.text("t")
    with pytest.raises(XylemError) as caught:
        writer.attribute(QName("", "y"), "2")
    assert caught.value.code == "XQTY0024"


def test_the_same_attribute_twice_is_refused() -> None:
    writer = EventWriter(BARE, lambda text: None)
    writer.start_element(QName("", "a"))
    writer.attribute(QName("", "x"), "1")
    with pytest.raises(XylemError) as caught:
        writer.attribute(QName("", "x"), "2")
    assert caught.value.code == "XQDY0025"


@pytest.mark.parametrize(("is_inside", "code"), [(True, "XQTY0105"), (False, "SENR0001")])
def test_maps_are_no_content(is_inside: bool, code: str) -> None:
    writer = EventWriter(BARE, lambda text: None)
    if is_inside:
        writer.start_element(QName("", "a"))
    with pytest.raises(XylemError) as caught:
        writer.item(XArray([[XMap.of([])]]))
    assert caught.value.code == code


def test_atomic_values_of_two_expressions_are_not_separated() -> None:
    pieces: list[str] = []
    writer = EventWriter(BARE, pieces.append)
    writer.start_element(QName("", "a"))
    writer.item(1)
    writer.item(2)
    writer.text("")
    writer.item(3)
    writer.items([4, 5])
    writer.items([6])
    writer.end_element()
    writer.finish()
    assert "".join(pieces) == "<a>1 234 56</a>"


def test_only_open_tags_are_held() -> None:
    pieces: list[str] = []
    writer = EventWriter(BARE, pieces.append)
    writer.start_element(QName("", "a"))
    item = read_document(b"<i xmlns:p='u'><p:b c='d'>e</p:b></i>")
    for _ in range(5_000):
        writer.item(item)
        writer.start_element(QName("u", "f", "q"))
        writer.attribute(QName("", "g"), "h")
        writer.end_element()
    assert len(writer._builder.tree) == 1
    writer.flush()
    assert "".join(pieces).endswith('e</p:b></i><q:f xmlns:q="u" g="h"/>')
    writer.end_element()
    assert len(writer._builder.tree) == 0
    assert not writer._builder.tree.declared


@pytest.mark.parametrize(
    "parameters",
    [
        SerializationParameters(method="html"),
        SerializationParameters(method="adaptive"),
        SerializationParameters(indent=True),
        SerializationParameters(standalone=True),
        SerializationParameters(doctype_system="a.dtd"),
        SerializationParameters(cdata_section_elements=frozenset({("", "a")})),
        SerializationParameters(normalization_form="NFC"),
    ],
)
def test_what_needs_the_whole_result_is_refused(parameters: SerializationParameters) -> None:
    assert not can_write_events(parameters)
    with pytest.raises(EngineBug):
        EventWriter(parameters, lambda text: None)
