"""A document that a query names: beside the input, or the input itself where there is no other."""

from __future__ import annotations

from pathlib import Path

import pytest
from xylem.pipeline import StaticEnvironment, compile_distributed
from xylem.plan.distribution import InputOf
from xylem.run.tasks.in_process import run_in_process
from xylem.source.byte_ranges import ranges
from xylem.source.cut_points import find_cuts
from xylem.source.resources import FileResources
from xylem.spark.inputs import input_files
from xylem.spark.named_input import with_named_input
from xylem.spark.shipped_query import shipped_query

COUNT = 'count(doc("other.xml")//x)'


@pytest.fixture
def other(tmp_path: Path) -> Path:
    (tmp_path / "in.xml").write_text("<r><x/></r>")
    path = tmp_path / "other.xml"
    path.write_text("<r><x>1</x><x>2</x><x>3</x></r>")
    return path


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (COUNT, "3"),
        (f"//x ! {COUNT}", "3"),
        ('for $x in doc("other.xml")//x return string($x)', "1 2 3"),
        ('try { doc("none.xml")//x } catch err:FODC0002 { "none" }', "none"),
    ],
)
def test_it_is_not_what_the_run_is_given(query: str, expected: str, other: Path) -> None:
    environment = StaticEnvironment(base_uri=other.as_uri())
    program = compile_distributed(query, environment, input_of=InputOf.RUN)
    given = ranges(other.with_name("in.xml"), ())
    assert run_in_process(program, given, resources=FileResources([other])) == expected


def test_without_an_input_it_is_spread(other: Path) -> None:
    query = shipped_query(COUNT, base_uri=other.as_uri(), allow=[other])
    reading, files = with_named_input(query, [])
    assert [file.path for file in files] == [str(other)]
    program = reading.program()
    parts = ranges(other, find_cuts(other, program.scopes, 1))
    assert len(parts) > 2
    assert run_in_process(program, parts) == "3"


@pytest.mark.parametrize("text", [COUNT, "try { //x } catch * { 'no input' }"])
def test_what_may_not_be_read_is_an_error_of_the_query(text: str, other: Path) -> None:
    query, files = with_named_input(shipped_query(text, base_uri=other.as_uri()), [])
    assert files == []
    assert not query.program().distribution.is_parallel


def test_the_input_may_be_asked_for_by_its_name(other: Path) -> None:
    query = shipped_query(f"//x ! {COUNT}", base_uri=other.as_uri())
    query, files = with_named_input(query, input_files(other))
    assert run_in_process(query.program(), [files[0].path], **query.options()) == "3 3 3"
