"""Items inside each other, and items in several tuples: paths over them take each node once, in document order."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from typer.testing import CliRunner
from xylem.cli.app import app
from xylem.run.tasks.flat_items import NOT_FLAT
from xylem.source.byte_ranges import ranges
from xylem.spark.inputs import input_files
from xylem.spark.run_here import RunHere
from xylem.spark.shipped_query import shipped_query

from .ranges_of_documents import assert_same, distributed, over_ranges, over_tree

NESTED = "<r><s n='1'><s n='2'><p/><p/></s><p/><s n='3'/></s><s n='2'><p n='2'/></s><t n='2'/><t n='1'/></r>"
FLAT = NESTED.replace("<s n='2'><p/><p/></s>", "<p/><p/>").replace("<s n='3'/>", "")
PATHS = [
    "for $s in //s group by $k := 1 return $s/*/@n/string()",
    "for $s in //s group by $k := 1 return count($s//p)",
    "for $s in //s for $p in $s/* group by $k := 1 return $s/@n/string()",
    "for $t in //t let $s := //s[@n >= $t/@n] return string-join($s/*/name(), ' ')",
    "for $t in //t let $s := //s[@n = $t/@n] return count($s//p)",
    "(//s)[position() < 4]/s/@n/string()",
]
AS_THEY_ARE = [
    "for $s in //s let $q := $s/s group by $k := 1 return $q/@n/string()",
    "for $s in //s group by $k := 1 return $s/@n/string()",
    "for $s in //s group by $k := 1 return (count($s), $s ! count(.//p))",
    "for $t in //t return exists(//s[@n = $t/@n]/p)",
    "for $t in //t where //s/s/@n = $t/@n return string($t/@n)",
    "head(//s)//p",
]
IN_ONE_PLACE = [
    "let $s := (for $s in //s order by $s/@n return $s) return ($s//p, count($s))",
    "for $t in //t for $s in //s[@n = $t/@n] group by $k := 1 return count($s/@n)",
    "for $t in //t let $b := (//s, //t) return $b/@n/string()",
    "(for $s in //s order by $s/@n return $s)/@n/string()",
    "(for $s in //s return $s//p)/name()",
]


@pytest.fixture
def nested(tmp_path: Path) -> Path:
    path = tmp_path / "nested.xml"
    path.write_text(NESTED)
    return path


@pytest.mark.parametrize("query", PATHS)
def test_tasks_see_that_items_nest(query: str, nested: Path) -> None:
    assert assert_same(query, nested, Random(1), 3).distribution.is_parallel
    assert over_ranges(distributed(query), ranges(nested, ())) == f"error {NOT_FLAT}"
    if "for $p" not in query:
        nested.write_text(FLAT)
        assert over_ranges(distributed(query), ranges(nested, ())) == over_tree(query, nested)


@pytest.mark.parametrize("query", AS_THEY_ARE)
def test_nesting_that_does_not_matter(query: str, nested: Path) -> None:
    assert over_ranges(distributed(query), ranges(nested, ())) == over_tree(query, nested)
    assert assert_same(query, nested, Random(1), 3).distribution.is_parallel


@pytest.mark.parametrize("query", IN_ONE_PLACE)
def test_copies_in_any_order_are_left_in_one_place(query: str, nested: Path) -> None:
    assert not assert_same(query, nested, Random(1), 3).distribution.is_parallel


@pytest.mark.parametrize(
    "query", ["for $t in //t return count(//s[@n >= $t/@n]//p)", f"//p, ({PATHS[0]}), ({PATHS[4]})"]
)
def test_a_run_becomes_one_task(query: str, nested: Path) -> None:
    run = RunHere(shipped_query(query), input_files(nested), partitions=4)
    assert "".join(run.pieces()) == over_tree(query, nested)
    assert not run.is_spread


@pytest.mark.parametrize("query", [PATHS[0], f"//p, {PATHS[5]}"])
def test_several_files_in_one_process_become_one_task(query: str, nested: Path, tmp_path: Path) -> None:
    other, output = tmp_path / "other.xml", tmp_path / "output"
    other.write_text(FLAT)
    given = [part for path in (nested, other) for part in ("-i", str(path))]
    result = CliRunner().invoke(app, ["run", "-q", query, *given, "-o", str(output)])
    assert result.exit_code == 0, result.output
    run = RunHere(shipped_query(query, several_documents=True), input_files([nested, other]), partitions=4)
    assert output.read_text() == "".join(run.pieces())
