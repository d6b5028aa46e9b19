"""A program with variables that change goes on from any place it has reached, and the answer is the same."""

from __future__ import annotations

import io
from functools import cache
from pathlib import Path
from typing import Any

import pytest
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
        reached.append(Reached(one.cut, one.output_length, decoded(encoded(one.variables))))

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


@pytest.mark.parametrize(
    "body",
    [
        "<a>{ for $r at $i in /l/r return $i }</a>",
        "<a>{ for $r in /l/r return $r, count(/l/r) }</a>",
        "<a>{ /l/r, /l/s }</a>",
        "<a>{ for tumbling window $w in /l/r start at $s when true() end at $e when $e - $s = 1 return count($w) }</a>",
    ],
)
def test_programs_that_keep_more_are_refused(body: str) -> None:
    with pytest.raises(StaticError) as caught:
        record_scope(compile_stream(f"{HEAD} {body}", StaticEnvironment()))
    assert caught.value.code == "XYST0006"


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
