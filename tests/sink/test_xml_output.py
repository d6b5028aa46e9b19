"""The xml method: escaping, namespaces, declarations, CDATA sections, indentation."""

from __future__ import annotations

import io

import pytest
from lxml import etree
from xylem.errors import DynamicError
from xylem.sink import SerializationParameters, serialize, serialize_to
from xylem.values.array import XArray
from xylem.values.builder import TreeBuilder
from xylem.values.map import XMap
from xylem.values.node import Node
from xylem.values.qname import QName

from .trees import document, element, written


def code_of(*items: object, **options: str) -> str:
    with pytest.raises(DynamicError) as caught:
        written(*items, **options)
    return caught.value.code


def test_text_and_attributes_are_escaped() -> None:
    text = '<a b="&lt;&amp;&quot;&#10;&#9;&#13;&gt;">&lt;&amp;&gt;"&#13;&#x85;&#x2028;&#x7f;</a>'
    assert written(document(text)) == (
        '<a b="&lt;&amp;&quot;&#xA;&#x9;&#xD;&gt;">&lt;&amp;&gt;"&#xD;&#x85;&#x2028;&#x7F;</a>'
    )


def test_comments_and_instructions() -> None:
    text = "<!--c--><?p d?><a><?q?><!-- --></a>"
    assert written(document(text)) == text


def test_an_outermost_element_declares_all_namespaces_in_scope() -> None:
    root = document('<a xmlns="u" xmlns:p="v"><b><c xmlns="" p:x="1"/></b></a>')
    inner = Node(root.tree, 2)
    assert written(inner) == '<b xmlns="u" xmlns:p="v"><c xmlns="" p:x="1"/></b>'
    assert written(root) == '<a xmlns="u" xmlns:p="v"><b><c xmlns="" p:x="1"/></b></a>'


def test_redeclared_and_repeated_prefixes() -> None:
    text = '<p:a xmlns:p="u"><p:b xmlns:p="v"><p:c/></p:b><p:d/></p:a>'
    assert written(document(text)) == text
    repeated = '<p:a xmlns:p="u"><p:b xmlns:p="u"/></p:a>'
    assert written(document(repeated)) == '<p:a xmlns:p="u"><p:b/></p:a>'


def test_elements_that_inherit_no_namespaces() -> None:
    builder = TreeBuilder(copy_inherit=False)
    builder.start_element(QName("u", "a"), {"": "u", "p": "v"})
    builder.copy(element("<b/>"))
    builder.end_element()
    node = builder.finish()
    assert written(node) == '<a xmlns="u" xmlns:p="v"><b xmlns=""/></a>'
    assert written(node, version="1.1", undeclare_prefixes="yes", omit_xml_declaration="no") == (
        '<?xml version="1.1" encoding="UTF-8"?><a xmlns="u" xmlns:p="v"><b xmlns="" xmlns:p=""/></a>'
    )


def test_sequences_are_normalized() -> None:
    assert written(1, 2, "a", element("<b/>"), 3, 4) == "1 2 a<b/>3 4"
    assert written(1, element("<b/>"), 2, item_separator="|") == "1|<b/>|2"
    assert written(XArray([(1, 2), (XArray([(3,)]),), ()]), 4) == "1 2 3 4"
    assert written() == ""
    assert written(document("<a/>"), document("<b/>")) == "<a/><b/>"


def test_what_has_no_place_in_a_document() -> None:
    attribute = TreeBuilder.attribute_node(QName("", "a"), "1")
    assert code_of(attribute) == "SENR0001"
    assert code_of(XMap()) == "SENR0001"
    assert code_of(TreeBuilder.namespace_node("p", "u")) == "SENR0001"


def test_xml_declaration() -> None:
    a = element("<a/>")
    assert written(a, omit_xml_declaration="no") == '<?xml version="1.0" encoding="UTF-8"?><a/>'
    assert written(a, standalone="yes") == '<?xml version="1.0" encoding="UTF-8" standalone="yes"?><a/>'
    assert serialize([a]).startswith("<?xml ")


def test_document_type() -> None:
    assert written(element("<p:a xmlns:p='u'/>"), doctype_system="s", doctype_public="p") == (
        '<!DOCTYPE p:a PUBLIC "p" "s">\n<p:a xmlns:p="u"/>'
    )
    assert written(element("<a/>"), doctype_system='"') == "<!DOCTYPE a SYSTEM '\"'>\n<a/>"
    assert written(element("<a/>"), doctype_public="p") == "<a/>"


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"standalone": "yes", "omit_xml_declaration": "yes"}, "SEPM0009"),
        ({"version": "1.1", "doctype_system": "s"}, "SEPM0009"),
        ({"undeclare_prefixes": "yes"}, "SEPM0010"),
        ({"version": "1.2"}, "SESU0013"),
        ({"encoding": "no-such"}, "SESU0007"),
        ({"normalization_form": "nfx"}, "SESU0011"),
    ],
)
def test_parameters_that_cannot_be_met(options: dict[str, str], code: str) -> None:
    assert code_of(element("<a/>"), **options) == code


def test_only_documents_have_a_type_or_stand_alone() -> None:
    a = element("<a/>")
    assert code_of(a, a, standalone="yes") == "SEPM0004"
    assert code_of("text", doctype_system="s") == "SEPM0004"


def test_characters_beyond_the_encoding() -> None:
    node = document("<a b='é&#x1d11e;'>é€</a>")
    assert written(node, encoding="US-ASCII") == '<a b="&#233;&#119070;">&#233;&#8364;</a>'
    assert written(node, encoding="ISO-8859-1") == '<a b="é&#119070;">é&#8364;</a>'
    assert code_of(document("<a><!--é--></a>"), encoding="US-ASCII") == "SERE0008"
    assert code_of(document("<é/>"), encoding="US-ASCII") == "SERE0008"


def test_character_maps_come_before_escaping() -> None:
    parameters = SerializationParameters(character_map={"<": "[", "x": "<&>"}, omit_xml_declaration=True)
    assert serialize([document("<a b='x&lt;y'>&lt;x&amp;</a>")], parameters) == '<a b="<&>[y">[<&>&amp;</a>'


def test_normalization_leaves_mapped_characters_alone() -> None:
    parameters = SerializationParameters(
        character_map={"z": "c\u0327"}, normalization_form="NFC", omit_xml_declaration=True
    )
    assert serialize([document("<a>c\u0327z</a>")], parameters) == "<a>\xe7c\u0327</a>"


def test_cdata_sections() -> None:
    node = document("<a>&lt;<b>x]]&gt;y&#13;z<c>&lt;</c></b></a>")
    assert written(node, cdata_section_elements="b") == (
        "<a>&lt;<b><![CDATA[x]]]]><![CDATA[>y]]>&#xD;<![CDATA[z]]><c>&lt;</c></b></a>"
    )
    spaced = document("<b>bold\xa0as brass</b>")
    assert written(spaced, cdata_section_elements="b", encoding="us-ascii") == (
        "<b><![CDATA[bold]]>&#xA0;<![CDATA[as brass]]></b>"
    )


def test_names_in_parameters_take_namespaces() -> None:
    node = document("<a xmlns='u'>x</a>")
    assert "CDATA" in written(node, cdata_section_elements="Q{u}a")
    assert "CDATA" in written(node, cdata_section_elements="p:a", namespaces={"p": "u"})
    assert "CDATA" in written(node, cdata_section_elements="a", namespaces={"": "u"})
    assert "CDATA" not in written(node, cdata_section_elements="a")


def test_indentation() -> None:
    node = document("<a><b><c/><d>text</d><!--n--></b><e>mixed <f/></e></a>")
    assert written(node, indent="yes") == (
        "<a>\n  <b>\n    <c/>\n    <d>text</d>\n    <!--n-->\n  </b>\n  <e>mixed <f/></e>\n</a>"
    )
    assert written(element("<a/>"), element("<b/>"), "t", indent="yes") == "<a/>\n<b/>t"


def test_indentation_is_held_back() -> None:
    node = document("<a><b xml:space='preserve'><c/><d xml:space='default'><e/></d></b><p><q/></p></a>")
    assert written(node, indent="yes", suppress_indentation="p") == (
        '<a>\n  <b xml:space="preserve"><c/><d xml:space="default">\n      <e/>\n    </d></b>\n  <p><q/></p>\n</a>'
    )


def test_plain_and_general_path_agree() -> None:
    text = '<a xmlns="u" xmlns:p="v" p:x="&lt;"><b xmlns=""><p:c/>t<!--c--><?p i?></b>&amp;</a>'
    node = document(text)
    # An element of this name does not occur: the parameter only chooses the general path.
    assert written(node, cdata_section_elements="none") == written(node) == text


def nested(depth: int) -> Node:
    builder = TreeBuilder()
    for _ in range(depth):
        builder.start_element(QName("", "a"), {})
    for _ in range(depth):
        builder.end_element()
    return builder.finish()


def test_deep_documents() -> None:
    text = "<a>" * 10_000 + "</a>" * 10_000
    assert written(nested(10_000)) == text.replace("<a></a>", "<a/>")
    assert written(nested(10_000), method="html") == text
    assert written(nested(2_000), indent="yes").count("\n") == 2 * 1_999


def test_output_comes_in_chunks() -> None:
    def items() -> object:
        for number in range(3):
            seen.append(f"item {number}")
            yield document("<a>" + "<b>x</b>" * 3000 + "</a>")

    seen: list[str] = []
    serialize_to(items(), SerializationParameters(), lambda piece: seen.append("chunk"))  # type: ignore[arg-type]
    assert seen.index("chunk") < seen.index("item 1")


SAMPLES = [
    '<a xmlns:x="urn:u" x:b="&#10;&amp;"><x:c>\u00e9&#x1F600;</x:c>  <d xmlns="urn:v"><e xmlns=""/></d></a>',
    "<?p a?><!--x--><r a='1' b='&quot;&apos;'>&#13;<![CDATA[<x>]]></r><!--y-->",
    "<p:a xmlns:p='urn:u' xmlns:q='urn:u' q:x='1' p:y='2'><q:b/></p:a>",
]


@pytest.mark.parametrize("text", SAMPLES)
@pytest.mark.parametrize("encoding", ["UTF-8", "US-ASCII", "ISO-8859-1", "UTF-16"])
def test_another_parser_reads_the_same(text: str, encoding: str) -> None:
    output = serialize([document(text)], SerializationParameters(encoding=encoding))
    assert _canonical(output.encode(encoding)) == _canonical(text.encode())


def _canonical(data: bytes) -> bytes:
    output = io.BytesIO()
    etree.fromstring(data).getroottree().write_c14n(output)
    return output.getvalue()
