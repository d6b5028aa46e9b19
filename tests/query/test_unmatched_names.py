"""The advice for a query whose names are in another namespace than the input's; silence where they are not."""

from __future__ import annotations

import pytest
import xylem
from xylem.pipeline import StaticEnvironment
from xylem.query.compiled_query import CompiledQuery
from xylem.query.unmatched_names import advice, asked_names, in_any_namespace
from xylem.source.first_elements import first_elements
from xylem.source.root_element import root_element

WIKI = b'<w xmlns="urn:wiki"><page><title>A</title></page></w>'
SOAP = b'<s:E xmlns:s="urn:soap" xmlns:o="urn:other"><s:Body/></s:E>'


def told(text: str, document: bytes, **namespaces: str) -> str | None:
    root = root_element(document)
    assert root is not None
    query = CompiledQuery(text, StaticEnvironment(namespaces=namespaces))
    return advice(text, asked_names(query.resolved), root, first_elements(document))


@pytest.mark.parametrize(
    "text",
    [
        "//page/title",
        "count(//page[title = 'A'])",
        "for $p in /w/page order by $p/title return $p/title",
        "//element(page)",
    ],
)
def test_both_ways_out_find_what_was_meant(text: str) -> None:
    """The queries it shows give what the names give in a document without a namespace."""
    words = told(text, WIKI)
    assert words is not None
    declared, anywhere = words.splitlines()[3:5], words.splitlines()[5]
    plain = WIKI.replace(b' xmlns="urn:wiki"', b"")
    wanted = xylem.compile(text).run(xylem.parse(plain)).serialize()
    found = xylem.compile("\n".join(declared)).run(xylem.parse(WIKI)).serialize()
    assert found.replace(' xmlns="urn:wiki"', "") == wanted
    if "element(" not in text:
        found = xylem.compile(anywhere).run(xylem.parse(WIKI)).serialize()
        assert found.replace(' xmlns="urn:wiki"', "") == wanted


def test_a_prefix_for_another_version() -> None:
    words = told("declare namespace w = 'urn:wiki-2'; //w:page", WIKI)
    assert words is not None
    assert "urn:wiki-2" in words
    assert "//*:page" in words


@pytest.mark.parametrize(
    ("text", "document", "found"),
    [
        ("//t/string()", b"<f><e xmlns='urn:g'><t>2</t></e></f>", "2"),  # a namespace declared below the root
        ("/f/e/t/string()", b"<f><x:e xmlns:x='urn:x'><t>1</t></x:e></f>", "1"),  # with a prefix, around one without
        ("//Price/string()", b"<s:E xmlns:s='urn:s'><s:Body><Price xmlns='urn:p'>5</Price></s:Body></s:E>", "5"),
        ("declare namespace s = 'urn:s'; //s:e/t/string()", b"<s:d xmlns:s='urn:s'><e><t>3</t></e></s:d>", "3"),
    ],
)
def test_namespaces_below_the_root(text: str, document: bytes, found: str) -> None:
    words = told(text, document)
    assert words is not None
    assert xylem.compile(words.splitlines()[-1]).run(xylem.parse(document)).serialize() == found


def test_the_namespace_of_the_names_and_not_of_the_root() -> None:
    words = told("//Price", b"<s:E xmlns:s='urn:s'><s:Body><Price xmlns='urn:p'>5</Price></s:Body></s:E>")
    assert words is not None
    assert "<Price> in the namespace urn:p" in words
    assert 'declare default element namespace "urn:p";' in words
    assert "--default-ns" not in words


@pytest.mark.parametrize(
    ("head", "names"),
    [
        (b"<a><b/><p:b xmlns:p='urn:p'/></a>", {"a": {"": "a"}, "b": {"": "b", "urn:p": "p:b"}}),
        (b"<a xmlns='urn:a'><b>", {"a": {"urn:a": "a"}, "b": {"urn:a": "b"}}),
        (b"<a><b></a><c/>", {"a": {"": "a"}, "b": {"": "b"}}),
        (b"<!DOCTYPE a [<!ENTITY x '<y/>'><!ENTITY z '&x;&x;'>]><a>&z;<b/></a>", {"a": {"": "a"}, "b": {"": "b"}}),
        (b"no xml", {}),
    ],
)
def test_the_first_elements(head: bytes, names: dict[str, dict[str, str]]) -> None:
    assert first_elements(head) == names


@pytest.mark.parametrize(
    ("text", "document"),
    [
        ("//*:page", WIKI),  # asks for any namespace
        ("declare namespace w = 'urn:wiki'; //w:nothing", WIKI),  # the namespace is right, the name is not there
        ("//page", b"<w><other/></w>"),  # there is no namespace
        ("declare namespace o = 'urn:other'; //o:x", SOAP),
        ("//@id", WIKI),  # attributes are in no namespace
        ("1", WIKI),
    ],
)
def test_silence(text: str, document: bytes) -> None:
    assert told(text, document) is None


def test_names_of_another_text_stay() -> None:
    names = asked_names(CompiledQuery("//a/b", StaticEnvironment()).resolved)
    assert in_any_namespace("//a/b", names) == "//*:a/*:b"
    assert in_any_namespace("//a/b ", names) == "//a/b "


@pytest.mark.parametrize(
    ("head", "name", "uri"),
    [
        (b"<a/>", "a", ""),
        (b"<?xml version='1.0' encoding='ISO-8859-1'?><!-- \xe9 --><p:a xmlns:p='urn:p'>", "p:a", "urn:p"),
        ("<a xmlns='urn:x'>".encode("utf-16"), "a", "urn:x"),
        (b"<!DOCTYPE a [<!ENTITY u 'urn:e'>]><a xmlns='&u;'><b>", "a", "urn:e"),
    ],
)
def test_the_root(head: bytes, name: str, uri: str) -> None:
    root = root_element(head)
    assert root is not None
    assert (root.name, root.uri) == (name, uri)


@pytest.mark.parametrize("head", [b"", b"<!-- no end", b"no xml", b"\x00\x01"])
def test_no_root(head: bytes) -> None:
    assert root_element(head) is None
