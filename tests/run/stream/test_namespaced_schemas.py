"""Schemas with namespaces: what they say is asked by namespace and local name, never by local name alone."""

from __future__ import annotations

import pytest
from xylem.errors import XylemError
from xylem.lowering.stream.account import account_of
from xylem.pipeline import StaticEnvironment, compile_stream
from xylem.plan.flux_printer import print_flux
from xylem.run.stream.program import StreamProgram
from xylem.run.stream.run import Statistics
from xylem.schema.declared_schema import DeclaredSchema
from xylem.schema.loading import load_schema

from .compare import from_stream, from_tree

XS = 'xmlns:xs="http://www.w3.org/2001/XMLSchema"'
BODY = "<results>{ for $b in /bib/book return <result>{ $b/title }{ $b/author }</result> }</results>"
SWAPPED = "<results>{ for $b in /bib/book return <result>{ $b/author }{ $b/title }</result> }</results>"
PLAIN = "<!ELEMENT bib (book*)> <!ELEMENT book (title, author+)> <!ELEMENT title (#PCDATA)> <!ELEMENT author (#PCDATA)>"

CONTENT = """
  <xs:element name="bib"><xs:complexType><xs:sequence>
    <xs:element name="book" minOccurs="0" maxOccurs="unbounded"><xs:complexType><xs:sequence>
      <xs:element name="title" type="xs:string"/>
      <xs:element name="author" type="xs:string" maxOccurs="unbounded"/>
    </xs:sequence></xs:complexType></xs:element>
  </xs:sequence></xs:complexType></xs:element>"""
QUALIFIED = f'<xs:schema {XS} targetNamespace="urn:bib" elementFormDefault="qualified">{CONTENT}</xs:schema>'
UNQUALIFIED = f'<xs:schema {XS} targetNamespace="urn:bib">{CONTENT}</xs:schema>'

BOOKS = (
    "<book><title>A</title><author>X</author><author>Y</author></book>"
    "<book><title>B</title><author>Z</author></book>"
)


def program(query: str, schema: DeclaredSchema | None) -> StreamProgram:
    return compile_stream(query, StaticEnvironment(), schema)


def flux(query: str, schema: DeclaredSchema | None) -> str:
    return print_flux(program(query, schema).plan.program)


def answer(query: str, schema: DeclaredSchema | None, document: str) -> str:
    """The streamed answer, which is the tree's."""
    found = from_stream(program(query, schema), [document.encode()])
    assert found == from_tree(query, document.encode())
    return str(found)


@pytest.mark.parametrize("body", [BODY, SWAPPED])
def test_a_qualified_schema_gives_the_program_of_the_plain_one(body: str) -> None:
    query = f'declare default element namespace "urn:bib"; {body}'
    plain, spaced = program(body, load_schema(PLAIN, root="bib")), program(query, load_schema(QUALIFIED))
    assert print_flux(spaced.plan.program).replace(' xmlns="urn:bib"', "") == print_flux(plain.plan.program)
    assert [b.to_dict() for b in account_of(spaced).buffered] == [b.to_dict() for b in account_of(plain).buffered]
    answer(query, load_schema(QUALIFIED), f'<p:bib xmlns:p="urn:bib" xmlns="urn:bib">{BOOKS}</p:bib>')


def test_titles_before_authors_need_no_buffer() -> None:
    query = f'declare default element namespace "urn:bib"; {BODY}'
    measured = Statistics()
    document = f'<bib xmlns="urn:bib">{BOOKS}</bib>'.encode()
    from_stream(program(query, load_schema(QUALIFIED)), [document], "python", measured)
    assert measured.peak_buffered_bytes == 0


def test_local_elements_of_an_unqualified_schema_are_in_no_namespace() -> None:
    query = BODY.replace("/bib/", "/p:bib/")
    query = f'declare namespace p = "urn:bib"; {query}'
    schema = load_schema(UNQUALIFIED)
    assert program(query, schema).plan.buffers == ()
    found = answer(query, schema, f'<p:bib xmlns:p="urn:bib">{BOOKS}</p:bib>')
    assert found.count("<author") == 3
    # By their qualified names, the same elements are not there at all: the query is pruned to its tags.
    wrong = query.replace("/book", "/p:book").replace("$b/", "$b/p:")
    assert "on book" not in flux(wrong, schema)
    assert answer(wrong, schema, f'<p:bib xmlns:p="urn:bib">{BOOKS}</p:bib>') == "<results/>"


TWO = f"""
<xs:schema {XS} targetNamespace="urn:a" elementFormDefault="qualified" xmlns:a="urn:a">
  <xs:element name="r"><xs:complexType><xs:sequence>
    <xs:element name="x" type="xs:string" maxOccurs="unbounded"/>
    <xs:element name="x" form="unqualified" type="xs:string" minOccurs="0"/>
    <xs:element name="y" type="xs:string" minOccurs="0" maxOccurs="unbounded"/>
  </xs:sequence></xs:complexType></xs:element>
</xs:schema>"""


def test_one_local_name_in_two_namespaces_is_two_symbols() -> None:
    schema = load_schema(TWO)
    r = schema.document().child("Q{urn:a}r")
    assert r is not None
    assert r.elements == {"Q{urn:a}x", "Q{}x", "Q{urn:a}y"}
    assert r.at_most_once("Q{}x")
    assert not r.at_most_once("Q{urn:a}x")
    declared = 'declare namespace a = "urn:a"; '
    document = '<a:r xmlns:a="urn:a"><a:x>1</a:x><a:x>2</a:x><x>3</x><a:y>4</a:y></a:r>'
    # a:x comes before x, so both are copied as they pass; the other way round, x waits for nothing but a:x is kept.
    straight = f"{declared}<o>{{ for $r in /a:r return ($r/a:x, $r/x) }}</o>"
    turned = f"{declared}<o>{{ for $r in /a:r return ($r/x, $r/a:x) }}</o>"
    assert program(straight, schema).plan.buffers == ()
    assert [b.paths for b in program(turned, schema).plan.buffers] == [("x//",)]
    for query in (straight, turned):
        assert "3" in answer(query, schema, document)


def test_a_condition_on_a_name_of_another_namespace_is_not_decided() -> None:
    """x occurs exactly once, but only in one namespace."""
    schema = load_schema(QUALIFIED)
    query = 'declare namespace b = "urn:bib"; for $k in /b:bib/b:book return if (exists($k/{})) then "yes" else "no"'
    document = f'<bib xmlns="urn:bib">{BOOKS}</bib>'
    assert answer(query.format("b:title"), schema, document).count("yes") == 2
    assert answer(query.format("title"), schema, document).count("no") == 2


def test_prefixes_and_defaults_of_a_dtd() -> None:
    dtd = (
        '<!ATTLIST bib xmlns CDATA #FIXED "urn:bib" xmlns:p CDATA #FIXED "urn:price">'
        "<!ELEMENT bib (book*)> <!ELEMENT book (title, p:cost?, author+)> <!ELEMENT title (#PCDATA)>"
        "<!ELEMENT p:cost (#PCDATA)> <!ELEMENT author (#PCDATA)>"
    )
    schema = load_schema(dtd, root="bib")
    book = schema.element("book", "urn:bib")
    assert book is not None
    assert book.elements == {"Q{urn:bib}title", "Q{urn:price}cost", "Q{urn:bib}author"}
    assert book.exactly_once("Q{urn:bib}title")
    assert book.never("Q{}title")
    assert book.at_most_once("Q{urn:price}cost")
    query = f'declare default element namespace "urn:bib"; {BODY}'
    assert program(query, schema).plan.buffers == ()
    answer(query, schema, f'<bib xmlns="urn:bib">{BOOKS}</bib>')
    costs = 'declare namespace b = "urn:bib"; declare namespace q = "urn:price"; //b:book/q:cost/text()'
    document = '<bib xmlns="urn:bib" xmlns:p="urn:price"><book><title/><p:cost>7</p:cost><author/></book></bib>'
    assert answer(costs, schema, document) == "7"


def test_a_default_that_may_be_overridden_says_nothing() -> None:
    dtd = PLAIN + '<!ATTLIST bib xmlns CDATA "urn:bib">'
    schema = load_schema(dtd, root="bib")
    bib = schema.document().child("bib")
    assert bib is not None
    assert bib.declaration.uri is None
    book = bib.child("book")
    assert book is not None
    assert not book.never("Q{urn:other}title")
    assert not book.exactly_once("Q{urn:other}title")


def test_elements_in_a_wrong_namespace_break_the_schema() -> None:
    """With --validate the wrong namespace is told; the place is known."""
    from xylem.run.stream.validated_source import ValidatedSource
    from xylem.source.byte_source import ByteSource

    document = f'<bib xmlns="urn:other">{BOOKS}</bib>'.encode()
    with pytest.raises(XylemError, match="XYIN0021"):
        list(ValidatedSource(ByteSource.of(document), load_schema(QUALIFIED)))
