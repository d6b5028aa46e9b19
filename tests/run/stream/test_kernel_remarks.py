"""Comments, instructions, documents and attributes that the kernel writes, and errors whose code it knows."""

from __future__ import annotations

from random import Random

import pytest
from xylem.source.kernel import is_kernel_built

from .compare import from_tree, stream_program
from .expression_cases import NASTY, record
from .test_kernel_expressions import agree, kernel_answers, told

pytestmark = pytest.mark.skipif(not is_kernel_built(), reason="the kernel was not built here")

ONE = "<d><r k='3'><a>x-y</a><b>2.5</b><n><a>7</a></n></r></d>"
ANSWERED = {
    "a comment": "<o>{ comment { $p/a, $p/@k } }</o>",
    "an instruction": "<o>{ processing-instruction t { $p/a } }{ processing-instruction u { $p/zzz } }</o>",
    "an attribute by a string": "<o>{ attribute { 'x' } { $p/a } }</o>",
    "a document": "document { <o>{ $p/a }</o> }",
    "a document inside": "<o>{ document { $p/a, <i/> } }</o>",
    "the kind of an element": "<o>{ $p instance of element(r), $p instance of element(s)+, $p instance of node() }</o>",
    "the code of an error": "<o>{ try { xs:integer($p/a) } catch * { $err:code } }</o>",
    "the code as text": "<o>{ try { xs:integer($p/a) } catch * { 'no: ' || $err:code } }</o>",
    "an error by its code": "<o>{ try { xs:integer($p/a) } catch err:XPTY0004 { 1 } catch err:FORG0001 { 2 } }</o>",
    "any error of the standard": "<o>{ try { xs:integer($p/a) } catch err:* { string($err:code) } }</o>",
}


@pytest.mark.parametrize("name", ANSWERED)
def test_answered_by_the_kernel(name: str) -> None:
    assert kernel_answers(f"for $p in /d/r return {ANSWERED[name]}", ONE)


LEFT = {
    "two hyphens": "<o>{ comment { $p/a || '-' || '-' } }</o>",
    "a hyphen at the end": "<o>{ comment { 'x-' , $p/zzz } }{ comment { $p/a || '-' } }</o>",
    "the end of an instruction": "<o>{ processing-instruction t { $p/a || '?>' } }</o>",
    "a name with a prefix": "<o>{ attribute { 'x:y' } { $p/a } }</o>",
    "another error": "<o>{ try { 1 div count($p/zzz) } catch err:FORG0001 { 'cast' } catch * { 'zero' } }</o>",
    "a code that is compared": "<o>{ try { xs:integer($p/a) } catch * { $err:code instance of xs:QName } }</o>",
    "a code as a value": (
        "let $c := try { xs:integer($p/a) } catch * { $err:code } return <o>{ $c instance of xs:QName }</o>"
    ),
    "what is told of an error": "<o>{ try { xs:integer($p/a) } catch * { $err:description } }</o>",
}


@pytest.mark.parametrize("name", LEFT)
def test_left_to_code(name: str) -> None:
    query = f"for $p in /d/r return {LEFT[name]}"
    program = stream_program(query)
    assert program is not None
    usual = told(program, ONE.encode(), "python", False)
    assert agree(program, told(program, ONE.encode(), "kernel", True), usual)
    expected = from_tree(query, ONE.encode(), as_xml=True)
    assert usual[1] == expected.error
    assert usual[1] or usual[0] == expected.text


def test_nasty_texts_in_remarks() -> None:
    random = Random(5)
    contents = ["--", "-", "?>", "? >", " x", "x ", "\u2028", "\u0085", *NASTY]
    for number in range(60):
        kind = random.choice(("comment", "processing-instruction t"))
        tried = "try { xs:decimal($p/c) } catch * { $err:code, 1 }"
        query = f"for $p in /d/r return <o>{{ {kind} {{ $p/a, $p/b }} }}{{ {tried} }}</o>"
        program = stream_program(query)
        assert program is not None
        a, b, c = (random.choice(contents).replace("&", "&amp;").replace("<", "&lt;") for _ in range(3))
        data = f"<d>{record(random)}<r><a>{a}</a><b>{b}</b><c>{c}</c></r></d>".encode()
        usual = told(program, data, "python", False)
        assert agree(program, told(program, data, "kernel", True), usual), f"{number}: {query}\n{data.decode()}"
        expected = from_tree(query, data, as_xml=True)
        assert usual[1] == expected.error
        assert usual[1] or usual[0] == expected.text
