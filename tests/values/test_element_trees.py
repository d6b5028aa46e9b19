"""Elements of lxml and ElementTree come in as the nodes their text would be, and go out as the same elements."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
import xylem
from xylem.errors import InputError

etree = pytest.importorskip("lxml.etree")
DOCUMENTS = [
    "<a>x<b i='1'>y</b>z<!-- c --><?p data?>w</a>",
    "<a xmlns='urn:d' xmlns:p='urn:p'><p:b p:i='1' j='2'/><c xmlns=''/></a>",
    "<a xml:lang='sv' xml:id='i'><b/>\n<b> </b></a>",
    "<p:a xmlns:p='urn:1'><p:a xmlns:p='urn:2' p:x='1'/></p:a>",
]


@pytest.mark.parametrize("text", DOCUMENTS)
def test_a_tree_of_lxml_is_its_document(text: str) -> None:
    tree = etree.ElementTree(etree.fromstring(f"<?first?>{text}<!--last-->"))
    same = xylem.compile("declare variable $a external; declare variable $b external; deep-equal($a, $b)")
    assert same.run(variables={"a": tree, "b": xylem.parse(f"<?first?>{text}<!--last-->")}).value is True
    assert xylem.compile("root() instance of document-node() and string(/*) = string(.)").run(tree).value is True


@pytest.mark.parametrize("text", DOCUMENTS)
def test_an_element_of_the_standard_library(text: str) -> None:
    parser = ElementTree.XMLParser(target=ElementTree.TreeBuilder(insert_comments=True, insert_pis=True))
    element = ElementTree.fromstring(text, parser)
    same = "declare variable $a external; deep-equal($a, /*)"
    assert xylem.compile(same).run(xylem.parse(text), variables={"a": element}).value is True


@pytest.mark.parametrize("text", DOCUMENTS)
@pytest.mark.parametrize("there", [xylem.to_lxml, xylem.to_etree])
def test_there_and_back(text: str, there: object) -> None:
    assert callable(there)
    document = xylem.parse(text)
    plain = "declare variable $a external; deep-equal($a, .)"
    if there is xylem.to_etree:
        # The standard library's parser drops comments and processing instructions by itself.
        document = xylem.parse(text.replace("<!-- c -->", "").replace("<?p data?>", ""))
    assert xylem.compile(plain).run(document, variables={"a": there(document)}).value is True
    element = xylem.compile("/*").run(document)[0]
    assert there(element).tag == there(document).getroot().tag


def test_an_element_inside_a_tree_is_a_root_of_its_own() -> None:
    inner = etree.fromstring("<a><b><c/></b>tail</a>")[0]
    assert xylem.compile("name(/*), count(//c), name(..), string(/)").run(inner).items == ["b", 1, "", ""]


def test_elements_in_lists_and_maps() -> None:
    given = {"many": [etree.fromstring("<a/>"), ElementTree.fromstring("<b/>")]}
    query = xylem.compile("declare variable $m external; $m?many ! name()")
    assert query.run(variables={"m": given}).items == ["a", "b"]


def test_deep_trees() -> None:
    root = element = etree.Element("a")
    for _ in range(5_000):
        element = etree.SubElement(element, "a")
    assert xylem.compile("count(//a)").run(root).value == 5_001


def test_what_has_no_element() -> None:
    with pytest.raises(InputError, match="XYIN0005"):
        xylem.to_lxml(xylem.compile("//@i").run(xylem.parse("<a i='1'/>"))[0])
    with pytest.raises(InputError, match="XYIN0005"):
        xylem.compile(".").run(ElementTree.ElementTree())
