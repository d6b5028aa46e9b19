"""Lookups in JSON texts by the kernel mean what parse-json() means, errors and their places included."""

from __future__ import annotations

import json
import os
from random import Random
from typing import Any
from xml.sax.saxutils import escape

import pytest
from xylem.source.kernel import is_kernel_built

from .compare import from_tree, stream_program
from .test_kernel_expressions import agree, kernel_answers, told
from .test_templates import Watched

pytestmark = pytest.mark.skipif(not is_kernel_built(), reason="the kernel was not built here")

ROUNDS = 2000 if os.environ.get("XYLEM_CAMPAIGN") else 120
SEED = int(os.environ.get("XYLEM_SEED", "13"))
ONE = escape(
    '{"a": 1.50, "b": ["x", "\\u00e9", null, true], "c": {"d": {"e": -0}, "f": null}, "g": [{"n": 1}, {"n": 2}]}'
)
DOCUMENT = f"<d><r><j>{ONE}</j></r><r><j>{{}}</j></r><r/></d>"
ANSWERED = {
    "a value": "<o>{ parse-json($p/j)?a }</o>",
    "values by name": "let $j := parse-json($p/j) return <o a='{ $j?a }'>{ $j?c?d?e, $j?c?f }</o>",
    "all members": "<o>{ parse-json($p/j)?b?* }</o>",
    "a loop over maps": "let $j := parse-json($p/j) return <o>{ for $g in $j?g?* return <n>{ $g?n * 2 }</n> }</o>",
    "a path in variables": "let $j := parse-json($p/j) let $c := $j?c let $d := $c?d return <o>{ $d?e, $j?b?1 }</o>",
    "a call": "for $c in parse-json($p/j)?c return <o>{ array:get(parse-json($p/j)('b'), 2), $c('d')?e }</o>",
    "a condition": "where parse-json($p/j)?a > 1 return <o/>",
    "a truth": "where parse-json($p/j)?b?* = 'x' return <o>{ if (map:get(parse-json($p/j), 'a')) then 1 else 2 }</o>",
    "an aggregate": "<o>{ sum(parse-json($p/j)?g?*?n), count(parse-json($p/j)?b?*) }</o>",
}
LEFT = {
    "a map among values": "<o>{ count(parse-json($p/j)?*) }</o>",
    "a map as a value": "<o>{ parse-json($p/j)?c }</o>",
    "options": "<o>{ parse-json($p/j, map { 'liberal': true() })?a }</o>",
    "a computed key": "<o>{ parse-json($p/j)?(string($p/j/@k)) }</o>",
}


def query_of(result: str) -> str:
    start = "" if result.startswith(("let", "where")) else "return "
    return f"for $p in /d/r {start}{result}"


@pytest.mark.parametrize("name", ANSWERED)
def test_answered_by_the_kernel(name: str) -> None:
    assert kernel_answers(query_of(ANSWERED[name]), DOCUMENT)


@pytest.mark.parametrize("name", LEFT)
def test_left_to_code(name: str) -> None:
    same(query_of(LEFT[name]), f"<d><r><j>{ONE}</j></r></d>".encode())


STRINGS = ("", "x", "é\"\\/", "\n\t\r", "\u2028", "😀", "1", "true", "\u0085", "a&<>")
NUMBERS = ("0", "-0", "1", "-1.5", "1e3", "1E-7", "123456789012345678901234567890", "1e400", "0.1", "1.0")
FAULTY = (
    "{", "[1,]", "01", "1.", "+1", "'a'", '"\\x"', '"\\ud83d"', '"\\u0000"', '"\\b"', '"\n"', "nul", "{a:1}", "[] []",
    "NaN",
)  # fmt: skip
PATHS = ("?a", "?b", "?*", "?1", "?2", "?a?b", "?a?*", "?*?a", "?*?*", "?b?1", "('a')", "")
RESULTS = (
    "<o>{{ {} }}</o>", "<o k='{{ {} }}'/>", "if ({}) then <y/> else <n/>",
    "<o>{{ for $x in {} return <x>{{ $x?a }}</x> }}</o>",
    "<o>{{ for $x at $i in {} return <x n='{{ $i }}'>{{ $x }}</x> }}</o>", "<o>{{ count({}), sum({}) }}</o>",
    "let $x := {} return <o>{{ $x?b, exists($x) }}</o>", "let $x := {} return <o>{{ if ($p/@k) then $x?a else 1 }}</o>",
    "<o>{{ for $x in {} group by $g := $x?a return <g>{{ $g, $x?b }}</g> }}</o>", "<o>{{ string({}) || '-' }}</o>",
    "<o>{{ {} = 'x', {} instance of xs:double }}</o>",
    "<o>{{ for $x in {} order by $x?a return <x>{{ $x?b }}</x> }}</o>",
)  # fmt: skip


def value(random: Random, depth: int) -> str:
    match random.randrange(8 if depth else 4):
        case 0:
            return json.dumps(random.choice(STRINGS), ensure_ascii=random.random() < 0.5)
        case 1:
            return random.choice(NUMBERS)
        case 2 | 3:
            return random.choice(("true", "false", "null", '"x"', *FAULTY[: random.choice((0, 0, 0, len(FAULTY)))]))
        case 4 | 5:
            space = random.choice(("", " ", "\n"))
            inside = f",{space}".join(value(random, depth - 1) for _ in range(random.randrange(4)))
            return f"[{space}{inside}{space}]"
    keys = [random.choice(("a", "b", "c", "a", "", "\\u0061")) for _ in range(random.randrange(4))]
    return "{" + ", ".join(f'"{key}" : {value(random, depth - 1)}' for key in keys) + "}"


def same(query: str, data: bytes) -> tuple[Any, ...]:
    program = stream_program(query)
    assert program is not None, query
    usual = told(program, data, "python", False)
    found = told(program, data, "kernel", True)
    assert agree(program, found, usual), f"{query}\n{data.decode()}"
    expected = from_tree(query, data, as_xml=True)
    if not usual[1] and not expected.error:
        assert usual[0] == expected.text, f"{query}\n{data.decode()}"
    return usual


@pytest.mark.turns("random kernel code")
def test_random_texts() -> None:
    random = Random(SEED)
    before = Watched.texts
    for _ in range(ROUNDS):
        path = f"parse-json($p/j){random.choice(PATHS)}"
        inner = f"{path}{random.choice(('', '', random.choice(PATHS)))}"
        result = random.choice(RESULTS)
        query = query_of(result.format(*[inner] * 2))
        for _ in range(5):
            texts = [value(random, random.choice((0, 1, 2, 3))) for _ in range(random.choice((1, 1, 2)))]
            records = "".join(f"<r>{f'<j>{escape(text)}</j>' * (random.random() < 0.95)}</r>" for text in texts)
            same(query, f"<d>{records}</d>".encode())
    assert Watched.texts - before > ROUNDS
