"""kill -9 of the driver while it follows two update streams: the change log is that of a run nobody disturbed.

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

from typer.testing import CliRunner
from xylem.cli.app import app

from tests import turns

from .killed_driver import IN_BATCH, NAMES
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


def started(folder: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "tests.spark.continuous.killed_driver", str(folder)]
    environment = os.environ | {"PYTHONPATH": f"{ROOT / 'python'}:{ROOT}"}
    return subprocess.Popen(command, env=environment, cwd=ROOT)


def batches(folder: Path) -> int:
    place = folder / "batches"
    return place.stat().st_size if place.exists() else 0


def test_each_change_once(tmp_path: Path) -> None:
    rng = random.Random(turns.today())
    for name in NAMES:
        write_stream(tmp_path / name, rng)
    (tmp_path / "q.xq").write_text(QUERY)
    for _ in range(kills_wanted()):
        before, process = batches(tmp_path), started(tmp_path)
        while batches(tmp_path) < before + rng.randint(1, 4):
            assert process.poll() is None, "it ended by itself"
            time.sleep(0.001)
        time.sleep(rng.random() * 0.02)
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert started(tmp_path).wait() == 0
    inputs = [f"-i{name}={tmp_path / name}" for name in NAMES]
    quiet = CliRunner().invoke(app, ["run", str(tmp_path / "q.xq"), *inputs, "--updates", "native", "--report", "log"])
    assert quiet.exit_code == 0, quiet.stderr
    assert (tmp_path / "log.jsonl").read_text() == quiet.stdout
    assert quiet.stdout.count("\n") > 50
    assert list((tmp_path / "state" / "state").iterdir())
