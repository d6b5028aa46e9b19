"""Reading ahead changes who scans the next piece of an input, and nothing else."""

from __future__ import annotations

import os
import threading
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
import xylem
from xylem.errors import InputError
from xylem.source import read_ahead as module
from xylem.source.byte_source import ByteSource
from xylem.source.read_ahead import read_ahead

QUERY = """declare function local:less($n) { if ($n > 9) then local:less($n - 9) else $n };
for $r in /l/r return <e k='{ $r/@k }'>{ local:less(string-length($r/@k)) }</e>"""
"""A function that calls itself: the scan writes no results."""
PROGRAM = """declare execution sequential;
declare variable $t as map(xs:integer, map(xs:string, xs:integer)) := map { };
for $r in /l/r let $k := xs:integer($r/@k) mod 100
return { set $t := map:put($t, $k, map { 'n': ($t($k)?n, 0)[1] + 1 }); <e k='{ $k }' n='{ $t($k)?n }'/> }"""


@pytest.fixture(autouse=True)
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every batch is worth another thread, on any machine."""
    monkeypatch.setattr(module, "_has_cores", lambda: True)
    monkeypatch.setattr(read_ahead, "__defaults__", (0.0,))


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The threads that read a piece."""
    seen: list[str] = []
    before = module._next

    def noting(batches: Generator[Any, None, None]) -> list[Any]:
        seen.append(threading.current_thread().name)
        return before(batches)

    monkeypatch.setattr(module, "_next", noting)
    return seen


def document(tmp_path: Path, count: int = 30_000, end: str = "</l>") -> Path:
    path = tmp_path / "input.xml"
    path.write_text("<l>" + "".join(f'<r k="{number}"/>\n' for number in range(count)) + end)
    return path


@pytest.mark.parametrize("query", [PROGRAM, QUERY])
def test_the_answer_is_the_same(query: str, tmp_path: Path, threads: list[str]) -> None:
    path = document(tmp_path)
    assert _text(query, path) == _text(query, path.read_bytes())
    assert any(name.startswith("xylem-scan") for name in threads)


def _text(query: str, source: Any) -> bytes:
    written: list[bytes] = []
    xylem.compile(query).stream(source).write_to(written.append)
    return b"".join(written)


def test_an_error_comes_after_all_that_was_complete_before_it(tmp_path: Path) -> None:
    path = document(tmp_path, end="</m>")
    written: list[bytes] = []
    with pytest.raises(InputError) as caught:
        xylem.compile(PROGRAM).stream(path).write_to(written.append)
    assert caught.value.code == "XYIN0001"
    assert b"".join(written).count(b"<e ") == 30_000


def test_an_error_of_the_query_ends_the_run_and_the_thread(tmp_path: Path) -> None:
    path = document(tmp_path, end="<r k='x'/></l>")
    written: list[bytes] = []
    with pytest.raises(xylem.XylemError) as caught:
        xylem.compile(PROGRAM).stream(path).write_to(written.append)
    assert caught.value.code == "FORG0001"
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("xylem-scan")]


def test_what_nobody_asks_for_is_not_told(tmp_path: Path) -> None:
    path = document(tmp_path, end="<broken")
    items = iter(xylem.compile(PROGRAM).stream(path))
    assert next(items).string_value == ""
    items.close()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("xylem-scan")]


def test_input_that_is_not_there_is_waited_for_by_whoever_asks(threads: list[str]) -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as source, os.fdopen(writing, "wb", 0) as feed:
        feed.write(b"<l><r k='1'/><r k='2'/>")
        items = iter(xylem.compile(PROGRAM).stream(source))
        assert len([next(items) for _ in range(2)]) == 2
        feed.write(b"<r k='3'/>")
        assert next(items) is not None
        assert set(threads) == {"MainThread"}
        feed.write(b"</l>")
        feed.close()
        assert list(items) == []


def test_pieces_of_somebody_else_are_read_by_the_thread_that_asks(threads: list[str]) -> None:
    names: list[str] = []

    def pieces() -> Generator[bytes, None, None]:
        for piece in (b"<l>", *(b"<r k='%d'/>" % number for number in range(50)), b"</l>"):
            names.append(threading.current_thread().name)
            yield piece

    assert len(list(xylem.compile(PROGRAM).stream(pieces()))) == 50
    assert set(names) == {"MainThread"}
    assert threads == []


def test_a_pipe_is_ready_when_something_is_in_it() -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as source, os.fdopen(writing, "wb", 0) as feed:
        made = ByteSource.of(source)
        assert made.may_be_read_ahead
        assert not made.is_ready()
        feed.write(b"<l/>")
        assert made.is_ready()


def test_batches_keep_their_order_and_their_error() -> None:
    def batches() -> Generator[int, None, None]:
        yield from range(5)
        raise ValueError("the end")

    taken: list[int] = []
    with pytest.raises(ValueError, match="the end"):
        taken.extend(read_ahead(batches(), lambda: True))
    assert taken == [0, 1, 2, 3, 4]
