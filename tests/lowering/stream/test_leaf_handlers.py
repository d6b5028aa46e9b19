"""Comments and processing instructions come by themselves, as text nodes do: nothing around them is kept."""

from __future__ import annotations

from random import Random

import pytest
import xylem
from xylem.values.node import Node

from tests.run.stream.compare import SCANNERS, from_stream, from_tree, stream_program, written_as_events

DOCUMENT = b"""<?xml version="1.0"?><!--top--><?p first?>
<!DOCTYPE r [<!-- no node --><!ENTITY e "an <!--entity--> <a/>">]>
<?q?><r k="2"><!--one-->text<a
><!--two--><a k="1"><!--three--><?p i 7?></a><?q x?>behind<!--four--></a>&e;<b/><b><!--7--></b>
<p:b xmlns:p="urn:p"><?p  last?></p:b><!----></r><!--end--><?p 7?>"""
PATHS = (
    "//comment()",
    "//processing-instruction()",
    "//processing-instruction('p')",
    "//processing-instruction(q)",
    "/comment()",
    "/processing-instruction()",
    "/r/comment()",
    "/r/a//comment()",
    "//a/comment()",
    "/descendant::comment()",
    "//*/processing-instruction()",
    "/descendant-or-self::node()/comment()",
)
TESTS = ("", "[. = '7']", "[contains(., 'e')]", "[../@k]")
USES = (
    "{path}",
    "<o>{{ {path} }}</o>",
    "count({path})",
    "for $c in {path} return <c n='{{ name($c) }}'>{{ string($c) }}</c>",
    "for $c at $i in {path} where $c != 'two' return ($i, string($c))",
    "string-join({path}, '|')",
    "distinct-values({path})",
    "({path})[2]",
    "({path})[position() = 1 to 2]",
    "exists({path}), head({path})",
    "for $c in {path} return name($c/..)",
    "for $c in {path} group by $n := string($c) order by $n return ($n, count($c))",
    "(count({path}), //b, {path})",
)


@pytest.mark.parametrize("use", USES)
@pytest.mark.share(4)
def test_the_answer_is_that_of_the_tree(use: str) -> None:
    choose = Random(use)
    streamed = 0
    for path in PATHS:
        for test in TESTS:
            query = use.format(path=path + test)
            program = stream_program(query)
            if program is None:
                continue
            streamed += 1
            expected, as_xml = from_tree(query, DOCUMENT), from_tree(query, DOCUMENT, as_xml=True)
            for scanner in SCANNERS:
                size = choose.choice((1, 3, 50, 4096))
                chunks = [DOCUMENT[i : i + size] for i in range(0, len(DOCUMENT), size)]
                assert from_stream(program, chunks, scanner=scanner) == expected, query
                assert written_as_events(program, [DOCUMENT], scanner=scanner) == as_xml, query
    assert streamed > len(PATHS) * len(TESTS) / 3


def string(item: object) -> str:
    return item.string_value if isinstance(item, Node) else str(item)


@pytest.mark.parametrize(
    "query",
    [
        "count(//comment())",
        "//comment()[contains(., '99')]",
        "/r/x/processing-instruction('p')",
        "for $c in /r//comment() return string($c)",
        "//x[comment() = 'n9']/@n/string()",
        "count(//processing-instruction()[. = '7'])",
    ],
)
def test_nothing_is_kept(query: str) -> None:
    data = b"<r>" + b"".join(b"<x n='%d'><!--n%d--><?p %d?></x>" % (n, n, n) for n in range(3000)) + b"</r>"
    result = xylem.compile(query).stream(data)
    expected = xylem.compile(query).run(context=xylem.parse(data))
    assert [string(item) for item in result] == [string(item) for item in expected]
    assert result.statistics.peak_buffered_bytes < 1000
