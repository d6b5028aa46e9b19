"""`xylem run -i FILE?frames=…`: the documents of a file are as many inputs, whatever tells them apart."""

from __future__ import annotations

import gzip
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner
from xylem.cli.app import app
from xylem.errors import XylemError
from xylem.source.framed_file import FramedFile, Frames
from xylem.source.limits import DEFAULT_LIMITS

MESSAGES = (
    b"<o id='1'><p>3</p><p>1</p></o>",
    b"<o id='2'/>",
    b"<o id='3'><p>2</p><!-- &amp; --><q>&lt;x</q></o>",
    "<o id='4'><p>5</p>\u00e4</o>".encode(),
)
QUERIES = (
    "/o/@id/string()",
    "/o/p",
    "for $o in /o return <r n='{ $o/@id }'>{ $o/p }</r>",
    "<all>{ for $p in /o/p return <p>{ $p/text() }</p> }</all>",
    "count(/o/p), sum(/o/p)",
    "for $p in /o/p order by xs:integer($p) descending return $p",
    "for $p in /o/p group by $k := $p mod 2 order by $k return <g k='{ $k }'>{ count($p) }</g>",
    "/o/p[last()]/preceding-sibling::p",
    "/o/q/text(), /o/@id/data()",
    "exists(/o/nothing)",
    "/o/p/number()",
    "for $o in /o return count($o/p) * 2",
    "for $o in /o return string($o/q)",
    "for $o in /o return if ($o/p) then concat($o/@id, '<', $o/p[. > 2]) else ()",
    "<all>{ for $o in /o return ($o/q/string(), $o/@id/string()) }</all>",
    "collection()/o/@id/string()",
)
FRAMED: dict[str, Callable[[tuple[bytes, ...]], bytes]] = {
    "lines": lambda messages: b"\n".join((messages[0], b"", *messages[1:])) + b"\r\n",
    "length": lambda messages: b"".join(len(each).to_bytes(4, "big") + each for each in messages),
    "netconf": lambda messages: b"".join(each + b"]]>]]>\n" for each in messages),
}
runner = CliRunner()


def run(*arguments: str) -> str:
    ended = runner.invoke(app, ["run", "--quiet", *arguments])
    assert ended.exit_code == 0, ended.output
    return ended.output


@pytest.mark.parametrize("query", QUERIES)
def test_frames_are_as_many_files(tmp_path: Path, query: str) -> None:
    folder = tmp_path / "each"
    folder.mkdir()
    for number, message in enumerate(MESSAGES):
        (folder / f"{number}.xml").write_bytes(message)
    expected = run("-q", query, "-i", str(folder))
    assert run("-q", query, "-i", str(folder), "--scanner", "python") == expected
    for frames, of in FRAMED.items():
        file = tmp_path / f"messages.{frames}"
        file.write_bytes(of(MESSAGES))
        assert run("-q", query, "-i", f"{file}?frames={frames}") == expected, frames
    packed = tmp_path / "messages.gz"
    packed.write_bytes(gzip.compress(FRAMED["lines"](MESSAGES[:2])))
    (tmp_path / "rest.txt").write_bytes(FRAMED["lines"](MESSAGES[2:]))
    assert run("-q", query, "-i", f"{packed}?frames=lines", "-i", f"{tmp_path / 'rest.txt'}?frames=lines") == expected


def test_values_stand_apart_whoever_writes_them(tmp_path: Path) -> None:
    # The scan leaves the third to the query: its number has too many digits. The fourth is malformed.
    file = tmp_path / "messages.txt"
    number = "1234567890123456789012345678901234567890"
    values = ("1", "", number, "4</p>", "<q/>", "2", number, number)
    file.write_bytes("".join(f"<o><p>{value}</p></o>\n" for value in values).encode())
    query = "for $p in /o/p return if ($p = '') then '' else xs:integer($p) + 1"
    given = ["-i", f"{file}?frames=lines", "--on-malformed", "skip"]
    ended = runner.invoke(app, ["run", "--quiet", "-q", query, *given])
    next_one = f"{number[:-1]}1"
    assert ended.stdout.splitlines()[0] == f"2  {next_one}  3 {next_one} {next_one}", ended.output


def test_standard_input_and_other_outputs(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "xylem", "run", "-q", "count(/o/p)", "-i", "-?frames=lines"]
    ended = subprocess.run(command, input=FRAMED["lines"](MESSAGES), capture_output=True, check=True, timeout=60)
    assert ended.stdout.strip() == b"4"
    file = tmp_path / "messages.txt"
    file.write_bytes(FRAMED["lines"](MESSAGES))
    rows = run("-q", "/o ! map { 'id': string(@id), 'n': count(p) }", "-i", f"{file}?frames=lines", "--format", "jsonl")
    assert rows.splitlines()[0] == '{"id":"1","n":2}'


def test_an_error_has_its_place_in_the_file(tmp_path: Path) -> None:
    file = tmp_path / "messages.txt"
    file.write_bytes(b"<o><p>1</p></o>\n\n<o><p>2</o>\n<o><p>x</p></o>\n")
    ended = runner.invoke(app, ["run", "-q", "/o/p", "-i", f"{file}?frames=lines"])
    assert ended.exit_code != 0
    assert "XYIN0001" in ended.output
    assert f"{file}: " in ended.output
    assert "line 3, column 10 (byte 26)" in ended.output
    skipped = runner.invoke(app, ["run", "-q", "/o/p", "-i", f"{file}?frames=lines", "--on-malformed", "skip"])
    assert "<p>1</p><p>x</p>" in skipped.output
    assert "left out: 1 malformed" in skipped.output
    given = ["-i", f"{file}?frames=lines", "--on-malformed", "skip"]
    failed = runner.invoke(app, ["run", "-q", "/o/p ! xs:integer(.)", *given])
    assert "FORG0001" in failed.output
    assert f"while reading {file}, line 4" in failed.output


def test_frames_that_are_none(tmp_path: Path) -> None:
    file = tmp_path / "messages.bin"
    file.write_bytes(FRAMED["length"](MESSAGES)[:-3])
    with pytest.raises(XylemError, match=r"message 4: 24 bytes are announced, and 21 are left, at byte 101") as cut:
        FramedFile(str(file), Frames.LENGTH, DEFAULT_LIMITS)
    assert cut.value.code == "XYIN0012"
    file.write_bytes(FRAMED["length"](MESSAGES) + b"\0\0")
    with pytest.raises(XylemError, match=r"message 5: 2 bytes are left, and a length has 4"):
        FramedFile(str(file), Frames.LENGTH, DEFAULT_LIMITS)
    for wrong, told in (("frames=line", "lines, length or netconf"), ("frames=lines&x=1", "no option 'x'")):
        ended = runner.invoke(app, ["run", "-q", "/o", "-i", f"{file}?{wrong}"])
        assert ended.exit_code != 0
        assert "XYIN0012" in ended.output
        assert told in ended.output
    missing = runner.invoke(app, ["run", "-q", "/o", "-i", f"{tmp_path}/nothing?frames=lines"])
    assert "XYIN0002" in missing.output
    beside = runner.invoke(app, ["run", "-q", "/o", "-i", f"{file}?frames=lines", "--plot", f"{tmp_path}/p.svg"])
    assert beside.exit_code == 2


def test_no_documents(tmp_path: Path) -> None:
    file = tmp_path / "empty.txt"
    file.write_bytes(b"\n\n")
    assert run("-q", "count(/o)", "-i", f"{file}?frames=lines").strip() == "0"
    file.write_bytes(b"")
    assert run("-q", "/o", "-i", f"{file}?frames=length") == ""
