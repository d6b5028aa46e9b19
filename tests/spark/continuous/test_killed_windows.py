"""kill -9 with windows open: by key, in the order of the stream, and by event time, nothing is lost or told twice."""

from __future__ import annotations

from pathlib import Path

import pytest
import xylem
from xylem.analysis.event_time import EventTime

from .killed_runs import TIMEOUT, Feeder, answer, kill_at_random, kills_wanted, run_to_end, write_queries
from .test_killed_runs import SMALL_BATCHES
from .test_window_stage import BY_KEY, PATH, UNKEYED, entries, in_one_process

pytestmark = [pytest.mark.usefixtures("needs_spark"), pytest.mark.timeout(TIMEOUT), pytest.mark.turns("kills")]
DOCUMENT = 20
ENTRIES = 20_000 * kills_wanted()
OF_USERS = (
    f"for $u in distinct-values({PATH}/user) forseq $w in {PATH}[user eq $u] tumbling window "
    "start position $a when true() end position $b when $b - $a ge 4 return"
)
FOLDED = f"<n>{{ count({OF_USERS} $w), sum({OF_USERS} count($w)), max({OF_USERS} sum($w/v)) }}</n>"
"""What is made of all windows: its state is saved with theirs."""


def killed(place: Path, texts: dict[str, str], options: list[str], made: list[str], kills: int) -> list[str]:
    """Run queries over documents that appear, killed again and again; the entries that they have seen."""
    folder = place / "in"
    folder.mkdir()

    def add(number: int) -> None:
        pending = folder / f".{number}"
        pending.write_text(f"<log>{''.join(made[number * DOCUMENT : number * DOCUMENT + DOCUMENT])}</log>")
        pending.rename(folder / f"{number:05}.xml")

    queries = write_queries(place / "q", texts, "")
    common = [*queries, "--input", f"dir:{folder}", "--output", f"dir:{place}/out", "--checkpoint", f"{place}/state"]
    metrics = place / "metrics.jsonl"
    feeder = Feeder(add, metrics)
    feeder.start()
    seen = kill_at_random([*common, *options, *SMALL_BATCHES, "--metrics", str(metrics)], place / "log", metrics, kills)
    feeder.stop()
    run_to_end([*common, *options, "--trigger", "available-now"], place / "log")
    assert len(seen) == kills_wanted()
    return made[: DOCUMENT * len(list(folder.glob("*.xml")))]


def test_windows_by_key_and_in_order(tmp_path: Path) -> None:
    texts = {name: (UNKEYED | BY_KEY)[name] for name in ("tumbling", "sliding", "values", "groups")}
    both = texts | {"folded": FOLDED}
    seen = killed(tmp_path, both, ["--partitions", "2"], entries(ENTRIES), kills_wanted())
    for name, query in texts.items():
        assert answer(tmp_path / "out" / name).decode() == in_one_process(query, seen) + "\n", name
    whole = xylem.parse(f"<log>{''.join(seen)}</log>")
    expected = xylem.compile(FOLDED.replace(PATH, "/log/entry")).run(whole).serialize()
    assert answer(tmp_path / "out" / "folded").decode() == expected + "\n"


def test_windows_by_event_time(tmp_path: Path) -> None:
    texts = {name: (UNKEYED | BY_KEY)[name] for name in ("tumbling", "diff", "values")}
    options = ["--event-time", "@t", "--watermark", "6s", "--late", f"dead-letter={tmp_path}/late"]
    seen = killed(tmp_path, texts, options, entries(ENTRIES, jitter=5), kills_wanted())
    for name, query in texts.items():
        told = in_one_process(query, seen, EventTime("@t", "6s", "drop"))
        assert answer(tmp_path / "out" / name).decode() == told + "\n", name
    late = [line for place in sorted((tmp_path / "late").glob("*.jsonl")) for line in place.read_text().splitlines()]
    assert late
    assert len(late) % len(texts) == 0
