"""What `--stats` tells of operators of a distributed run: the rows that came to each merge. No session is needed."""

from __future__ import annotations

from pathlib import Path

from xylem.run.counters import Counters
from xylem.spark.inputs import input_files
from xylem.spark.run_here import RunHere
from xylem.spark.shipped_query import shipped_query

DOCUMENT = "<s>" + "".join(f"<p><x>{i}</x></p>" for i in range(30)) + "</s>"


def test_rows_are_counted_where_they_come_together(tmp_path: Path) -> None:
    path = tmp_path / "s.xml"
    path.write_text(DOCUMENT, encoding="utf-8")
    query = "for $p in /s/p where $p/x >= avg(/s/p/x) order by $p/x descending return string($p/x)"
    run = RunHere(shipped_query(query), input_files([str(path)]), partitions=3)
    run.counters = Counters()
    answer = "".join(run.pieces())
    assert answer.split()[:2] == ["29", "28"]
    merged = {operator.kind: count for _, operator, count in run.operators().rows() if operator.runs == "merge"}
    assert merged["sort"].items_in == 15
    assert merged["aggregate"].items_out == 1
    # What each task did is not known here.
    tasks = [count for _, operator, count in run.operators().rows() if operator.runs == "task"]
    assert all(count.items_out is None for count in tasks)


def test_nothing_is_counted_unasked(tmp_path: Path) -> None:
    path = tmp_path / "s.xml"
    path.write_text(DOCUMENT, encoding="utf-8")
    run = RunHere(shipped_query("count(//x)"), input_files([str(path)]), partitions=2)
    assert "".join(run.pieces()) == "30"
    assert all(count.items_in is None for _, _, count in run.operators().rows())
