"""Text nodes come by themselves, as soon as they are complete: also those of an element that is open for long."""

from __future__ import annotations

from random import Random

import pytest
import xylem

from .compare import SCANNERS, from_stream, from_tree, stream_program, written_as_events

DOCUMENT = b"""<!DOCTYPE r [<!ENTITY e "an <a>en&#116;ity</a> &lt;">]>
<r> x <a>b &amp; c<a>inner<!--c-->again<?p i?> 7</a>behind</a>&e;<![CDATA[<raw>]]>&lt;
 <p:a xmlns:p="urn:p">12</p:a><b><c/>end</b><a/><a>7</a><b k="1">7</b>last\xc3\xa9</r>"""

PATHS = (
    "//text()",
    "/r//text()",
    "/r/a//text()",
    "//a/text()",
    "//*/text()",
    "/r/text()",
    "/r/*/text()",
    "//b//text()",
)
TESTS = ("", "[. = '7']", "[contains(., 'e')]", "[normalize-space()]", "[string-length() > 3][contains(., 'a')]")
USES = (
    "{path}",
    "<o>{{ {path} }}</o>",
    "for $t in {path} return <t>{{ $t }}</t>",
    "for $t at $i in {path} return ($i, string($t))",
    "for $t in {path} where $t != '7' return upper-case($t)",
    "count({path})",
    "string-join({path}, '|')",
    "distinct-values({path})",
    "max({path}/string-length())",
    "sum({path} ! string-length())",
    "fold-left({path}, '', function($s, $t) {{ $s || '.' || $t }})",
    "({path})[2]",
    "({path})[last()]",
    "head({path})",
    "exists({path})",
    "some $t in {path} satisfies $t = '7'",
    "for $t in {path} return name($t/..)",
    "for $t in {path} return $t/../@k/string()",
    "for $t in {path} order by string($t) return <s>{{ $t }}</s>",
    "(count({path}), //b, {path})",
    "let $n := {path} return ($n[1], count($n))",
)


@pytest.mark.parametrize("use", USES)
@pytest.mark.share(4)
def test_the_answer_is_that_of_the_tree(use: str) -> None:
    choose = Random(use)
    streamed = 0
    for path in PATHS:
        for test in TESTS:
            query = use.format(path=path + test)
            expected = from_tree(query, DOCUMENT)
            program = stream_program(query)
            if program is None:
                continue
            streamed += 1
            for scanner in SCANNERS:
                size = choose.choice((1, 3, 50, 4096))
                chunks = [DOCUMENT[i : i + size] for i in range(0, len(DOCUMENT), size)]
                assert from_stream(program, chunks, scanner=scanner) == expected, query
                assert written_as_events(program, [DOCUMENT], scanner=scanner) == from_tree(
                    query, DOCUMENT, as_xml=True
                ), query
    assert streamed > len(PATHS) * len(TESTS) / 2


def test_a_text_is_given_while_its_element_is_open() -> None:
    def endless() -> object:
        yield b"<log>"
        for number in range(1000):
            yield f"line {number}<br/>".encode()
            told.append(number)

    told: list[int] = []
    found = iter(xylem.compile("/log//text() ! string()").stream(endless()))  # type: ignore[arg-type]
    assert [next(found) for _ in range(3)] == ["line 0", "line 1", "line 2"]
    assert told[-1] < 10


def test_more_texts_than_are_joined_at_once() -> None:
    """Values are joined by the thousand on the way, and these at the end."""
    data = b"<r>" + b"<t>ab</t>" * 5000 + b"</r>"
    query = "string-join(//text(), ',')"
    program = stream_program(query)
    assert program is not None
    assert from_stream(program, [data]) == from_tree(query, data)
