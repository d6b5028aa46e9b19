"""Validation in the same pass: what is found, where, and the same verdict as libxml2."""

from __future__ import annotations

from io import StringIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree
from xylem.schema import DeclaredSchema, Validator, Violation, load_schema
from xylem.schema.matcher import MOST_REMEMBERED

from .documents import DTDS, SCHEMAS, documents, violations

BIB = """
<!ELEMENT bib (book)*>
<!ELEMENT book (title, (author+ | editor+), publisher?, price)>
<!ATTLIST book year CDATA #REQUIRED kind (hard | soft) "soft" version CDATA #FIXED "1">
<!ELEMENT title (#PCDATA)> <!ELEMENT author (#PCDATA | b)*> <!ELEMENT editor (#PCDATA)>
<!ELEMENT publisher EMPTY> <!ELEMENT price (#PCDATA)> <!ELEMENT b (#PCDATA)>
"""


def found(document: str, schema: DeclaredSchema | str = BIB, only: set[str] | None = None) -> list[Violation]:
    return violations(load_schema(schema) if isinstance(schema, str) else schema, etree.fromstring(document), only)


def book(content: str, attributes: str = 'year="2000"') -> str:
    return f"<bib>\n <book {attributes}>{content}</book></bib>"


GOOD = "<title>t</title> <author>a<b>b</b></author><author/> <publisher/> <price>1</price>"


@pytest.mark.parametrize(
    ("document", "path", "child", "why"),
    [
        (book("<author/>"), "/bib/book", 1, "<author> where <title> is expected"),
        (book("<title/><price/>"), "/bib/book", 2, "<price> where <author> or <editor> is expected"),
        (
            book("<title/><author/><editor/>"),
            "/bib/book",
            3,
            "<editor> where <author>, <publisher> or <price> is expected",
        ),
        (book("<title/><author/>"), "/bib/book", 0, "<book> ends where <author>, <publisher> or <price> is expected"),
        (book(GOOD + "<price/>"), "/bib/book", 6, "<price> where the end tag is expected"),
        (book(GOOD + "text"), "/bib/book", 0, "text in <book>, which has none"),
        (
            book(GOOD.replace("<publisher/>", "<publisher> </publisher>")),
            "/bib/book/publisher",
            0,
            "text in <publisher>",
        ),
        (book(GOOD.replace("<title>", "<title><b/>")), "/bib/book/title", 1, "<b> where the end tag is expected"),
        (book(GOOD, ""), "/bib/book", 0, "<book> lacks 'year'"),
        (book(GOOD, "year='1' isbn='2'"), "/bib/book", 0, "the attribute 'isbn' of <book> is not declared"),
        (book(GOOD, "year='1' kind='big'"), "/bib/book", 0, "the attribute 'kind' is 'big', not one of: hard, soft"),
        (book(GOOD, "year='1' version='2'"), "/bib/book", 0, "the attribute 'version' is '2', not '1'"),
        (book(GOOD, "year='1' xmlns:p='urn:p' p:year='2'"), "/bib/book", 0, "the attribute 'year' of <book> is not"),
        ("<other/>", "/", 1, "<other> where "),
    ],
)
def test_violations(document: str, path: str, child: int, why: str) -> None:
    first, *rest = found(document)
    assert (first.path, first.child_position) == (path, child)
    assert first.why.startswith(why)
    assert not rest


def test_a_valid_document() -> None:
    assert found(book(GOOD, "year='1' kind=' hard '")) == []
    assert found("<bib/>") == []


def test_the_error_has_its_place() -> None:
    (violation,) = found(book("<title/><price/>"))
    error = violation.error(", at line 3, column 7 (byte 40)")
    assert str(error) == (
        "XYIN0021: the input does not conform to its schema: <price> where <author> or <editor> is expected, "
        "at line 3, column 7 (byte 40), in /bib/book, child 2"
    )
    assert error.hint


def test_an_element_is_not_told_twice_but_others_are() -> None:
    document = f"<bib><book year='1'><price><b/></price><author/><editor/></book>{book(GOOD)[5:-6]}<title/><x/></bib>"
    assert [(v.path, v.child_position) for v in found(document)] == [
        ("/bib/book", 1),
        ("/bib/book/price", 1),
        ("/bib", 3),
    ]


def test_lazily_only_what_is_asked_for() -> None:
    document = book("<title><b/></title><editor/><author/>")
    assert [v.path for v in found(document, only={"book"})] == ["/bib/book"]
    assert [v.path for v in found(document, only={"title"})] == ["/bib/book/title"]
    assert [v.path for v in found(document, only={"bib"})] == []
    assert [v.path for v in found(document)] == ["/bib/book/title", "/bib/book"]


def test_lazily_nothing_below_others_need_be_told() -> None:
    validator = Validator(load_schema(BIB), only={"bib"})
    assert [validator.start("bib"), validator.start("book"), validator.end(), validator.start("book")] == [None] * 4
    assert [validator.end(), validator.end()] == [None] * 2


def test_undeclared_elements() -> None:
    (violation,) = found("<a><c/></a>", "<!ELEMENT a (b | c)*> <!ELEMENT b EMPTY>")
    assert violation.why == "<c> is not declared"
    (violation,) = found("<a><b/><x><b/></x></a>", "<!ELEMENT a ANY> <!ELEMENT b EMPTY>")
    assert violation.why == "<x> is not declared"


def test_a_dtd_that_was_not_read_completely_declares_no_end_of_elements() -> None:
    schema = load_schema('<!DOCTYPE a SYSTEM "more.dtd" [<!ELEMENT a ANY>]><a/>')
    assert found("<a><b/><x><b/></x></a>", schema) == []


def test_a_namespace_does_not_matter_to_a_dtd() -> None:
    assert found(book(GOOD).replace("<bib>", "<bib xmlns='urn:b'>")) == []


def test_xml_attributes() -> None:
    declared = "<!ELEMENT a EMPTY> <!ATTLIST a xml:lang NMTOKEN #REQUIRED>"
    assert found("<a xml:lang='en'/>", declared) == []
    assert [v.why for v in found("<a lang='en'/>", declared)] == ["the attribute 'lang' of <a> is not declared"]


LIBXML = {name: etree.DTD(StringIO(text)) for name, text in DTDS.items()}


@given(st.sampled_from(sorted(DTDS)).flatmap(lambda name: st.tuples(st.just(name), documents(SCHEMAS[name]))))
@settings(max_examples=300, deadline=None)
def test_the_verdict_of_libxml2(case: tuple[str, etree._Element]) -> None:
    name, root = case
    assert (violations(SCHEMAS[name], root) == []) == LIBXML[name].validate(root)


def test_names_of_a_document_do_not_fill_the_memory() -> None:
    schema = load_schema('<!DOCTYPE a SYSTEM "more.dtd" [<!ELEMENT a ANY>]><a/>')
    validator = Validator(schema)
    validator.start("a")
    for i in range(3 * MOST_REMEMBERED):
        assert validator.start(f"n{i}") is None
        validator.end()
    top = schema.element("a")
    assert top is not None
    for holder in (schema, top, top.matcher):
        assert all(len(table) <= MOST_REMEMBERED for table in vars(holder).values() if isinstance(table, dict))
