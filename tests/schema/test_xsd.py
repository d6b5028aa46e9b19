"""XML Schemas: content models, namespaces, and what documents may do beyond the declared type."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import xmlschema
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree
from xylem.errors import InputError
from xylem.schema import AutomatonConstraints, DeclaredSchema, load_schema

from .documents import documents, violations

XS = 'xmlns:xs="http://www.w3.org/2001/XMLSchema"'


def schema(body: str, attributes: str = "", root: str | None = None) -> DeclaredSchema:
    return load_schema(f"<xs:schema {XS} {attributes}>{body}</xs:schema>", root=root)


def element(body: str, attributes: str = "", name: str = "r") -> AutomatonConstraints:
    found = schema(body, attributes).document().child(name)
    assert found is not None
    return found


def of_type(body: str) -> AutomatonConstraints:
    return element(f'<xs:element name="r"><xs:complexType>{body}</xs:complexType></xs:element>')


def child(name: str, least: int = 1, most: int = 1) -> str:
    return f'<xs:element name="{name}" type="xs:string" minOccurs="{least}" maxOccurs="{most}"/>'


A, B, C = map(child, "abc")


@pytest.mark.parametrize(
    ("body", "content"),
    [
        ("", "EMPTY"),
        ("<xs:sequence/>", "EMPTY"),
        (f"<xs:sequence>{A}{B}</xs:sequence>", "(a, b)"),
        (f"<xs:choice>{A}{B}</xs:choice>", "(a | b)"),
        (
            f"<xs:sequence>{A}<xs:choice minOccurs='0' maxOccurs='unbounded'>{B}{C}</xs:choice></xs:sequence>",
            "(a, (b | c)*)",
        ),
        (f"<xs:sequence maxOccurs='3'>{A}</xs:sequence>", "a{1,3}"),
        (f"<xs:sequence>{child('a', 2, 5)}{child('b', 0, 0)}</xs:sequence>", "a{2,5}"),
        (f"<xs:choice>{A}<xs:sequence/></xs:choice>", "a?"),
        (f"<xs:all>{A}{child('b', 0)}</xs:all>", "(a & b?)"),
        (f"<xs:all minOccurs='0'>{A}{B}</xs:all>", "(a & b)?"),
        ("<xs:sequence><xs:any/></xs:sequence>", "any"),
        (
            f"<xs:sequence>{A}<xs:any namespace='##other' maxOccurs='unbounded'/></xs:sequence>",
            "(a, (any not in {''})+)",
        ),
    ],
)
def test_content(body: str, content: str) -> None:
    assert str(of_type(body).content) == content


def test_mixed_and_simple_contents() -> None:
    types = f"""
      <xs:element name="r"><xs:complexType mixed="true"><xs:sequence>{A}{B}</xs:sequence></xs:complexType></xs:element>
      <xs:element name="s" type="xs:int"/>
      <xs:element name="t"><xs:complexType><xs:simpleContent><xs:extension base="xs:int">
        <xs:attribute name="u" use="required"/></xs:extension></xs:simpleContent></xs:complexType></xs:element>
      <xs:element name="v"/>
      <xs:element name="w"><xs:complexType mixed="true"/></xs:element>
    """
    contents = {name: str(element(types, name=name).content) for name in "rstvw"}
    assert contents == {
        "r": "mixed (a, b)",
        "s": "(#PCDATA)",
        "t": "(#PCDATA)",
        "v": "mixed ((any)*)",
        "w": "(#PCDATA)",
    }
    assert element(types, name="t").exactly_once("@u")
    assert element(types).symbols == {"a", "b", "text()"}


def test_attributes() -> None:
    found = of_type("""
      <xs:attribute name="id" type="xs:ID" use="required"/>
      <xs:attribute name="old" use="prohibited"/>
      <xs:attribute name="kind" default="x"><xs:simpleType><xs:restriction base="xs:string">
        <xs:enumeration value="x"/><xs:enumeration value="y"/></xs:restriction></xs:simpleType></xs:attribute>
      <xs:attribute name="n" type="xs:integer" fixed="1"/>
    """)
    assert [(a.local, a.uri, a.required, a.default, a.values, a.fixed) for a in found.attributes] == [
        ("id", "", True, None, (), False),
        ("kind", "", False, "x", ("x", "y"), False),
        ("n", "", False, "1", (), False),
    ]
    assert found.never("@old")
    open_ = of_type('<xs:attribute name="id"/><xs:anyAttribute/>')
    assert open_.symbols == {"@id", "@*"}
    assert not open_.never("@old")


# --- names and types


def test_local_elements_are_known_by_their_parent() -> None:
    loaded = schema(f"""
      <xs:element name="r"><xs:complexType><xs:sequence>
        <xs:element name="x"><xs:complexType><xs:sequence>
          <xs:element name="n"><xs:complexType><xs:sequence>{A}{B}</xs:sequence></xs:complexType></xs:element>
        </xs:sequence></xs:complexType></xs:element>
        <xs:element name="n"><xs:complexType><xs:sequence>{B}{A}</xs:sequence></xs:complexType></xs:element>
      </xs:sequence></xs:complexType></xs:element>""")
    top = loaded.document().child("r")
    assert top is not None
    outer, inner = top.child("n"), top.child("x").child("n")  # type: ignore[union-attr]
    assert outer is not None
    assert inner is not None
    assert outer.ordered("b", "a")
    assert inner.ordered("a", "b")
    assert loaded.element("n") is None
    assert len(loaded.declarations("n")) == 2
    assert loaded.element("x") is top.child("x")


def test_namespaces() -> None:
    found = element(
        f"""<xs:element name="r"><xs:complexType><xs:sequence>{A}<xs:element ref="b"/>
            <xs:any namespace="##other" processContents="lax" minOccurs="0"/></xs:sequence></xs:complexType>
            </xs:element>
            <xs:element name="b"><xs:complexType><xs:sequence>{C}</xs:sequence></xs:complexType></xs:element>""",
        'targetNamespace="urn:x" xmlns="urn:x"',
    )
    assert found.exactly_once("Q{urn:x}b")
    assert found.exactly_once("Q{}a")
    assert found.never("Q{urn:x}a")
    assert not found.exactly_once("b")  # there may be one of another namespace behind it
    assert found.ordered("Q{urn:x}b", "Q{urn:y}b")
    assert not found.ordered("Q{urn:y}b", "Q{urn:y}c")
    assert not found.ordered("b", "b")
    assert not found.at_most_once("*")
    assert found.child("Q{urn:x}b") is not None
    assert found.child("b") is None


def test_substitution_groups() -> None:
    found = element("""
      <xs:element name="r"><xs:complexType><xs:sequence><xs:element ref="head" maxOccurs="2"/><xs:element ref="b"/>
      </xs:sequence></xs:complexType></xs:element>
      <xs:element name="head" type="xs:string" abstract="true"/><xs:element name="b"/>
      <xs:element name="m" substitutionGroup="head"/><xs:element name="k" substitutionGroup="m"/>
    """)
    assert str(found.content) == "((k | m){1,2}, b)"
    assert found.never("head")
    assert found.ordered("k", "b")


def test_blocked_substitution() -> None:
    found = element("""
      <xs:element name="r"><xs:complexType><xs:sequence><xs:element ref="head"/></xs:sequence></xs:complexType>
      </xs:element>
      <xs:element name="head" type="xs:string" block="substitution"/><xs:element name="m" substitutionGroup="head"/>
    """)
    assert str(found.content) == "head"


DERIVED = f"""
  <xs:element name="r" type="T"{{}}/>
  <xs:complexType name="T"><xs:sequence>{A}{B}</xs:sequence><xs:attribute name="x" use="required"/></xs:complexType>
  <xs:complexType name="Longer"><xs:complexContent><xs:extension base="T"><xs:sequence>{A}</xs:sequence>
    <xs:attribute name="y" use="required"/></xs:extension></xs:complexContent></xs:complexType>
"""


def test_documents_may_name_a_derived_type() -> None:
    found = element(DERIVED.format(""))
    assert not found.ordered("a", "b")
    assert not found.at_most_once("a")
    assert found.exactly_once("b")
    assert found.exactly_once("@x")
    assert found.at_most_once("@y")
    assert not found.exactly_once("@y")


@pytest.mark.parametrize("block", ["extension", "#all", "restriction extension"])
def test_unless_that_is_blocked(block: str) -> None:
    found = element(DERIVED.format(f' block="{block}"'))
    assert found.ordered("a", "b")
    assert found.exactly_once("a")
    assert found.never("@y")


def test_nil() -> None:
    found = element(f"""<xs:element name="r" nillable="true"><xs:complexType><xs:sequence>{A}</xs:sequence>
                        </xs:complexType></xs:element>""")
    assert found.at_most_once("a")
    assert not found.exactly_once("a")


def test_wildcards_and_what_stands_there() -> None:
    loaded = schema(f"""
      <xs:element name="r"><xs:complexType><xs:sequence>
        <xs:element name="strict"><xs:complexType><xs:sequence><xs:any/></xs:sequence></xs:complexType></xs:element>
        <xs:element name="lax"><xs:complexType><xs:sequence><xs:any processContents="lax"/></xs:sequence>
        </xs:complexType></xs:element>
        <xs:element name="skip"><xs:complexType><xs:sequence><xs:any processContents="skip"/></xs:sequence>
        </xs:complexType></xs:element>
      </xs:sequence></xs:complexType></xs:element>
      <xs:element name="g"><xs:complexType><xs:sequence>{A}</xs:sequence></xs:complexType></xs:element>
    """)
    top = loaded.document().child("r")
    assert top is not None
    known = {name: top.child(name) for name in ("strict", "lax", "skip")}
    children = {name: of.child("Q{}g") for name, of in known.items() if of is not None}
    assert [str(found.content) if found else None for found in children.values()] == ["a", "a", None]
    # Below `skip` a g need not be what is declared, so of a g anywhere nothing is known.
    assert loaded.element("g", "") is None


def test_roots() -> None:
    body = '<xs:element name="r"/><xs:element name="s"/><xs:element name="t" abstract="true"/>'
    assert schema(body).roots == ("r", "s")
    assert schema(body, root="s").document().exactly_once("s")
    assert schema(body, 'targetNamespace="urn:x"', root="Q{urn:x}s").roots == ("s",)
    with pytest.raises(InputError, match="declares no element 'u'"):
        schema(body, root="u")


# --- version 1.1


def test_open_content() -> None:
    body = """<xs:element name="r"><xs:complexType><xs:openContent mode="{}"><xs:any namespace="urn:o"/>
              </xs:openContent><xs:sequence>{}{}</xs:sequence></xs:complexType></xs:element>"""
    anywhere = element(body.format("interleave", A, B))
    assert anywhere.ordered("Q{}a", "Q{}b")
    assert not anywhere.ordered("Q{urn:o}x", "Q{}a")
    assert not anywhere.ordered("Q{}b", "Q{urn:o}x")
    behind = element(body.format("suffix", A, B))
    assert behind.ordered("Q{}b", "Q{urn:o}x")


def test_all_with_many() -> None:
    found = of_type(f"<xs:all>{child('a', 1, 3)}{B}<xs:any namespace='urn:o' minOccurs='0'/></xs:all>")
    assert found.exactly_once("Q{}b")
    assert found.occurrences("Q{}a").most == 3
    assert not found.ordered("Q{}a", "Q{}b")


# --- files and errors


def test_includes_and_imports(tmp_path: Path) -> None:
    (tmp_path / "main").mkdir()
    (tmp_path / "types.xsd").write_text(
        f'<xs:schema {XS} targetNamespace="urn:t"><xs:complexType name="T"><xs:sequence>{A}{B}</xs:sequence>'
        "</xs:complexType></xs:schema>",
        encoding="utf-8",
    )
    main = tmp_path / "main" / "main.xsd"
    main.write_text(
        f'<xs:schema {XS} xmlns:t="urn:t"><xs:import namespace="urn:t" schemaLocation="../types.xsd"/>'
        '<xs:element name="r" type="t:T"/></xs:schema>',
        encoding="utf-8",
    )
    found = load_schema(main).element("r")
    assert found is not None
    assert found.ordered("a", "b")


@pytest.mark.parametrize(
    "text",
    [
        f"<xs:schema {XS}>",
        f"<xs:schema {XS}><xs:element/></xs:schema>",
        f'<xs:schema {XS}><xs:element name="a" type="Missing"/></xs:schema>',
        f"<xs:schema {XS}/>",
        f"<a {XS}/>",
        f'<!DOCTYPE x [<!ENTITY e "a">]><xs:schema {XS}><xs:element name="&e;"/></xs:schema>',
    ],
)
def test_unusable_schemas(text: str) -> None:
    with pytest.raises(InputError) as caught:
        load_schema(text)
    assert caught.value.code == "XYIN0020"


def test_a_text_reads_no_files(tmp_path: Path) -> None:
    other = tmp_path / "o.xsd"
    other.write_text(f'<xs:schema {XS}><xs:complexType name="T"/></xs:schema>', encoding="utf-8")
    with pytest.raises(InputError, match="XYIN0020"):
        schema(f'<xs:include schemaLocation="{other.as_uri()}"/><xs:element name="r" type="T"/>')


def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xmlschema", None)
    with pytest.raises(InputError) as caught:
        schema('<xs:element name="r"/>')
    assert caught.value.code == "XYIN0022"
    assert "pip install" in caught.value.hint


# --- the same verdict as xmlschema

XSDS = {
    "order": """<xs:element name="r"><xs:complexType><xs:sequence>
        <xs:element name="a" type="e" minOccurs="0" maxOccurs="2"/><xs:element name="b" type="t"/>
        <xs:element name="c" minOccurs="0" type="m"/></xs:sequence><xs:attribute name="x" use="required"/>
        </xs:complexType></xs:element>
      <xs:complexType name="e"><xs:attribute name="x"/></xs:complexType>
      <xs:complexType name="t"><xs:sequence minOccurs="0" maxOccurs="2"><xs:element name="a" type="e"/></xs:sequence>
        </xs:complexType>
      <xs:complexType name="m" mixed="true"><xs:choice minOccurs="0" maxOccurs="3"><xs:element name="a" type="e"/>
        <xs:element name="b" type="t"/></xs:choice></xs:complexType>""",
    "all": """<xs:element name="r"><xs:complexType><xs:all><xs:element name="a" type="xs:string" minOccurs="0"/>
        <xs:element name="b" type="t"/><xs:element name="c" type="t" minOccurs="0"/></xs:all>
        <xs:anyAttribute processContents="skip"/></xs:complexType></xs:element>
      <xs:complexType name="t"><xs:sequence><xs:element name="a" type="xs:string" minOccurs="0"/></xs:sequence>
        </xs:complexType>""",
}
PEERS = {name: xmlschema.XMLSchema(f"<xs:schema {XS}>{body}</xs:schema>") for name, body in XSDS.items()}
OURS = {name: schema(body) for name, body in XSDS.items()}


@given(st.sampled_from(sorted(XSDS)).flatmap(lambda name: st.tuples(st.just(name), documents(OURS[name]))))
@settings(max_examples=200, deadline=None)
def test_the_verdict_of_xmlschema(case: tuple[str, etree._Element]) -> None:
    name, root = case
    assert (violations(OURS[name], root) == []) == PEERS[name].is_valid(etree.tostring(root).decode())


# --- limits


def many(count: int, prefix: str = "e") -> str:
    return "".join(f"<xs:element name='{prefix}{n}'/>" for n in range(count))


def content(model: str) -> str:
    return f"<xs:element name='r'><xs:complexType>{model}</xs:complexType></xs:element>"


def sequence(model: str, depth: int = 1) -> str:
    return "<xs:sequence>" * depth + model + "</xs:sequence>" * depth


def uses(number: int) -> str:
    return f"<xs:group ref='g{number}'/>"


def group(number: int, model: str) -> str:
    return f"<xs:group name='g{number}'>{sequence(model)}</xs:group>"


DOUBLED = "".join(group(n, 2 * uses(n + 1)) for n in range(30)) + group(30, many(1))
EXTENDED = "<xs:complexType name='t0'><xs:sequence/></xs:complexType>" + "".join(
    f"<xs:complexType name='t{n}'><xs:complexContent><xs:extension base='t{n - 1}'>{sequence(many(9, f'e{n}-'))}"
    "</xs:extension></xs:complexContent></xs:complexType>"
    for n in range(1, 240)
)


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (content(f"<xs:choice>{many(2_001)}</xs:choice>"), "names"),
        (content(sequence(many(1), 201)), "nested"),
        (DOUBLED + content(uses(0)), "names"),
        (EXTENDED + "<xs:element name='r' type='t239'/>", "names"),
    ],
)
def test_a_content_model_that_is_too_large_is_refused_before_it_is_built(body: str, told: str) -> None:
    with pytest.raises(InputError, match=f"XYIN0004.*{told}"):
        schema(body)
