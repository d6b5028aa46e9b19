"""fn:serialize: where its parameters come from."""

from __future__ import annotations

import pytest
from xylem.errors import DynamicError
from xylem.functions.serialize_function import serialize_items
from xylem.source.xml_reader import read_document
from xylem.values.map import XMap
from xylem.values.node import Node

OUTPUT = "http://www.w3.org/2010/xslt-xquery-serialization"


def parameters(content: str) -> Node:
    text = f"<o:serialization-parameters xmlns:o='{OUTPUT}'>{content}</o:serialization-parameters>"
    return Node(read_document(text).tree, 1)


def test_without_parameters_there_is_no_xml_declaration() -> None:
    assert serialize_items([read_document("<a/>")]) == "<a/>"
    assert serialize_items(iter((1, 2))) == "1 2"


def test_element_and_map_say_the_same() -> None:
    element = parameters("<o:omit-xml-declaration value='no'/><o:item-separator value='|'/>")
    options = XMap.of([("omit-xml-declaration", (False,)), ("item-separator", ("|",))])
    expected = '<?xml version="1.0" encoding="UTF-8"?>1|2'
    assert serialize_items([1, 2], element) == serialize_items([1, 2], options) == expected


@pytest.mark.parametrize("wrong", [1, "method", read_document("<a/>"), Node(read_document("<a/>").tree, 1)])
def test_anything_else_is_refused(wrong: object) -> None:
    with pytest.raises(DynamicError) as caught:
        serialize_items([1], wrong)
    assert caught.value.code == "XPTY0004"
