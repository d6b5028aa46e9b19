"""Joins by tasks: where each item of the first loop has partners of its own, tasks find them; else one task joins."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
import xylem
from xylem.run.tasks.in_process import run_in_process
from xylem.source.byte_ranges import ranges
from xylem.source.cut_points import find_cuts
from xylem.source.resources import FileResources
from xylem.spark.named_input import with_named_input
from xylem.spark.shipped_query import shipped_query

from ..tasks.ranges_of_documents import distributed, divisions, over_ranges
from .oracle import document_of, pairs_of, query_of, random_case


@pytest.mark.parametrize("seed", range(40))
def test_any_division_gives_the_pairs_of_the_oracle(seed: int, tmp_path: Path) -> None:
    case = random_case(seed)
    document = tmp_path / "d.xml"
    document.write_text(document_of(case), encoding="utf-8")
    program = distributed(query_of(case))
    assert program.distribution.is_parallel == (case.kind == ("left" if case.left_is_first else "right"))
    expected = [str(number) for pair in pairs_of(case) for number in pair]
    for parts in divisions(program, document, Random(seed), 2):
        assert over_ranges(program, parts).split() == expected


@pytest.mark.parametrize("name", ["s.xml", "r.xml"])
def test_of_two_documents_tasks_take_the_first_apart(name: str, tmp_path: Path) -> None:
    """Half of the items at one place; the second document may be the first one, too."""
    chance = Random(name)

    def write(path: Path, item: str) -> None:
        times = [7 if chance.random() < 0.5 else chance.randint(0, 40) for _ in range(80)]
        path.write_text(f"<d>{''.join(f'<{item}><t>{time}</t></{item}>' for time in times)}</d>", encoding="utf-8")

    write(tmp_path / "r.xml", "x")
    write(tmp_path / "s.xml", "x")
    text = (
        f'for $r in doc("r.xml")/d/x for $s in doc("{name}")/d/x'
        " where $r left outer bestmatch join $s on (abs($r/t - $s/t)) min 2 return <m>{ $r/t, $s/t }</m>"
    )
    base = tmp_path.as_uri() + "/"
    expected = str(xylem.compile(text, base_uri=base).run(allow=[tmp_path]))
    query, files = with_named_input(shipped_query(text, base_uri=base, allow=[tmp_path]), [])
    assert [Path(file.path).name for file in files] == ["r.xml"]
    program = query.program()
    assert program.distribution.is_parallel
    resources = FileResources([tmp_path])
    document = tmp_path / "r.xml"
    for cuts in ([], find_cuts(document, program.scopes, 200), find_cuts(document, program.scopes, 1)):
        parts = ranges(document, cuts)
        assert run_in_process(program, parts, resources=resources) == expected
    assert len(parts) > 50
