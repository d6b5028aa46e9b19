"""Answers over whole trees: the text that a template writes is that of the items."""

from __future__ import annotations

import pytest
import xylem
from xylem.query import tree_texts
from xylem.source.kernel import is_kernel_built
from xylem.values.compact_tree import CompactTree

from ..reference import reference

pytestmark = pytest.mark.skipif(not is_kernel_built(), reason="the kernel was not built here")

DOCUMENTS = [
    "<o k='1'><n k='a'>3</n><n k='b'>1</n><m><n k='a'>2</n>&lt;&amp;</m></o>",
    "<o/>",
    "<o><n>1</n><n>x</n><?go on?><!-- c --><n> 2 </n></o>",
    "<p:o xmlns:p='urn:x' xmlns='urn:y' p:k='1'><n k='2'>1</n><p:n>2</p:n></p:o>",
    "<o><n xmlns:q='urn:q' q:k='1' k='&quot;&#10;'>1<q:r/></n><n k='o'>1e400</n></o>",
    "<o>" + "<n k='k'>1</n><k>2</k>" * 300 + "</o>",
]
WRITTEN = [
    "for $n in /o/n return <n>{ $n/@k, $n/text() }</n>", "<a k='{ /o/@k }'>{ /o/n[. > 1] }</a>", "/o/n/string()",
    "for $n in /o/n order by string($n) descending return <n>{ data($n/@k) }</n>", "sum(/o/n)", "//n[@k = 'a']",
    "/o/n[2]",
    "for $n in /o/*[@k] return element { name($n) } { $n/@*, count($n/preceding-sibling::*) }", "/*/*",
    "//n/@k/string()",
    "zero-or-one(/o/m)/n", "/o/node()", "name(/*), 1, 'x'",
    "for $n in /o/n return $n/@k * 1",
    "declare default element namespace 'urn:y'; //n", "declare namespace p = 'urn:x'; //p:n, //@p:k/string()",
    "/o/m/n/..",
]  # fmt: skip
CODE = ["//n/@k", "map { 'n': count(//n) }", "for $x in //n return count(//n[. = $x])", "count(//n)", "1 to 3",
    "/o/id('x')", "count(//n//k)", "//n[ancestor::m]/string()", "for $o in //* return <x>{ $o//n/@k/string() }</x>",
    "for $n in //*[@k] return element { name($n) } { $n/@*, count($n/preceding-sibling::*) }"]
OTHER = [
    "for $n in /o/n return <n>{ $n/text(), $n/@k }</n>", "string(/)", "/", "/o/n[2]/@*, count(//n)",
    "some $x in /o/n, $y in /o/n satisfies $x << $y and $x = $y", "for $n in /o/n return xs:integer($n) idiv 1",
    "if (/o/m) then <m>{ /o/m/n/text() }</m> else count(/o/n)", "exactly-one(//n)/@k/string()",
    "for $g in /o/n group by $k := string($g/@k) order by $k return <g k='{ $k }'>{ count($g) }</g>",
    "<x>{ for tumbling window $w in /o/n start at $s when $s mod 2 = 1 return <w>{ $w/@k/string() }</w> }</x>",
]


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree_texts, "FIRST_BY_CODE", 0)


def told(query: xylem.Query, document: object) -> str:
    try:
        return query.run(document).serialize()
    except xylem.XylemError as error:
        return str(error)


def writes(text: str, document: str) -> bool:
    tree = xylem.parse(document).tree
    assert type(tree) is CompactTree
    return tree_texts.TreeTexts(xylem.compile(text).compiled).texts(tree) is not None


@pytest.mark.parametrize("text", [*WRITTEN, *CODE, *OTHER])
def test_the_text_is_that_of_the_items(text: str) -> None:
    query = xylem.compile(text)
    for document in DOCUMENTS:
        parsed = xylem.parse(document)
        expected = told(reference(text), parsed)
        assert told(query, parsed) == expected
        pieces: list[bytes] = []
        try:
            query.run(parsed).write_to(pieces.append)
        except xylem.XylemError:
            continue
        assert b"".join(pieces).decode() == expected


@pytest.mark.parametrize("text", WRITTEN)
def test_a_template_writes_it(text: str) -> None:
    assert any(writes(text, document) for document in DOCUMENTS)


@pytest.mark.parametrize("text", CODE)
def test_left_to_code(text: str) -> None:
    assert not any(writes(text, document) for document in DOCUMENTS)


def test_output_parameters_are_kept() -> None:
    document = xylem.parse(DOCUMENTS[0])
    query = xylem.compile("<x>{ /o/n[1] }</x>")
    for parameters in ({"indent": True}, {"method": "text"}, {"item_separator": "|"}, {"omit_xml_declaration": False}):
        assert query.run(document).serialize(**parameters) == reference(query.compiled.text).run(document).serialize(
            **parameters
        )
    assert xylem.compile("/o/n").run(document).serialize(item_separator="|").count("|") == 1


def test_only_whole_documents_are_read_by_templates() -> None:
    text = "<x>{ n }</x>"
    document = xylem.parse(DOCUMENTS[0])
    (root,) = xylem.compile("/o").run(document).xdm
    assert xylem.compile(text).run(root).serialize() == "<x><n k=\"a\">3</n><n k=\"b\">1</n></x>"
    (built,) = xylem.compile("document { <o><n>1</n></o> }").run().xdm
    assert xylem.compile("<x>{ /o/n }</x>").run(built).serialize() == "<x><n>1</n></x>"


def test_variables_are_those_of_the_run() -> None:
    query = xylem.compile("declare variable $k external := 'a'; //n[@k = $k]")
    document = xylem.parse(DOCUMENTS[0])
    assert query.run(document).serialize().count("<n") == 2
    assert query.run(document, {"k": "b"}).serialize().count("<n") == 1


def test_a_result_that_was_read_is_written_from_its_items() -> None:
    result = xylem.compile("/o/n").run(xylem.parse(DOCUMENTS[0]))
    assert result[0].string_value == "3"
    assert result.serialize().count("<n") == 2
