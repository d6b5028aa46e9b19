"""Checkpoints that are broken, outputs of other runs, places that are not there: told before anything is lost."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from xylem.errors import InputError, XylemError
from xylem.run.sealed_file import write_sealed
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
        ("commit", b"["),
        ("commit", b"[]"),
        ("commit", b'{"batch": 1, "other": 2}'),
        ("query", b""),
        ("query", b'{"owner": 1}'),
    ],
)
@pytest.mark.parametrize("is_sealed", [True, False])
def test_broken_files(tmp_path: Path, name: str, content: bytes, is_sealed: bool) -> None:
    made = Checkpoint(tmp_path)
    made.claim(OWNER)
    made.commit(Commit(1))
    made.close()
    if is_sealed:
        write_sealed(tmp_path / name, name, content)
    else:
        (tmp_path / name).write_bytes(content)
    with closing(Checkpoint(tmp_path)) as again, pytest.raises(XylemError) as raised:
        (again.claim(OWNER), again.last_commit())
    # What begins as the files of the first format did is taken for one of those.
    assert raised.value.code == ("XYRT0020" if content[:1] == b"{" and not is_sealed else "XYRT0033")
    assert str(tmp_path / name) in str(raised.value)


def test_a_checkpoint_of_the_first_format(tmp_path: Path) -> None:
    (tmp_path / "query.json").write_text('{"format": 1, "id": "1", "started_ms": 1, "owner": {}}')
    with closing(Checkpoint(tmp_path)) as old, pytest.raises(XylemError, match=r"XYRT0020.*query.json.*format 1"):
        old.claim(OWNER)


def test_a_commit_that_is_gone(tmp_path: Path) -> None:
    with closing(Checkpoint(tmp_path)) as made:
        assert made.last_commit() == Commit()
        made.claim(OWNER)
        assert made.last_commit() == Commit()
    (tmp_path / "commit").unlink()
    with closing(Checkpoint(tmp_path)) as again, pytest.raises(XylemError, match=r"XYRT0033.*commit: it is missing"):
        (again.claim(OWNER), again.last_commit())


def test_a_start_that_was_interrupted(tmp_path: Path) -> None:
    with closing(Checkpoint(tmp_path)) as made:
        made.claim(OWNER)
    (tmp_path / "query").unlink()
    with closing(Checkpoint(tmp_path)) as again:
        again.claim(OWNER)
        assert again.last_commit() == Commit()


def test_a_checkpoint_that_has_lost_its_owner(tmp_path: Path) -> None:
    made = Checkpoint(tmp_path)
    assert made.is_new
    made.claim(OWNER)
    assert not made.is_new
    made.commit(Commit(1))
    made.close()
    (tmp_path / "query").unlink()
    with closing(Checkpoint(tmp_path)) as again, pytest.raises(XylemError, match=r"XYRT0033.*query: it is missing"):
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
