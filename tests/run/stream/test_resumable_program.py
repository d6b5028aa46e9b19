"""A query with state goes on from any place it has reached, and the answer is the same."""

from __future__ import annotations

import io
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import xylem
from xylem.errors import StaticError
from xylem.pipeline import StaticEnvironment, compile_stream
from xylem.run.stream.program import StreamProgram
from xylem.run.stream.resumable_program import Reached, ResumableProgram, record_scope
from xylem.source.resources import FileResources
from xylem.values.state_values import decoded, encoded

HEAD = "declare execution sequential; declare variable $m as map(xs:string, xs:integer) := map { };"
BODY = """for $r in /l/r let $k := string($r/@k)
          return { set $m := map:put($m, $k, ($m($k), 0)[1] + 1); <n k="{ $k }">{ $m($k) }</n> }"""
INPUT = b"<l>%s</l>" % b"".join(b'<r k="%d"/>' % (number % 7) for number in range(300))


@cache
def program_of(query: str) -> StreamProgram:
    return compile_stream(query, StaticEnvironment())


def run(
    query: str, data: bytes, begun: Reached | None = None, chunk: int = 1000, every: int = 200
) -> tuple[bytes, list[Reached]]:
    """The answer, or the rest of it, and the places where it could go on, as they are after being saved."""
    reached: list[Reached] = []

    def save(one: Reached) -> None:
        reached.append(Reached.from_state(decoded(encoded(one.state()))))

    program = program_of(query)
    made = ResumableProgram(program, FileResources(), {}, {}, every, save, lambda: True)
    file = io.BytesIO()
    rest = data if begun is None else data[begun.cut.offset :]
    made.write([rest[place : place + chunk] for place in range(0, len(rest), chunk)], file, begun)
    return file.getvalue(), reached


QUERIES = {
    "in an element": f"{HEAD} <a>{{ {BODY} }}</a>",
    "with more around it": f"{HEAD} <a n='{{ map:size($m) }}'>text{{ {BODY} }}<end>{{ map:size($m) }}</end></a>",
    "a number so far": "declare execution sequential; declare variable $n as xs:integer := 0;"
    "<a>{ for $r in /l/r return { set $n := $n + 1; if ($n mod 50 = 0) then <n>{ $n }</n> else () } }</a>",
    "set before the first record": "declare execution sequential; declare variable $n as xs:integer := 0;"
    "<a>{ { set $n := 5; 'begin' } }{ for $r in /l/r return { set $n := $n + 1; <n>{ $n }</n> } }</a>",
}


@pytest.mark.parametrize("name", QUERIES)
@pytest.mark.parametrize("chunk", [37, 1000, 100_000])
def test_it_goes_on_from_every_place(name: str, chunk: int) -> None:
    query = QUERIES[name]
    whole, places = run(query, INPUT, chunk=chunk)
    assert len(places) > 5
    for place in places[:: max(1, len(places) // 4)]:
        rest, _ = run(query, INPUT, place, chunk)
        assert whole[: place.output_length] + rest == whole


NESTED = b"<l t='x'>%s</l>" % b"".join(
    b'<g><r k="%d"><v>%d</v>t%s<v>7</v></r></g>\n'
    % (number % 7, number % 13, b"<r k='9'><v>1</v><v>2</v></r>" if number % 5 == 0 else b"")
    for number in range(60)
)
STATEFUL = [
    # Positions, inside and outside of elements, with values that are adjacent to each other.
    "for $r at $i in /l/g/r return $i",
    "<a>{ for $r at $i in /l/g return ($i, <n/>, 'x') }</a>",
    "<a>begin{ for $r at $i in //r return <n i='{ $i }'>{ $r/v }</n> }end</a>",
    "for $r at $i in //r return concat($i, ' ', $r/v[1])",
    "/l/g ! <b n='{ position() }'>{ r/v }</b>",
    "for $g in /l/g count $n where $n mod 10 = 0 return $g/r/v",
    "subsequence(/l/g, 10, 40)/r/@k/string()",
    "('begin', for $r in /l/g/r return string($r/v[1]), 'end')",
    "for $g in /l/g return <g>{ for $r at $i in $g/r return ($i, $r/v) }</g>",
    "/l/g/r/v[1]",
    # Values of the whole so far.
    "fold-left(//v, 0, function($a, $v) { ($a * 2 + $v) mod 97 })",
    "fold-left(/l/g/r/v, 0, function($a, $v) { $a + $v }) div count(/l/g/r/v)",
    "<x>{ avg(//r/v), max(//r/v), min(//r/v) }</x>",
    "count(/l/g[r/v > 3])",
    "string-join(//r/v, ',')",
    "distinct-values(//v)",
    "for $v in //v group by $k := string($v) return <v k='{ $k }'>{ count($v), sum($v) }</v>",
    "for $k in 1 to 5 return sum(/l/g/r[@k = $k]/v)",
    "every $v in //v satisfies $v < 20",
    # Nothing at all.
    "for $r in /l/g/r return typeswitch ($r) case element(r) return <x>{ $r/@k }</x> default return ()",
    "for $r in /l/g/r where $r/v > 3 return try { <t>{ $r/v }</t> } catch * { () }",
    "for $r in /l/g/r return $r/ancestor::l/@t/string()",
]


@pytest.mark.parametrize("query", STATEFUL)
@pytest.mark.parametrize("chunk", [61, 1000])
def test_what_is_counted_and_added_up_goes_on(query: str, chunk: int) -> None:
    whole, places = run(query, NESTED, chunk=chunk, every=100)
    assert whole.decode() == xylem.compile(query).run(xylem.parse(NESTED)).serialize()
    assert len(places) > 5
    for place in places[:: max(1, len(places) // 5)]:
        rest, _ = run(query, NESTED, place, chunk)
        assert whole[: place.output_length] + rest == whole


def test_what_the_start_tags_bring_is_not_written_again() -> None:
    query = "<a n='x'>{ for $r in /l/g/r where $r/@k = 'none' return $r }</a>"
    whole, places = run(query, NESTED, every=100)
    assert whole == b'<a n="x"/>'
    assert {place.output_length for place in places} == {0}
    assert run(query, NESTED, places[-1])[0] == whole


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("<a>{ /l/r, count(/l/s) }</a>", "more than one kind of records"),
        ("<a n='{ count(/l/r) }'>{ /l/r/v }</a>", "more than one kind of records"),
        (
            "for tumbling window $w in /l/r start at $s when true() end at $e when $e - $s = 1 return count($w)",
            "more than one kind of records",
        ),
        ("for $r in /l/r order by $r/v return $r/@k", "parts of its input"),
        ("(/l/r)[last()]", "parts of its input"),
        ("//r/v[2]", "by their position"),
        ("for $r in /l/r where $r/preceding-sibling::r[1]/v = 3 return $r/v", "read their siblings"),
    ],
)
def test_queries_that_keep_more_are_refused(query: str, why: str) -> None:
    with pytest.raises(StaticError) as caught:
        record_scope(compile_stream(query, StaticEnvironment()))
    assert caught.value.code == "XYST0006"
    assert why in caught.value.why


def test_errors_that_wait_are_not_saved() -> None:
    data = b"<l><r v='1'/><r v='x'/>" + b"<r v='2'/>" * 50 + b"</l>"
    query = "try { sum(/l/r/@v) } catch * { $err:code }"
    whole, places = run(query, data, chunk=40, every=20)
    assert whole == b"err:FORG0001"
    for place in places:
        assert run(query, data, place, 40)[0] == whole


def test_linear_road(tmp_path: Path) -> None:
    from xylem.bench.linear_road.dataset import Wanted, write_dataset

    query = (Path(__file__).parents[3] / "examples" / "linear-road" / "tolls.xq").read_text()
    write_dataset(Wanted(0.5, 2, seed=4), tmp_path / "t.xml", None)
    data = (tmp_path / "t.xml").read_bytes()
    data = b"".join(line for line in data.splitlines(keepends=True) if b'type="3"' not in line)
    whole, places = run(query, data, chunk=50_000, every=20_000)
    assert len(places) > 2
    for place in places[1::3]:
        rest, _ = run(query, data, place, 50_000, 1_000_000)
        assert whole[: place.output_length] + rest == whole


def test_saved_variables_are_plain(tmp_path: Path) -> None:
    _, places = run(QUERIES["in an element"], INPUT)
    variables: dict[Any, Any] = places[-1].variables
    assert list(variables) == [("", "m")]
    assert sum(value[0] for value in variables["", "m"].values()) > 200
