"""Aggregates in loops over known values: every range fills a table, and tables are merged cell by cell."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from xylem.plan.distribution import PartKind
from xylem.source.byte_ranges import ranges
from xylem.source.cut_points import find_cuts

from .ranges_of_documents import assert_same, distributed, over_ranges, over_tree

TABLES = [
    "for $i in 0 to 4 return count(/s/p[x = $i])",
    "for $i in 0 to 4 for $j in 0 to 2 let $p := /s/p[x = $i and y = $j] return <c>{ count($p), max($p/v) }</c>",
    "for $i in 0 to 4 return sum(/s/p[x = $i]/v)",
    "for $i in 0 to 4 return avg(/s/p[x = $i]/v)",
    "for $i in 0 to 4 return (sum(/s/p[x = $i]/xs:integer(y)), avg(/s/p[x = $i]/xs:integer(y)))",
    "for $i in 0 to 4 return (min(/s/p[x = $i]/v), max(/s/p[x = $i]/n), sum(/s/p[x = $i]/xs:decimal(v)))",
    "for $k in ('a', 'b', 'none') return (string-join(/s/p[@k = $k]/n, '-'), distinct-values(/s/p[@k = $k]/x))",
    "for $i in (2.5, 7.0) return exists(/s/p[v = $i]), for $i in 1 to 3 return empty(/s/p[x = $i][y = 9])",
    "<all>{ for $i in 0 to 4 where exists(/s/p[x = $i]) return <x>{ avg(/s/p[x = $i][@k = 'a']/v) }</x> }</all>",
    "for $i in 0 to 4 return count(/s/p[xs:integer(x) idiv 2 = $i])",
    "for $i in 0 to 4 return (count(/s/p[x < $i]), max(/s/p[x >= $i and x < $i + 2]/v))",
    "declare variable $most as xs:integer external := 3; for $i in 1 to $most return count(//p[x = $i])",
    "unordered { for $i in 0 to 4 let $b := //s/p[x = $i] return count($b) }",
    # An error of one cell, of a key, and of a value that nobody asks for.
    "for $i in 0 to 4 return count(/s/p[xs:integer(n) = $i])",
    "for $i in 5 to 9 return sum(/s/p[x = $i]/n)",
    "for $i in 0 to 4 return if ($i = 3) then sum(/s/p[x = $i]/n) else count(/s/p[x = $i])",
    "for $i in 0 to 4 return try { sum(/s/p[x = $i]/n) } catch * { 'none' }",
    # The table is asked for each item.
    "for $p in /s/p return <p>{ $p/n, for $i in 1 to 2 return count(/s/p[x = $i]) }</p>",
]
ONE_TASK = [
    "for $i in 0 to 4 return fold-left(/s/p[x = $i]/v, 0, function($a, $v) { $a * 2 + $v })",
    "for $i in 0 to 4 return count(/s/p[x = $i][preceding-sibling::p/x = 1])",
]


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> Path:
    choose = Random(7)
    names = ["ann", "bob", "", "cy"]
    items = [
        f"<p k='{choose.choice('abc')}'><x>{choose.randrange(6)}</x>{choose.choice(['', '<x>1</x>'])}"
        f"<y>{choose.randrange(3)}</y>"
        f"<v>{choose.choice(['0.1', '1e16', '-1e16', '7', '2.5'])}</v><n>{choose.choice(names)}</n></p>"
        for _ in range(30)
    ]
    path = tmp_path_factory.mktemp("tables") / "s.xml"
    path.write_text("<s>" + "\n".join(items) + "</s>", encoding="utf-8")
    return path


@pytest.mark.parametrize("query", TABLES)
def test_tables_are_merged(query: str, document: Path) -> None:
    program = assert_same(query, document, Random(query), number=1)
    assert PartKind.SEQUENTIAL not in {part.kind for part in program.distribution.parts}
    cuts = find_cuts(document, program.scopes, 1)
    for number in (2, 5):
        some = [cuts[len(cuts) * place // number] for place in range(1, number)]
        assert over_ranges(program, ranges(document, some)) == over_tree(query, document)


@pytest.mark.parametrize("query", ONE_TASK)
def test_what_cannot_be_merged_is_one_task(query: str, document: Path) -> None:
    program = assert_same(query, document, Random(query), number=1)
    assert [part.kind for part in program.distribution.parts] == [PartKind.SEQUENTIAL]


def test_what_explain_says() -> None:
    (part,) = distributed("\n\nfor $i in 1 to 9 return sum(/s/p[x = $i]/v)").distribution.parts
    assert part.kind is PartKind.AGGREGATE
    assert (part.line, part.stage) == (3, 0)
    assert "tables are merged cell by cell" in part.why
