"""`xylem bench flux` and `xqpull`: what streams keep, and that the thesis' claims hold here too."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner
from xylem.bench import dblp, xmark
from xylem.bench.attribute_free import dtd_without_attributes, without_attributes
from xylem.bench.cli import app
from xylem.bench.flux_queries import QUERIES, SIZES_MB

runner = CliRunner()


def test_attributes_become_children() -> None:
    etree = pytest.importorskip("lxml.etree", reason="lxml is a development dependency")
    document = "".join(without_attributes(xmark.generate(0.0005)))
    dtd = etree.DTD(io.StringIO(dtd_without_attributes(xmark.DTD)))
    root = etree.fromstring(document.encode())
    assert not any(element.attrib for element in root.iter())
    assert dtd.validate(root), dtd.error_log


def test_bibliography() -> None:
    etree = pytest.importorskip("lxml.etree", reason="lxml is a development dependency")
    document = "".join(dblp.generate(2_000, seed=2)).encode()
    assert document == "".join(dblp.generate(2_000, seed=2)).encode()
    root = etree.fromstring(document)
    dtd = etree.DTD(io.StringIO(dblp.DTD))
    assert len(root) == 2_000
    assert dtd.validate(root), dtd.error_log
    assert pytest.approx(len(document) / 2_000, rel=0.05) == dblp.BYTES_PER_RECORD
    assert dblp.SOUGHT in {author.text for author in root.iter("author")}


def test_bibliography_from_the_command_line() -> None:
    ended = runner.invoke(app, ["data", "dblp", "--records", "3", "-o", "-"])
    assert ended.exit_code == 0
    assert ended.stdout.count(" key=") == 3


def test_every_query_has_the_thesis_figures() -> None:
    assert all(len(query.optimised) == len(query.unoptimised) == len(SIZES_MB) for query in QUERIES)


def test_buffers_are_as_small_as_in_the_thesis(tmp_path: Path) -> None:
    file = tmp_path / "buffers.json"
    ended = runner.invoke(app, ["flux", "--size", "1", "--queries", "1,5,13,16,17,20", "--json", str(file)])
    assert ended.exit_code == 0, ended.output
    figures = {entry["name"]: entry for entry in json.loads(file.read_text())["queries"]}
    assert not [name for name, entry in figures.items() if entry["holds"] is False], ended.output
    # What the schema is good for.
    for name in ("Q1", "Q13", "Q20", "Q8b"):
        entry = figures[name]
        assert entry["with_schema"]["peak_bytes"] < entry["without_schema"]["peak_bytes"]


def test_little_is_kept_for_the_queries_of_xqpull(tmp_path: Path) -> None:
    file = tmp_path / "caches.json"
    ended = runner.invoke(app, ["xqpull", "--size", "0.4", "--json", str(file)])
    assert ended.exit_code == 0, ended.output
    rows = json.loads(file.read_text())
    assert [row["query"] for row in rows] == list(range(1, 10))
    small = {row["query"] for row in rows if row["peak_bytes_with_schema"] < 10_000}
    assert {1, 2, 3, 4, 5, 6, 7, 8} <= small
