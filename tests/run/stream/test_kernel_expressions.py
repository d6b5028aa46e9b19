"""Expressions that the kernel computes mean what they mean to the query, errors and their places included."""

from __future__ import annotations

import os
from random import Random

import pytest
import xylem
from xylem.errors import XylemError
from xylem.plan.result_template import Template
from xylem.run.stream.program import StreamProgram
from xylem.run.stream.roles import ItemRole, ScopeRole
from xylem.source.kernel import is_kernel_built
from xylem.source.resources import FileResources

from .compare import XML, from_tree, stream_program
from .expression_cases import Expressions, record
from .test_templates import Watched

pytestmark = pytest.mark.skipif(not is_kernel_built(), reason="the kernel was not built here")

ROUNDS = 3000 if os.environ.get("XYLEM_CAMPAIGN") else 120
SEED = int(os.environ.get("XYLEM_SEED", "7"))


def told(program: StreamProgram, data: bytes, scanner: str, takes_markup: bool) -> tuple[str, str, object]:
    """The answer up to an error, the code of the error, and where in the query it is."""
    parts: list[str] = []
    writer = Watched(XML, parts.append)
    writer.takes_markup = takes_markup
    try:
        for _ in program.write(iter([data]), FileResources(), writer, scanner=scanner):
            pass
        return "".join(parts), "", None
    except XylemError as error:
        return "", error.code, error.span and (error.span.line, error.span.column)


def agree(program: StreamProgram, found: tuple[str, str, object], usual: tuple[str, str, object]) -> bool:
    """Whether two answers are the same; where code fills holes, it may know the place of an error better."""
    if found == usual or found[:2] != usual[:2]:
        return found == usual
    return found[2] is not None and has_holes(program)


def has_holes(program: StreamProgram) -> bool:
    return any(role.holes for role in program.roles if isinstance(role, (ItemRole, ScopeRole)))


@pytest.mark.turns("random kernel code")
def test_random_expressions() -> None:
    random = Random(SEED)
    written = templates = 0
    for number in range(ROUNDS):
        query = Expressions(random).query()
        program = stream_program(query)
        assert program is not None, query
        templates += any(isinstance(step.result, tuple) for step in program.scan.steps)
        for _ in range(8):
            records = "".join(record(random) for _ in range(random.choice((1, 1, 1, 3))))
            data = f"<d>{records}</d>".encode()
            usual = told(program, data, "python", False)
            before = Watched.texts
            found = told(program, data, "kernel", True)
            assert agree(program, found, usual), f"{number}: {query}\n{data.decode()}"
            written += Watched.texts - before
            expected = from_tree(query, data, as_xml=True)
            if not usual[1] and not expected.error:
                assert usual[0] == expected.text, f"{number}: {query}\n{data.decode()}"
    # Some patterns and flags are there that only code knows.
    assert templates > 0.7 * ROUNDS
    # The kernel would be worth little if it left most of them to the query.
    assert written > 2 * ROUNDS


def kernel_answers(query: str, document: str) -> bool:
    program = stream_program(query)
    assert program is not None
    before = Watched.texts
    usual = told(program, document.encode(), "python", False)
    assert told(program, document.encode(), "kernel", True) == usual
    expected = from_tree(query, document.encode(), as_xml=True)
    assert (usual[0], usual[1]) == (expected.text, expected.error)
    return Watched.texts > before


ONE = "<d><r k='3'><a>abc</a><b>2.5</b><n><a>7</a></n></r></d>"
ANSWERED = {
    "arithmetic": "for $p in /d/r return <o>{ $p/b * 2 + 1 }</o>",
    "arithmetic behind copies": "for $p in /d/r return <o>{ $p/a }{ $p/b * 2 }</o>",
    "a comparison of sums": "for $p in /d/r where $p/b + $p/@k > 4 return <o>{ $p/a }</o>",
    "decimals": "for $p in /d/r return <o>{ xs:decimal($p/b) div 3, 1 div 3, xs:integer($p/@k) idiv 2 }</o>",
    "else if": "for $p in /d/r return if ($p/b > 3) then <x/> else if ($p/b > 2) then <y/> else <z/>",
    "a switch": "for $p in /d/r return <o>{ switch ($p/a) case 'x' return 1 case 'abc' return 2 default return 3 }</o>",
    "strings": "for $p in /d/r return <o>{ upper-case($p/a) || substring($p/a, 2), normalize-space($p/a) }</o>",
    "a value by name": "for $p in /d/r let $v := $p/b * 2 return <o v='{ $v }'>{ $v + 1 }</o>",
    "several names": "for $p in /d/r let $v := $p/b, $w := $v * 2, $v := $w + 1 return <o v='{ $v }'>{ $w }</o>",
    "children": "for $p in /d/r return <o n='{ count($p/*) }'>{ sum($p/n/a), max(($p/b, $p/@k)) }</o>",
    "a sum over children": "for $p in /d/r return <o>{ sum(for $x in ($p/b, $p/n/a) return $x * 2) }</o>",
    "a sum with a bang": "for $p in /d/r return <o>{ sum($p/n ! (a * 2)), count($p/n[a > 2]) }</o>",
    "a sum of a path": "for $p in /d/r return <o s='{ sum($p/n/(a + 1)) }' n='{ count($p/*[not(*)]) }'/>",
    "children that pass": "for $p in /d/r let $n := $p/n[a > 2] return <o>{ $n/a, avg($n/a) }{ $n }</o>",
    "a loop with names": "for $p in /d/r return <o>{ max(for $n in $p/n let $v := $n/a where $v > 1 return $v) }</o>",
    "some": "for $p in /d/r where some $n in $p/n satisfies $n/a = 7 return <o/>",
    "every": "for $p in /d/r return <o>{ every $a in $p/a satisfies $a = 'abc' }</o>",
    "strings of children": "for $p in /d/r return <o>{ string-join($p/*/upper-case(.), '-') }</o>",
    "JSON": "for $p in /d/r return <o>{ serialize(map { 'k': data($p/@k), 'b': [$p/b * 2, ()] }, $JSON) }</o>",
    "JSON of children": "for $p in /d/r return <o j='{ serialize(array { $p/*/string() }, $JSON) }'/>",
    "JSON in JSON": "for $p in /d/r return <o>{ serialize(array { $p/n ! map { 'a': number(a) } }, $JSON) }</o>",
    "values in turn": "for $p in /d/r return <o>{ for $x in (1, 2) return <i>{ $x * $p/b }</i> }</o>",
    "conditions of nested parts": "for $p in /d/r return <o>{ if ($p/n/a > 3 and $p/b * 2 > 4) then $p/n else () }</o>",
    "one or the other": "for $p in /d/r where $p/b > 9 or contains($p/a, 'b') return <o>{ $p/@k + 1 }</o>",
}


@pytest.mark.parametrize("name", ANSWERED)
def test_the_kernel_answers(name: str) -> None:
    assert kernel_answers(ANSWERED[name].replace("$JSON", "map { 'method': 'json' }"), ONE)


@pytest.mark.parametrize(
    ("query", "document"),
    [
        ("for $p in /d/r return <o>{ $p/b * 2 }</o>", "<d><r><b>x</b></r></d>"),
        ("for $p in /d/r return <o>{ $p/b * 2 }</o>", "<d><r><b>1</b><b>2</b></r></d>"),
        ("for $p in /d/r return <o>{ xs:integer($p/b) + 1 }</o>", "<d><r><b>9223372036854775807</b></r></d>"),
        ("for $p in /d/r return <o>{ upper-case($p/b) }</o>", "<d><r><b>\u0264</b></r></d>"),
    ],
)
def test_what_is_not_certain_is_left_to_the_query(query: str, document: str) -> None:
    assert not kernel_answers(query, document)


def test_an_error_comes_before_what_would_make_it_vain() -> None:
    query = "for $p in /d/r return if ($p/b >= 3 and $p/a = 'x') then <x/> else <y/>"
    assert not kernel_answers(query, "<d><r><a>y</a><b>z</b></r></d>")


def test_one_record_that_is_left_to_the_query_leaves_the_others_to_the_kernel() -> None:
    query = "for $p in /d/r return <o>{ xs:integer($p/b) + 1 }</o>"
    assert kernel_answers(query, "<d><r><b>1</b></r><r><b>9223372036854775807</b></r><r><b>2</b></r></d>")


def test_an_element_that_is_longer_than_a_batch_is_told_part_by_part() -> None:
    query = "for $p in /d/r return <o>{ $p/a }{ $p/b * 2 }</o>"
    program = stream_program(query)
    assert program is not None
    document = "<d>" + "".join(f"<r><a>{n}</a><b>{n}</b><a>x</a></r>" for n in range(40)) + "</d>"
    parts: list[str] = []
    writer = Watched(XML, parts.append)
    writer.takes_markup = True
    pieces = [document[start : start + 11].encode() for start in range(0, len(document), 11)]
    for _ in program.write(iter(pieces), FileResources(), writer, scanner="kernel"):
        pass
    assert "".join(parts) == from_tree(query, document.encode(), as_xml=True).text


def test_conditions_are_decided_once() -> None:
    program = stream_program(
        "for $p in /d/r return if ($p/b * 2 > 9) then <x/> else if ($p/b * 2 > 5) then <y>{ $p/a }</y> else <z/>"
    )
    assert program is not None
    (template,) = [step.result for step in program.scan.steps if isinstance(step.result, tuple) and step.local == "r"]
    assert _comparisons(template) == 2


def _comparisons(template: Template) -> int:
    return repr(template).count("function='>'")


def test_answers_are_those_of_the_command_line() -> None:
    query = "for $p in /d/r where $p/b * 2 > 4 return <o>{ $p/b * 2 }</o>"
    out = bytearray()
    xylem.compile(query).stream(ONE.encode()).write_to(out.extend)
    assert out == b"<o>5</o>"
