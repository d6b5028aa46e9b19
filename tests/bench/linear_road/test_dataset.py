"""The generator of Linear Road: what the specification says of each file holds for small ones, too."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path

import pytest
from typer.testing import CliRunner
from xylem.bench.cli import app
from xylem.bench.linear_road.dataset import Figures, Wanted, write_dataset
from xylem.bench.linear_road.oracle import expected_of, tuples_of
from xylem.bench.linear_road.tuples import FIELDS

Files = tuple[Path, Path, Figures]
Rows = list[dict[str, int]]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    folder = tmp_path_factory.mktemp("linear-road")
    tuples, history = folder / "tuples.xml", folder / "history.xml"
    return tuples, history, write_dataset(Wanted(1.5, 7, seed=3), tuples, history)


@pytest.fixture(scope="module")
def rows(files: Files) -> Rows:
    return list(tuples_of(files[0]))


def test_reports_of_a_journey_are_thirty_seconds_apart(rows: Rows) -> None:
    last: dict[int, dict[str, int]] = {}
    times = []
    for row in rows:
        times.append(row["time"])
        if row["type"]:
            continue
        before = last.get(row["vid"])
        if before is None or before["lane"] == 4:
            assert row["lane"] == 0
            assert before is None or row["time"] - before["time"] > 60
        else:
            assert row["time"] - before["time"] == 30
            assert abs(row["seg"] - before["seg"]) <= 1
            # Forward in its direction; whoever was put to the spot of an accident may have been moved back.
            assert (row["pos"] - before["pos"]) * (1 - 2 * row["dir"]) >= (-5280 if row["spd"] == 0 else 0)
        assert row["pos"] // 5280 == row["seg"]
        assert row["pos"] in range(528_000)
        assert row["spd"] in range(101)
        last[row["vid"]] = row
    assert times == sorted(times)


def test_half_an_expressway_has_one_direction(rows: Rows) -> None:
    directions = defaultdict(set)
    for row in rows:
        if row["type"] == 0:
            directions[row["xway"]].add(row["dir"])
    assert directions == {0: {0, 1}, 1: {0}}


def test_rates_are_those_of_the_specification(rows: Rows) -> None:
    minutes = Counter(row["time"] // 60 for row in rows if row["type"] == 0)
    assert minutes[0] / 60 / 1.5 == pytest.approx(18, abs=2)
    assert minutes[6] / 60 / 1.5 == pytest.approx(143, abs=15)
    kinds = Counter(row["type"] for row in rows)
    asked = kinds[2] + kinds[3] + kinds[4]
    assert asked / kinds[0] == pytest.approx(0.01, abs=0.002)
    assert kinds[2] / asked == pytest.approx(0.5, abs=0.1)


def test_every_planted_accident_is_detected_and_every_request_has_its_row(files: Files) -> None:
    tuples, history, figures = files
    found = expected_of(tuples, history)
    assert found.tuples == figures.tuples
    assert found.accidents_detected == figures.accidents_planted == 2
    assert min(map(len, (found.accidents, found.expenditures, found.balances))) > 0
    share = len(found.tolls) / figures.reports
    assert 0.45 < share < 0.65


def test_the_same_seed_gives_the_same_file(tmp_path: Path) -> None:
    texts = []
    for number, seed in enumerate((1, 1, 2)):
        path = tmp_path / str(number)
        write_dataset(Wanted(2, 2, seed=seed), path, None)
        texts.append(path.read_text())
    assert texts[0] == texts[1] != texts[2]


def test_later_minutes_are_those_of_the_whole_file(tmp_path: Path) -> None:
    whole, part = tmp_path / "whole", tmp_path / "part"
    write_dataset(Wanted(1, 3, form="csv"), whole, None)
    write_dataset(Wanted(1, 3, from_minute=3, form="csv"), part, None)
    rows = whole.read_text().splitlines()
    assert part.read_text().splitlines() == [row for row in rows if int(row.split(",")[1]) >= 120]


def test_csv_has_fifteen_fields_and_says_the_same(tmp_path: Path) -> None:
    for form in ("csv", "xml"):
        write_dataset(Wanted(1, 3, form=form), tmp_path / form, None)
    lines = (tmp_path / "csv").read_text().splitlines()
    rows = [dict(zip(FIELDS, map(int, line.split(",")), strict=True)) for line in lines]
    assert [{k: v for k, v in row.items() if v != -1} for row in rows] == list(tuples_of(tmp_path / "xml"))


def test_noise_is_ignored(tmp_path: Path) -> None:
    tuples, history = tmp_path / "t", tmp_path / "h"
    write_dataset(Wanted(1, 3, noise=True, seed=5), tuples, history)
    rows = [row for row in tuples_of(tuples) if row["type"] == 0]
    first = {row["vid"]: row for row in reversed(rows)}
    assert any(row["lane"] == 4 for row in first.values())
    told = expected_of(tuples, history).tolls
    assert not any((row["vid"], row["time"]) in told for row in first.values() if row["lane"] == 4)


def test_command(tmp_path: Path) -> None:
    runner = CliRunner()
    arguments = ["data", "linear-road", "--minutes", "1", "-o", str(tmp_path / "t"), "--history", str(tmp_path / "h")]
    assert runner.invoke(app, arguments).exit_code == 0
    assert (tmp_path / "t").read_text().startswith("<linear-road>\n<tuple type=")
    assert (tmp_path / "h").read_text().endswith("</toll-history>\n")
    for more in (["--expressways", "0.3"], ["--format", "json"], ["--from-minute", "2"]):
        assert runner.invoke(app, [*arguments, *more]).exit_code == 2
