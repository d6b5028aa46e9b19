"""Programs travel between processes: what arrives gives the same answers, and nothing is parsed or compiled there."""

from __future__ import annotations

import pickle
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from xylem.pipeline import StaticEnvironment, compile_distributed, compile_passes, compile_query, compile_stream
from xylem.query.compiled_query import CompiledQuery
from xylem.query.spreading import Spreading
from xylem.run.program import Program
from xylem.run.tasks.in_process import run_in_process
from xylem.sink.serialization_parameters import SerializationParameters
from xylem.sink.serialize import serialize
from xylem.source.byte_source import ByteSource
from xylem.source.resources import FileResources
from xylem.source.xml_reader import read_document
from xylem.syntax.compilations import COMPILATIONS

DOCUMENT = (
    b"<a><b k='x' t='2024-01-01'><c>1</c><v>10</v></b><b k='y' t='2024-01-02'><c>2</c><v>1.5</v></b>"
    b"<b k='x' t='2024-01-03'><c>3</c><v>4</v></b></a>"
)
QUERIES = {
    "path": "/a/b/c",
    "steps": "//b ! (preceding-sibling::b[1]/@k/string(), ancestor::*/name(), *[1], .//c[. > 1], (* | @k)[2]/name())",
    "constructor": "<r>{ for $b in /a/b where $b/c > 1 return <x k='{ $b/@k }'>{ $b/v, upper-case($b/@k) }</x> }</r>",
    "aggregates": "<n>{ count(//b), sum(//v), max(//c), exists(//d) }</n>",
    "order": "for $b in /a/b order by xs:decimal($b/v) descending return string($b/c)",
    "groups": "for $b in /a/b group by $k := string($b/@k) return $k || ':' || sum($b/v)",
    "casts": """
        for $b in /a/b
        return (xs:date($b/@t) + xs:dayTimeDuration('P1D'), math:sqrt(xs:double($b/c)), xs:hexBinary('00'))""",
    "functions": """
        declare function local:f($n) { if ($n le 1) then 1 else $n * local:f($n - 1) };
        for $b in /a/b return local:f(xs:integer($b/c))""",
    "function items": """
        for $b in /a/b
        return for-each($b/c, function($c) { $c + 1 }) ! fn:function-lookup(xs:QName('fn:abs'), 1)(.)""",
    "passes": "for $b in /a/b where $b/v > avg(/a/b/v) return $b/c",
    "windows": """
        for tumbling window $w in /a/b start $s when true() only end $e next $n when $e/@k != $n/@k
        return sum($w/v)""",
    "join": "for $b in /a/b, $o in /a/b[@k = $b/@k] where $o/c > $b/c return <p>{ $b/c, $o/c }</p>",
    "variables": "declare variable $n := count(/a/b); declare variable $m as xs:integer external := 2; $n + $m",
    "collation": """
        for $b in /a/b
        order by $b/@k collation "http://www.w3.org/2005/xpath-functions/collation/html-ascii-case-insensitive"
        return string($b/@k)""",
}


def over_tree(program: Program) -> str:
    items = program.evaluate(FileResources(), context=[read_document(DOCUMENT)])
    return serialize(items, SerializationParameters(method="adaptive"))


def streamed(passes: Any) -> str:
    from xylem.run.stream.collector import Collector

    output = Collector(None)
    source = ByteSource.of(DOCUMENT)
    items = output.drawn(passes.write(source, lambda: ByteSource.of(DOCUMENT), FileResources(), output))
    return serialize(list(items), SerializationParameters(method="adaptive"))


def copied(program: Any) -> Any:
    return pickle.loads(pickle.dumps(program))


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES)
def test_a_program_over_trees_gives_the_same_where_it_arrives(query: str) -> None:
    program = compile_query(query, StaticEnvironment())
    arrived = copied(program)
    assert arrived.code == program.code
    assert over_tree(arrived) == over_tree(program)


@pytest.mark.parametrize("query", [q for name, q in QUERIES.items() if name != "steps"], ids=lambda q: q[:40])
def test_passes_give_the_same_where_they_arrive(query: str) -> None:
    passes = compile_passes(query, StaticEnvironment())
    assert streamed(copied(passes)) == streamed(passes)


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES)
def test_tasks_give_the_same_where_they_arrive_and_compile_nothing(query: str) -> None:
    program = compile_distributed(query, StaticEnvironment())
    program.prepare()
    arrived = copied(program)
    before = replace(COMPILATIONS)
    rows = [row for stage in range(arrived.stages) for row in _rows(arrived, stage)]
    assert before == COMPILATIONS
    assert rows == [row for stage in range(program.stages) for row in _rows(program, stage)]
    assert "".join(run_in_process(arrived, [DOCUMENT])) == "".join(run_in_process(program, [DOCUMENT]))


def _rows(program: Any, stage: int) -> list[Any]:
    bound: dict[int, bytes] = {}
    for earlier in range(stage):
        bound |= program.bind(earlier, program.task(earlier, DOCUMENT, 0, bound))
    return list(program.task(stage, DOCUMENT, 0, bound))


def test_python_compiles_the_source_again_where_it_is_another_one(monkeypatch: pytest.MonkeyPatch) -> None:
    program = compile_query("1 + 1", StaticEnvironment())
    state = program.__getstate__()
    other = Program.__new__(Program)
    other.__setstate__({**state, "_compiled": (b"other", b"no code of this Python")})
    assert list(other.run(FileResources())) == [2]


def test_errors_have_their_place_where_the_program_arrives() -> None:
    arrived = copied(compile_query("1,\n  1 div 0", StaticEnvironment()))
    with pytest.raises(Exception, match="FOAR0001") as error:
        list(arrived.run(FileResources()))
    assert error.value.span.line == 2  # type: ignore[attr-defined]


def test_a_scan_plan_travels_with_its_tables() -> None:
    program = compile_stream("for $i in 1 to 3 return max(/a/b[c = $i]/v)", StaticEnvironment())
    assert copied(program).scan == program.scan


def test_another_process_takes_a_query_as_it_is(tmp_path: Path) -> None:
    query = CompiledQuery(QUERIES["constructor"], StaticEnvironment())
    query.program, query.stream_passes(), query.distributed(Spreading()).prepare()
    (tmp_path / "query").write_bytes(pickle.dumps(query))
    code = (
        "import pickle, sys; from pathlib import Path\n"
        "from xylem.source.resources import FileResources\n"
        "from xylem.source.xml_reader import read_document\n"
        f"query = pickle.loads(Path({str(tmp_path / 'query')!r}).read_bytes())\n"
        f"items = query.program.evaluate(FileResources(), context=[read_document({DOCUMENT!r})])\n"
        f"streamed = query.stream_passes().last.run({DOCUMENT!r}, FileResources())\n"
        "from xylem.syntax.compilations import COMPILATIONS\n"
        "print(items[0].string_value, next(streamed).string_value, COMPILATIONS.parsed, COMPILATIONS.lowered)\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert ended.stdout.split() == ["1.5Y4X", "1.5Y4X", "0", "0"]
