"""kill -9 of the driver while it follows update streams: the change log is that of a run nobody disturbed.

Spark is not there, so each run of the suite has its three kills; with Spark `test_killed_updates.py` takes turns.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner
from xylem.cli.app import app

from tests import turns

from .killed_driver import IN_BATCH, STREAMS
from .killed_runs import ROOT, kills_wanted

NAMESPACE = 'xmlns:u="urn:xylem:update"'
BATCHES = 14
QUERY = """for $r in stream("s")//event?[3], $s in stream("t")//event?[3] where $r/f = $s/f
return <p>{ $r/n/text(), $s/n/text(), count($s/n#[1]) }</p>"""


def write_stream(folder: Path, rng: random.Random) -> None:
    folder.mkdir()
    events = "".join(f'<event u:id="e{n}"><f>{n}</f><n>{n}</n></event>' for n in range(4))
    (folder / "0000.xml").write_text(f'<r {NAMESPACE}>{events}<u:mutable id="end"/></r>')
    at = 0
    for number in range(1, BATCHES * IN_BATCH):
        at += rng.randint(0, 3)
        event = f"<event><f>{rng.randrange(4)}</f><n>{number}</n></event>"
        kind, of = ("insert-before", "end") if number % 6 == 0 else ("replace", f"e{rng.randrange(4)}")
        (folder / f"{number:04}.xml").write_text(f'<u:{kind} {NAMESPACE} of="{of}" t="{at}">{event}</u:{kind}>')


def write_feed(folder: Path, rng: random.Random) -> None:
    """Documents of a keyed feed, whose records tasks evaluate."""
    folder.mkdir()
    at = 0
    for number in range(BATCHES * IN_BATCH):
        items = ""
        for _ in range(rng.randint(0, 4)):
            at += rng.randint(0, 3)
            items += f'<item id="{rng.randrange(9)}" t="{at}"><n>{rng.randrange(9)}</n></item>'
        (folder / f"{number:04}.xml").write_text(f"<shop>{items}</shop>")


def started(folder: Path, kind: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "tests.spark.continuous.killed_driver", str(folder), kind]
    environment = os.environ | {"PYTHONPATH": f"{ROOT / 'python'}:{ROOT}"}
    return subprocess.Popen(command, env=environment, cwd=ROOT)


def batches(folder: Path) -> int:
    place = folder / "batches"
    return place.stat().st_size if place.exists() else 0


def log_of_killed(folder: Path, kind: str, rng: random.Random) -> str:
    """The change log of runs that were killed, and of one that came to the end."""
    for _ in range(kills_wanted()):
        before, process = batches(folder), started(folder, kind)
        while batches(folder) < before + rng.randint(1, 4):
            assert process.poll() is None, "it ended by itself"
            time.sleep(0.001)
        time.sleep(rng.random() * 0.02)
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert started(folder, kind).wait() == 0
    assert list((folder / "state" / "state").iterdir())
    return (folder / "log.jsonl").read_text()


def undisturbed(folder: Path, *options: str) -> str:
    quiet = CliRunner().invoke(app, ["run", str(folder / "q.xq"), *options, "--report", "log"])
    assert quiet.exit_code == 0, quiet.stderr
    assert quiet.stdout.count("\n") > 50
    return quiet.stdout


def test_each_change_once(tmp_path: Path) -> None:
    rng = random.Random(turns.today())
    names = STREAMS["native"].names
    for name in names:
        write_stream(tmp_path / name, rng)
    (tmp_path / "q.xq").write_text(QUERY)
    inputs = [f"-i{name}={tmp_path / name}" for name in names]
    assert log_of_killed(tmp_path, "native", rng) == undisturbed(tmp_path, *inputs, "--updates", "native")


@pytest.mark.turns("kills")
def test_each_change_once_where_tasks_evaluate_records(tmp_path: Path) -> None:
    rng = random.Random(turns.today())
    write_feed(tmp_path / "k", rng)
    (tmp_path / "q.xq").write_text(
        "for $i in //item where $i/n > 2 order by number($i/n) return <i>{ $i/@id, $i/n }</i>"
    )
    options = ["--updates", "keyed", "--record", "shop/item", "--key", "@id", "--time", "@t"]
    assert log_of_killed(tmp_path, "keyed", rng) == undisturbed(tmp_path, f"-i{tmp_path / 'k'}", *options)
