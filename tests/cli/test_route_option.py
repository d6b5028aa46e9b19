"""`xylem run --route`: results by the names of their elements, each kind in a file of its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result
from xylem.cli.app import app

QUERY = """<out xmlns:p="u">{ for $t in /l/t return
  if ($t/@k = "a") then <a>{ string($t/@n) }</a> else if ($t/@k = "b") then <p:b n="{ $t/@n }"/> else $t }</out>"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "in.xml").write_text('<l><t k="a" n="1"/><t k="b" n="2"/><t k="c"/><t k="a" n="4&lt;é"/></l>')
    return tmp_path


def run(place: Path, query: str, *arguments: str) -> Result:
    return CliRunner().invoke(app, ["run", "-q", query, "-i", str(place / "in.xml"), *arguments])


@pytest.mark.parametrize("how", [[], ["--no-stream"], ["--scanner", "python"]])
def test_each_kind_has_its_file(place: Path, how: list[str]) -> None:
    routes = ["--route", f"a={place}/a.xml", "--route", f"p:b={place}/b.xml", "-o", str(place / "rest.xml")]
    outcome = run(place, QUERY, *routes, *how)
    assert outcome.exit_code == 0, outcome.output
    assert (place / "a.xml").read_text() == '<a xmlns:p="u">1</a>\n<a xmlns:p="u">4&lt;é</a>\n'
    assert (place / "b.xml").read_text() == '<p:b xmlns:p="u" n="2"/>\n'
    assert (place / "rest.xml").read_text() == '<out xmlns:p="u"><t k="c"/></out>'


def test_items_of_the_answer_and_of_several_inputs(place: Path) -> None:
    outcome = run(place, "/l/t/<a>{ @n }</a>", "-i", str(place / "in.xml"), "--route", f"a={place}/a.xml")
    assert outcome.stdout == ""
    assert (place / "a.xml").read_text() == '<a n="1"/>\n<a n="2"/>\n<a/>\n<a n="4&lt;é"/>\n' * 2


def test_what_cannot_be_routed_is_told(place: Path) -> None:
    to = f"a={place}/a.xml"
    assert "XYST0016" in run(place, "count(/l/t)", "--route", to, "--output-param", "method=json").stderr
    assert "XYST0016" in run(place, 'declare option output:encoding "UTF-16"; <a/>', "--route", to).stderr
    assert "XYIN0002" in run(place, "/l/t", "--no-stream", "--route", f"t={place}/nowhere/t.xml").stderr
    checkpoint = ["-o", str(place / "o.xml"), "--checkpoint", str(place / "state")]
    for wrong in (
        ["a"],
        ["1a=b"],
        [to, "--route", to],
        [to, "--route", f"b={place}/a.xml"],
        [to, "-o", f"{place}/a.xml"],
        [to, "--format", "csv"],
        [to, *checkpoint],
    ):
        assert run(place, "/l/t", "--route", *wrong).exit_code == 2, wrong
