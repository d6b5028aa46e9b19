"""Python that Spark starts takes the compiled PySpark beside it, and whatever else was to run at its start."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from xylem.spark.java import WORKER_START
from xylem.spark.worker_start.sitecustomize import without_archives

LIB = "/site/pyspark/python/lib"


def test_archives_of_what_is_installed_are_left_out() -> None:
    path = [f"{LIB}/pyspark.zip", f"{LIB}/py4j-0.10.9.9-src.zip", "/a.zip", "", "/lib/python.zip", "/site"]
    assert without_archives(path) == ["/a.zip", "", "/lib/python.zip", "/site"]


def test_others_stay() -> None:
    for path in (
        [f"{LIB}/pyspark.zip", f"{LIB}/py4j-0.10.9.9-src.zip", "/lib"],
        ["/opt/spark/python/lib/pyspark.zip", "/site"],
        ["/site", "/tmp/files/pyspark.zip"],
    ):
        assert without_archives(path) == path


def started(*path: Path) -> str:
    code = "import sys; print(sys.modules['sitecustomize'].__file__, *sys.path, sep='|')"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, path))}
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert not run.stderr
    return run.stdout


def test_it_hides_no_other(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("print('another')")
    assert started(WORKER_START, tmp_path).startswith(f"another\n{tmp_path / 'sitecustomize.py'}|")


def test_there_need_be_no_other(tmp_path: Path) -> None:
    file, *path = started(WORKER_START, tmp_path).rstrip().split("|")
    assert file
    assert str(tmp_path) in path
    assert str(WORKER_START) not in path


def test_workers_of_spark(spark: Any) -> None:
    def places(tasks: Any) -> list[str]:
        import py4j
        import pyspark

        return [pyspark.__file__, py4j.__file__]

    import pyspark

    own, py4j = spark.sparkContext.parallelize([1], 1).mapPartitions(places).collect()
    assert own == pyspark.__file__
    assert ".zip" not in py4j
