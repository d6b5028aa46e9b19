"""Items that wait to be sorted are copies in one tree: nothing of a query can tell."""

from __future__ import annotations

import pytest
from xylem.errors import XylemError
from xylem.pipeline import StaticEnvironment, compile_distributed
from xylem.run.tasks.in_process import run_in_process

from .compare import SCANNERS, Outcome, from_stream, from_tree, stream_program, written_as_events

DOCUMENT = b"""<!DOCTYPE shop [<!ATTLIST item id ID #IMPLIED>]>
<shop xmlns:s="urn:s" xml:base="http://x.org/">
 <item id="c" s:k="1"><name>Pear &amp; co</name><d>2001-03-04</d><d>1999-01-02</d></item>
 <s:group xmlns="urn:d" xmlns:s="urn:other"><item id="x"><name>hidden</name></item></s:group>
 <item id="a"><name>apple</name><item id="n"><name>inner</name></item>tail<!--c--><?p i?></item>
 <item id="b" xmlns:t="urn:t"><name> Pear</name><t:q t:r="5%"/></item>
 <item><name/><d>2001-03-04Z</d></item>
 <item id="e"><name>apple</name></item>
</shop>"""

QUERIES = (
    "for $i in /shop/item order by $i/name return $i",
    "for $i in /shop/item order by $i/name, $i/@id descending return <o n='{ $i/name }'>{ $i/name/text() }</o>",
    "for $i in /shop/item where $i/name = 'apple' order by $i/@id descending return $i/@id/string()",
    "for $i in //item order by upper-case($i/name[1]) return <o i='{ $i/@id }'>{ count($i/*) }{ string($i/d[1]) }</o>",
    "for $i in /shop/item order by $i/@id empty greatest return ($i/*, $i/text() ! normalize-space())",
    "for $i in /shop/item order by $i/@id return name($i/..)",
    "for $i in /shop/item order by $i/@id return count($i/following-sibling::*)",
    "for $i in /shop/item order by $i/@id return count($i/preceding::name)",
    "for $i in /shop/item order by $i/@id return name(root($i)/*)",
    "for $i in /shop/item order by $i/@id return count($i/ancestor-or-self::*)",
    "for $i in /shop/item order by $i/@id return string-join(sort(in-scope-prefixes($i)), ' ')",
    "for $i in /shop/item order by $i/@id return base-uri($i)",
    "for $i in /shop/item order by $i/@id return path($i)",
    "for $i in /shop/item order by $i/@id return id('a', $i)/name/string()",
    "let $s := for $i in /shop/item order by $i/@id return $i return ($s[1] << $s[2], $s[2] is $s[2], count($s | $s))",
    "let $s := for $i in /shop/item order by $i/name return $i return ($s/name, count($s/..), $s[last()]/@id/string())",
    "for $i in /shop/item order by $i/name/text()[2] return $i/@id/string()",
    "for $i in /shop/item order by $i/d return 1",
    "for $i in /shop/item let $d := for $d in $i/d return xs:date($d) order by min($d) return <m>{ min($d) }</m>",
    "for $i in /shop/item let $d := $i/d ! xs:date(.) order by count($d), string($i/@id) return <y n='{ max($d) }'/>",
    "for $i in /shop/item order by $i/@id return <w xmlns='urn:w'>{ $i/name }</w>",
    "for $i in /shop/item order by string-length($i/name) descending, $i/@id return"
    " <o a='{ $i/@id }' b='{ tokenize($i/name, ' ') }' c='{ sort(tokenize($i/name, '')) }'/>",
    "for $i in /shop/item order by $i/@id return <o c='{ string-join(sort($i/d ! string()), '+') }'>{ $i/@id }</o>",
    "for $i in /shop/item order by number($i/@id) return <o>{ $i/name ! string(), 1, $i/d ! 'x' }</o>",
)


@pytest.mark.parametrize("query", QUERIES)
def test_the_answer_is_that_of_the_tree(query: str) -> None:
    expected, expected_text = from_tree(query, DOCUMENT), from_tree(query, DOCUMENT, as_xml=True)
    program = stream_program(query)
    for scanner in SCANNERS:
        if program is not None:
            for chunk in (7, 4096):
                chunks = [DOCUMENT[i : i + chunk] for i in range(0, len(DOCUMENT), chunk)]
                assert from_stream(program, chunks, scanner=scanner) == expected
            assert written_as_events(program, [DOCUMENT], scanner=scanner) == expected_text


@pytest.mark.parametrize("query", QUERIES)
def test_tasks_sort_alike(query: str) -> None:
    expected = from_tree(query, DOCUMENT, as_xml=True)
    try:
        found = Outcome(run_in_process(compile_distributed(query, StaticEnvironment()), [DOCUMENT]))
    except XylemError as error:
        found = Outcome(error=error.code)
    assert found == expected


def test_most_of_them_stream() -> None:
    assert sum(stream_program(query) is not None for query in QUERIES) > len(QUERIES) / 2
