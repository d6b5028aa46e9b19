"""Standard output and error that are closed or full: a clear message and an exit code, and never a traceback."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

CLOSED, FULL = "Bad file descriptor", "No space left on device"
QUERY = "run -q '1 + 1'"
has_full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no device that is always full")


def shell(command: str) -> subprocess.CompletedProcess[str]:
    """A command line of xylem, with redirections, as a shell runs it."""
    line = f"{shlex.quote(sys.executable)} -m xylem {command}"
    return subprocess.run(["sh", "-c", line], capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.share(3)
@pytest.mark.parametrize(
    ("command", "why"),
    [
        (f"{QUERY} >&-", CLOSED),
        (f"{QUERY} --stats >&-", CLOSED),
        ("explain -q '1 + 1' >&-", CLOSED),
        ("--help >&-", CLOSED),
        pytest.param(f"{QUERY} >/dev/full", FULL, marks=has_full),
        pytest.param("run -q '1 to 100000' >/dev/full", FULL, marks=has_full),
        pytest.param("explain -q '1 + 1' >/dev/full", FULL, marks=has_full),
        pytest.param("--help >/dev/full", FULL, marks=has_full),
        pytest.param("doctor >/dev/full", FULL, marks=has_full),
    ],
)
def test_a_result_that_cannot_be_written_is_told(command: str, why: str) -> None:
    ended = shell(command)
    assert (ended.returncode, ended.stdout) == (3, "")
    assert ended.stderr.splitlines() == [f"XYIN0002: a file cannot be read or written: standard output: {why}"]


@pytest.mark.parametrize("way", ["2>&-", pytest.param("2>/dev/full", marks=has_full)])
def test_a_message_that_cannot_be_written_changes_nothing(way: str) -> None:
    for command, code, written in [(f"{QUERY} --stats", 0, "2\n"), ("run -q '1 +'", 1, "")]:
        ended = shell(f"{command} {way}")
        assert (ended.returncode, ended.stdout, ended.stderr) == (code, written, "")


def test_nothing_is_open() -> None:
    assert shell(f"{QUERY} <&- >&- 2>&-").returncode == 3
    ended = shell("run -q '/a' -i - <&-")
    assert ended.returncode == 3
    assert f"standard input: {CLOSED}" in ended.stderr


def test_files_do_not_take_the_place_of_closed_streams(tmp_path: Path) -> None:
    """A file that is opened next would be given the number of standard error, and what is printed there."""
    answer = tmp_path / "answer.xml"
    ended = shell(f"{QUERY} --stats -o {shlex.quote(str(answer))} <&- >&- 2>&-")
    assert (ended.returncode, answer.read_text(encoding="utf-8")) == (0, "2")


WRITING_AT_THE_END = """
import sys, threading, time
from xylem.cli.standard_streams import take_standard_streams
take_standard_streams()
print("before", file=sys.{stream})
sys.{stream}.flush()
begun = threading.Event()
def write():
    while True:
        begun.set()
        print("x" * 5000, file=sys.{stream}, flush=True)
threading.Thread(target=write, daemon=True).start()
begun.wait()
time.sleep(0.3)
sys.exit(5)
"""


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_thread_that_is_writing_does_not_make_the_end_fail(stream: str) -> None:
    code = WRITING_AT_THE_END.format(stream=stream)
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        # Nobody reads while it ends: the thread waits in the middle of a write.
        assert process.wait(60) == 5
        told, errors = process.communicate()
    assert (told if stream == "stdout" else errors).startswith(b"before\nxxx")
    assert b"Fatal" not in errors
