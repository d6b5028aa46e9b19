"""Loops with positions and orders in the kernel mean what they mean to the query, errors and their places included."""

from __future__ import annotations

import os
from random import Random

import pytest
from xylem.source.kernel import is_kernel_built

from .compare import from_tree, stream_program
from .loop_cases import Loops, record
from .test_kernel_expressions import kernel_answers, told
from .test_templates import Watched

pytestmark = pytest.mark.skipif(not is_kernel_built(), reason="the kernel was not built here")

ROUNDS = 3000 if os.environ.get("XYLEM_CAMPAIGN") else 150
SEED = int(os.environ.get("XYLEM_SEED", "11"))


@pytest.mark.turns("random kernel code")
def test_random_loops() -> None:
    random = Random(SEED)
    written = 0
    for number in range(ROUNDS):
        query = Loops(random).query()
        program = stream_program(query)
        assert program is not None, query
        for _ in range(8):
            data = f"<d>{''.join(record(random) for _ in range(random.choice((1, 1, 1, 3))))}</d>".encode()
            usual = told(program, data, "python", False)
            before = Watched.texts
            assert told(program, data, "kernel", True) == usual, f"{number}: {query}\n{data.decode()}"
            written += Watched.texts - before
            expected = from_tree(query, data, as_xml=True)
            if not usual[1] and not expected.error:
                assert usual[0] == expected.text, f"{number}: {query}\n{data.decode()}"
    # The kernel would be worth little if it left most of them to the query.
    assert written > 2 * ROUNDS


TWO = "<d><r k='3'><a k='2'>x</a><a k='1'>y<b>7</b></a><n><a>7</a></n><b>2024-02-28</b></r></d>"
ANSWERED = {
    "a copied attribute": "for $p in /d/r return <o>{ $p/@k }{ $p/b }</o>",
    "all attributes": "for $p in /d/r return <o z='1'>{ $p/@* }{ string($p/b) }</o>",
    "an attribute under a condition": "for $p in /d/r where $p/b > '1' return <o>{ $p/@k }</o>",
    "a comment": "for $p in /d/r return <o><!-- c --><?t v?>{ $p/b }</o>",
    "computed constructors": "for $p in /d/r return element o { attribute k { $p/@k }, element i { $p/a } }",
    "the first": "for $p in /d/r return <o>{ $p/a[1] }</o>",
    "the last": "for $p in /d/r return <o>{ $p/a[last()]/@k/string() }</o>",
    "the first of those": "for $p in /d/r return <o>{ string($p/a[b][1]) }</o>",
    "a range": "for $p in /d/r return <o>{ $p/*[position() > 1 and position() < last()] }</o>",
    "a token": "for $p in /d/r return <o>{ tokenize($p/b, '-')[2] }</o>",
    "positions of a loop": "for $p in /d/r return <o>{ for $x at $i in $p/a return <l n='{ $i }'/> }</o>",
    "an order": "for $p in /d/r return <o>{ for $x in $p/a order by xs:integer($x/@k) return $x }</o>",
    "an order of values": "for $p in /d/r return <o>{ sort($p/a/@k/string()) }</o>",
    "distinct values": "for $p in /d/r return <o n='{ count(distinct-values($p/*/@k)) }'/>",
    "a type": "for $p in /d/r let $k as xs:integer := xs:integer($p/@k) return <o>{ $k + 1 }</o>",
    "a function with types": (
        "declare function local:f($x as element(r)) as xs:double { 2 * $x/@k };"
        " for $p in /d/r return <o>{ local:f($p) }</o>"
    ),
    "what is no number": "for $p in /d/r return <o>{ $p/n/b castable as xs:integer?, $p/b castable as xs:decimal }</o>",
    "a day later": "for $p in /d/r return <o>{ xs:date($p/b) + xs:dayTimeDuration('P2D') }</o>",
    "names": "for $p in /d/r return <o>{ for $x in $p/* return <f n='{ name($x) }'/> }</o>",
    "descendants": "for $p in /d/r return <o>{ sum($p//a/@k), $p//b }</o>",
}


@pytest.mark.parametrize("name", ANSWERED)
def test_answered_by_the_kernel(name: str) -> None:
    assert kernel_answers(ANSWERED[name], TWO)


LEFT = {
    "two attributes of one name": "for $p in /d/r return <o k='1'>{ $p/@k }</o>",
}


@pytest.mark.parametrize("name", LEFT)
def test_left_to_code(name: str) -> None:
    assert not kernel_answers(LEFT[name], TWO)
