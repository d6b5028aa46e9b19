"""Malformed records and unreadable inputs by policy, as a shell sees it."""

from __future__ import annotations

import gzip
import json
import subprocess
from pathlib import Path

import pytest
import xylem
from xylem.errors import StaticError
from xylem.source.malformed import MalformedRecord

from tests import warm_command

GOOD = "<r><i>1</i><i>2</i></r>"
BAD = "<r>\n<i>1</i><i>&none;</i><i>3</i></r>"


def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    ended = warm_command.xylem("run", *arguments, cwd=cwd)
    return subprocess.CompletedProcess(ended.args, ended.returncode, ended.stdout.decode(), ended.stderr.decode())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "good.xml").write_text(GOOD)
    (tmp_path / "bad.xml").write_text(BAD)
    return tmp_path


def test_the_first_error_ends_the_run_by_default(folder: Path) -> None:
    done = run("-q", "/r/i/text()", "-i", "bad.xml", cwd=folder)
    assert (done.returncode, done.stdout) == (3, "1")
    assert "XYIN0001" in done.stderr


def test_skipping_is_counted(folder: Path) -> None:
    done = run("-q", "for $i in /r/i return $i * 10", "-i", "bad.xml", "--on-malformed", "skip", cwd=folder)
    assert (done.returncode, done.stdout) == (0, "10 30\n")
    assert done.stderr == "left out: 1 malformed record, 13 bytes (XYIN0001 1)\n"


@pytest.mark.parametrize("more", [[], ["--no-stream"]])
def test_figures_tell_of_it(folder: Path, more: list[str]) -> None:
    options = ["-i", "bad.xml", "--on-malformed", "skip", "--stats", "json", *more]
    done = run("-q", "count(/r/i)", *options, cwd=folder)
    assert done.stdout == "2\n"
    facts = json.loads(done.stderr.splitlines()[-1])
    assert facts["malformed"] == {"records": 1, "inputs": 0, "bytes": 13, "codes": {"XYIN0001": 1}}
    assert "left out" in run("-q", "count(/r/i)", *options[:-2], "--stats", *more, cwd=folder).stderr


@pytest.mark.parametrize("name", ["letters.jsonl", "letters.xml"])
def test_dead_letters(folder: Path, name: str) -> None:
    done = run("-q", "/r/i/text()", "-i", "bad.xml", "--on-malformed", f"dead-letter={name}", cwd=folder)
    assert (done.returncode, done.stdout) == (0, "13\n")
    assert f"see {name}" in done.stderr
    text = (folder / name).read_text()
    if name.endswith("xml"):
        (record,) = xylem.compile("//record").run(xylem.parse(text))
        names = ("byte-offset", "line", "size", "code")
        found = {name: str(xylem.compile(f"string(@{name})").run(record)) for name in names}
        assert record.string_value == "<i>&none;</i>"
        assert found["byte-offset"] == "12"
        assert (found["line"], found["size"], found["code"]) == ("2", "13", "XYIN0001")
        return
    entry = json.loads(text)
    assert entry["text"] == "<i>&none;</i>"
    assert (entry["source"], entry["byte_offset"], entry["line"], entry["size"]) == ("bad.xml", 12, 2, 13)
    assert (entry["error_byte_offset"], entry["error_line"], entry["path"]) == (15, 2, "/r/i")
    assert entry["code"] == "XYIN0001"
    assert "&none;" in entry["reason"]
    assert not entry["truncated"]


def test_dead_letters_lie_beside_the_output(folder: Path) -> None:
    run("-q", "/r/i", "-i", "bad.xml", "--on-malformed", "dead-letter", "-o", "out.xml", cwd=folder)
    assert (folder / "out.xml.dead-letters.jsonl").exists()
    run("-q", "/r/i", "-i", "bad.xml", "--on-malformed", "dead-letter", cwd=folder)
    assert (folder / "dead-letters.jsonl").exists()


def test_bytes_that_are_no_text_are_kept(folder: Path) -> None:
    (folder / "bad.xml").write_bytes(b"<r><i>1</i><i>\xff\xfe</i></r>")
    run("-q", "/r/i", "-i", "bad.xml", "--on-malformed", "dead-letter=d.jsonl", cwd=folder)
    assert json.loads((folder / "d.jsonl").read_text())["base64"] == "PGk+//48L2k+"


def test_queries_without_records_are_refused(folder: Path) -> None:
    done = run("-q", "/r/i[last()]/preceding::i", "-i", "bad.xml", "--on-malformed", "skip", cwd=folder)
    assert done.returncode == 1
    assert "XYST0005" in done.stderr


@pytest.mark.parametrize("value", ["ignore", "skip=x", "dead-letter="])
def test_wrong_policies(folder: Path, value: str) -> None:
    done = run("-q", "/r/i", "-i", "bad.xml", "--on-malformed", value, cwd=folder)
    assert done.returncode == 2
    assert "--on-malformed" in done.stderr


def test_a_place_for_dead_letters_that_cannot_be_written(folder: Path) -> None:
    done = run("-q", "/r/i", "-i", "bad.xml", "--on-malformed", "dead-letter=none/d.jsonl", cwd=folder)
    assert done.returncode == 3
    assert "none/d.jsonl" in done.stderr


# --- several inputs


def test_several_inputs_one_after_another(folder: Path) -> None:
    (folder / "more").mkdir()
    (folder / "more" / "a.xml").write_text("<r><i>4</i></r>")
    (folder / "more" / "b.xml.gz").write_bytes(gzip.compress(b"<r><i>5</i></r>"))
    (folder / "more" / ".hidden.xml").write_text("<r><i>9</i></r>")
    query = "for $i in /r/i return string($i)"
    for names in (["good.xml", "more"], ["good.xml", "more/*"], ["good.xml", "more/a.xml", "more/b.xml.gz"]):
        options = [option for name in names for option in ("-i", name)]
        assert run("-q", query, *options, cwd=folder).stdout == "1 2 4 5\n"
        assert run("-q", "<n>{ count(//i) }</n>", *options, cwd=folder).stdout == "<n>4</n>\n"


def test_inputs_that_cannot_be_read(folder: Path) -> None:
    (folder / "junk.xml").write_text("no xml")
    (folder / "cut.xml.gz").write_bytes(gzip.compress(b"<r><i>7</i></r>")[:-9])
    (folder / "z.xml").write_text("<r><i>9</i><i>")
    query = ("-q", "for $i in /r/i return string($i)")
    names = ("good.xml", "junk.xml", "none.xml", "cut.xml.gz", "bad.xml", "z.xml")
    inputs = [option for name in names for option in ("-i", name)]
    stopped = run(*query, *inputs, cwd=folder)
    assert (stopped.returncode, stopped.stdout) == (3, "1 2")
    assert "junk.xml" in stopped.stderr
    done = run(*query, *inputs, "--on-malformed", "dead-letter=d.jsonl", "--stats", "json", cwd=folder)
    # What was complete before a file broke off is delivered.
    assert done.stdout.split() == ["1", "2", "7", "1", "3", "9"]
    facts = json.loads(done.stderr.splitlines()[-1])
    assert (facts["malformed"]["inputs"], facts["malformed"]["records"], facts["inputs"]) == (3, 2, 6)
    entries = [json.loads(line) for line in (folder / "d.jsonl").read_text().splitlines()]
    assert [(entry["source"], entry["kind"]) for entry in entries] == [
        ("junk.xml", "file"),
        ("none.xml", "file"),
        ("cut.xml.gz", "file"),
        ("bad.xml", "record"),
        ("z.xml", "record"),
    ]


def test_queries_that_read_several_times_count_once(folder: Path) -> None:
    query = "<n c='{ count(//i) }' s='{ sum(//i) }'>{ for $i in /r/i return $i }</n>"
    options = ["-i", "good.xml", "-i", "bad.xml", "--on-malformed", "skip"]
    done = run("-q", query, *options, cwd=folder)
    assert done.stdout == '<n c="4" s="7"><i>1</i><i>2</i><i>1</i><i>3</i></n>\n'
    assert "1 malformed record," in done.stderr


# --- from Python


def test_from_python() -> None:
    query = xylem.compile("for $i in /r/i return string($i)")
    told: list[MalformedRecord] = []
    result = query.stream(BAD.encode(), on_malformed="dead-letter", dead_letters=told.append)
    assert list(result) == ["1", "3"]
    assert [record.data for record in told] == [b"<i>&none;</i>"]
    assert result.malformed is not None
    assert result.malformed.records == 1
    assert query.stream(GOOD.encode()).malformed is None
    with pytest.raises(StaticError) as caught:
        xylem.compile("/r/i[last()]").stream(BAD.encode(), on_malformed="skip")
    assert caught.value.code == "XYST0005"
    with pytest.raises(ValueError, match="dead letters"):
        query.stream(BAD.encode(), on_malformed="dead-letter")
