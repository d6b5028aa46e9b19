"""The same answer in one process and on Spark, with 2 and 5 partitions: golden queries, XMark, many files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import xylem
from xylem.bench import xmark

from .answers import Case, by_tasks, golden_cases, in_one_process, on_spark

CASES = list(golden_cases("spark"))
STREAMED = list(golden_cases("streaming"))
XMARK = sorted(Path(xylem.__file__).parent.glob("bench/xmark_queries/q*.xq"), key=lambda path: int(path.stem[1:]))


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
@pytest.mark.share(3)
def test_golden_queries(spark: Any, case: Case, tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_bytes(case.document)
    assert in_one_process(case.query, case.document) == case.result
    for partitions in (2, 5):
        assert on_spark(spark, case.query, path, partitions) == case.result, partitions


@pytest.mark.parametrize("case", [*CASES, *STREAMED], ids=[case.name for case in [*CASES, *STREAMED]])
@pytest.mark.share(2)
def test_golden_queries_by_tasks(case: Case, tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_bytes(case.document)
    expected = in_one_process(case.query, path)
    for partitions in (1, 2, 3, 5, 100):
        assert by_tasks(case.query, path, partitions) == expected, partitions


@pytest.fixture(scope="module")
def auctions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = tmp_path_factory.mktemp("xmark") / "auction.xml"
    xmark.write(path, 0.002)
    return path


@pytest.mark.parametrize("query", XMARK, ids=lambda path: path.stem)
@pytest.mark.share(3)
def test_xmark(spark: Any, auctions: Path, query: Path) -> None:
    text = query.read_text(encoding="utf-8")
    expected = in_one_process(text, auctions)
    assert by_tasks(text, auctions, 5) == expected
    assert on_spark(spark, text, auctions, 2) == expected
