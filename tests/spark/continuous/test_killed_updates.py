"""kill -9 at random moments while an update stream is followed: the change log is that of a run nobody disturbed."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from typer.testing import CliRunner
from xylem.cli.app import app

from .killed_runs import TIMEOUT, Feeder, kill_at_random, kills_wanted, run_to_end

pytestmark = [pytest.mark.usefixtures("needs_spark"), pytest.mark.timeout(TIMEOUT), pytest.mark.turns("kills")]
NAMESPACE = 'xmlns:u="urn:xylem:update"'
QUERY = """for $t in stream("tickers")//ticker where $t/quote >= 120 or $t/quote > $t/quote#1
order by number($t/quote) descending return <t>{ $t/name, $t/quote, $t/quote#1 }</t>"""


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


@pytest.mark.parametrize("keep", [("--keep-time", "30"), ()], ids=["the past is kept", "texts by the kernel"])
def test_each_change_once(tmp_path: Path, keep: tuple[str, ...]) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    rng = random.Random(7)

    def add(number: int) -> None:
        pending = folder / f".{number}"
        pending.write_text(message(number, rng))
        pending.rename(folder / f"{number:06}.xml")

    query = tmp_path / "rises.xq"
    query.write_text(QUERY)
    stream = [str(query), "--updates", "native", "--input", f"dir:{folder}", *keep]
    disturbed = [*stream, "--output", f"file:{tmp_path}/changes.jsonl", "--checkpoint", f"{tmp_path}/state"]
    metrics = tmp_path / "metrics.jsonl"
    feeder = Feeder(add, metrics, ahead=60, seconds=0.05)
    feeder.start()
    small = ["--batch-files", "25", "--trigger", "100ms", "--metrics", str(metrics)]
    seen = kill_at_random([*disturbed, *small], tmp_path / "log", metrics, kills_wanted())
    feeder.stop()
    run_to_end([*disturbed, "--trigger", "available-now"], tmp_path / "log")
    assert len(seen) == kills_wanted()
    quiet = CliRunner().invoke(app, ["run", str(query), "-i", str(folder), "--updates", "native", "--report", "log"])
    assert quiet.exit_code == 0, quiet.stderr
    assert (tmp_path / "changes.jsonl").read_text() == quiet.stdout
    if not keep:
        return
    last = json.loads(quiet.stdout.splitlines()[-1])["t"]
    then = ["run", str(query), "--updates", "native", "--report", "final", "--as-of", str(last - 5)]
    kept = CliRunner().invoke(app, [*then, "--checkpoint", f"{tmp_path}/state"])
    assert kept.stdout == CliRunner().invoke(app, [*then, "-i", str(folder)]).stdout != ""
