"""fn:json-to-xml and fn:xml-to-json, one against the other."""

from __future__ import annotations

import pytest
from xylem.errors import DynamicError
from xylem.functions.json_from_tree import json_from_tree
from xylem.sink import SerializationParameters, serialize
from xylem.source.xml_reader import read_document
from xylem.values.json_parser import parse_json
from xylem.values.json_tree import JSON_NAMESPACE, JsonTree
from xylem.values.json_values import Duplicates
from xylem.values.node import Node


def tree_of(text: str, duplicates: Duplicates = Duplicates.RETAIN, escape: bool = False) -> Node:
    tree = JsonTree(duplicates, escape, "urn:base")
    parse_json(text, tree, escape=escape)
    return tree.finish()


def xml_of(text: str, duplicates: Duplicates = Duplicates.RETAIN, escape: bool = False) -> str:
    output = serialize([tree_of(text, duplicates, escape)], SerializationParameters(omit_xml_declaration=True))
    return output.replace(f' xmlns="{JSON_NAMESPACE}"', "")


def json_of(text: str, indents: bool = False) -> str:
    return json_from_tree(read_document(text.replace(">", f" xmlns='{JSON_NAMESPACE}'>", 1)), indents)


def test_values() -> None:
    assert xml_of('{"a":[1e0,true,null,"x"]}') == (
        '<map><array key="a"><number>1e0</number><boolean>true</boolean><null/><string>x</string></array></map>'
    )
    assert tree_of("1").base_uri == "urn:base"


def test_duplicate_keys() -> None:
    text = '{"a":1,"a":[{"a":2}],"b":3}'
    assert xml_of(text, Duplicates.USE_FIRST) == '<map><number key="a">1</number><number key="b">3</number></map>'
    assert xml_of(text).count('key="a"') == 3
    with pytest.raises(DynamicError) as caught:
        xml_of(text, Duplicates.REJECT)
    assert caught.value.code == "FOJS0003"


def test_escapes_are_marked() -> None:
    assert xml_of('{"\\n":"\\r","b":"c"}', escape=True) == (
        '<map><string key="\\n" escaped-key="true" escaped="true">\\r</string><string key="b">c</string></map>'
    )


@pytest.mark.parametrize("text", ['{"a":[1,true,null,"x\\n\\"\\/"],"b":{}}', "[]", '"\\\\"', "0.5", '{"":[[],[{}]]}'])
def test_there_and_back(text: str) -> None:
    assert json_from_tree(tree_of(text)) == text
    assert json_from_tree(tree_of(text, escape=True)) == text


def test_numbers_and_flags_are_trimmed() -> None:
    assert json_of("<number> 007 </number>") == "7"
    assert json_of("<number>1E6</number>") == "1.0E6"
    assert json_of("<boolean> 1 </boolean>") == "true"
    assert json_of("<map><null key='\\t' escaped-key=' true '/></map>") == '{"\\t":null}'


def test_comments_and_other_attributes_are_ignored() -> None:
    assert json_of("<array><!--c--> <number xml:base='u'>2<!--c-->7</number><?p?></array>") == "[27]"


def test_escaped_strings_keep_their_escapes() -> None:
    assert json_of('<string>a/"\\</string>') == '"a\\/\\"\\\\"'
    escaped = read_document(f"<string xmlns='{JSON_NAMESPACE}' escaped='true'>\\u00a0\\\\/\"&#9;</string>")
    assert json_from_tree(escaped) == '"\\u00a0\\\\\\/\\"\\t"'


def test_indentation() -> None:
    assert json_of("<map><array key='a'><null/></array><map key='b'/></map>", indents=True) == (
        '{\n  "a": [\n    null\n  ],\n  "b": {}\n}'
    )


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("<date>x</date>", "FOJS0006"),
        ("<map><null/></map>", "FOJS0006"),
        ("<map><null key='a'/><null key='a'/></map>", "FOJS0006"),
        ("<map><null key='1'/><null key='\\u0031' escaped-key='true'/></map>", "FOJS0006"),
        ("<map>x</map>", "FOJS0006"),
        ("<string><null/></string>", "FOJS0006"),
        ("<number>NaN</number>", "FOJS0006"),
        ("<number>x</number>", "FOJS0006"),
        ("<boolean>maybe</boolean>", "FOJS0006"),
        ("<null>x</null>", "FOJS0006"),
        ("<array><null wrong=''/></array>", "FOJS0006"),
        ("<array><null escaped='x'/></array>", "FOJS0006"),
        ("<array><string escaped='true'>\\x</string></array>", "FOJS0007"),
        ("<array><string escaped='true'>\\\\\\u12</string></array>", "FOJS0007"),
    ],
)
def test_what_is_no_json(text: str, code: str) -> None:
    with pytest.raises(DynamicError) as caught:
        json_of(text)
    assert caught.value.code == code
