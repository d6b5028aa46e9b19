"""Functions in Python on Spark: they travel by value, and aggregates that can merge are computed by range."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from xylem.spark.java import PACKAGE_ROOT

FUNCTIONS = Path(__file__).with_name("user_functions.py")
QUERY = """<r spread="{ udf:spread(//row/@n) }" turns="{ udf:turns(//row/v) }">{
  for $r in /t/row group by $k := $r/@k order by $k return <k>{ string($k), udf:spread($r/v), udf:milli(count($r)) }</k>
}</r>"""


def command(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "xylem", *map(str, arguments), "--functions", str(FUNCTIONS)],
        env={**os.environ, "PYTHONPATH": str(PACKAGE_ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )


@pytest.mark.turns("on Spark")
def test_the_answer_is_that_of_one_process(spark: object, tmp_path: Path) -> None:
    source = tmp_path / "rows.xml"
    rows = "".join(f"<row n='{n}' k='{n % 3}'><v>{n * 37 % 101}</v></row>" for n in range(400))
    source.write_text(f"<t>{rows}</t>")
    here = command("run", "-q", QUERY, "-i", source)
    assert here.returncode == 0, here.stderr
    assert here.stdout.startswith('<r spread="399000" turns="')
    there = command("run", "-q", QUERY, "-i", source, "--on", "spark", "--master", "local[2]", "--partitions", "3")
    assert (there.stdout, there.returncode) == (here.stdout, 0), there.stderr


def test_what_merges_and_what_does_not() -> None:
    told = command("explain", "--on", "spark", "-q", QUERY).stdout
    assert "part 1, line 1: partial aggregate and merge\n    udf:spread(//row/@n)" in told
    assert "since udf:turns has no `merge`" in told
    assert "spread(), count() computed by range and merged" in told
