"""The session: settings that fit one machine, and words for what is missing."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import xylem
import xylem.spark
from xylem.errors import XylemError
from xylem.spark import java
from xylem.spark import session as start
from xylem.spark.session import _cores, require_master, require_spark, without_sql


def test_settings_of_one_machine(spark: Any) -> None:
    assert spark.conf.get("spark.sql.shuffle.partitions") == "2"
    assert spark.sparkContext.getConf().get("spark.driver.bindAddress") == "127.0.0.1"
    assert spark.sparkContext.uiWebUrl is None


def test_workers_find_their_modules_loaded(spark: Any) -> None:
    def loaded(tasks: Any) -> list[bool]:
        import sys

        return ["xylem.spark.task" in sys.modules for _ in tasks]

    assert spark.sparkContext.parallelize([1], 1).mapPartitions(loaded).collect() == [True]


def test_a_second_session_is_the_first(spark: Any) -> None:
    assert start() is spark
    assert without_sql() is spark


def test_files_need_no_sql() -> None:
    code = """
from xylem.spark.session import session, without_sql
first = without_sql("local[1]", config={"spark.sql.autoBroadcastJoinThreshold": "7b"})
print(first.sparkContext.master, first.conf.get("spark.sql.autoBroadcastJoinThreshold", "none"))
print(session().sparkContext is first.sparkContext, without_sql() is session())
"""
    environment = {**os.environ, "PYTHONPATH": str(java.PACKAGE_ROOT)}
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert run.stdout.splitlines() == ["local[1] 7b", "True True"], run.stderr


@pytest.mark.parametrize(
    ("master", "cores"), [("local", 1), ("local[3]", 3), ("local[4,2]", 4), ("local-cluster[2,3,1024]", 6)]
)
def test_cores_of_a_master(master: str, cores: int) -> None:
    assert _cores(master) == cores


def test_no_java(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(xylem.DynamicError) as caught:
        require_spark()
    assert caught.value.code == "XYRT0002"
    assert "JAVA_HOME" in caught.value.render()


def test_java_that_is_too_old(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/java").write_text("#!/bin/sh\n")
    (tmp_path / "bin/java").chmod(0o755)
    (tmp_path / "release").write_text('IMPLEMENTOR="x"\nJAVA_VERSION="1.8.0_392"\n')
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(xylem.DynamicError) as caught:
        java.java_home()
    assert caught.value.code == "XYRT0002"
    assert "1.8.0_392" in caught.value.why


def test_no_pyspark() -> None:
    code = """
import sys
sys.modules["pyspark"] = None
import importlib.util as util
find = util.find_spec
util.find_spec = lambda name, *rest: None if name == "pyspark" else find(name, *rest)
import xylem, xylem.spark
try:
    xylem.spark.session()
except xylem.DynamicError as error:
    print(error.code, error.hint)
"""
    ended = python(code)
    assert ended.split()[0] == "XYRT0001"
    assert "xylem-xquery[spark]" in ended


def test_importing_the_package_loads_no_pyspark() -> None:
    code = "import sys, xylem.spark; print([m for m in sys.modules if m.split('.')[0] in ('pyspark', 'pyarrow')])"
    assert python(code).strip() == "[]"


def python(code: str) -> str:
    """What a program prints, in a process of its own."""
    beside = {**os.environ, "PYTHONPATH": str(java.PACKAGE_ROOT)}
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60, env=beside).stdout


def test_a_master_that_does_not_answer_is_told_at_once() -> None:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        port = listening.getsockname()[1]
        require_master(f"spark://127.0.0.1:1,127.0.0.1:{port}")
    with pytest.raises(XylemError, match=rf"XYRT0003.* 127\.0\.0\.1:{port}: Connection refused"):
        require_master(f"spark://127.0.0.1:{port}")


@pytest.mark.parametrize("master", ["spark://somewhere", "foo", "local[x]", "local[0]", "local[2", "", "local[2,3,4]"])
def test_what_is_no_master(master: str) -> None:
    with pytest.raises(XylemError, match=r"XYRT0003.* is not a Spark master"):
        require_master(master)


@pytest.mark.parametrize(
    "master", ["yarn", "local", "local[*]", "local[4,2]", "local-cluster[2,1,1024]", "k8s://https://h"]
)
def test_what_is_one(master: str) -> None:
    require_master(master)
