"""Constructors that a handler writes as one item: the same nodes and the same text as event by event."""

from __future__ import annotations

import pytest
import xylem
from xylem.pipeline import StaticEnvironment, compile_distributed
from xylem.run.tasks.in_process import run_in_process

from .compare import SCANNERS, from_stream, from_tree, stream_program, written_as_events

DOCUMENT = b"""<shop xmlns:s="urn:s">
 <item id="c&quot;&lt;"><name>Pear &amp; co</name><d>3</d><d>1</d>x<s:q>z</s:q>y</item>
 <item><name/><d>2</d></item>
 <item id=""><name>a%s</name><name>b</name></item>
</shop>"""

# Each with the item as $i.
RESULTS = (
    "<o/>",
    "<o>t</o>",
    "<o a='{ $i/@id }'/>",
    "<o a='{ $i/@id }' b='100%' c='{ $i/name }{ 1 }'/>",
    "<o>{ count($i/d) }</o>",
    "<o>{ count($i/d) }{ sum($i/d) }</o>",
    "<o>{ count($i/d), sum($i/d) }</o>",
    "<o>{ count($i/d) } { sum($i/d) }</o>",
    "<o>{ count($i/d), 'a', '' }b{ '' }{ 'c' }</o>",
    "<o>{ $i/name/text() }</o>",
    "<o>{ $i/text() }</o>",
    "<o>{ $i/d/text() }{ $i/name/text() }</o>",
    "<o>{ $i/d/text(), 1, 2 }</o>",
    "<o>{ 1, $i/d/text(), 2 }</o>",
    "<o>{ string($i/d[1]) }</o>",
    "<o><p>{ string($i/@id) }</p>{ upper-case($i/d[1]) }<q r='{ $i/d }'><s/>t</q></o>",
    "<o>{ <p>{ count($i/d) }</p>, <q/> }</o>",
    "<o>{ $i/d }</o>",
    "<o>{ $i/@id }</o>",
    "<o a='1'>{ attribute b { count($i/d) } }</o>",
    "<o>{ if ($i/d = 3) then 'x' else 'y' }</o>",
    "if ($i/d = 2) then <o n='{ count($i/d) }'>{ string($i/name) }</o> else ()",
    "if ($i/d = 2) then <o>{ string($i/name[1]) }</o> else <e>{ count($i/d) }</e>",
    "(count($i/d), <o>{ count($i/d) }</o>, count($i/name), 'z')",
    "<o xmlns='urn:d'><p a='{ $i/@id }'>{ count($i/d) }</p></o>",
    "<s:o xmlns:s='urn:t'><p a='{ $i/@id }'>{ count($i/d) }</p></s:o>",
    "<o><s:p xmlns:s='urn:t'>{ count($i/d) }</s:p><q>{ count($i/d) }</q></o>",
    "<o xml:space='preserve' a='{ $i/@id }'> { count($i/d) } </o>",
    "for $d in $i/d return <d n='{ $d }' t='{ $i/name[1] }'>{ string($d) }</d>",
    "<o>{ for $d in $i/d return <d n='{ $d }'>{ count($i/name) }</d> }</o>",
    "<o>{ upper-case($i/name) }</o>",
    "<o>{ 1 idiv count($i/@id) }</o>",
    "let $n := count($i/d) return <o n='{ $n }'>{ $n, $n + 1 }</o>",
)
AROUND = (
    "for $i in /shop/item return {}",
    "<w>{{ for $i in /shop/item return {} }}</w>",
    "<v:w xmlns:v='urn:v'>{{ for $i in /shop/item return {} }}</v:w>",
    "<w><x y='1'>a{{ for $i in /shop/item where $i/d return {} }}b</x></w>",
    "declare copy-namespaces no-preserve, no-inherit; <v:w xmlns:v='urn:v'>{{ for $i in /shop/item return {} }}</v:w>",
)


@pytest.mark.parametrize("around", AROUND)
def test_the_answer_is_that_of_the_tree(around: str) -> None:
    for result in RESULTS:
        query = around.format(result)
        program = stream_program(query)
        if program is None:
            continue
        for scanner in SCANNERS:
            assert from_stream(program, [DOCUMENT], scanner) == from_tree(query, DOCUMENT), query
            if "no-inherit" not in query:
                assert written_as_events(program, [DOCUMENT], scanner) == from_tree(query, DOCUMENT, True), query


@pytest.mark.parametrize("around", AROUND[:3])
def test_tasks_write_the_same(around: str) -> None:
    for result in RESULTS:
        query = around.format(result)
        expected = from_tree(query, DOCUMENT, True)
        if not expected.error:
            program = compile_distributed(query, StaticEnvironment())
            assert run_in_process(program, [DOCUMENT]) == expected.text, query


@pytest.mark.parametrize("method", ["xml", "html", "xhtml", "text", "adaptive", "json"])
def test_other_methods_get_the_item(method: str) -> None:
    prolog = f"declare option output:method '{method}'; "
    query = prolog + "for $i in /shop/item return <br n='{ $i/@id }'>{ count($i/d) }</br>"
    outcomes = []
    for text in (True, False):
        try:
            compiled = xylem.compile(query)
            if text:
                pieces: list[bytes] = []
                compiled.stream(DOCUMENT).write_to(pieces.append)
                outcomes.append(b"".join(pieces).decode())
            else:
                outcomes.append(compiled.run(context=xylem.parse(DOCUMENT)).serialize())
        except xylem.XylemError as error:
            outcomes.append(error.code)
    assert outcomes[0] == outcomes[1]
