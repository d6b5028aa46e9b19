"""Checkpoints that are broken, outputs of other runs, places that are not there: told before anything is lost."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from xylem.errors import InputError, XylemError
from xylem.spark.carried_error import told_in
from xylem.spark.continuous.checkpoint import Checkpoint, Commit
from xylem.spark.continuous.continuous_run import is_slow_start
from xylem.spark.continuous.directory_log import look_at
from xylem.spark.continuous.sinks import DirectorySink

OWNER = {"queries": {"q": "1"}, "input": ["dir:in"], "output": "console"}


def test_batches_come_one_after_another() -> None:
    assert Commit().is_next(0)
    assert Commit(4).is_next(5)
    assert not Commit(4).is_next(4)
    for batch in (0, 3, 6):
        with pytest.raises(XylemError, match=f"Spark is at batch {batch}, and the answer at batch 4") as raised:
            Commit(4).is_next(batch)
        assert raised.value.code == "XYRT0030"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("commit.json", "{"),
        ("commit.json", "[]"),
        ("commit.json", '{"batch": 1, "other": 2}'),
        ("query.json", ""),
        ("query.json", '{"format": 1}'),
    ],
)
def test_broken_files(tmp_path: Path, name: str, content: str) -> None:
    made = Checkpoint(tmp_path)
    made.claim(OWNER)
    made.commit(Commit(1))
    made.close()
    (tmp_path / name).write_text(content)
    with closing(Checkpoint(tmp_path)) as again, pytest.raises(XylemError, match=r"broken|another version") as raised:
        (again.claim(OWNER), again.last_commit())
    assert raised.value.code in ("XYRT0030", "XYRT0020")


def test_a_checkpoint_that_has_lost_its_owner(tmp_path: Path) -> None:
    made = Checkpoint(tmp_path)
    assert made.is_new
    made.claim(OWNER)
    assert not made.is_new
    made.commit(Commit(1))
    made.close()
    (tmp_path / "query.json").unlink()
    with closing(Checkpoint(tmp_path)) as again, pytest.raises(XylemError, match="XYRT0030"):
        again.claim(OWNER)


def test_results_of_another_run(tmp_path: Path) -> None:
    sink = DirectorySink(str(tmp_path), {"q": ".xml"})
    sink.refuse_other_results()
    (tmp_path / "part-000000000007-0.xml").write_text("")
    with pytest.raises(InputError, match=r"XYRT0031.*part-000000000007"):
        sink.refuse_other_results()


def test_a_directory_that_is_not_there(tmp_path: Path) -> None:
    look_at(f"{tmp_path}/*.xml")
    with pytest.raises(InputError, match=r"XYIN0002.*none: No such file"):
        look_at(f"{tmp_path}/none")
    with pytest.raises(InputError, match=r"XYIN0002.*none: No such file"):
        look_at(f"{tmp_path}/none/*.xml")


def test_a_worker_that_was_too_slow_to_start() -> None:
    assert is_slow_start("org.apache.spark.SparkException: Python worker failed to connect back.\n at org...")
    assert not is_slow_start("None")


def test_our_error_in_the_words_of_spark() -> None:
    error = InputError("XYIN0002", "in: No such file or directory")
    text = f"[SOME_ERROR] failed: Traceback:\n  File x\nxylem.errors.error.InputError: {error}\n SQLSTATE: 38000"
    found = told_in(text)
    assert isinstance(found, InputError)
    assert str(found) == str(error)
    assert told_in("java.lang.Exception: other") is None
