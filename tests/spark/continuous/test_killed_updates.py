"""kill -9 at random moments while an update stream is followed: the change log is that of a run nobody disturbed."""

from __future__ import annotations

import random
import threading
from pathlib import Path

import pytest
from typer.testing import CliRunner
from xylem.cli.app import app

from .killed_runs import answer, kill_at_random, run_to_end

pytestmark = [pytest.mark.usefixtures("needs_spark"), pytest.mark.timeout(1800), pytest.mark.turns("kills")]
NAMESPACE = 'xmlns:u="urn:xylem:update"'
QUERY = """for $t in stream("tickers")//ticker where $t/quote >= 120 or $t/quote > $t/quote#1
order by number($t/quote) descending return <t>{ $t/name, $t/quote, $t/quote#1 }</t>"""
KILLS = 3


def message(number: int, rng: random.Random) -> str:
    """The base, then updates of what there is; every fifth brings a ticker."""
    if number == 0:
        tickers = "".join(f'<ticker><name>N{n}</name><quote u:id="q{n}">100</quote></ticker>' for n in range(20))
        return f'<tickers {NAMESPACE}>{tickers}<u:mutable id="end"/></tickers>'
    if number % 5 == 0:
        ticker = f'<ticker><name>M{number}</name><quote u:id="m{number}">{rng.randint(80, 140)}</quote></ticker>'
        return f'<u:insert-before {NAMESPACE} of="end" id="t{number}" t="{number}">{ticker}</u:insert-before>'
    target = f"q{rng.randrange(20)}" if number < 10 or rng.random() < 0.7 else f"m{rng.randrange(1, number // 5) * 5}"
    return f'<u:replace {NAMESPACE} of="{target}" t="{number}"><quote>{rng.randint(80, 140)}</quote></u:replace>'


class Feeder(threading.Thread):
    """Adds a message at a time, until it is told to stop."""

    def __init__(self, folder: Path) -> None:
        super().__init__(daemon=True)
        self._folder = folder
        self._stopping = threading.Event()

    def run(self) -> None:
        rng = random.Random(7)
        for number in range(20_000):
            pending = self._folder / f".{number}"
            pending.write_text(message(number, rng))
            pending.rename(self._folder / f"{number:05}.xml")
            if self._stopping.wait(0.05):
                return

    def stop(self) -> None:
        self._stopping.set()
        self.join()


def test_each_change_once(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    query = tmp_path / "rises.xq"
    query.write_text(QUERY)
    stream = [str(query), "--updates", "native", "--input", f"dir:{folder}"]
    disturbed = [*stream, "--output", f"dir:{tmp_path}/out", "--checkpoint", f"{tmp_path}/state"]
    metrics = tmp_path / "metrics.jsonl"
    feeder = Feeder(folder)
    feeder.start()
    small = ["--batch-files", "25", "--trigger", "100ms", "--metrics", str(metrics)]
    seen = kill_at_random([*disturbed, *small], tmp_path / "log", metrics, KILLS)
    feeder.stop()
    run_to_end([*disturbed, "--trigger", "available-now"], tmp_path / "log")
    assert all(seen), seen
    quiet = CliRunner().invoke(app, ["run", str(query), "-i", str(folder), "--updates", "native", "--report", "log"])
    assert quiet.exit_code == 0, quiet.stderr
    assert answer(tmp_path / "out").decode() == quiet.stdout
