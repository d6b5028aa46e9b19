"""kill -9 at random moments while two streams are matched: the answer is that of a run nobody disturbed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import xylem

from .killed_runs import TIMEOUT, Feeder, answer, kill_at_random, kills_wanted, run_to_end

pytestmark = [pytest.mark.usefixtures("needs_spark"), pytest.mark.timeout(TIMEOUT), pytest.mark.turns("kills")]
QUERY = """declare option xylem:watermark "trades=0, quotes=2";
for $t in stream("trades")TRADE for $q in stream("quotes")QUOTE
where $t left outer bestmatch join $q on (abs($t/@at - $q/@at)) min 3, ($q/@spread) min
return <p t="{ $t/@at }" q="{ $q/@at }" s="{ $q/@spread }"/>"""


def trades(number: int) -> str:
    rng = random.Random(f"trades {number}")
    times = sorted(rng.uniform(10 * number, 10 * number + 10) for _ in range(20))
    return "<d>" + "".join(f'<trade at="{time:.2f}"/>' for time in times) + "</d>"


def quotes(number: int) -> str:
    """Some of them late."""
    rng = random.Random(f"quotes {number}")
    times = sorted(rng.uniform(10 * number, 10 * number + 10) for _ in range(20))
    times = [max(0.0, time - (9 if rng.random() < 0.05 else 0)) for time in times]
    return "<d>" + "".join(f'<quote at="{time:.2f}" spread="{rng.randint(1, 5)}"/>' for time in times) + "</d>"


def test_each_match_once(tmp_path: Path) -> None:
    given = {"trades": trades, "quotes": quotes}
    for name in given:
        (tmp_path / name).mkdir()

    def add(number: int) -> None:
        for name, text in given.items():
            pending = tmp_path / name / f".{number}"
            pending.write_text(text(number))
            pending.rename(tmp_path / name / f"{number:06}.xml")

    query = tmp_path / "priced.xq"
    query.write_text(QUERY.replace("TRADE", "//trade").replace("QUOTE", "//quote"))
    inputs = [option for name in given for option in ("--input", f"{name}=dir:{tmp_path}/{name}")]
    disturbed = [str(query), *inputs, "--output", f"dir:{tmp_path}/out", "--checkpoint", f"{tmp_path}/state"]
    metrics = tmp_path / "metrics.jsonl"
    feeder = Feeder(add, metrics, ahead=40, seconds=0.05)
    feeder.start()
    small = ["--batch-files", "10", "--trigger", "100ms", "--metrics", str(metrics)]
    seen = kill_at_random([*disturbed, *small], tmp_path / "log", metrics, kills_wanted())
    feeder.stop()
    run_to_end([*disturbed, "--trigger", "available-now"], tmp_path / "log")
    assert all(seen), seen

    def items(name: str) -> Iterator[Any]:
        for place in sorted((tmp_path / name).glob("*.xml")):
            yield from xylem.items(place.read_bytes())

    undisturbed = xylem.compile(QUERY.replace("TRADE", "").replace("QUOTE", ""))
    results = undisturbed.run(streams={name: items(name) for name in given})
    wanted = results.serialize(item_separator="\n") + "\n"
    assert wanted.count("\n") > 200
    assert answer(tmp_path / "out").decode() == wanted
    assert '"late_by_side": {"$q":' in metrics.read_text()
