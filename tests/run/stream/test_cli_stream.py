"""`xylem run` over a stream, as a shell sees it: what comes out, when, what is told, and how it ends when it must."""

from __future__ import annotations

import bz2
import gzip
import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any
from xml.etree import ElementTree

import pytest

from tests.warm_command import xylem

COMMAND = [sys.executable, "-W", "ignore", "-m", "xylem"]
HEAD, TAIL = "<list>", "</list>"
LIMIT_SECONDS = 60


def item(number: int) -> str:
    return f'<item id="{number}"><name>Name {number}</name><v>{number % 7}</v></item>'


def document(items: int) -> str:
    return HEAD + "".join(map(item, range(items))) + TAIL


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "list.xml").write_text(document(300), encoding="utf-8")
    return tmp_path


def figures(ended: subprocess.CompletedProcess[bytes]) -> dict[str, Any]:
    facts = json.loads(ended.stderr.splitlines()[-1])
    assert isinstance(facts, dict)
    return facts


# --- answers


@pytest.mark.parametrize(
    "query",
    [
        "//item[v = 3]/name",
        "<r>{ for $i in /list/item where $i/v = 3 return <n id='{$i/@id}'>{ $i/name/text() }</n> }</r>",
        "for $i in /list/item[v = 3] return map { 'name': string($i/name) }",
        "count(//item), sum(//v)",
        "for $i in /list/item order by string($i/name) descending return string($i/@id)",
        "//item/../..",
    ],
)
@pytest.mark.share(3)
def test_the_same_bytes_in_every_mode(place: Path, query: str) -> None:
    modes = ["--scanner=python"], ["--no-stream"], []
    answers = [xylem("run", "-q", query, "-i", "list.xml", *mode, cwd=place) for mode in modes]
    assert {ended.returncode for ended in answers} == {0}
    assert len({ended.stdout for ended in answers}) == 1
    assert answers[0].stdout


def test_any_input(place: Path) -> None:
    data = (place / "list.xml").read_bytes()
    (place / "list.xml.gz").write_bytes(gzip.compress(data))
    (place / "list.xml.bz2").write_bytes(bz2.compress(data))
    for name in ("list.xml", "list.xml.gz", "list.xml.bz2"):
        for mode in ("--stream", "--no-stream"):
            assert xylem("run", "-q", "count(//item)", "-i", name, mode, cwd=place).stdout == b"300\n", (name, mode)
    assert xylem("run", "-q", "count(//item)", "-i", "-", stdin=gzip.compress(data)).stdout == b"300\n"


def test_a_query_names_its_document(place: Path) -> None:
    ended = xylem("run", "-q", "count(doc('list.xml')//item)", "--allow", ".", "--stats", "json", cwd=place)
    assert ended.stdout == b"300\n"
    assert figures(ended)["streamed"] is True


def test_what_cannot_stream_is_told(place: Path) -> None:
    refused = xylem("run", "-q", "\n//item/../..", "-i", "list.xml", "--stream", cwd=place)
    assert refused.returncode == 1
    assert b"XYST0004" in refused.stderr
    answered = xylem("run", "-q", "\n//item/../..", "-i", "list.xml", "--stats", "json", cwd=place)
    facts = figures(answered)
    assert facts["streamed"] is False
    assert facts["reason"]
    several = xylem("run", "-q", "//item/../..", "-i", "list.xml", "-i", "list.xml", "--stream", cwd=place)
    assert (several.returncode, b"XYST0004" in several.stderr) == (1, True)


def test_several_inputs_stream_one_after_another(place: Path) -> None:
    inputs = ("-i", "list.xml", "-i", "list.xml", "--stream")
    ended = xylem("run", "-q", "count(//item)", *inputs, "--stats", "json", cwd=place)
    assert ended.stdout == b"600\n"
    assert figures(ended)["streamed"] is True


def test_a_collection_does_not_stream(place: Path) -> None:
    ended = xylem("run", "-q", "count(collection()//item)", "-i", "list.xml", "--stats", "json", cwd=place)
    assert ended.stdout == b"300\n"
    assert figures(ended)["streamed"] is False


# --- what is told


def test_figures_for_programs(place: Path) -> None:
    # Namespaces, because the scan itself writes small elements without them.
    query = "<r>{ for $i in /list/item return <e xmlns:n='urn:n'>{ $i/v }{ $i/name }</e> }</r>"
    ended = xylem("run", "-q", query, "-i", "list.xml", "--stats", "json", cwd=place)
    facts = figures(ended)
    size = (place / "list.xml").stat().st_size
    assert (facts["streamed"], facts["passes"], facts["input_bytes"], facts["results"]) == (True, 1, size, 300)
    assert facts["records"]
    assert facts["peak_rss_bytes"] > 1_000_000
    assert facts["buffers"] == [{"variable": "i", "peak_bytes": facts["peak_buffered_bytes"]}]
    assert 0 < facts["peak_buffered_bytes"] < 200
    tree = figures(xylem("run", "-q", query, "-i", "list.xml", "--stats", "json", "--no-stream", cwd=place))
    assert (tree["streamed"], tree["input_bytes"]) == (False, size)
    assert tree["peak_buffered_bytes"] > size


def test_figures_for_people(place: Path) -> None:
    told = xylem("run", "--stats", "-q", "//name", "-i", "list.xml", cwd=place).stderr.decode()
    assert told.startswith("streamed           yes, in 1 pass, scanned by ")
    assert "memory at most" in told
    told = xylem("run", "-q", "//item/../..", "-i", "list.xml", "--stats", cwd=place).stderr.decode()
    assert told.startswith("streamed           no: ")


def test_a_schema_spares_buffers(place: Path) -> None:
    (place / "list.dtd").write_text(
        "<!ELEMENT list (item*)> <!ELEMENT item (name, v)> <!ATTLIST item id CDATA #REQUIRED>"
        "<!ELEMENT name (#PCDATA)> <!ELEMENT v (#PCDATA)>",
        encoding="utf-8",
    )
    query = "<r>{ for $i in /list/item return <e xmlns:n='urn:n'>{ $i/name }{ $i/v }</e> }</r>"
    without = xylem("run", "-q", query, "-i", "list.xml", "--stats=json", cwd=place)
    with_schema = xylem("run", "-q", query, "-i", "list.xml", "--stats=json", "--schema", "list.dtd", cwd=place)
    assert without.stdout == with_schema.stdout
    assert figures(without)["peak_buffered_bytes"] > figures(with_schema)["peak_buffered_bytes"] == 0
    told = json.loads(xylem("explain", "-q", query, "--format", "json", cwd=place).stdout)
    assert [buffer["variable"] for buffer in told["buffers"]] == ["i"]
    told = json.loads(xylem("explain", "-q", query, "--format", "json", "--schema", "list.dtd", cwd=place).stdout)
    assert (told["streamed"], told["passes"], told["buffers"]) == (True, 1, [])
    assert "on name" in told["flux"]
    valid = xylem("run", "-q", query, "-i", "list.xml", "--schema", "list.dtd", "--validate", cwd=place)
    assert valid.stdout == without.stdout
    (place / "list.xml").write_text(HEAD + item(1) + "<item id='2'><v>1</v></item>" + TAIL, encoding="utf-8")
    invalid = xylem("run", "-q", "//name", "-i", "list.xml", "--schema", "list.dtd", "--validate", "full", cwd=place)
    assert (invalid.returncode, invalid.stdout) == (3, b"<name>Name 1</name>")
    assert b"XYIN0021" in invalid.stderr
    assert xylem("run", "-q", "//name", "-i", "list.xml", "--validate", cwd=place).returncode == 2
    missing = xylem("run", "-q", query, "-i", "list.xml", "--schema", "none.dtd", cwd=place)
    assert (missing.returncode, b"none.dtd" in missing.stderr) == (3, True)


def test_a_figure_of_the_buffers(place: Path) -> None:
    query = "<r>{ for $i in /list/item return <e>{ $i/v }{ $i/name }</e> }</r>"
    ended = xylem("run", "-q", query, "-i", "list.xml", "--plot-buffers", "out.svg", cwd=place)
    assert ended.returncode == 0
    figure = ElementTree.parse(place / "out.svg").getroot()
    assert {"polygon", "polyline"} <= {part.tag.rpartition("}")[2] for part in figure}
    refused = xylem("run", "-q", query, "-i", "list.xml", "--plot-buffers", "no/such/out.svg", cwd=place)
    assert (refused.returncode, b"no/such/out.svg: No such file" in refused.stderr) == (3, True)


def test_limits_are_told_and_can_be_moved(place: Path) -> None:
    (place / "deep.xml").write_text("<a>" * 40 + "</a>" * 40, encoding="utf-8")
    for mode in ("--stream", "--no-stream"):
        command = ("run", "-q", "count(//a)", "-i", "deep.xml", mode)
        assert xylem(*command, "--limit", "depth=40", cwd=place).stdout == b"40\n"
        refused = xylem(*command, "--limit", "depth=39", cwd=place)
        assert (refused.returncode, b"XYIN0004" in refused.stderr) == (3, True)
        assert b"deep.xml" in refused.stderr
    wrong = xylem("run", "-q", "1", "--limit", "patience=1", cwd=place)
    assert (wrong.returncode, b"depth" in wrong.stderr) == (2, True)


# --- when it comes


class Live:
    """A run whose standard input is fed piece by piece."""

    def __init__(self, *arguments: str, stderr: int = subprocess.PIPE) -> None:
        self.process = subprocess.Popen(
            [*COMMAND, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            bufsize=0,
            # A shell lets what it starts in the background ignore interrupts.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )

    def feed(self, text: str) -> None:
        assert self.process.stdin is not None
        view = memoryview(text.encode())
        while view:
            view = view[self.process.stdin.write(view) :]

    def read_until(self, wanted: bytes) -> bytes:
        """Standard output up to where something appears in it; fails where it does not."""
        assert self.process.stdout is not None
        return read_until(self.process.stdout, lambda got: wanted in got)

    def finish(self) -> tuple[bytes, bytes]:
        return self.process.communicate(timeout=LIMIT_SECONDS)

    def __enter__(self) -> Live:
        return self

    def __exit__(self, *reason: object) -> None:
        self.process.kill()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None:
                pipe.close()
        self.process.wait()


def read_until(file: IO[bytes] | int, enough: Callable[[bytes], bool]) -> bytes:
    number = file if isinstance(file, int) else file.fileno()
    got = b""
    end = time.monotonic() + LIMIT_SECONDS
    while not enough(got):
        ready, _, _ = select.select([number], [], [], max(0, end - time.monotonic()))
        assert ready, f"nothing more came after {got[-100:]!r}"
        data = os.read(number, 1 << 16)
        assert data, f"it ended after {got[-100:]!r}"
        got += data
    return got


@pytest.mark.parametrize(
    "query", ["<r>{ /list/item/name }</r>", "for $i in /list/item return map { 1: $i/name/string() }"]
)
def test_results_come_while_the_input_is_still_to_come(query: str) -> None:
    with Live("run", "-q", query, "-i", "-") as run:
        run.feed(HEAD + item(1))
        run.read_until(b"Name 1")
        run.feed(item(2))
        run.read_until(b"Name 2")
        run.feed(TAIL)
        run.finish()
        assert run.process.returncode == 0


def test_the_first_result_comes_before_a_hundredth_of_a_gigabyte_has_been_read() -> None:
    gigabyte, piece = 1_000_000_000, "".join(map(item, range(1000)))
    with Live("run", "-q", "<r>{ for $i in /list/item return $i/name }</r>", "-i", "-") as run:
        assert run.process.stdout is not None
        run.feed(HEAD)
        fed = len(HEAD)
        while not select.select([run.process.stdout], [], [], 0.01)[0]:
            run.feed(piece)
            fed += len(piece)
            assert fed < gigabyte / 100
        run.read_until(b"Name 0")


def test_progress_on_a_terminal() -> None:
    terminal, its_end = pty.openpty()
    with Live("run", "-q", "count(//item)", "-i", "-", stderr=its_end) as run:
        os.close(its_end)
        run.feed(HEAD)
        for number in range(LIMIT_SECONDS * 20):
            run.feed(item(number))
            if select.select([terminal], [], [], 0.05)[0]:
                break
        shown = read_until(terminal, lambda got: b"MB/s" in got)
        run.feed(TAIL)
        assert b"standard input" in shown
        answer, _ = run.finish()
        assert answer == f"{number + 1}\n".encode()
    os.close(terminal)


def test_memory_does_not_grow_with_the_input() -> None:
    def most(items: int) -> int:
        with Live("run", "-q", "<r>{ /list/item[v = 3]/name }</r>", "-i", "-", "-o", os.devnull, "--stats=json") as run:
            run.feed(HEAD)
            for start in range(0, items, 1000):
                run.feed("".join(map(item, range(start, start + 1000))))
            run.feed(TAIL)
            _, told = run.finish()
            return int(json.loads(told.splitlines()[-1])["peak_rss_bytes"])

    assert most(200_000) - most(50_000) < 5_000_000


# --- how it ends


BROKEN = {
    "truncated": HEAD + item(1) + item(2)[:20],
    "malformed": HEAD + item(1) + "<a></b>" + TAIL,
    "an entity nobody declared": HEAD + item(1) + "&nope;" + TAIL,
}


@pytest.mark.parametrize("kind", BROKEN)
@pytest.mark.parametrize("query", ["//name", "<r>{ //name }</r>", "for $n in //name return [string($n)]"])
def test_what_was_complete_is_delivered_then_the_error(kind: str, query: str) -> None:
    ended = xylem("run", "-q", query, "-i", "-", stdin=BROKEN[kind].encode())
    assert ended.returncode == 3
    assert b"Name 1" in ended.stdout
    told = ended.stderr.decode()
    assert "XYIN0001" in told
    assert "line 1" in told
    assert "Traceback" not in told


def test_a_damaged_compressed_input() -> None:
    packed = gzip.compress(document(50_000).encode())
    ended = xylem("run", "-q", "//name", "-i", "-", stdin=packed[: len(packed) // 2])
    assert ended.returncode == 3
    assert b"XYIN0009" in ended.stderr
    assert ended.stdout.startswith(b"<name>Name 0</name>")


def test_a_reader_that_has_seen_enough() -> None:
    with Live("run", "-q", "//name", "-i", "-") as run:
        run.feed(HEAD + item(1))
        run.read_until(b"Name 1")
        assert run.process.stdout is not None
        run.process.stdout.close()
        for number in range(1000):
            try:
                run.feed(item(number) * 100)
            except BrokenPipeError:
                break
        assert run.process.wait(LIMIT_SECONDS) == 0
        assert run.process.stderr is not None
        assert run.process.stderr.read() == b""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no device that is always full")
@pytest.mark.parametrize("mode", ["--stream", "--no-stream"])
def test_a_full_disk(place: Path, mode: str) -> None:
    with open("/dev/full", "wb") as full:
        ended = subprocess.run(
            [*COMMAND, "run", "-q", "//name", "-i", "list.xml", mode],
            stdout=full,
            stderr=subprocess.PIPE,
            cwd=place,
            check=False,
            timeout=LIMIT_SECONDS,
        )
    told = ended.stderr.decode()
    assert (ended.returncode, told.count("\n")) == (3, 1), told
    assert "XYIN0002" in told
    assert "standard output: No space left on device" in told
    to_file = xylem("run", "-q", "//name", "-i", "list.xml", "-o", "/dev/full", mode, cwd=place)
    assert (to_file.returncode, b"No space left" in to_file.stderr) == (3, True)


def test_an_interrupt() -> None:
    with Live("run", "-q", "//name", "-i", "-") as run:
        run.feed(HEAD + item(1))
        run.read_until(b"Name 1")
        run.process.send_signal(signal.SIGINT)
        assert run.process.stderr is not None
        assert read_until(run.process.stderr, lambda got: got.endswith(b"\n")) == b"interrupted\n"
        assert run.process.wait(LIMIT_SECONDS) == 130


def test_a_pause_is_harmless() -> None:
    with Live("run", "-q", "//name", "-i", "-") as run:
        run.feed(HEAD + item(1))
        run.read_until(b"Name 1")
        run.process.send_signal(signal.SIGSTOP)
        run.feed(item(2))
        run.process.send_signal(signal.SIGCONT)
        run.read_until(b"Name 2")
        run.process.send_signal(signal.SIGSTOP)
        run.process.send_signal(signal.SIGCONT)
        run.feed(item(3) + TAIL)
        rest, told = run.finish()
        assert (run.process.returncode, told) == (0, b"")
        assert b"Name 3" in rest
