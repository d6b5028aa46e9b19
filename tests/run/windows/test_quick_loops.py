"""Loops of their own for plain integers and strings: the answers of the general way, whatever comes and when."""

from __future__ import annotations

import random
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
import xylem
from xylem.errors import DynamicError, XylemError
from xylem.pipeline import StaticEnvironment, compile_query
from xylem.rewrite.windows.rules import RULES
from xylem.source.resources import FileResources
from xylem.values.strings import UntypedAtomic

WITHOUT = frozenset(rule.name for rule in RULES)
CLAUSES = [
    "for sliding window $w in $s start $a when {start} {only} end $b when $b - $a ge {n}",
    "for sliding window $w in $s start $a when {start} {only} end $b when $b - $a gt {n}",
    "for sliding window $w in $s start $a at $i when {start} {only} end $b at $j when $j ge $i + {n}",
    "for sliding window $w in $s start $a at $i when {start} {only} end $b at $j when $j - $i eq {n}",
    "for sliding window $w in $s start $a when {start} {only} end $b when $b eq $a + {n}",
    "for sliding window $w in $s start $a when {start} {only} end $b when $b mod {m} eq $a mod {m} and $b gt $a",
    "for sliding window $w in $s start $a previous $p when {start} {only} end $b previous $q when $b - $a ge {n}",
    "forseq $w in $s sliding window start curItem $a when {start} {force} end curItem $b when $b - $a ge {n}",
    "forseq $w in $s sliding window start curItem $a when {start} {force} end curItem $b when $b mod {m} eq $a mod {m}",
]
RESULTS = ["sum($w)", "count($w)", "avg($w)", "string-join($w ! string(), ' ')", "max($w)", "($a, $b)", "$w[1]"]
STARTS = ["true()", "$a mod 2 eq 0", "$a ne 3", "false()"]


def answer(query: str, items: list[Any], without: frozenset[str]) -> list[Any]:
    program = compile_query(query, StaticEnvironment(without_rules=without))
    found: list[Any] = []
    try:
        found.extend(program.run(FileResources(), variables={("", "s"): items}))
    except XylemError as error:
        found.append(error.code)
    return found


def inputs(choose: random.Random) -> Iterator[list[Any]]:
    yield sorted(choose.randrange(30) for _ in range(choose.randrange(20)))
    yield [choose.randrange(12) for _ in range(choose.randrange(20))]
    # Out of order, out of what is plain, or of another type, from some item on.
    odd = choose.choice([1 << 31, -(1 << 40), 7.5, Decimal("4.5"), 5.0])
    yield [*range(choose.randrange(12)), odd, *range(choose.randrange(12))]


@pytest.mark.parametrize("clause", CLAUSES)
def test_numbers(clause: str) -> None:
    choose = random.Random(clause)
    for _ in range(12):
        words = {"start": choose.choice(STARTS), "n": choose.randrange(1, 6), "m": choose.randrange(1, 5)}
        words |= {"only": choose.choice(["", "only"]), "force": choose.choice(["", "force"])}
        query = f"declare variable $s as xs:decimal* external; {clause.format(**words)} return {choose.choice(RESULTS)}"
        query = query.replace("xs:decimal*", choose.choice(["item()*", "item()**"]))
        for items in inputs(choose):
            assert repr(answer(query, items, frozenset())) == repr(answer(query, items, WITHOUT)), (query, items)


@pytest.mark.parametrize("other", [UntypedAtomic("b"), 3, None])
def test_strings(other: Any) -> None:
    query = (
        "declare variable $s external; for sliding window $w in $s start $a at $i when true() "
        "end $b at $j when string($b) eq string($a) and $j gt $i return string-join($w ! string(), '')"
    )
    choose = random.Random(1)
    for _ in range(20):
        items: list[Any] = [choose.choice("abc") for _ in range(choose.randrange(15))]
        if other is not None and items:
            items.insert(choose.randrange(len(items)), other)
        assert answer(query, items, frozenset()) == answer(query, items, WITHOUT)


def test_limits_hold() -> None:
    for end in ("$b - $a ge 100", "$b eq $a + 1000"):
        clause = f"for sliding window $w in $s start $a when true() end $b when {end} return count($w)"
        query = f"declare variable $s as xs:integer** external; {clause}"
        with pytest.raises(DynamicError, match="XYDY0010"):
            list(xylem.compile(query).run(variables={"s": range(10_000)}, held_items=50))
