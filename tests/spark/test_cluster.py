"""Two executors that are processes of their own: the code travels to them, and one of them may die."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from xylem.spark.java import PACKAGE_ROOT

pytestmark = pytest.mark.turns("kills", by_file=True)
# Executors inherit nothing of this project: neither its directory nor its path. The driver tells where tasks found it.
PROGRAM = '''
import json, os, signal, sys
import xylem.spark
from xylem.spark.batch import BatchRun
from xylem.spark.inputs import input_files
from xylem.spark.shipped_query import shipped_query

source, mark = sys.argv[1:]
spark = xylem.spark.session("local-cluster[2,1,1024]", config={"spark.executorEnv.PYTHONPATH": ""})

def place(numbers):
    import sys, xylem, regex
    from xylem.source.kernel import is_kernel_built
    list(numbers)
    yield xylem.__file__, regex.__file__, is_kernel_built()

places = spark.sparkContext.parallelize(range(2), 2).mapPartitions(place).collect()

functions = xylem.Functions()

@functions.function("udf:slow", "xs:string", "xs:string")
def slow(text):
    import time, os
    time.sleep(0.002)
    # Once for each query, in the middle: the executor, that is, the JVM whose daemon started this worker.
    if text in ("700", "joined 700") and not os.path.exists(mark + text):
        open(mark + text, "w").close()
        daemon = os.getppid()
        executor = int(open(f"/proc/{daemon}/stat").read().rsplit(")", 1)[1].split()[1])
        os.kill(executor, signal.SIGKILL)
    return text

query = "<all n='{count(//row)}'>{ for $r in //row order by $r/@k, xs:integer($r/@n) return udf:slow($r/@n) }</all>"
shipped = shipped_query(query, functions=functions)
run = BatchRun(lambda: spark, shipped, input_files(source), partitions=8)
answer = "".join(run.pieces())
# What a join has shuffled is lost with the executor that has it, and made again.
query = """for $r in //row for $o in //row where $o/@twin = $r/@n
  return udf:slow("joined " || $r/@n) || " " || $o/@n"""
joined = BatchRun(
    lambda: spark,
    shipped_query(query, functions=functions, output={"method": "text", "item-separator": ","}),
    input_files(source),
    partitions=4,
    broadcast_bytes=0,
)
pairs = "".join(joined.pieces())
killed = [os.path.exists(mark + text) for text in ("700", "joined 700")]
print(json.dumps(
    {"places": places, "answer": answer, "killed": killed, "pairs": pairs, "shuffled": joined.joins.is_shuffled}
))
'''


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Any:
    from xylem.errors import XylemError
    from xylem.spark.session import require_spark

    try:
        require_spark()
    except XylemError as missing:
        pytest.skip(str(missing))
    folder = tmp_path_factory.mktemp("cluster")
    rows = "".join(f"<row n='{n}' k='{n % 3}' twin='{999 - n // 2}'/>" for n in range(1000))
    (folder / "rows.xml").write_text(f"<t>{rows}</t>")
    (folder / "program.py").write_text(PROGRAM)
    ended = subprocess.run(
        [sys.executable, "program.py", "rows.xml", str(folder / "mark")],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(PACKAGE_ROOT), "SPARK_LOCAL_DIRS": str(folder)},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert ended.returncode == 0, ended.stderr[-2000:]
    return json.loads(ended.stdout.splitlines()[-1])


@pytest.mark.timeout(320)
def test_the_code_travels_with_its_kernel(outcome: Any) -> None:
    for package, regex, is_kernel_built in outcome["places"]:
        assert not Path(package).is_relative_to(PACKAGE_ROOT), package
        assert Path(regex).parents[1] == Path(package).parents[1]
        assert is_kernel_built


def test_an_executor_dies_and_the_answer_is_the_same(outcome: Any) -> None:
    assert outcome["killed"][0]
    rows = [str(n) for k in range(3) for n in range(k, 1000, 3)]
    assert outcome["answer"] == f'<all n="1000">{" ".join(rows)}</all>'


def test_an_executor_dies_with_what_a_join_has_shuffled(outcome: Any) -> None:
    assert outcome["killed"][1]
    assert outcome["shuffled"]
    pairs = [f"joined {n} {twin}" for n in range(500, 1000) for twin in (2 * (999 - n), 2 * (999 - n) + 1)]
    assert outcome["pairs"] == ",".join(pairs)
