"""Files in no order whose numbers do not fit into memory: joined by ranges in a file, with the pairs of the oracle."""

from __future__ import annotations

import os
import random
from dataclasses import replace
from pathlib import Path

import pytest
import xylem
from xylem.errors import XylemError
from xylem.run.best_match import scanned_side, spilled_ranges
from xylem.run.best_match.spilled_ranges import SpilledRanges
from xylem.source.kernel import is_kernel_built

from .oracle import Case, band_conditions, distance, document_of, pairs_of, query_of, random_case

pytestmark = pytest.mark.skipif(not is_kernel_built(), reason="columns come from the kernel")
SEEDS = range(5_000 if os.environ.get("XYLEM_CAMPAIGN") else 120)
RETURN = "return string($r/@i || ' ' || $s/@i)"
RESULTS = ('return <m i="{ $r/@i }" j="{ $s/@i }"/>', 'return <m>{ $r/@i, attribute j { $s/@i } }</m>')


@pytest.fixture
def used(monkeypatch: pytest.MonkeyPatch) -> list[SpilledRanges]:
    """The joins by ranges; all are small."""
    found: list[SpilledRanges] = []
    original = SpilledRanges.pairs

    def watched(ranges: SpilledRanges) -> object:
        found.append(ranges)
        return original(ranges)

    monkeypatch.setattr(SpilledRanges, "pairs", watched)
    monkeypatch.setattr(scanned_side, "SCANNED_BYTES", 0)
    monkeypatch.setattr(scanned_side, "LEAST_PAGE_BYTES", 64)
    monkeypatch.setattr(spilled_ranges, "LEAST_ITEMS", 4)
    return found


def bounded_case(seed: int) -> Case:
    """A join whose values are bounded: by a limit, or by conditions in any spelling."""
    chance = random.Random(f"ranges {seed}")
    case = random_case(seed, 16)
    if chance.random() < 0.6:
        limit = chance.choice((0.0, 1.0, 2.5)) * max((abs(r["x"] or 0) for r in case.left), default=1.0) / 4
        if limit == limit and limit != float("inf"):
            return replace(case, orders=[distance("x", "min", limit), *case.orders])
    return replace(case, conditions=[*case.conditions, *band_conditions(-1.5, 2.0, chance)])


def answer(case: Case, folder: Path, result: str) -> str:
    for name in "rs":
        (folder / f"{name}.xml").write_text(document_of(case), encoding="utf-8")
    text = query_of(case, 'doc("r.xml")/d/r', 'doc("s.xml")/d/s').replace(RETURN, result)
    query = xylem.compile(text, base_uri=f"{folder.as_uri()}/")
    return query.run(allow=[folder], spill=folder, window_bytes=1).serialize()


@pytest.mark.parametrize("copies", [0.0, 1e9], ids=["runs", "cells"])
@pytest.mark.parametrize("block", range(0, len(SEEDS), 20))
def test_the_pairs_of_the_oracle(
    block: int, copies: float, tmp_path: Path, used: list[SpilledRanges], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both ways of materialisation."""
    monkeypatch.setattr(spilled_ranges, "MOST_COPIES", copies)
    for seed in SEEDS[block + (copies > 0) : block + 20 : 2]:
        case = bounded_case(seed)
        wanted = "".join(f'<m i="{i}" j="{j}"/>' for i, j in pairs_of(case))
        assert answer(case, tmp_path, RESULTS[seed % 2]) == wanted, f"seed {seed}: {query_of(case)}"
    assert len(used) > 2, "most are joined by ranges"


@pytest.mark.parametrize("kind", ["inner", "left", "right", "full"])
def test_all_items_at_one_value(kind: str, tmp_path: Path, used: list[SpilledRanges]) -> None:
    items = [{"x": 1.0, "y": float(number % 7), "z": 0.0} for number in range(30)]
    case = Case(items, items[::-1], [distance("x", "min", 0.5), distance("y")], kind)
    wanted = "".join(f'<m i="{i}" j="{j}"/>' for i, j in pairs_of(case))
    assert answer(case, tmp_path, RESULTS[0]) == wanted
    assert used


def test_a_value_that_is_no_number(tmp_path: Path, used: list[SpilledRanges]) -> None:
    case = Case([{"x": float(n)} for n in range(50)], [{"x": 2.0}] * 50, [distance("x", "min", 1.0)], "left")
    answer(case, tmp_path, RESULTS[0])
    assert len(used) == 1
    for name, wrong in (("r", 'i="40" x="40.0"'), ("s", 'i="30" x="2.0"')):
        text = document_of(case).replace(f"<{name} {wrong}", f'<{name} {wrong.partition(" ")[0]} x="?"')
        (tmp_path / f"{name}.xml").write_text(text, encoding="utf-8")
        other = "s" if name == "r" else "r"
        (tmp_path / f"{other}.xml").write_text(document_of(case), encoding="utf-8")
        query = xylem.compile(
            query_of(case, 'doc("r.xml")/d/r', 'doc("s.xml")/d/s'), base_uri=f"{tmp_path.as_uri()}/"
        )
        with pytest.raises(XylemError, match="FORG0001"):
            list(query.run(allow=[tmp_path], spill=tmp_path, window_bytes=1))
