"""`xylem run` over a large file uses the cores of the machine, and writes what it writes with one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from xylem.cli import core_use
from xylem.cli.query_source import QuerySource
from xylem.cli.run_query import RunOptions, run_query
from xylem.errors import InputError
from xylem.functions.late_items import LateItems
from xylem.run.tasks.in_threads import ThreadedRun
from xylem.source import guessed_ranges


def written(query: str, place: Path, **options: Any) -> bytes:
    output = place / "output"
    output.unlink(missing_ok=True)
    source = QuerySource(query, "query", place.as_uri())
    given: dict[str, Any] = {"values": [], "documents": [], "allowed": [], "allow_environment": False}
    given["output_parameters"] = []
    given["late_items"] = LateItems()
    run_query(source, RunOptions([str(place / "input.xml")], output=output, quiet=True, **{**given, **options}))
    return output.read_bytes()


@pytest.fixture
def large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(core_use, "cores", lambda: 2)
    monkeypatch.setattr(guessed_ranges, "FIRST_BYTES", 100)
    monkeypatch.setattr(guessed_ranges, "PART_BYTES", 500)
    items = "".join(f"<i a='{number}'><v>{number % 7}</v></i>\n" for number in range(300))
    (tmp_path / "input.xml").write_text(f"<s>{items}</s>")
    return tmp_path


@pytest.mark.parametrize(
    ("query", "options", "is_threaded"),
    [
        ("for $i in /s/i where $i/v > 4 return <r>{ $i/v, $i/@a/string() }</r>", {}, True),
        ("count(//i[v = 3])", {}, True),
        ("<n>{ count(/s/i) }</n>", {"output_parameters": ["indent=no"]}, True),
        ("/s/i", {"output_parameters": ["indent=yes"]}, False),
        ("sum(//v)", {}, False),
        ("/s/i", {"stream": False}, False),
        ("/s/i", {"on_malformed": "skip"}, False),
    ],
)
def test_the_output_is_the_same(
    query: str, options: dict[str, Any], is_threaded: bool, large: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = written(query, large, **options)
    made: list[int] = []
    begin = ThreadedRun.__init__
    monkeypatch.setattr(ThreadedRun, "__init__", lambda self, *given: made.append(len(given[1])) or begin(self, *given))
    monkeypatch.setattr(core_use, "LEAST_BYTES", 1)
    assert written(query, large, **options) == expected
    assert [parts > 10 for parts in made] == [True] * is_threaded


def test_an_error_has_the_same_place(large: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = large / "input.xml"
    file.write_text(file.read_text().replace("<i a='200'>", "<i b>"))
    told = []
    for least in (1 << 40, 1):
        monkeypatch.setattr(core_use, "LEAST_BYTES", least)
        with pytest.raises(InputError) as caught:
            written("/s/i/v", large)
        told.append((str(caught.value), (large / "output").read_bytes()))
    assert told[0] == told[1]
