"""The playground says what the commands say: errors of `check`, notes of `explain`, the bytes of `run`; with limits."""

from __future__ import annotations

from pathlib import Path

import pytest
from xylem.console import playground

from tests.warm_command import xylem

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "examples").rglob("*.xq"))
SAMPLE = "<a><b n='2'>x</b><b n='1'>y</b></a>"


def test_an_error_has_the_span_of_check() -> None:
    (found,) = playground.check("for $page in //page\nreturn $pag")["errors"]
    assert (found["line"], found["column"], found["end_line"], found["end_column"]) == (2, 8, 2, 12)
    assert found["hint"] == "did you mean $page?"


def test_order_by_holds_and_its_first_items_do_not_hold_all() -> None:
    text = "for $p in //page\norder by $p/title\nreturn $p/title"
    whole, first = playground.check(text), playground.check(f"({text})[position() le 10]")
    notes = {note["line"]: (note["effect"], note["text"]) for note in whole["notes"]}
    assert notes[2] == ("holds", "all tuples, to sort them")
    assert [note["text"] for note in first["notes"] if note["line"] == 2] != ["all tuples, to sort them"]
    assert "streams" in whole["explain"]


def test_names_of_the_sample() -> None:
    told = playground.names("//b", "//b", "<a><bark/></a>")
    assert told["word"] == 1
    assert "bark" in [one["text"] for one in told["names"]]


@pytest.mark.parametrize("how", ["xml", "csv"])
def test_the_answer_is_that_of_the_command(how: str, tmp_path: Path) -> None:
    text = "for $b in //b order by $b/@n return map { 'n': xs:integer($b/@n), 't': string($b) }"
    (tmp_path / "q.xq").write_text(text)
    told = playground.run(text, SAMPLE, how)
    # Without a choice, maps are shown as they are; `--format xml` would refuse them.
    chosen = () if how == "xml" else ("--format", how)
    expected = xylem("run", str(tmp_path / "q.xq"), "-i", "-", *chosen, stdin=SAMPLE)
    assert told["output"].encode() == expected.stdout
    assert told["messages"] == ""
    assert '"peak_buffered_bytes"' in told["figures"]
    assert told["plot"].startswith("<svg")


@pytest.mark.share(10)
@pytest.mark.parametrize("place", EXAMPLES, ids=lambda place: place.relative_to(ROOT).as_posix())
def test_examples_give_what_the_command_gives(place: Path) -> None:
    sample = ROOT / "examples" / "departures.xml"
    told = playground.run(place.read_text(), sample.read_text())
    expected = xylem("run", "-q", place.read_text(), "-i", str(sample), "--quiet")
    assert told["output"].encode() == expected.stdout
    assert bool(told["messages"]) == (expected.returncode != 0)


def test_a_query_without_a_sample_and_one_with_an_error() -> None:
    assert playground.run("1 + 1", "")["output"] == "2\n"
    assert "FOAR0001" in playground.run("1 div 0", "")["messages"]


def test_nothing_of_this_machine_is_read(tmp_path: Path) -> None:
    (tmp_path / "secret.xml").write_text("<secret/>")
    place = f"{tmp_path}/secret.xml"
    for text in (f"doc('{place}')", f"unparsed-text('{place}')", "environment-variable('PATH')"):
        assert playground.run(text, "")["output"].strip() == ""


def test_a_run_that_takes_too_long_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playground, "TIME_LIMIT_SECONDS", 1)
    endless = "count(for $i in 1 to 100000000000 where $i mod 7 = 8 return $i)"
    assert "XYRT0040" in playground.run(endless, "")["messages"]


@pytest.mark.parametrize("name", playground.examples())
def test_examples_have_no_errors(name: str) -> None:
    query, _ = playground.examples()[name]
    assert playground.check(query)["errors"] == []


def test_endless_output_ends_with_what_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the disk nor the memory of the server has more of it."""
    monkeypatch.setattr(playground, "MOST_OUTPUT_BYTES", 100_000)
    told = playground.run("let $s := string-join((1 to 1000) ! 'a') return (1 to 100000000000) ! $s", "")
    assert told["output"] == (("a" * 1000 + " ") * 100)[:100_000]
    assert told["messages"] == "only the first 100,000 bytes are shown"
    told = playground.run("count((1 to 20000) ! trace(., 'told'))", "")
    assert told["output"] == "20000\n"
    assert len(told["messages"]) < 200_000
