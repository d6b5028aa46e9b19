"""Aggregates over a join of a stream with a document are fed item by item: nothing of the stream is kept."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import xylem

from ..tasks.ranges_of_documents import distributed, divisions, over_ranges

NEAR = "$r left outer bestmatch join $s on (abs($r/@x - $s/@x)) min 3"
LOOPS = "for $r in /d/r for $s in $o/d/s"
FOLDED = [
    f"count({LOOPS} where {NEAR} return 1)",
    f"count({LOOPS} where {NEAR} return $s/k)",
    f"sum({LOOPS} where {NEAR} return $r/@x * $s/@x)",
    f"max({LOOPS} let $d := abs($r/@x - $s/@x) where {NEAR} return $d)",
    f"avg({LOOPS} where $s/k = $r/k where {NEAR} where $s/@x > 4 return number($s/@x))",
    f"exists({LOOPS} where {NEAR} where $r/@x = 0 return 1)",
    f"string-join({LOOPS} where {NEAR} return $r/@x || '-' || $s/@x, ' ')",
    "count(for $r in //r[k = 2] for $s in $o//s where $r left outer 2 bestmatch join $s on ($s/@x) max return $s)",
    "count(for $s in /d/r for $r in $o/d/s where $r right outer bestmatch join $s on ($r/@x - $s/@x) min return 1)",
    f"count({LOOPS} where {NEAR} for $t in $o/d/s where $r left outer bestmatch join $t on ($t/@x) min return 1)",
    "count(for $r in /d/r for $s in $o/d/s where $s/k = $r/k return 1)",
    "max(for $r in /d/r for $s in $o/d/s where $s/@x < $r/@x return $r/@x - $s/@x)",
    "sum(for $r in /d/r, $s in $o/d/s[k = $r/k] return $s/@x)",
    "fold-left(for $r in /d/r for $s in $o/d/s where $s/k = $r/k return $s/@x, 7, function($a, $b) { $a - $b })",
]
KEPT = [
    f"count({LOOPS} where {NEAR.replace('left outer ', '')} return 1)",
    f"count({LOOPS} where {NEAR.replace('left', 'full')} return 1)",
    "count(for $r in /d/r for $s in /d/s where $s/k = $r/k return 1)",
    f"count({LOOPS.replace('$o', '')} where {NEAR} return 1)",
    "sum(for $r in /d/r for $s in $o/d/s where $s/k = $r/k return count($r/following-sibling::s))",
]


def document(seed: int, items: int = 60) -> str:
    chance = random.Random(seed)

    def item(name: str) -> str:
        at = f' x="{chance.randint(0, 40) / 2}"'
        return f"<{name}{at if chance.random() < 0.8 else ''}><k>{chance.randint(0, 3)}</k></{name}>"

    return f"<d>{''.join(item(chance.choice('rs')) for _ in range(items))}</d>"


@pytest.mark.parametrize("query", [*FOLDED, *KEPT])
def test_streamed_is_the_answer_of_the_tree(query: str) -> None:
    compiled = xylem.compile(f"declare variable $o external; {query}")
    for seed in range(4):
        text, variables = document(seed), {"o": xylem.parse(document(seed + 10))}
        wanted = list(compiled.run(xylem.parse(text), variables))
        for size in (1, 37, len(text)):
            chunks = [text.encode()[start : start + size] for start in range(0, len(text), size)]
            assert list(compiled.stream(chunks, variables)) == wanted


@pytest.mark.parametrize("query", [query for query in FOLDED if not query.startswith("string-join")])
def test_nothing_of_the_stream_is_kept(query: str) -> None:
    compiled = xylem.compile(f"declare variable $o external; {query}")
    variables = {"o": xylem.parse(document(1))}
    kept = []
    for items in (50, 1500):
        run = compiled.stream(document(2, items).encode(), variables)
        list(run)
        kept.append(run.statistics.peak_buffered_bytes)
    assert kept[1] < 400


@pytest.mark.parametrize("query", [*FOLDED, *KEPT])
def test_tasks_give_the_answer_of_the_tree(query: str, tmp_path: Path) -> None:
    for seed in range(2):
        text, other = document(seed), document(seed + 10)
        path = tmp_path / f"{seed}.xml"
        path.write_text(text, encoding="utf-8")
        program = distributed(query.replace("$o", f"parse-xml('{other}')"))
        compiled = xylem.compile(f"declare variable $o external; {query}")
        wanted = compiled.run(xylem.parse(text), {"o": xylem.parse(other)})
        for parts in divisions(program, path, random.Random(seed), 2):
            assert over_ranges(program, parts) == str(wanted)
