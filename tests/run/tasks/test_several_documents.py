"""Several documents are one input: collection() is their sequence, and a leading `/` means the same."""

from __future__ import annotations

from pathlib import Path

import pytest
import xylem
from xylem.pipeline import StaticEnvironment, compile_distributed
from xylem.run.tasks.in_process import run_in_process
from xylem.run.tasks.program import DistributedProgram
from xylem.source.byte_ranges import ByteRange, ranges
from xylem.source.cut_points import find_cuts

DOCUMENTS = [
    '<log day="1"><e n="1">a</e><e n="2">b</e></log>',
    '<log day="2"/>',
    '<log day="3"><e n="3">a</e><sub><e n="4">c</e></sub></log>',
]
INPUT = "$$"
"""In the queries below, what is nothing in the one run and collection() in the other."""
QUERIES = [
    "$$//e",
    "$$/log/@day/string()",
    "collection()//e/@n/string()",
    "count($$//e), sum($$//e/@n), count($$/log)",
    "for $l in $$/log return <l day='{ $l/@day }'>{ count($l//e) }</l>",
    "for $e in $$//e order by $e descending, $e/@n return <e>{ $e/@n }</e>",
    "for $e in $$//e group by $t := string($e) return <t of='{ $t }'>{ count($e) }</t>",
    "<r>{ for $e at $i in $$//e return <e i='{ $i }'>{ $e/@n }</e> }</r>",
    "for $e in $$//e where $e/@n > avg($$//e/@n) return $e",
    "$$//e[@n > avg(//e/@n)]",
    "$$/log/e[1]/string()",
    "for $e in $$/log/e return $e/ancestor::log/@day/string()",
    "string-join(for tumbling window $w in $$//e start at $s when $s mod 2 = 1 return string-join($w), '|')",
    "collection() ! count(.//e)",
    "(collection())[2]/log/@day/string()",
    "declare variable $all := $$//e; $all/following-sibling::e ! string(.), count($all)",
]


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / f"{number}.xml" for number in range(len(DOCUMENTS))]
    for path, text in zip(paths, DOCUMENTS, strict=True):
        path.write_text(text, encoding="utf-8")
    return paths


def compiled(query: str) -> DistributedProgram:
    return compile_distributed(query.replace(INPUT, ""), StaticEnvironment(), several_documents=True)


def expected(query: str, files: list[Path]) -> str:
    text = query.replace(INPUT, "collection()")
    return str(xylem.compile(text).run(collection=[xylem.parse(file) for file in files]))


@pytest.mark.parametrize("query", QUERIES)
def test_files_as_ranges(query: str, files: list[Path]) -> None:
    found = run_in_process(compiled(query), list(map(str, files)))
    assert found == expected(query, files)


@pytest.mark.parametrize("query", QUERIES)
def test_files_cut_into_ranges(query: str, files: list[Path]) -> None:
    program = compiled(query)
    if not program.distribution.is_parallel:
        pytest.skip("one task has the files whole")
    parts: list[ByteRange] = []
    for file in files:
        parts += ranges(file, find_cuts(file, program.scopes, 1) if program.scopes else [])
    assert run_in_process(program, parts) == expected(query, files)


def test_a_slash_in_a_predicate_is_the_document_of_its_node() -> None:
    (part,) = compiled("//e[@n = //e[1]/@n]").distribution.parts
    assert "focus" in part.why


def test_the_document_element_of_many_documents_is_many() -> None:
    assert compiled("/log/@day").distribution.parts[0].scopes == ((("child", "", "log"),),)
