"""Windows that are formed again where items change, and numbers behind an order, are those of the reference, whatever
comes, goes or changes."""

from __future__ import annotations

import os
import random

import pytest
from xylem.pipeline import StaticEnvironment, compile_history
from xylem.query.history_query import HistoryQuery
from xylem.run.history.engine import Engine
from xylem.run.history.run import UpdateInput
from xylem.source.resources import FileResources
from xylem.source.update_stream.wire import read_wire

from tests.run.history.feeding import OPEN, told
from tests.run.history.test_adversarial import expected, shown

PARTS = 4
STREAMS = 400 if os.environ.get("XYLEM_CAMPAIGN") else 8
STARTS = (
    "start when true()",
    "start $s when $s/k = 'a'",
    "start $s at $i when $i mod 2 = 1",
    "start $s previous $p when not($s/k = $p/k)",
    "start $s next $n when $n/v > $s/v",
    "start $s when $s/v > 4",
)
ENDS = (
    "",
    "end $e when $e/k = 'b'",
    "only end $e when $e/v > 6",
    "end $e next $f when not($e/k = $f/k)",
    "only end $e previous $g when $e/v < $g/v",
    "end $e at $j when $j mod 3 = 0",
    "only end $e at $j next $f when $f/v = $e/v",
)
RESULTS = (
    "return <w>{ $w/v/text() }</w>",
    "return count($w)",
    "let $c := sum($w/v) where $c > 8 return <w c='{ $c }'>{ $w[1]/k }</w>",
    "order by count($w) descending return <w>{ $w/v }</w>",
    "return ($w[last()]/v/string(), count($w))",
)


def rank(rng: random.Random) -> str:
    """A query that numbers what it has sorted."""
    by = rng.choice(("number($x/v)", "number($x/v) descending", "$x/k, number($x/v)"))
    kept = rng.choice(("", "where $n <= 3", "where $n mod 2 = 0"))
    between = rng.choice(("", "where $x/v > 2", "let $d := $x/v * 2 where $d > 3"))
    made = f"for $x in //x {between} order by {by} count $n {kept} return <r n='{{ $n }}'>{{ $x/v/text() }}</r>"
    return rng.choice((made, f"<all>{{ {made} }}</all>", f"count({made})"))


def clause(rng: random.Random) -> str:
    """A query with a window clause, or with numbers behind an `order by`."""
    if rng.random() < 0.2:
        return rank(rng)
    kind = rng.choice(("tumbling", "sliding"))
    start, result = rng.choice(STARTS), rng.choice(RESULTS)
    end = rng.choice(ENDS if kind == "tumbling" else ENDS[1:])
    if kind == "sliding" and "at $" in start and "$e at $j" in end:
        end = "end $e at $j when $j - $i = 2"
    items = rng.choice(("//x", "/r/x", "//x[v > 1]", "(for $x in //x order by number($x/v) return $x)"))
    made = f"for {kind} window $w in {items} {start} {end} {result}"
    return rng.choice((made, made, f"<all>{{ {made} }}</all>", f"count({made})", f"({made})[2]"))


def stream(rng: random.Random) -> bytes:
    """Items that come at any place, go, come back and change; some at once."""
    count = rng.randint(0, 12)
    ids = [f"x{number}" for number in range(count)]

    def item() -> str:
        return f"<x><k>{rng.choice('aab')}</k><v>{rng.randint(0, 9)}</v></x>"

    def update(time: int) -> str:
        if not ids or rng.random() < 0.1:
            ids.append(f"n{time}{len(ids)}")
            return f'<u:insert-before of="end" id="{ids[-1]}">{item()}</u:insert-before>'
        of, kind = rng.choice(ids), rng.random()
        if kind < 0.5:
            return f'<u:replace of="{of}">{item() * rng.choice((1, 1, 1, 2))}</u:replace>'
        if kind < 0.7:
            return f'<u:remove of="{of}"/>'
        ids.append(f"m{time}{len(ids)}")
        side = rng.choice(("before", "after"))
        return f'<u:insert-{side} of="{of}" id="{ids[-1]}">{item()}</u:insert-{side}>'

    base = "".join(f'<u:mutable id="{id}">{item()}</u:mutable>' for id in ids)
    updates = ""
    for time in range(1, rng.randint(5, 15)):
        some = "".join(update(time) for _ in range(rng.choice((1, 1, 1, 2, 5))))
        updates += f'<u:batch t="{time}">{some}</u:batch>'
    return f'{OPEN}<r>{base}<u:mutable id="end"/></r>{updates}</u:stream>'.encode()


@pytest.mark.parametrize("part", range(PARTS))
def test_windows_are_those_of_the_reference(part: int) -> None:
    for seed in range(part, STREAMS, PARTS):
        rng = random.Random(f"windows {seed}")
        streams = {"s": stream(rng)}
        for _ in range(6):
            query = clause(rng)
            assert not compile_history(query, StaticEnvironment()).plan.whole, query
            wanted = told(expected(query, streams, []))
            assert told(shown(query, streams, 1 << 16, [])) == wanted, f"seed {seed}: {query}"


def evaluations(query: str, items: int) -> int:
    """How often the result of a window is computed for the last of two changes."""
    base = "".join(f'<x u:id="x{n}"><v>{n}</v></x>' for n in range(items))
    updates = "".join(f'<u:replace of="x{items // 2}" t="{t}"><x><v>{t}</v></x></u:replace>' for t in (1, 2))
    data = f"{OPEN}<r>{base}</r>{updates}</u:stream>".encode()
    run = HistoryQuery(query, StaticEnvironment()).run([UpdateInput("", "", read_wire([data]))], FileResources(), {})
    assert isinstance(run.run, Engine)
    (_, loop), *_ = run.run._steps
    given = 0
    counted = loop._give  # type: ignore[union-attr]

    def give(*arguments: object) -> None:
        nonlocal given
        given += 1
        counted(*arguments)

    loop._give = give  # type: ignore[union-attr]
    for _ in run.commits():
        before, given = given, 0
    assert before >= 1
    return before


@pytest.mark.parametrize(
    "windows",
    [
        "tumbling window $w in //x start at $i when true() end at $j when $j - $i = 4",
        "sliding window $w in //x start at $i when true() only end at $j when $j - $i = 4",
        "tumbling window $w in //x start $s when $s/v mod 5 = 0",
        "$w in //x order by string($w/@none) count $n",
    ],
)
def test_a_change_costs_what_it_reaches(windows: str) -> None:
    query = f"for {windows} return <w>{{ sum($w/v) }}</w>"
    assert evaluations(query, 40) == evaluations(query, 400) <= 8
