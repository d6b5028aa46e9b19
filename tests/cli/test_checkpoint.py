"""A run that is interrupted goes on where it was, and the output is that of an undisturbed one."""

from __future__ import annotations

import json
import os
import pickle
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from xylem.cli import checkpoint_run
from xylem.errors import XylemError
from xylem.run.tasks.checkpoint import Checkpoint, load_checkpoint
from xylem.source.byte_ranges import CutPoint

from tests.warm_command import xylem

QUERIES = {
    "elements": "for $i in /list/item where $i/n mod 3 != 0 return <i n='{$i/n}'>{$i/text()}</i>",
    "in a frame": "<all when='{current-dateTime()}'>{ for $i in /list/item return $i/n }</all>",
    "atomic values": "for $i in /list/item where $i/n mod 2 = 0 return $i/n * 2",
    "in a frame, nothing at first": "<all>{ for $i in /list/item where $i/n > 2500 return $i/n }</all>",
    "nothing at all": "<all>{ for $i in /list/item where $i/n < 0 return $i/n }</all>",
}
KILLS = int(os.environ.get("XYLEM_KILLS", "4"))
ITEMS = 750 * KILLS
SMALL = "import sys; from xylem.cli import checkpoint_run, main; checkpoint_run.EVERY_BYTES = 2000; sys.exit(main())"


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("list") / "list.xml"
    items = "".join(f"<item>\n<n>{number}</n>text é {number}</item>\n" for number in range(ITEMS))
    path.write_text(f"<?xml version='1.0'?>\n<list a='>'>{items}</list>", encoding="utf-8")
    return path


def command(query: str, document: Path, output: Path, *options: str) -> list[str]:
    return [sys.executable, "-c", SMALL, "run", "-q", query, "-i", str(document), "-o", str(output), *options]


def run(query: str, document: Path, output: Path, *options: str) -> subprocess.CompletedProcess[str]:
    ended = xylem("run", "-q", query, "-i", str(document), "-o", str(output), *options)
    return subprocess.CompletedProcess(ended.args, ended.returncode, ended.stdout.decode(), ended.stderr.decode())


@pytest.mark.parametrize("name", QUERIES)
@pytest.mark.turns("killed runs")
def test_killed_at_any_moment_the_output_is_the_same(name: str, document: Path, tmp_path: Path) -> None:
    query, checkpoint, output = QUERIES[name], tmp_path / "check.json", tmp_path / "out.xml"
    chance = random.Random(name)
    arguments = command(query, document, output, "--checkpoint", str(checkpoint), "--quiet")
    reached = []
    for _ in range(KILLS):
        wanted = offset_of(checkpoint) + chance.randrange(1, 30_000)
        process = subprocess.Popen(arguments, env=os.environ | {"PYTHONDONTWRITEBYTECODE": ""})
        while process.poll() is None and offset_of(checkpoint) < wanted:
            time.sleep(chance.random() / 1000)
        process.send_signal(signal.SIGKILL)
        process.wait()
        if process.returncode == 0:
            break
        reached.append(offset_of(checkpoint))
    assert len(reached) == KILLS, "it ended before it was killed so many times"
    assert len(set(reached)) > 1, "it was killed in the middle"
    if process.returncode != 0:
        assert subprocess.run(arguments, check=False).returncode == 0
    assert not checkpoint.exists()
    plain = tmp_path / "plain.xml"
    assert run(query, document, plain).returncode == 0
    if "current-dateTime" in query:
        assert without_time(output) == without_time(plain)
    else:
        assert output.read_bytes() == plain.read_bytes()


def fields_of(checkpoint: Path) -> dict[str, Any]:
    """What a checkpoint says, without its seal."""
    found: dict[str, Any] = json.loads(checkpoint.read_bytes().partition(b"\n")[2])
    return found


def offset_of(checkpoint: Path) -> int:
    """How far a run has come; checkpoints are replaced in one step, so that what is there is whole."""
    try:
        return int(fields_of(checkpoint)["cut"]["offset"])
    except FileNotFoundError:
        return 0


def without_time(path: Path) -> bytes:
    return path.read_bytes().partition(b">")[2]


def interrupted(query: str, document: Path, tmp_path: Path) -> tuple[Path, Path]:
    """A run that stopped in the middle, with the checkpoint it left."""
    checkpoint, output = tmp_path / "check.json", tmp_path / "out.xml"
    broken = "import os; from xylem.run.tasks import checkpoint; save = checkpoint.Checkpoint.save; n = [0]\n"
    broken += "def stop(self, path):\n save(self, path); n[0] += 1\n if n[0] == 20: os._exit(9)\n"
    broken += "checkpoint.Checkpoint.save = stop\n" + SMALL.replace("; ", "\n")
    arguments = command(query, document, output, "--checkpoint", str(checkpoint))
    arguments[2] = broken
    assert subprocess.run(arguments, check=False).returncode == 9
    assert fields_of(checkpoint)["cut"]["offset"] > 30_000
    return checkpoint, output


def test_it_goes_on_from_the_checkpoint(document: Path, tmp_path: Path) -> None:
    query = QUERIES["elements"]
    checkpoint, output = interrupted(query, document, tmp_path)
    with output.open("ab") as file:
        file.write(b"whatever was written after the checkpoint")
    done = run(query, document, output, "--checkpoint", str(checkpoint), "--stats", "json")
    facts = json.loads(done.stderr.splitlines()[-1])
    assert facts["resumed_at_byte"] > 30_000
    assert facts["input_bytes"] == document.stat().st_size - facts["resumed_at_byte"]
    assert "going on from byte" in done.stderr
    plain = tmp_path / "plain.xml"
    run(query, document, plain)
    assert output.read_bytes() == plain.read_bytes()


def test_what_has_changed_is_refused(document: Path, tmp_path: Path) -> None:
    copy = tmp_path / "list.xml"
    copy.write_bytes(document.read_bytes())
    query = QUERIES["elements"]
    checkpoint, output = interrupted(query, copy, tmp_path)
    options = ("--checkpoint", str(checkpoint))
    other = run(query.replace("3", "4"), copy, output, *options)
    assert other.returncode == 1
    assert "XYRT0020" in other.stderr
    assert "the query" in other.stderr
    elsewhere = run(query, copy, tmp_path / "other.xml", *options)
    assert "XYRT0020" in elsewhere.stderr
    with output.open("r+b") as file:
        file.truncate(10)
    shorter = run(query, copy, output, *options)
    assert "XYRT0030" in shorter.stderr
    assert "shorter" in shorter.stderr
    os.utime(copy, ns=(1, 1))
    touched = run(query, copy, output, *options)
    assert "XYRT0030" in touched.stderr
    assert "changed (changed_ns)" in touched.stderr
    checkpoint.write_text("{}")
    assert "XYRT0020" in run(query, copy, output, *options).stderr
    checkpoint.write_text("no json")
    damaged = run(query, copy, output, *options).stderr
    assert "XYRT0033" in damaged
    assert str(checkpoint) in damaged


def saved(path: Path) -> Checkpoint:
    made = Checkpoint("q", {"bytes": 9}, "2024-01-01T00:00:00Z", CutPoint(7, 1, b"<a>", b"</a>"), 5, 0, True)
    made.save(path)
    return made


def test_a_checkpoint_is_read_as_it_was_written_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "check"
    made = saved(path)
    assert load_checkpoint(path) == made
    whole = path.read_bytes()
    for place in range(len(whole)):
        for bit in range(8):
            path.write_bytes(whole[:place] + bytes((whole[place] ^ 1 << bit,)) + whole[place + 1 :])
            refused(path)
        path.write_bytes(whole[:place])
        refused(path)
    path.write_bytes(whole + b" ")
    refused(path)
    other = tmp_path / "other"
    other.write_bytes(whole)
    refused(other)
    path.write_bytes(pickle.dumps(made))
    refused(path)


def refused(path: Path) -> None:
    with pytest.raises(XylemError) as raised:
        load_checkpoint(path)
    assert raised.value.code in ("XYRT0020", "XYRT0033")
    assert str(path) in str(raised.value)


@pytest.mark.parametrize("umask", [0, 0o22])
def test_only_its_owner_can_read_it(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        saved(tmp_path / "check")
        saved(tmp_path / "check")
    finally:
        os.umask(before)
    assert (tmp_path / "check").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("for $i in /list/item order by $i/n return $i", "order"),
        ("/list/item[1], count(//item)", ""),
        ("/list", "the whole document is its one record"),
        ("declare option output:method 'json'; for $i in /list/item return map { 'n': $i/n }", "not written as XML"),
    ],
)
def test_queries_that_cannot_be_gone_on_with(query: str, why: str, document: Path, tmp_path: Path) -> None:
    done = run(query, document, tmp_path / "out.xml", "--checkpoint", str(tmp_path / "check.json"))
    assert done.returncode == 1
    assert "XYST0006" in done.stderr
    assert why in done.stderr


def test_what_does_not_go_with_it(document: Path, tmp_path: Path) -> None:
    options = ["--checkpoint", str(tmp_path / "check.json")]
    for more, why in (
        (["-i", str(document)], "writes to a file"),
        (["-i", str(document), "-i", str(document), "-o", "x"], "one file"),
        (["-i", str(document), "-o", "x", "--on-malformed", "skip"], "--on-malformed"),
    ):
        done = xylem("run", "-q", "//item", *more, *options)
        assert done.returncode == 2
        assert why in done.stderr.decode()


def test_checkpoints_come_in_time() -> None:
    assert checkpoint_run.EVERY_BYTES <= 16 << 20
