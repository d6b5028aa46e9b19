"""The queries of examples/linear-road, on cases worked out by hand and on generated traffic."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path
from statistics import mean

import pytest
import xylem
from lxml import etree
from typer.testing import CliRunner
from xylem.bench.linear_road.answers import answers_in
from xylem.bench.linear_road.comparer import Comparer, Verdict
from xylem.bench.linear_road.dataset import Wanted, write_dataset
from xylem.bench.linear_road.oracle import Expected, Oracle, expected_of, tuples_of
from xylem.cli.app import app

from .hand_cases import Case, Row, cases, report

EXAMPLES = Path(__file__).parents[3] / "examples" / "linear-road"
QUERY = EXAMPLES / "tolls.xq"
HISTORY = '<toll-history days="69"><vehicle vid="7" paid="0:33 1:44"/></toll-history>'


def document(rows: list[Row]) -> str:
    lines = (" ".join(f'{name}="{value}"' for name, value in row.items()) for row in rows)
    return f"<linear-road>{''.join(f'<tuple {line}/>' for line in lines)}</linear-road>"


@pytest.fixture(scope="module")
def query() -> xylem.Query:
    return xylem.compile(QUERY.read_text())


def judged(query: xylem.Query, folder: Path, rows: list[Row], *, pooled: bool = False) -> tuple[Verdict, Expected, str]:
    history = folder / "history.xml"
    history.write_text(HISTORY)
    oracle = Oracle({7: "0:33 1:44"}, pooled=pooled)
    for row in rows:
        oracle.take(row)
    variables = {"history": history.as_uri(), "pooled": pooled}
    result = query.stream(document(rows).encode(), variables=variables, allow=[folder])
    output = folder / "answers.xml"
    with output.open("wb") as file:
        result.write_to(file.write)
    comparer = Comparer(oracle.expected, untimed=True)
    for answer in answers_in(output):
        comparer.take(answer)
    return comparer.finish(), oracle.expected, output.read_text()


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_case(query: xylem.Query, tmp_path: Path, case: Case) -> None:
    verdict, _, text = judged(query, tmp_path, case.rows)
    assert verdict.is_valid, verdict.examples
    for (vid, time), (velocity, toll) in case.tolls.items():
        assert f'<toll vid="{vid}" time="{time}" lav="{velocity}" toll="{toll}"/>' in text
    assert not any(f'<toll vid="{vid}" time="{time}" ' in text for vid, time in case.silent)
    assert case.accidents is None or verdict.counts["accident"] == len(case.accidents)
    assert all(f'qid="{qid}" bal="{bal}"/>' in text for qid, bal in case.balances.items())


def test_expenditure(query: xylem.Query, tmp_path: Path) -> None:
    rows = [{"type": 3, "time": 5, "vid": 7, "xway": 1, "qid": 4, "day": 2}]
    verdict, _, text = judged(query, tmp_path, rows)
    assert verdict.is_valid
    assert text == '<answers vehicles="1">\n<expenditure time="5" qid="4" bal="44"/></answers>'


def test_travel_times_are_left_out(query: xylem.Query, tmp_path: Path) -> None:
    row = {"type": 4, "time": 5, "vid": 7, "xway": 1, "qid": 4, "sinit": 1, "send": 2, "dow": 3, "tod": 4}
    assert judged(query, tmp_path, [row])[2] == '<answers vehicles="1">\n</answers>'


def test_average_of_reports(query: xylem.Query, tmp_path: Path) -> None:
    rows = [report(0, 1, 5, spd=10), report(10, 1, 5, spd=10, pos=26_600), report(20, 2, 5, spd=40)]
    for pooled, velocity in ((False, 25), (True, 20)):
        verdict, _, text = judged(query, tmp_path, [*rows, report(60, 3, 5, lane=0)], pooled=pooled)
        assert verdict.is_valid
        assert f'<toll vid="3" time="60" lav="{velocity}" toll="0"/>' in text


@pytest.mark.parametrize("noise", [False, True])
def test_generated_traffic(query: xylem.Query, tmp_path: Path, noise: bool) -> None:
    tuples, history, output = tmp_path / "t.xml", tmp_path / "h.xml", tmp_path / "a.xml"
    write_dataset(Wanted(1, 4, seed=8, noise=noise), tuples, history)
    with output.open("wb") as file:
        query.stream(tuples, variables={"history": history.as_uri()}, allow=[tmp_path]).write_to(file.write)
    comparer = Comparer(expected_of(tuples, history), untimed=True)
    for answer in answers_in(output):
        comparer.take(answer)
    assert comparer.finish().is_valid, comparer.verdict.examples


def test_the_tree_gives_the_same(query: xylem.Query, tmp_path: Path) -> None:
    (accident,) = (case for case in cases() if case.name == "accident, direction 1")
    streamed = judged(query, tmp_path, accident.rows)[2]
    variables = {"history": (tmp_path / "history.xml").as_uri()}
    tree = query.run(context=xylem.parse(document(accident.rows)), variables=variables, allow=[tmp_path])
    assert tree.serialize() == streamed


def test_each_kind_of_answer_is_a_stream_of_its_own(tmp_path: Path) -> None:
    tuples, history = tmp_path / "tuples.xml", tmp_path / "history.xml"
    write_dataset(Wanted(0.5, minutes=6, seed=5), tuples, history)
    given = ["-i", str(tuples), "--allow", str(tmp_path), "-v", f"history={history.as_uri()}", "--quiet"]
    kinds = ("toll", "accident", "balance", "expenditure")
    routes = [text for kind in kinds for text in ("--route", f"{kind}={tmp_path / kind}")]
    for more in ([], routes):
        output = tmp_path / ("rest" if more else "whole")
        outcome = CliRunner().invoke(app, ["run", str(QUERY), *given, *more, "-o", str(output)])
        assert outcome.exit_code == 0, outcome.output
    whole = (tmp_path / "whole").read_text()
    for kind in kinds:
        assert (tmp_path / kind).read_text().splitlines() == re.findall(f"<{kind} [^<>]*/>", whole), kind
    assert (tmp_path / "toll").read_text().count("\n") > 500
    assert re.fullmatch(r'<answers vehicles="\d+">\n</answers>', (tmp_path / "rest").read_text())


def test_minutes_by_windows(tmp_path: Path) -> None:
    tuples = tmp_path / "tuples.xml"
    write_dataset(Wanted(1, minutes=3, seed=6), tuples, None)
    speeds: dict[tuple[int, ...], dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for row in tuples_of(tuples):
        if row["type"] == 0:
            place = (row["time"] // 60 + 1, row["xway"], row["dir"], row["seg"])
            speeds[place][row["vid"]].append(row["spd"])
    query = xylem.compile((EXAMPLES / "minutes.xq").read_text())
    written: list[bytes] = []
    query.stream(tuples).write_to(written.append)
    found = [dict(one.attrib) for one in etree.fromstring(b"<all>%s</all>" % b"".join(written))]
    places = [tuple(int(one[name]) for name in ("minute", "xway", "dir", "seg")) for one in found]
    assert places == sorted(speeds)
    assert len(places) > 300
    for place, one in zip(places, found, strict=True):
        of_cars = speeds[place]
        assert (int(one["cars"]), int(one["reports"])) == (len(of_cars), sum(map(len, of_cars.values())))
        assert float(one["speed"]) == pytest.approx(mean(map(mean, of_cars.values())), abs=0.006)
