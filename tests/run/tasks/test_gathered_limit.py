"""What every task is given has a limit, where keys do not tell what a task needs."""

from __future__ import annotations

from pathlib import Path

import pytest
from xylem.errors import DynamicError
from xylem.spark.inputs import input_files
from xylem.spark.run_here import RunHere
from xylem.spark.shipped_query import shipped_query

QUERY = "for $a in //a for $b in //b where number($a/@n) < number($b/@n) return string($b/@n)"


def test_beyond_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "in.xml"
    path.write_text("<r>" + "".join(f"<a n='{n}'/><b n='{n + 1}'>some text</b>" for n in range(50)) + "</r>")
    run = RunHere(shipped_query(QUERY), input_files(path), partitions=3)
    run._gathered_limit = 200
    with pytest.raises(DynamicError, match=r"XYRT0012.*200 bytes of `//b`, line 1"):
        "".join(run.pieces())
    assert len("".join(RunHere(shipped_query(QUERY), input_files(path), partitions=3).pieces()).split()) == 50 * 51 // 2
