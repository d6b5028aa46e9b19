"""`--time-limit` and `--memory-limit` on Spark: a task that takes more ends with the error, whatever it computes."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from xylem.errors import DynamicError
from xylem.run.limited_run import RunLimits, resident_bytes
from xylem.spark.inputs import input_files
from xylem.spark.run_here import RunHere
from xylem.spark.shipped_query import shipped_query

from .test_command import run

ENDLESS = "count((1 to 100000000000)[. mod 7 = 8])"
LARGE = "let $all := for $i in 1 to 100000000 return string($i) return count($all) + count($all[5])"
QUERIES = {
    "map": "for $r in //row return if ($r/@n = '40') then {long} else <r>{{ $r/@n/string() }}</r>",
    "aggregate": "sum(for $r in //row return if ($r/@n = '40') then {long} else 1)",
    "sort": "for $r in //row order by (if ($r/@n = '40') then {long} else 1) return $r",
    "reduce": "for $r in //row group by $k := $r/@n mod 3 return if ($k = 2 and count($r) > 1) then {long} else 1",
    "one task": "for $r in //row[position() = 40] return {long}",
}


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    path = tmp_path / "rows.xml"
    path.write_text("<t>" + "".join(f"<row n='{n}'/>" for n in range(50)) + "</t>")
    return path


def query_of(kind: str, long: str) -> str:
    return QUERIES[kind].replace("{long}", long).replace("{{", "{").replace("}}", "}")


@pytest.mark.parametrize("kind", QUERIES)
def test_time(kind: str, rows: Path) -> None:
    query = shipped_query(query_of(kind, ENDLESS), run_limits=RunLimits(seconds=0.3))
    given = []
    with pytest.raises(DynamicError) as ended:
        given.extend(RunHere(query, input_files(rows), partitions=3).pieces())
    assert ended.value.code == "XYRT0040"
    if kind == "map":
        assert "".join(given) == "".join(f"<r>{n}</r>" for n in range(40))


@pytest.mark.parametrize("kind", ["map", "reduce"])
def test_memory(kind: str, rows: Path) -> None:
    most = (resident_bytes() or 0) + 30_000_000
    query = shipped_query(query_of(kind, f"({LARGE})"), run_limits=RunLimits(memory_bytes=most))
    with pytest.raises(DynamicError) as ended:
        list(RunHere(query, input_files(rows), partitions=3).pieces())
    assert ended.value.code == "XYRT0041"


def test_each_task_has_the_time(rows: Path) -> None:
    """Ten tasks may take longer together than one of them."""
    text = "sum(for $r in //row let $n := 8 + xs:integer($r/@n) return count((1 to 30000)[. mod 7 = $n]))"
    began = time.monotonic()
    whole = RunHere(shipped_query(text), input_files(rows), partitions=10)
    assert "".join(whole.pieces()) == "0"
    assert len(whole.plan.tasks) == 10
    limits = RunLimits(seconds=(time.monotonic() - began) * 0.7)
    limited = RunHere(shipped_query(text + " + 0", run_limits=limits), input_files(rows), partitions=10)
    assert "".join(limited.pieces()) == "0"


@pytest.mark.turns("on Spark")
def test_by_workers(spark: object, rows: Path) -> None:
    there = ("-i", rows, "--on", "spark", "--master", "local[2]", "--partitions", "3")
    timed = run("-q", query_of("map", ENDLESS), *there, "--time-limit", "0.5")
    assert (timed.returncode, timed.stdout) == (1, "".join(f"<r>{n}</r>" for n in range(40)))
    assert timed.stderr.startswith("XYRT0040: the run exceeds its time limit: 0.5 seconds are allowed")
    large = run("-q", query_of("reduce", f"({LARGE})"), *there, "--memory-limit", "300MB")
    assert (large.returncode, large.stderr[:8]) == (1, "XYRT0041")
    assert "Traceback" not in timed.stderr + large.stderr
