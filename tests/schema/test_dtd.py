"""Reading DTDs: declarations, parameter entities, conditional sections, DOCTYPEs; compared with expat."""

from __future__ import annotations

import pyexpat
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xylem.errors import InputError, SourceText
from xylem.schema import document_schema, load_schema
from xylem.schema.declarations import AttributeDeclaration
from xylem.schema.dtd import MOST_NAMES, MOST_NESTED_GROUPS, Dtd, read_doctype, read_dtd


def dtd(text: str, **entities: str) -> Dtd:
    def read(system_id: str) -> tuple[str, str] | None:
        return (entities[system_id], system_id) if system_id in entities else None

    return read_dtd(SourceText(text, "test.dtd"), read)


def contents(text: str, **entities: str) -> dict[str, str]:
    return {name: str(element.content) for name, element in dtd(text, **entities).elements.items()}


# --- contents


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("EMPTY", "EMPTY"),
        (" ANY ", "ANY"),
        ("(#PCDATA)", "(#PCDATA)"),
        ("( #PCDATA )*", "(#PCDATA)"),
        ("(#PCDATA|a | b)*", "(#PCDATA | a | b)*"),
        ("(a)", "a"),
        ("(a)*", "a*"),
        ("(a,b?,c*,d+)", "(a, b?, c*, d+)"),
        ("((a|b)+,(c,(d|e)?)*)", "((a | b)+, (c, (d | e)?)*)"),
        ("((((a))))", "a"),
        ("((a?)*)+", "((a?)*)+"),
        ("\n( a ,\t b\n)\n", "(a, b)"),
        ("(p:a, q:b)", "(a, b)"),
        ("(naïve, 名前)", "(naïve, 名前)"),
    ],
)
def test_contents(written: str, read: str) -> None:
    assert contents(f"<!ELEMENT r {written}>") == {"r": read}


@pytest.mark.parametrize(
    "written",
    [
        "",
        "a",
        "()",
        "(a",
        "(a,)",
        "(a|b,c)",
        "(a b)",
        "(a)) ",
        "(a **)",
        "(a)x",
        "(#PCDATA|a)",
        "(a|#PCDATA)*",
        "(#PCDATA,a)*",
        "(#PCDATA|(a))*",
        "(a ?)",
        "(,a)",
        "empty",
        "(a&b)",
    ],
)
def test_malformed_contents(written: str) -> None:
    with pytest.raises(InputError) as caught:
        dtd(f"<!ELEMENT ok EMPTY>\n<!ELEMENT r {written}>")
    assert caught.value.code == "XYIN0020"
    assert caught.value.span is not None
    assert caught.value.span.line == 2


def test_an_error_points_at_the_character() -> None:
    with pytest.raises(InputError) as caught:
        dtd("<!ELEMENT book\n  (title, author |\n  editor)>")
    assert caught.value.render().splitlines()[:3] == [
        "XYIN0020 at test.dtd:2:18: the schema cannot be used: ',' or ')' is expected",
        "    2 |   (title, author |",
        "      |                  ^",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "<!ELEMENT a EMPTY",
        "<!ELEMENT>",
        "<!ELEMENTS a EMPTY>",
        "<!-- no end",
        "<?pi no end",
        "<![INCLUDE[ <!ELEMENT a EMPTY>",
        "<![IGNORE[ <!ELEMENT a EMPTY>",
        "<![WHAT[ ]]>",
        "text",
        "%undeclared;",
        "<!ELEMENT a (%undeclared;)>",
        "<!ELEMENT a EMPTY> <!ELEMENT a EMPTY>",
        "<!ATTLIST>",
        "<!ATTLIST a b>",
        "<!ATTLIST a b CDATA>",
        "<!ATTLIST a b STRING #IMPLIED>",
        "<!ENTITY % p>",
        "<!ELEMENT a EMPTY>]]>",
    ],
)
def test_malformed_declarations(text: str) -> None:
    with pytest.raises(InputError) as caught:
        dtd(text)
    assert caught.value.code == "XYIN0020"
    assert caught.value.span is not None


@given(st.text(alphabet="<>!ELMNTAIS[]()|,*+?%;&'\"- \nab#PCDx", max_size=60))
@settings(max_examples=200, deadline=None)
def test_any_text_is_read_or_refused(text: str) -> None:
    for read in (read_dtd, read_doctype):
        for prefix in ("", "<!ELEMENT a ", "<!DOCTYPE a ["):
            with suppress(InputError):
                read(SourceText(prefix + text))


def test_deep_groups_are_limited() -> None:
    def nested(depth: int) -> str:
        return f"<!ELEMENT r {'(' * depth}a{')' * depth}>"

    assert contents(nested(MOST_NESTED_GROUPS)) == {"r": "a"}
    with pytest.raises(InputError, match="XYIN0004"):
        dtd(nested(MOST_NESTED_GROUPS + 1))


@pytest.mark.parametrize("start", ["(a", "(#PCDATA"])
def test_long_contents_are_limited(start: str) -> None:
    def long(names: int) -> str:
        others = names - (start == "(a")
        return f"<!ELEMENT r {start}{''.join(f'|n{number}' for number in range(others))})*>"

    assert contents(long(MOST_NAMES))["r"].count("|") >= MOST_NAMES - 1
    with pytest.raises(InputError, match="more than 4000 names"):
        dtd(long(MOST_NAMES + 1))


def test_deep_groups_make_automata() -> None:
    half = MOST_NESTED_GROUPS - 1
    text = f"<!ELEMENT r {'(a,' * half}(b){')?' * half}>"
    found = load_schema(text).element("r")
    assert found is not None
    assert not found.ordered("a", "a")
    assert found.ordered("a", "b")
    assert found.at_most_once("b")


# --- attributes


def test_attributes() -> None:
    text = """
      <!ELEMENT a EMPTY>
      <!ATTLIST a id ID #REQUIRED  kind (x|y | z) "y"
                  n NOTATION (gif) #IMPLIED>
      <!ATTLIST a id CDATA #IMPLIED v CDATA #FIXED 'a > b' xml:lang NMTOKEN #IMPLIED xmlns:p CDATA #FIXED "urn:p">
      <!ATTLIST undeclared b CDATA #IMPLIED>
    """
    xml = "http://www.w3.org/XML/1998/namespace"
    assert dtd(text).elements["a"].attributes == (
        AttributeDeclaration("id", "", "ID", required=True),
        AttributeDeclaration("kind", "", "enumeration", default="y", values=("x", "y", "z")),
        AttributeDeclaration("n", "", "NOTATION", values=("gif",)),
        AttributeDeclaration("v", "", "CDATA", default="a > b", fixed=True),
        AttributeDeclaration("lang", xml, "NMTOKEN"),
    )


def test_attributes_come_before_children_and_together() -> None:
    found = load_schema(
        "<!ELEMENT a (b)> <!ELEMENT b EMPTY> <!ATTLIST a x CDATA #REQUIRED y CDATA #IMPLIED z CDATA 'd'>"
    ).element("a")
    assert found is not None
    assert found.symbols == {"@x", "@y", "@z", "b"}
    for name in ("@x", "@y", "@z", "b"):
        assert found.ordered("@x", name)
        assert not found.ordered("b", name)
    assert [found.exactly_once(name) for name in ("@x", "@y", "@z")] == [True, False, False]
    assert all(found.at_most_once(name) for name in ("@x", "@y", "@z"))
    assert found.never("@other")


# --- entities and sections


def test_parameter_entities() -> None:
    text = """
      <!ENTITY % inline "bold | emph">
      <!ENTITY % flow "#PCDATA | %inline;">
      <!ENTITY % inline "the first declaration binds">
      <!ENTITY % more "<!ELEMENT more (%inline;)*>">
      <!ELEMENT p (%flow;)*>
      <!ELEMENT %name; EMPTY>
      %more;
      <!ENTITY general "<![CDATA[ %nothing; ]]>">
    """
    assert contents('<!ENTITY % name "q">' + text) == {
        "p": "(#PCDATA | bold | emph)*",
        "q": "EMPTY",
        "more": "(bold | emph)*",
    }


def test_an_entity_in_an_entity_by_character_reference() -> None:
    text = """<!ENTITY % inner "a, b"> <!ENTITY % outer "&#37;inner;"> <!ELEMENT r (%outer;)>"""
    assert contents(text) == {"r": "(a, b)"}


def test_percent_signs_in_literals_are_no_references() -> None:
    text = """<!ENTITY % t "CDATA"> <!ELEMENT r EMPTY> <!ATTLIST r a %t; "100%;" b %t; '%t;'>"""
    assert [attribute.default for attribute in dtd(text).elements["r"].attributes] == ["100%;", "%t;"]


def test_conditional_sections() -> None:
    text = """
      <!ENTITY % draft "INCLUDE"> <!ENTITY % final "IGNORE">
      <![%draft;[ <!ELEMENT a (b)> <![ IGNORE [ <!ELEMENT b (c)> <![INCLUDE[ x ]]> ]]> <!-- ]]> --> ]]>
      <![%final;[ <!ELEMENT a (d)> ]]>
      <![INCLUDE[<!ELEMENT c EMPTY>]]>
    """
    assert contents(text) == {"a": "b", "c": "EMPTY"}


def test_external_entities_are_read_where_allowed() -> None:
    text = '<!ENTITY % module SYSTEM "m.mod"> %module; <!ELEMENT r (a)>'
    assert contents(text, **{"m.mod": '<?xml version="1.0" encoding="UTF-8"?> <!ELEMENT a EMPTY>'}) == {
        "a": "EMPTY",
        "r": "a",
    }
    unread = dtd(text)
    assert list(unread.elements) == ["r"]
    assert not unread.is_complete


def test_an_external_entity_inside_a_declaration_must_be_read() -> None:
    text = '<!ENTITY % model SYSTEM "m.mod"> <!ELEMENT r (%model;)>'
    assert contents(text, **{"m.mod": "a | b"}) == {"r": "(a | b)"}
    with pytest.raises(InputError, match="XYIN0008"):
        dtd(text)


def test_recursive_entities_end() -> None:
    text = '<!ENTITY % a "&#37;b;"> <!ENTITY % b "&#37;a;"> %a;'
    with pytest.raises(InputError, match="XYIN0004"):
        dtd(text)
    with pytest.raises(InputError, match="XYIN0004"):
        dtd(text.replace("%a;", "") + "<!ELEMENT r (%a;)>")


def test_entities_that_grow_without_measure_are_refused() -> None:
    text = '<!ENTITY % e0 "aaaaaaaaaaaaaaaaaaaa">'
    for i in range(1, 30):
        text += f'<!ENTITY % e{i} "%e{i - 1};%e{i - 1};">'
    with pytest.raises(InputError, match="XYIN0004"):
        dtd(text)


# --- documents


def test_the_doctype_of_a_document() -> None:
    text = """<?xml version="1.0"?>
      <!-- <!DOCTYPE no [ <!ELEMENT no EMPTY> ]> -->
      <!DOCTYPE bib PUBLIC "-//x//y" 'bib.dtd' [
        <!ELEMENT bib (book*)> <!-- ] ' --> <?pi ] " ?> <!ENTITY e "]]">
        <!ELEMENT book (title, author*)>
      ] >
      <bib><!ELEMENT what ever></bib>"""
    found = read_doctype(SourceText(text))
    assert found is not None
    assert found.root == "bib"
    assert list(found.elements) == ["bib", "book"]
    assert not found.is_complete


@pytest.mark.parametrize("text", ["<a/>", "", "<a><!DOCTYPE a [<!ELEMENT a EMPTY>]></a>", "<!DOCTYPE a><a/>"])
def test_documents_without_declarations(text: str) -> None:
    assert document_schema(text.encode()) is None


def test_a_document_brings_its_schema() -> None:
    start = '<?xml version="1.0" encoding="utf-16"?><!DOCTYPE é [<!ELEMENT é (a,b)>]><é><a/>'.encode("utf-16")
    schema = document_schema(start)
    assert schema is not None
    assert schema.roots == ("é",)
    root = schema.document().child("é")
    assert root is not None
    assert root.ordered("a", "b")
    assert schema.document().exactly_once("é")


# --- files


def test_files(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "book.mod").write_text("<!ELEMENT book (title)>", encoding="utf-8")
    main = tmp_path / "bib.dtd"
    main.write_text('<!ENTITY % book SYSTEM "parts/book.mod"> %book; <!ELEMENT bib (book*)>', encoding="utf-8")
    schema = load_schema(main, root="bib")
    assert schema.names == ("book", "bib")
    assert schema.is_complete
    book = schema.document().child("bib")
    assert book is not None
    assert book.child("book") is schema.element("book")
    document = tmp_path / "doc.xml"
    document.write_text('<!DOCTYPE bib SYSTEM "bib.dtd"><bib/>', encoding="utf-8")
    assert load_schema(str(document)).names == ("book", "bib")


def test_a_document_reads_nothing_above_it(tmp_path: Path) -> None:
    (tmp_path / "up.dtd").write_text("<!ELEMENT a EMPTY>", encoding="utf-8")
    (tmp_path / "down").mkdir()
    document = tmp_path / "down" / "doc.xml"
    for system_id in ("../up.dtd", str(tmp_path / "up.dtd"), (tmp_path / "up.dtd").as_uri()):
        document.write_text(f'<!DOCTYPE a SYSTEM "{system_id}"><a/>', encoding="utf-8")
        with pytest.raises(InputError, match="has no DOCTYPE with declarations"):
            load_schema(document)


@pytest.mark.parametrize(
    ("schema", "code"),
    [
        ("missing.dtd", "XYIN0002"),
        ("<!-- nothing -->", "XYIN0020"),
        ("<!ATTLIST a b CDATA #IMPLIED>", "XYIN0020"),
    ],
)
def test_unusable_schemas(schema: str, code: str) -> None:
    with pytest.raises(InputError) as caught:
        load_schema(schema)
    assert caught.value.code == code


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "s.dtd"
    path.write_bytes(b"<!ELEMENT a EMPTY> \xff")
    with pytest.raises(InputError, match="XYIN0007"):
        load_schema(path)
    path.write_bytes("<?xml version='1.0' encoding='ISO-8859-1'?><!ELEMENT é EMPTY>".encode("latin-1"))
    assert load_schema(path).names == ("é",)


# --- whole schemas


def test_the_root_may_be_any_element_unless_it_is_named() -> None:
    text = "<!ELEMENT a (b)> <!ELEMENT b EMPTY>"
    document = load_schema(text).document()
    assert document.symbols == {"a", "b"}
    assert document.at_most_once("a")
    assert not document.exactly_once("a")
    assert load_schema(text, root="a").document().exactly_once("a")
    with pytest.raises(InputError, match="declares no element 'c'"):
        load_schema(text, root="c")


def test_any_content_is_every_declared_element_in_any_order() -> None:
    schema = load_schema("<!ELEMENT a ANY> <!ELEMENT b EMPTY> <!ELEMENT c (d)>")
    found = schema.element("a")
    assert found is not None
    assert found.symbols == {"a", "b", "c", "text()"}
    assert not any(found.ordered(x, y) for x in found.symbols for y in found.symbols)
    assert not found.at_most_once("b")
    assert found.child("c") is schema.element("c")
    assert found.child("x") is None


def test_recursive_elements() -> None:
    schema = load_schema("<!ELEMENT part (name, part*)> <!ELEMENT name (#PCDATA)>")
    part = schema.element("part")
    assert part is not None
    assert part.child("part") is part
    assert part.ordered("name", "part")
    assert part.child("other") is None


def test_two_prefixes_of_one_local_name() -> None:
    schema = load_schema("<!ELEMENT r (p:a, b, q:a)> <!ELEMENT p:a EMPTY> <!ELEMENT q:a (b)> <!ELEMENT b EMPTY>")
    found = schema.element("r")
    assert found is not None
    assert schema.element("a") is None
    assert found.child("a") is None
    assert not found.ordered("a", "b")
    assert not found.at_most_once("a")


# --- compared with expat


def expat_content(model: tuple[int, int, str | None, tuple]) -> str:  # type: ignore[type-arg]
    kind, quantifier, name, children = model
    mark = ("", "?", "*", "+")[quantifier]
    if kind == pyexpat.model.XML_CTYPE_EMPTY:
        return "EMPTY"
    if kind == pyexpat.model.XML_CTYPE_ANY:
        return "ANY"
    if kind == pyexpat.model.XML_CTYPE_MIXED:
        return f"(#PCDATA | {' | '.join(child[2] for child in children)})*" if children else "(#PCDATA)"
    if kind == pyexpat.model.XML_CTYPE_NAME:
        return f"{name}{mark}"
    parts = [expat_content(child) for child in children]
    if len(parts) > 1:
        return f"({(', ' if kind == pyexpat.model.XML_CTYPE_SEQ else ' | ').join(parts)}){mark}"
    return f"({parts[0]}){mark}" if mark and parts[0][-1] in "?*+" else f"{parts[0]}{mark}"


def by_expat(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    parser = pyexpat.ParserCreate()
    parser.ElementDeclHandler = lambda name, model: found.setdefault(name, expat_content(model))
    parser.UseForeignDTD(True)
    parser.SetParamEntityParsing(pyexpat.XML_PARAM_ENTITY_PARSING_ALWAYS)

    def external(context: str, base: str | None, system_id: str | None, public_id: str | None) -> int:
        inner = parser.ExternalEntityParserCreate(context)
        inner.Parse(text.encode(), True)
        return 1

    parser.ExternalEntityRefHandler = external
    parser.Parse(b"<a/>", True)
    return found


NAME = st.sampled_from(["a", "b", "long-name", "x.1", "_u", "é"])
SPACE = st.sampled_from(["", " ", "\n ", "\t"])
PARTICLE = st.deferred(
    lambda: st.one_of(NAME, GROUP).flatmap(lambda p: st.sampled_from([p, f"{p}?", f"{p}*", f"{p}+"]))
)
GROUP = st.tuples(st.lists(PARTICLE, min_size=1, max_size=3), st.sampled_from(",|"), SPACE).map(
    lambda g: f"({g[2]}{f'{g[2]}{g[1]}{g[2]}'.join(g[0])}{g[2]})"
)
MIXED = st.lists(NAME, unique=True, max_size=3).map(
    lambda names: f"(#PCDATA{''.join(f' | {n}' for n in names)}){'*' if names else ''}"
)
CONTENT = st.one_of(st.sampled_from(["EMPTY", "ANY"]), MIXED, GROUP, GROUP.map("{}*".format))
DECLARATION = st.one_of(
    CONTENT,
    # The whole content, or what is inside its parentheses, by an entity.
    CONTENT.map(lambda content: f"%whole;{content}"),
    GROUP.map(lambda group: f"%inside;{group}"),
)


@given(st.lists(DECLARATION, min_size=1, max_size=4), SPACE)
@settings(max_examples=150, deadline=None)
def test_contents_as_expat_reads_them(declarations: list[str], space: str) -> None:
    text = ""
    for i, declaration in enumerate(declarations):
        if declaration.startswith("%whole;"):
            text += f'<!ENTITY % e{i} "{declaration.removeprefix("%whole;")}"><!ELEMENT n{i} {space}%e{i};>'
        elif declaration.startswith("%inside;"):
            inner = declaration.removeprefix("%inside;")[1:-1]
            text += f'<!ENTITY % e{i} "{inner}">{space}<!ELEMENT n{i} (%e{i};)>'
        else:
            text += f"<!-- {i} --><!ELEMENT n{i} {declaration}{space}>"
    assert contents(text) == by_expat(text)
