"""The examples of one pass: their answers, what they keep, and recursions far deeper than any stack."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import xylem
from xylem.pipeline import StaticEnvironment, compile_stream
from xylem.run.stream.run import Statistics
from xylem.source.byte_source import ByteSource
from xylem.source.resources import FileResources

FOLDER = Path(__file__).resolve().parents[3] / "examples" / "single-pass"
QUERIES = sorted(FOLDER.glob("*.xq"))
TWO_PASSES = ("query-1", "query-3")
MOST_KEPT = 100_000
"""Cells of tables, the pixel at hand: nothing that grows with the input."""


def data_of(query: Path) -> Path:
    own = FOLDER / f"{query.stem.removesuffix('-tail')}.xml"
    return own if own.exists() else FOLDER / "pixels.xml"


@pytest.mark.parametrize("query", QUERIES, ids=lambda path: path.stem)
def test_the_answer_of_an_example(query: Path) -> None:
    expected = (FOLDER / "expected" / f"{query.stem}.txt").read_text(encoding="utf-8").rstrip("\n")
    compiled = xylem.compile(query.read_text(encoding="utf-8"))
    assert str(compiled.run(xylem.parse(data_of(query)))) == expected
    if query.stem in TWO_PASSES:
        return
    written: list[bytes] = []
    compiled.stream(data_of(query)).write_to(written.append)
    assert b"".join(written).decode() == expected


def many(start: str, record: str, end: str, number: int) -> Iterator[bytes]:
    yield start.encode()
    for _ in range(number // 1000):
        yield (record * 1000).encode()
    yield end.encode()


APPLICATIONS = {
    "satellite": (
        "<stream><data>",
        "<pixel><x>3</x><y>4</y><band0>2</band0><band1>6</band1></pixel>",
        "</data></stream>",
    ),
    "microscope": ("<slide>", "<pixel><x>5</x><y>9</y><grey>77</grey></pixel>", "</slide>"),
    "frequent-items": ("<capture>", "<packet><source>10.0.0.1</source></packet>", "</capture>"),
    "frequent-items-tail": ("<capture>", "<packet><source>10.0.0.1</source></packet>", "</capture>"),
}
ANSWERS = {"satellite": "768", "microscope": "77", "frequent-items": "10.0.0.1", "frequent-items-tail": "10.0.0.1"}


@pytest.mark.parametrize("application", APPLICATIONS)
@pytest.mark.parametrize("number", [1_000, 10_000])
def test_what_is_kept_does_not_grow(application: str, number: int) -> None:
    program = compile_stream((FOLDER / f"{application}.xq").read_text(encoding="utf-8"), StaticEnvironment())
    measured = Statistics()
    source = ByteSource.of(many(*APPLICATIONS[application], number))
    answer = "".join(item.string_value for item in program.run(source, FileResources(), statistics=measured))
    assert ANSWERS[application] in answer
    assert measured.peak_buffered_bytes < MOST_KEPT


def test_a_recursion_over_a_million_items() -> None:
    """The plain recursion would need a million frames."""
    query = """
        declare function local:sum($p) { if (empty($p)) then 0 else xs:integer($p[1]) + local:sum(tail($p)) };
        local:sum(/s/v)
    """
    items = compile_stream(query, StaticEnvironment()).run(
        ByteSource.of(many("<s>", "<v>3</v>", "</s>", 1_000_000)), FileResources()
    )
    assert list(items) == [3_000_000]


def test_malformed_records_are_left_out_of_tables() -> None:
    """What looks at records alone knows nothing of the values that a table waits for."""
    query = "declare variable $f as xs:integer external := 2; sum(/slide/pixel ! (xs:integer(grey) * $f))"
    good = "<pixel><grey>8</grey></pixel>"
    source = f"<slide>{good}<pixel><x>1</y></pixel>{good}</slide>".encode()
    assert list(xylem.compile(query).stream(source, on_malformed="skip").xdm()) == [32]
