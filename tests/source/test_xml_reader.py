"""The reader against lxml, its limits at and one past each, and malformed input."""

from __future__ import annotations

import bz2
import dataclasses
import gzip
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree
from xylem.errors import InputError
from xylem.source import kernel
from xylem.source.kernel import is_kernel_built
from xylem.source.limits import Limits
from xylem.source.xml_reader import read_document, read_fragment
from xylem.values.axes import step
from xylem.values.node import ATTRIBUTE, COMMENT, ELEMENT, PROCESSING_INSTRUCTION, TEXT, Node
from xylem.values.node_test import NodeTest
from xylem.values.tree import Tree


@pytest.fixture(autouse=True, scope="module", params=["kernel", "expat"])
def reader(request: pytest.FixtureRequest) -> Iterator[None]:
    """All of this holds for both readers."""
    if request.param == "kernel" and not is_kernel_built():
        pytest.skip("the kernel was not built here")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernel, "is_kernel_built", lambda: request.param == "kernel")
        yield


# --- what was read, in a form both sides can give


def shown(node: Node) -> Any:
    tree = node.tree
    return [_shown(tree, row) for row in tree.children(node.pre)]


def _shown(tree: Tree, row: int) -> Any:
    kind = tree.kind(row)
    if kind == TEXT:
        return tree.values[row]
    name = tree.name(row)
    if kind == COMMENT:
        return ("comment", tree.values[row])
    assert name is not None
    if kind == PROCESSING_INSTRUCTION:
        return ("pi", str(name), tree.values[row])
    attributes = sorted(((str(tree.name(a)), tree.name(a).uri), tree.values[a]) for a in tree.attributes(row))  # type: ignore[union-attr]
    namespaces = {p: uri for p, uri in tree.namespaces(row).items() if p != "xml"}
    return (str(name), name.uri, attributes, namespaces, [_shown(tree, c) for c in tree.children(row)])


def shown_by_lxml(data: bytes) -> Any:
    root = etree.fromstring(data, etree.XMLParser(resolve_entities=True, huge_tree=True))
    around = [*reversed(list(root.itersiblings(preceding=True))), root, *root.itersiblings()]
    return [_shown_by_lxml(node) for node in around]


def _shown_by_lxml(node: Any) -> Any:
    if node.tag is etree.Comment:
        return ("comment", node.text or "")
    if node.tag is etree.PI:
        return ("pi", node.target, node.text or "")
    q = etree.QName(node)
    prefixes = {uri: p for p, uri in node.nsmap.items() if p}
    attributes = []
    for name, value in node.items():
        a = etree.QName(name)
        prefix = "xml" if a.namespace and a.namespace.endswith("namespace") else prefixes.get(a.namespace)
        attributes.append(((f"{prefix}:{a.localname}" if prefix else a.localname, a.namespace or ""), value))
    content: list[Any] = [node.text] if node.text else []
    for child in node:
        content.append(_shown_by_lxml(child))
        if child.tail:
            if content and isinstance(content[-1], str):
                content[-1] += child.tail
            else:
                content.append(child.tail)
    namespaces = {p or "": uri for p, uri in node.nsmap.items()}
    name = f"{node.prefix}:{q.localname}" if node.prefix else q.localname
    return (name, q.namespace or "", sorted(attributes), namespaces, content)


# --- generated documents

CHARACTERS = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")) | st.sampled_from("\n\t"), max_size=8
)


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


texts = CHARACTERS.map(_escaped)
cdata = CHARACTERS.filter(lambda t: "]]>" not in t).map(lambda t: f"<![CDATA[{t}]]>")
comments = (
    st.text("abc -", max_size=6).filter(lambda t: "--" not in t and not t.endswith("-")).map(lambda t: f"<!--{t}-->")
)
instructions = st.text("abc ?", max_size=6).filter(lambda t: "?>" not in t).map(lambda t: f"<?pi {t.strip()}?>")
names = st.sampled_from(["a", "b", "p:c", "long-näme", "q:d"])
attributes = st.dictionaries(st.sampled_from(["x", "y", "p:x", "xml:lang", "q:z"]), texts, max_size=3)
declarations = st.dictionaries(
    st.sampled_from(["xmlns", "xmlns:p", "xmlns:q"]), st.sampled_from(["urn:1", "urn:2"]), max_size=2
)


def _element(name: str, attrs: dict[str, str], declared: dict[str, str], content: list[str]) -> str:
    given_ = "".join(f' {n}="{v}"' for n, v in {**declared, **attrs}.items())
    return f"<{name}{given_}>{''.join(content)}</{name}>" if content else f"<{name}{given_}/>"


leaves = st.one_of(texts, cdata, comments, instructions)
nodes = st.recursive(
    leaves,
    lambda inner: st.builds(_element, names, attributes, declarations, st.lists(inner, max_size=4)),
    max_leaves=20,
)
documents = st.builds(
    lambda before, content, after: f'{before}<r xmlns:p="urn:1" xmlns:q="urn:2">{"".join(content)}</r>{after}',
    comments,
    st.lists(nodes, max_size=5),
    instructions,
)


@settings(max_examples=150, deadline=None)
@given(documents)
def test_reads_what_lxml_reads(text: str) -> None:
    data = text.encode()
    try:
        expected = shown_by_lxml(data)
    except etree.XMLSyntaxError:
        with pytest.raises(InputError):
            read_document(data)
        return
    if _has_ambiguous_prefixes(expected):
        return
    assert shown(read_document(data)) == expected
    assert shown(read_document(text)) == expected
    assert shown(read_document(BytesIO(data))) == expected


def _has_ambiguous_prefixes(found: Any) -> bool:
    """lxml does not tell which of two prefixes of a namespace an attribute was written with."""
    return any(
        isinstance(node, tuple)
        and len(node) == 5
        and (len(set(node[3].values())) < len(node[3]) or _has_ambiguous_prefixes(node[4]))
        for node in found
    )


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-16", "iso-8859-1", "windows-1252", "iso-8859-15", "utf-32", "koi8-r"]
)
def test_encodings_by_declaration(encoding: str) -> None:
    text = "Прив" if encoding == "koi8-r" else "naïve é"
    data = f'<?xml version="1.0" encoding="{encoding}"?><a é="1">{text}</a>'
    if encoding == "koi8-r":
        data = data.replace(" é=", " x=")
    assert read_document(data.encode(encoding)).string_value == text


@pytest.mark.parametrize("encoding", ["shift_jis", "euc-jp", "gb18030", "big5"])
def test_encodings_of_several_bytes_a_character(encoding: str) -> None:
    data = f'<?xml version="1.0" encoding="{encoding}"?><a>日本</a>'.encode(encoding)
    assert read_document(data).string_value == "日本"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32", "utf-16-le", "utf-16-be", "utf-32-be"])
def test_encodings_by_their_first_bytes(encoding: str) -> None:
    data = '<?xml version="1.0"?><a>é</a>'.encode(encoding)
    assert read_document(data).string_value == "é"


def test_line_ends_and_attribute_values_are_normalised() -> None:
    node = read_document(b'<a b="1\r\n 2&#10;3">x\r\ny\rz</a>')
    assert node.string_value == "x\ny\nz"
    assert [a.string_value for a in step("attribute", NodeTest())(step("child", NodeTest())(node)[0])] == ["1  2\n3"]


def test_text_around_cdata_and_entities_is_one_node() -> None:
    node = read_document(b"<!DOCTYPE a [<!ENTITY e 'x<b/>y'>]><a>1<![CDATA[<2>]]>&amp;&e;3</a>")
    inside = step("child", NodeTest())(step("child", NodeTest(ELEMENT))(node)[0])
    assert [n.string_value for n in inside] == ["1<2>&x", "", "y3"]


def test_defaults_and_identifiers_of_an_internal_dtd() -> None:
    node = read_document(
        b"<!DOCTYPE a [<!-- no node --><!ATTLIST a i ID #IMPLIED r IDREFS #IMPLIED d CDATA 'v'>]><a i=' k ' r='k  l'/>"
    )
    tree = node.tree
    assert shown(node) == [("a", "", [(("d", ""), "v"), (("i", ""), "k"), (("r", ""), "k l")], {}, [])]
    assert tree.element_with_id("k") == 1
    assert [tree.name(row).local for row in tree.idref_attributes()] == ["r"]  # type: ignore[union-attr]


def test_xml_id_is_an_identifier() -> None:
    tree = read_document(b"<a><b xml:id=' z '/></a>").tree
    assert tree.element_with_id("z") == 2


def test_base_uri_follows_xml_base() -> None:
    node = read_document(b"<a><b xml:base='sub/'><c xml:base='x'/></b></a>", "http://h/d/doc.xml")
    found = {str(n.name): n.base_uri for n in step("descendant", NodeTest(ELEMENT))(node)}
    assert found == {"a": "http://h/d/doc.xml", "b": "http://h/d/sub/", "c": "http://h/d/sub/x"}


def test_white_space_can_be_left_out() -> None:
    node = read_document(b"<a> <b> x </b>\n<c/> </a>", strip_space=True)
    assert shown(node) == [("a", "", [], {}, [("b", "", [], {}, [" x "]), ("c", "", [], {}, [])])]


def test_an_external_dtd_that_is_only_declared_is_passed_over() -> None:
    assert read_document(b'<!DOCTYPE a SYSTEM "nowhere.dtd"><a b="1">x</a>').string_value == "x"


def test_external_entities_through_a_resolver() -> None:
    parts = {
        "file:/d/e.xml": b"<?xml version='1.0' encoding='utf-8'?>in<i/>side",
        "file:/d/x.dtd": b"<!ATTLIST a k ID #IMPLIED>",
    }
    node = read_document(
        b'<!DOCTYPE a SYSTEM "x.dtd" [<!ENTITY e SYSTEM "e.xml">]><a k="1">(&e;)</a>',
        "file:/d/doc.xml",
        resolve_entity=parts.get,
    )
    assert node.string_value == "(inside)"
    assert node.tree.element_with_id("1") == 1


# --- fragments


@pytest.mark.parametrize(
    "text", ["", "x", "a<b/>c", "<a/><a/>", '<?xml version="1.0" encoding="utf-8"?><a/>', "&amp;<!--c-->"]
)
def test_fragments(text: str) -> None:
    node = read_fragment(text, base_uri="http://b/")
    assert node.kind == 0
    assert node.base_uri == "http://b/"
    assert len(node.tree.children(0)) == {"a<b/>c": 3, "<a/><a/>": 2, "": 0, "&amp;<!--c-->": 2}.get(text, 1)


@pytest.mark.parametrize(
    "text", ["<a>", "</_><_>", "</_>", "<!DOCTYPE a><a/>", '<?xml version="1.0"?><a/>', "<a", "&x;", "<p:a/>"]
)
def test_bad_fragments(text: str) -> None:
    with pytest.raises(InputError) as caught:
        read_fragment(text, code="FODC0006")
    assert caught.value.code == "FODC0006"


# --- limits

AT_AND_PAST = [
    ("depth", 5, lambda n: "<a>" * n + "</a>" * n),
    ("attributes", 5, lambda n: "<a " + " ".join(f"a{i}=''" for i in range(n)) + "/>"),
    ("name_characters", 5, lambda n: f"<{'a' * n}/>"),
    ("name_characters", 5, lambda n: f"<a {'a' * n}='1'/>"),
    ("name_characters", 5, lambda n: f"<a><?{'a' * n} x?></a>"),
    ("attribute_characters", 5, lambda n: f"<a b='{'x' * n}'/>"),
    ("text_characters", 5, lambda n: f"<a><!--{'x' * n}--></a>"),
    ("text_characters", 200_000, lambda n: f"<a>{'x' * n}</a>"),
    ("expanded_characters", 500, lambda n: f"<!DOCTYPE a [<!ENTITY e '{'x' * n}'>]><a>&e;</a>"),
]


@pytest.mark.parametrize(("limit", "most", "document"), AT_AND_PAST)
def test_limits_at_and_one_past(limit: str, most: int, document: Any) -> None:
    limits = dataclasses.replace(Limits(), **{limit: most})
    read_document(document(most), limits=limits)
    with pytest.raises(InputError) as caught:
        read_document(document(most + 1), limits=limits)
    assert caught.value.code == "XYIN0004"
    assert limit.replace("_", " ") in caught.value.message
    assert "line 1" in caught.value.message


def test_a_dtd_can_be_refused() -> None:
    with pytest.raises(InputError, match="XYIN0004"):
        read_document(b"<!DOCTYPE a []><a/>", limits=Limits(allow_dtd=False))


def test_many_small_entities_are_counted_too() -> None:
    entity = "x" * 1000
    document = f"<!DOCTYPE a [<!ENTITY e '{entity}'>]><a>{'&e;' * 2000}</a>"
    with pytest.raises(InputError, match="XYIN0004"):
        read_document(document)
    references = '<b c="&e;"/>' * 2000
    in_attributes = f"<!DOCTYPE a [<!ENTITY e '{entity}'>]><a>{references}</a>"
    with pytest.raises(InputError, match="XYIN0004"):
        read_document(in_attributes)


def test_an_entity_bomb() -> None:
    lines = [f"<!ENTITY e{i} '{f'&e{i - 1};' * 10}'>" for i in range(1, 12)]
    document = f"<!DOCTYPE a [<!ENTITY e0 'lol'>{''.join(lines)}]><a>&e11;</a>"
    with pytest.raises(InputError, match="XYIN0004"):
        read_document(document)


def test_an_entity_bomb_declared_backwards() -> None:
    lines = [f"<!ENTITY e{i} '{f'&e{i - 1};' * 10}'>" for i in range(11, 0, -1)]
    document = f"<!DOCTYPE a [{''.join(lines)}<!ENTITY e0 'lol'>]><a>&e11;</a>"
    with pytest.raises(InputError, match="XYIN0004"):
        read_document(document)


def test_deep_documents_are_read_without_recursion() -> None:
    node = read_document("<a>" * 5000 + "x" + "</a>" * 5000)
    assert node.string_value == "x"


def test_a_text_of_many_megabytes() -> None:
    size = 50_000_000
    assert len(read_document(b"<a>" + b"x" * size + b"</a>").string_value) == size


# --- malformed input

MALFORMED = [
    ("", "XYIN0001", "line 1"),
    ("   ", "XYIN0001", "line 1"),
    ("x", "XYIN0001", "line 1"),
    ("<a>", "XYIN0001", "/a"),
    ("<a", "XYIN0001", "line 1"),
    ("<a>\n<b>\n<c></b></a>", "XYIN0001", "line 3, column 6 (byte 13), in /a/b/c"),
    ("<a/><b/>", "XYIN0001", "line 1, column 5"),
    ("<a>&foo;</a>", "XYIN0001", "in /a"),
    ("<a b='&foo;'/>", "XYIN0001", "line 1"),
    ("<a b=1/>", "XYIN0001", "line 1"),
    ("<a b='<'/>", "XYIN0001", "line 1"),
    ("<a b='1' b='2'/>", "XYIN0001", "duplicate attribute"),
    ("<a xmlns:p='u' xmlns:q='u' p:b='1' q:b='2'/>", "XYIN0001", "Q{u}b"),
    ("<p:a/>", "XYIN0001", "prefix 'p'"),
    ("<a p:b='1'/>", "XYIN0001", "prefix 'p'"),
    ("<a xmlns:p=''/>", "XYIN0001", "undeclared"),
    ("<a xmlns:xmlns='u'/>", "XYIN0001", "xmlns"),
    ("<a xmlns:xml='u'/>", "XYIN0001", "xml"),
    ("<a xmlns='http://www.w3.org/2000/xmlns/'/>", "XYIN0001", "xmlns"),
    ("<a:b:c/>", "XYIN0001", "colon"),
    ("<:a/>", "XYIN0001", "colon"),
    ("<a><?p:q?></a>", "XYIN0001", "colon"),
    ("<a>\x01</a>", "XYIN0001", "in /a"),
    ("<a>&#1;</a>", "XYIN0001", "in /a"),
    ("<a>]]></a>", "XYIN0001", "in /a"),
    ("<a><!-- -- --></a>", "XYIN0001", "in /a"),
    ("<!DOCTYPE a [<!ENTITY e '&e;'>]><a>&e;</a>", "XYIN0001", "itself"),
    ("<!DOCTYPE a [<!ENTITY e SYSTEM 'file:///etc/passwd'>]><a>&e;</a>", "XYIN0008", "passwd"),
    ("<!DOCTYPE a SYSTEM 'x.dtd'><a>&e;</a>", "XYIN0001", "&e;"),
    ("<!DOCTYPE a SYSTEM 'x.dtd'><a><b c='&amp;&e;'/></a>", "XYIN0001", "&e;"),
]


@pytest.mark.parametrize(("text", "code", "words"), MALFORMED)
def test_malformed(text: str, code: str, words: str) -> None:
    for resolver in (None, lambda uri: None):
        with pytest.raises(InputError) as caught:
            read_document(text.encode(), resolve_entity=resolver)
        assert caught.value.code == code
        assert words in caught.value.message


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"<a>\xff</a>", "XYIN0001"),
        (b'<?xml version="1.0" encoding="nonsense"?><a/>', "XYIN0007"),
        (b'<?xml version="1.0" encoding="rot13"?><a/>', "XYIN0007"),
        (b'<?xml version="1.0" encoding="utf-16"?><a/>', "XYIN0007"),
        (b'<?xml version="1.0" encoding="shift_jis"?><a>\xff\xff</a>', "XYIN0007"),
        (b'<?xml version="1.0" encoding="us-ascii"?><a>\xc3\xa9</a>', "XYIN0001"),
        (b'<?xml version="1.0" encoding="windows-1252"?><a>\x81</a>', "XYIN0007"),
        (b"\xff\xfe<\x00a\x00", "XYIN0001"),
        (b"\x00\x00\xfe\xff\x00\x00", "XYIN0007"),
    ],
)
def test_bad_encodings(data: bytes, code: str) -> None:
    with pytest.raises(InputError) as caught:
        read_document(data)
    assert caught.value.code == code


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=40) | documents.map(str.encode), st.data())
def test_anything_ends_in_a_tree_or_a_coded_error(data: bytes, choices: st.DataObject) -> None:
    if data:
        place = choices.draw(st.integers(0, len(data) - 1))
        data = data[:place] + choices.draw(st.binary(max_size=3)) + data[place + 1 :]
    try:
        read_document(data)
    except InputError as error:
        assert error.code.startswith("XYIN")  # noqa: PT017  # a tree is as good an end


def test_kinds_are_numbered_in_document_order() -> None:
    tree = read_document(b"<a x='1' y='2'>t<b/><!--c--></a>").tree
    assert [tree.kind(row) for row in range(len(tree))] == [0, ELEMENT, ATTRIBUTE, ATTRIBUTE, TEXT, ELEMENT, COMMENT]
    assert list(tree.ends) == [7, 7, 3, 4, 5, 6, 7]
    assert list(tree.parents) == [-1, 0, 1, 1, 1, 1, 1]


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress], ids=["gzip", "bzip2"])
def test_compressed_documents_are_unpacked(pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    path = tmp_path / "packed"
    path.write_bytes(pack(b"<a>") + pack(b"x</a>"))
    assert read_document(path).string_value == "x"
    assert read_document(path.read_bytes()).string_value == "x"
    path.write_bytes(pack(b"<a>" + b"x" * 1000 + b"</a>")[:-4])
    with pytest.raises(InputError, match="packed"):
        read_document(path)
    with pytest.raises(InputError, match="decompression"):
        read_document(pack(b"<a>" + b" " * 20_000_000 + b"</a>"))
