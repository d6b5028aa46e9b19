"""Joins by tasks: both sides are brought together in one of them, whatever the kind of the join."""

from __future__ import annotations

from pathlib import Path

import pytest
from xylem.pipeline import StaticEnvironment, compile_distributed
from xylem.run.tasks.in_process import run_in_process
from xylem.source.resources import FileResources

from .oracle import document_of, pairs_of, query_of, random_case


@pytest.mark.parametrize("seed", range(12))
def test_a_join_is_one_task(seed: int, tmp_path: Path) -> None:
    case = random_case(seed)
    document = tmp_path / "d.xml"
    document.write_text(document_of(case), encoding="utf-8")
    program = compile_distributed(query_of(case), StaticEnvironment())
    assert not program.distribution.is_parallel
    found = run_in_process(program, [document], resources=FileResources())
    assert found.split() == [str(number) for pair in pairs_of(case) for number in pair]
