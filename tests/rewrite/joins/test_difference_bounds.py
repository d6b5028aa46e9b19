"""Conditions on differences: as the reference says, with bounds that an index answers."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
import xylem
from xylem.rewrite.joins.difference_bounds import with_bounds
from xylem.source.xml_reader import read_document
from xylem.syntax import ast, parse, print_query

from tests.reference import reference
from tests.spellings.growth import growth

LOOKED_UP = [
    "for $a in //t for $b in //t where abs($a/v - $b/v) < 1 return <p>{ $a/@k, $b/v }</p>",
    "for $a in //t for $b in //t where $b/v - $a/v < 2 and number($b/v) > number($a/v) return <p>{ $a/@k, $b/v }</p>",
    "for $a in //t for $b in //t where $b/v - $a/v = 1 return <p>{ $a/@k, $b/v }</p>",
    "for $a in //t return count(//t[abs(v - $a/v) le 0.5])",
    "for $a in //t return count(//t[$a/v - v = -1])",
    "for $a in //t return count(//t[1 ge abs(@k - $a/@k)])",
    "for $a in //t where some $b in //t satisfies number($b/@k) - number($a/@k) eq 1 return $a/v",
    "for $a in //t return //t[xs:integer(@k) - xs:integer($a/@k) = (+2)]/v",
]
READ = [
    "for $a in //t return count(//t[@k - $a/@k = (1, 2)])",
    "for $a in //t for $b in //t where $b/v - $a/v < 1 and $b/v > $a/v return <p>{ $a/@k, $b/v }</p>",
    "for $a in (1, 10000000000) return count((1 to 9, $a, 1.5, 2e0)[. - $a = 0])",
    "for $a in //t return count(//t[abs(@k - $a/@k) > 3])",
    "for $a in //t for $b in //t where abs($a/v - $b/v) < 1 or $a is $b return 1",
    "for $a in //t return count(//t[x - $a/v < 1])",
    "for $a in //t return count(//t[abs(x - $a/v) < 1])",
]


def document(size: int) -> str:
    """Values that come again, some missing, one infinite."""
    items = "".join(f"<t k='{i}'><v>{i * 7 % size}.5</v></t>" for i in range(size))
    return f"<s>{items}<t k='-1'/><t k='NaN'><v>INF</v></t></s>"


@pytest.mark.parametrize("query", [*LOOKED_UP[:-1], *READ])
def test_answers(query: str) -> None:
    tree = xylem.parse(document(12))
    assert xylem.compile(query).run(tree).serialize() == reference(query).run(tree).serialize()


@pytest.mark.parametrize("query", LOOKED_UP)
def test_time_is_linear(query: str) -> None:
    compiled = xylem.compile(query)

    def over(size: int) -> Callable[[], object]:
        items = "".join(f"<t k='{i}'><v>{i * 7 % size}.5</v></t>" for i in range(size * 4))
        tree = read_document(f"<s>{items}</s>", reader="python")
        return lambda: compiled.run(tree).serialize()

    assert growth(over) in ("linear", "between")


def test_rounding_loses_nothing() -> None:
    """Differences of doubles that lie at a bound, or next to it: as one by one."""
    random = Random(5)
    numbers = [random.choice((1.0, 1e-9, 1e15, 0.1)) * random.randint(-30, 30) / 10 for _ in range(60)]
    text = "".join(f"<t><v>{number!r}</v></t>" for number in numbers)
    tree = xylem.parse(f"<s>{text}</s>")
    for limit in ("0", "0.1", "0.3", "-0.2", "1", "100000000000000"):
        for test in ("v - $a/v =", "abs(v - $a/v) <=", "$a/v - v lt", "v - $a/v ge"):
            query = f"for $a in //t return count(//t[{test} {limit}])"
            assert xylem.compile(query).run(tree).serialize() == reference(query).run(tree).serialize()


def bounded(test: str) -> str:
    body = parse(test).body
    assert isinstance(body, ast.Expr)
    return print_query(with_bounds(body))


def test_the_condition_is_still_tested() -> None:
    assert bounded("a - $b/c < 5") == (
        "a <= $b/c + 5 + 1e-12 * (fn:abs($b/c) + fn:abs(5)) and a - $b/c < 5"
    )


@pytest.mark.parametrize(
    "test", ["a + b < 5", "a - b != 5", "abs(a - b) > 5", "$a - $b < 5", "xs:date(a) - xs:date(b) = 5", "a - b < c"]
)
def test_no_bounds(test: str) -> None:
    assert " and " not in bounded(test)
