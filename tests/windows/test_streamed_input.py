"""Windows over a document that streams by: the answers of its tree, and no more kept than open windows need."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import xylem
from xylem.run.streaming.window_program import WindowStreamProgram

from .generated import random_clause, random_items

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "windows"
LOG = b"<log><e k='a' t='1'/><e k='b' t='2'/><x/><e k='a' t='3'/><e k='a' t='9'/></log>"
STREAMED = [
    "for tumbling window $w in /log/e start $s when true() end next $n when $n/@k ne $s/@k return count($w)",
    "for sliding window $w in /log/e start $s when true() only end $e when $e/@t > $s/@t + 1 "
    "return <w>{ $w/@t/string() }</w>",
    "forseq $w in /log/* landmark window start position $p when $p eq 1 end when true() "
    "return <n>{ $w/@k/string() }</n>",
    "let $k := 'a' for tumbling window $w in /log/e[@k = 'a'] start when true() end when true() return ($w, $k)",
    "forseq $w in /log/e return string-join($w/@t, '')",
    "declare variable $n := 2; for tumbling window $w in /log/e start at $i when true() end at $j when $j - $i eq $n "
    "return sum($w/@t)",
    "declare function local:f($w) { if (count($w) le 1) then 1 else 1 + local:f(tail($w)) }; "
    "for tumbling window $w in /log/e start at $i when true() end at $j when $j - $i eq 1 return local:f($w)",
]
OTHERS = [
    "for tumbling window $w in /log/e start when true() end when true() return count(/log/x)",
    "let $k := 'a' for tumbling window $w in /log/e[@k = $k] start when true() end when true() return $w",
    "for tumbling window $w in /log/e start $s when true() end when true() order by $s/@t return count($w)",
    "for $l in /log for tumbling window $w in $l/e start when true() end when true() return count($w)",
    "for tumbling window $w in /log/e[2] start when true() end when true() return $w",
    "for tumbling window $w in //e start when true() end when true() return $w",
    "<all>{ for tumbling window $w in /log/e start when true() end when true() return $w }</all>",
]


def program_of(query: str) -> object:
    return xylem.compile(query).stream(LOG)._program


def text(pieces: list[bytes]) -> str:
    return b"".join(pieces).decode()


@pytest.mark.parametrize("query", [*STREAMED, *OTHERS])
def test_the_answer_is_that_of_the_tree(query: str) -> None:
    compiled = xylem.compile(query)
    pieces: list[bytes] = []
    compiled.stream(LOG).write_to(pieces.append)
    assert text(pieces) == str(compiled.run(xylem.parse(LOG)))
    assert isinstance(program_of(query), WindowStreamProgram) == (query in STREAMED)


def test_generated_clauses() -> None:
    import random

    rng = random.Random("streamed input")
    for _ in range(120):
        clause, items = random_clause(rng), random_items(rng)
        query = clause.query().replace("declare variable $seq external; ", "").replace("in $seq ", "in /r/i ")
        inside = "".join(f"<i k='{k}' v='{v}'/>" for k, v in items)
        found = list(xylem.compile(query).stream(f"<r>{inside}</r>".encode()))
        assert found == clause.expected(items), f"{query}\n{items}"


PEAK = """
import resource, sys, xylem

def log(count):
    yield b"<log>"
    for number in range(count):
        yield b"<e t='%d'><user>u%d</user><text>some words that nobody reads</text></e>" % (number, number % 7)
    yield b"</log>"

query = xylem.compile(
    "for sliding window $w in /log/e start $s when true() only end $e when $e/@t - $s/@t ge 5 "
    "return <w from='{ $s/@t }'>{ $w/user }</w>"
)
print(sum(1 for _ in query.stream(log(int(sys.argv[1])))), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def peak_of(count: int) -> int:
    """Kilobytes of memory at most, in a process of its own."""
    ended = subprocess.run([sys.executable, "-c", PEAK, str(count)], capture_output=True, text=True, check=True)
    results, peak = map(int, ended.stdout.split())
    assert results == count - 5
    return peak


def test_memory_does_not_grow_with_the_input() -> None:
    assert peak_of(40_000) < peak_of(8_000) + 4_000


def test_results_come_while_the_input_is_read() -> None:
    read: list[int] = []

    def pieces() -> Iterator[bytes]:
        yield b"<log>"
        for number in range(1000):
            read.append(number)
            yield b"<e t='%d'/>" % number * 1000
        yield b"</log>"

    query = "for tumbling window $w in /log/e start at $i when true() end at $j when $j - $i eq 9 return count($w)"
    found = iter(xylem.compile(query).stream(pieces()))
    assert next(found) == 10
    assert len(read) < 1000


def test_explain_says_so() -> None:
    told = xylem.compile(STREAMED[0]).explain()
    assert told.to_dict()["bounded"] is True
    assert "window" in told.to_text()


def test_an_error_of_the_input_comes_after_what_was_complete() -> None:
    query = xylem.compile("for tumbling window $w in /log/e start when true() end when true() return $w/@t/string()")
    found = iter(query.stream(b"<log><e t='1'/><e t='2'/><e"))
    assert [next(found), next(found)] == ["1", "2"]
    with pytest.raises(xylem.InputError):
        next(found)
