"""What the kernel cannot compute is filled in by code, and means what it means to the query."""

from __future__ import annotations

import io
import os
from random import Random

import pytest
import xylem
from xylem.errors import XylemError
from xylem.plan.result_template import HOLE
from xylem.plan.scan_plan import Written
from xylem.run.stream.filled_holes import Filling, write_filled
from xylem.source.kernel import is_kernel_built
from xylem.source.resources import FileResources

from .compare import XML, from_tree, stream_program
from .expression_cases import record
from .test_kernel_expressions import agree, has_holes, kernel_answers, told
from .test_templates import Watched

pytestmark = pytest.mark.skipif(not is_kernel_built(), reason="the kernel was not built here")

ROUNDS = 500 if os.environ.get("XYLEM_CAMPAIGN") else 100
SEED = int(os.environ.get("XYLEM_SEED", "11"))
ONE = "<d><r k='3'><a>x&amp;&lt;\"y</a><b>2.5</b><n><a>7</a></n></r><r><a/><b>1e3</b><b>4</b></r><r k=''/></d>"
FILLED = {
    "content": "for $p in /d/r return <o>{ encode-for-uri($p/a) }</o>",
    "an attribute": "for $p in /d/r return <o a='{ encode-for-uri($p/a) }-{ encode-for-uri($p/@k) }'>{ $p/a }</o>",
    "with text around": "for $p in /d/r return <o>a{ format-integer(7, 'Ww') }{ escape-html-uri($p/a) }b</o>",
    "in the tag and in the content": (
        "for $p in /d/r return <o a='{ encode-for-uri($p/a) }'>{ encode-for-uri($p/@k) }</o>"
    ),
    "two in a row": "for $p in /d/r return <o>{ escape-html-uri($p/a) }{ encode-for-uri($p/@k) }</o>",
    "a sequence": "for $p in /d/r return <o>{ encode-for-uri($p/a), string-to-codepoints($p/@k), 5 }</o>",
    "between elements": "for $p in /d/r return <o>{ $p/b }{ encode-for-uri($p/a) }<c/></o>",
    "a name used again": "for $p in /d/r return <o>{ let $p := encode-for-uri($p/a) return $p || $p }</o>",
    "a test that only code knows": (
        "for $p in /d/r return <o>{ if (encode-for-uri($p/a) = '') then $p/@k || '-' else string($p/b[1]) }</o>"
    ),
    "one of two": "for $p in /d/r return <o>{ if ($p/@k = '3') then encode-for-uri($p/a) else () }</o>",
    "an error that is caught": "for $p in /d/r return <o>{ try { xs:integer($p/a) } catch * { $err:code } }</o>",
    "a named value": "for $p in /d/r let $e := encode-for-uri($p/a) return <o e='{ $e }'>{ $e, upper-case($e) }</o>",
    "a named value of the kernel": (
        "for $p in /d/r let $e := string($p/a), $f := encode-for-uri($e) return <o>{ $f }<i>{ $e }</i></o>"
    ),
    "a loop": "for $p in /d/r return <o>{ for $n in $p/n return <i>{ encode-for-uri($n/a) }</i> }</o>",
    "a condition": "for $p in /d/r where encode-for-uri($p/a) = '' return <o/>",
    "a condition inside": (
        "for $p in /d/r return "
        "<o>{ if (encode-for-uri($p/a) = '') then <i>{ encode-for-uri($p/@k) }</i> else $p/b }</o>"
    ),
    "conditions in each other": (
        "for $p in /d/r where $p/b and encode-for-uri($p/a) != 'z' return (<m/>, "
        "if (format-integer($p/@k, 'w') = 'three') "
        "then <o>{ if (exists($p/n) and encode-for-uri($p/n) = '7') then <y/> else () }</o> else (<x/>, $p/b))"
    ),
    "what the kernel has computed": "for $p in /d/r return <o>{ format-integer(count($p/b), 'w') }</o>",
    "a value of the kernel": (
        "for $p in /d/r let $n := count($p/*), $x := $n * 1.5, $d := xs:date('2024-01-01') + xs:dayTimeDuration('P1D') "
        "return <o>{ format-integer(xs:integer($x), 'w') || string-to-codepoints(string($d))[1] }{ $n }</o>"
    ),
    "in a namespace": "for $p in /d/r return <o xmlns='u' xmlns:f='v'>{ encode-for-uri($p/*:a) }</o>",
    "with positions": (
        "for $p at $i in /d/r where encode-for-uri($p/a) != 'q' return <o>{ format-integer($i, 'a') }</o>"
    ),
    "text nodes beside": "for $p in /d/r return <o>{ $p/a/text() }{ encode-for-uri($p/b[1]) }{ $p/b/text() }</o>",
    "no argument": "for $p in /d/r return <o>{ format-integer(7, 'w') }{ $p/a }</o>",
}
LEFT_TO_CODE = {
    "in a loop of values": "for $p in /d/r return <o>{ for $n in $p/b return encode-for-uri($n) }</o>",
    "next to values": "for $p in /d/r return <o>{ $p/b/data(), encode-for-uri($p/a), $p/n }</o>",
    "outside of elements": "for $p in /d/r return encode-for-uri($p/a)",
    "nodes": "for $p in /d/r return <o>{ serialize($p/a[1]), encode-for-uri($p/@k) }</o>",
}


def is_filled(query: str) -> bool:
    program = stream_program(query)
    assert program is not None
    return has_holes(program)


@pytest.mark.parametrize("name", FILLED)
def test_filled_in(name: str) -> None:
    assert is_filled(FILLED[name])
    assert kernel_answers(FILLED[name], ONE)


@pytest.mark.parametrize("name", LEFT_TO_CODE)
def test_left_to_code(name: str) -> None:
    assert not is_filled(LEFT_TO_CODE[name])
    kernel_answers(LEFT_TO_CODE[name], ONE)


def test_errors_have_their_place() -> None:
    query = "for $p in /d/r\nreturn <o>{ format-integer($p/@k, 'w') }</o>"
    program = stream_program(query)
    assert program is not None
    assert has_holes(program)
    data = b"<d><r k='1'/><r k='x'/></d>"
    assert told(program, data, "kernel", True) == told(program, data, "python", False)
    assert told(program, data, "kernel", True)[1:] == ("FORG0001", (2, 13))


def test_characters_that_mark_holes() -> None:
    query = "for $p in /d/r return <o>{ encode-for-uri($p/a) }<i>{ $p/b/text() }</i></o>"
    mark = f"&#x{ord(HOLE):x};"
    document = f"<?xml version='1.1'?><d><r><a>{mark}</a><b>1</b></r><r><a>1</a><b>{mark}</b></r></d>"
    program = stream_program(query)
    assert program is not None
    assert told(program, document.encode(), "kernel", True) == told(program, document.encode(), "python", False)


def test_registered_functions() -> None:
    functions = xylem.Functions()

    @functions.function("udf:twice", "xs:string?", "xs:string")
    def twice(text: str | None) -> str:
        return (text or "-") * 2

    query = xylem.compile("for $p in /d/r return <o>{ udf:twice($p/a) }</o>", functions=functions)
    parts: list[bytes] = []
    query.stream(io.BytesIO(ONE.encode())).write_to(parts.append)
    assert b"".join(parts).decode() == query.run(xylem.parse(ONE)).serialize()


def filled(text: str) -> str:
    fillings = [Filling(lambda environment, *given: given[0] if given else (), False)]
    made: list[str] = []
    write_filled(Written(text, 1, 1, 0, 0), fillings, [], lambda text, items: made.append(text))
    return "".join(made)


def test_empty_elements() -> None:
    hole = f"{HOLE}0\x1f{HOLE}"
    assert filled(f"<a>{hole}</a><b>x{hole}</b><c><d/>{hole}</c>") == "<a/><b>x</b><c><d/></c>"
    assert filled(f"<a>{hole}{hole}</a><b><c>{hole}</c></b>") == "<a/><b><c/></b>"
    assert filled(f"<a><!--x-->{hole}</a><a><b>y</b>{hole}</a>") == "<a><!--x--></a><a><b>y</b></a>"


@pytest.mark.parametrize(
    "result",
    [
        "<o>{ format-integer($p/a, 'w') }</o>",
        "<o k='a/&gt;'><i/><!--<x>-->{ $p/b }<j>{ format-integer($p/a, 'w') }</j></o>",
        "(<n/>, $p/b, $p/b/text(), <o k='{ format-integer($p/a, 'w') }'/>)",
        "(<?p <q> ?>, <m>{ try { 1 div xs:integer($p/c) } catch * { () } }</m>, <o>{ format-integer($p/a, 'w') }</o>)",
    ],
)
def test_what_is_complete_before_an_error_comes_before_it(result: str) -> None:
    rows = "".join(f"<r><a>{value}</a><b><?x y?>z<c/></b></r>" for value in (1, 2, "x", 4))
    program = stream_program(f"for $p in /d/r return {result}")
    assert program is not None
    found: list[list[str]] = [[], []]
    for parts, scanner, takes_markup in ((found[0], "kernel", True), (found[1], "python", False)):
        writer = Watched(XML, parts.append)
        writer.takes_markup = takes_markup
        with pytest.raises(XylemError, match="FORG0001"):
            for _ in program.write(iter([f"<d>{rows}</d>".encode()]), FileResources(), writer, scanner=scanner):
                pass
        writer.flush()
    made, usual = ("".join(parts) for parts in found)
    assert made
    # The usual way may have begun the element that fails.
    assert usual.startswith(made)
    assert usual.removeprefix(made).count("<o") <= 1


TYPED = (
    "count($p/*)", "number($p/a)", "xs:decimal($p/b)", "xs:dateTime($p/c)", "($p/a = $p/b)", "xs:date($p/@k)",
    "(xs:dateTime($p/a) - xs:dateTime($p/b))", "($p/zzz, $p/b, 7)[1]",
)  # fmt: skip
VALUES = (*TYPED, "$p/a", "$p/b", "$p/c", "$p/@k", "$p/n/a", "data($p/b)", "string($p/a)", "$p/*", "$p/n")
CALLS = (
    "encode-for-uri({})", "format-integer({}, 'w')", "format-number({}, '0.0e0')", "iri-to-uri({})",
    "try {{ xs:integer({}) }} catch * {{ 'no' }}", "try {{ {} * 2 }} catch * {{ () }}",
    "if ({} = '1') then 1 to 3 else ()",
    "escape-html-uri({}) || 'x'", "default-collation() || {}", "compare({}, 'b', default-collation())",
    "codepoint-equal({}, 'b')", "format-date({}, '[Y]')", "xs:hexBinary({})",
)  # fmt: skip
PLACES = (
    "<o>{{ {} }}</o>", "<o>a{{ {} }}{{ {} }}</o>", "<o k='{{ {} }}' l='-{{ {} }}'/>",
    "<o><i>{{ {} }}</i>{{ $p/a }}</o>",
    "let $v := {} return <o>{{ $v }}<i>{{ $v, {} }}</i></o>", "<o>{{ {}, {} }}</o>",
    "<o>{{ for $n in $p/n return <i>{{ {} }}</i> }}</o>",
    "if (string-join({}) = '1') then <o>{{ {} }}</o> else $p/a",
    "<o>{{ if (empty({})) then $p/b else <i>{{ {} }}</i> }}</o>",
    "if (({}) = 'no' or $p/b) then (<m/>, if (exists({})) then $p/a else ()) else ()",
    "<o xmlns:x='u'>{{ {} }}<x:i k='{{ {} }}'/></o>", "<o>{{ count($p/*), {} }}{{ name($p), {} }}</o>",
)  # fmt: skip


def test_random_holes() -> None:
    random = Random(SEED)
    holes = 0
    for number in range(ROUNDS):
        made = [random.choice(CALLS).format(random.choice(VALUES)) for _ in range(2)]
        query = f"for $p in /d/r return {random.choice(PLACES).format(*made)}"
        program = stream_program(query)
        assert program is not None, query
        holes += has_holes(program)
        for _ in range(6):
            data = f"<d>{''.join(record(random) for _ in range(random.choice((1, 1, 3))))}</d>".encode()
            usual, found = told(program, data, "python", False), told(program, data, "kernel", True)
            expected = from_tree(query, data, as_xml=True)
            # The usual way leaves out conditions that decide about nothing, and their errors.
            is_reference = bool(found[1]) and found[1] == expected.error
            assert is_reference or agree(program, found, usual), f"{number}: {query}\n{data.decode()}"
            if not usual[1] and not expected.error:
                assert usual[0] == expected.text, f"{number}: {query}\n{data.decode()}"
    assert holes > 0.5 * ROUNDS
