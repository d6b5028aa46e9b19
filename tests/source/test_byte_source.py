"""Bytes come from anywhere, compressed or not, and whatever ends them too early is said."""

from __future__ import annotations

import bz2
import gzip
import io
import os
import socket
import threading
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xylem.errors import InputError
from xylem.source import byte_source, decompression
from xylem.source.byte_source import ByteSource, Source
from xylem.source.decompression import decompressed

CONTENT = b"<a>" + b"".join(b"<b n='%d'/>" % n for n in range(20_000)) + b"</a>"


def content(source: Source) -> bytes:
    with ByteSource.of(source) as opened:
        return b"".join(opened)


def test_a_file(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_bytes(CONTENT)
    assert content(path) == content(str(path)) == CONTENT
    with ByteSource.of(path) as source:
        assert source.size == len(CONTENT)
        assert source.name == str(path)
        assert source.uri == path.as_uri()
        first = next(iter(source))
        assert source.position == len(first) == byte_source.FIRST_CHUNK_BYTES


@pytest.mark.parametrize("size", [1, 100, byte_source.FIRST_CHUNK_BYTES - 1, byte_source.FIRST_CHUNK_BYTES])
def test_a_small_file_is_read_at_once(tmp_path: Path, size: int) -> None:
    path = tmp_path / "a.xml"
    path.write_bytes(CONTENT[:size])
    with ByteSource.of(path) as source:
        assert source.is_whole == (size < byte_source.FIRST_CHUNK_BYTES)
        assert (source.name, source.uri, source.size) == (str(path), path.as_uri(), size)
        path.unlink()
        if source.is_whole:
            assert source.whole() == CONTENT[:size]
            assert (source.position, CONTENT.startswith(source.head), len(source.head) > 0) == (size, True, True)
        else:
            assert b"".join(source) == CONTENT[:size]
    path.write_bytes(b"<again/>")
    assert b"".join(source.again()) == b"<again/>"


@pytest.mark.parametrize("other", [b"", b"<a/>", CONTENT])
def test_a_small_file_that_changes_while_it_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, other: bytes
) -> None:
    path = tmp_path / "a.xml"
    path.write_bytes(b"<a>small</a>")
    size_of = byte_source._size

    def written_meanwhile(file: object) -> int | None:
        size = size_of(file)
        path.write_bytes(other)
        return size

    monkeypatch.setattr(byte_source, "_size", written_meanwhile)
    assert content(path) == other


def test_what_was_opened_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_bytes(CONTENT)
    with ByteSource.of(path) as source:
        chunks = iter(source)
        next(chunks)
    with pytest.raises(ValueError, match="closed"):
        next(chunks)


def test_what_was_given_open_stays_open(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_bytes(CONTENT)
    with path.open("rb") as file:
        file.read(3)
        with ByteSource.of(file) as source:
            assert source.size == len(CONTENT) - 3
            assert b"".join(source) == CONTENT[3:]
        assert not file.closed


def test_other_sources() -> None:
    assert content(CONTENT) == CONTENT
    assert content(io.BytesIO(CONTENT)) == CONTENT
    assert content([CONTENT[:5], CONTENT[5:]]) == CONTENT
    assert content(b"") == content([]) == b""
    assert ByteSource.of(CONTENT).size == len(CONTENT)
    assert ByteSource.of(io.BytesIO(CONTENT)).size is None


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(CONTENT)))
    assert content("-") == CONTENT


def test_a_socket_gives_what_there_is() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(b"<a>")
        source = ByteSource.of(ours)
        assert source.size is None
        chunks = iter(source)
        assert next(chunks) == b"<a>"
        theirs.sendall(b"</a>")
        assert next(chunks) == b"</a>"
        theirs.close()
        assert next(chunks, None) is None


def test_a_pipe_gives_what_there_is() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs, ours.makefile("rb") as file:
        theirs.sendall(b"<a>")
        chunks = iter(ByteSource.of(file))
        assert next(chunks) == b"<a>"
        later = threading.Timer(0.01, theirs.close)
        later.start()
        assert next(chunks, None) is None
        later.join()


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    for path in (tmp_path / "none.xml", tmp_path):
        with pytest.raises(InputError) as caught:
            content(path)
        assert caught.value.code == "XYIN0002"
        assert str(path) in caught.value.why


def test_a_failing_source_is_an_input_error() -> None:
    class Broken:
        name = "tape"

        def read(self, size: int) -> bytes:
            raise OSError(5, "Input/output error")

    with pytest.raises(InputError, match="tape: Input/output error"):
        content(Broken())


PACK = {"gzip": gzip.compress, "bzip2": bz2.compress}


@pytest.mark.parametrize("name", PACK)
class TestCompressed:
    def test_several_parts_are_one_input(self, name: str) -> None:
        pack = PACK[name]
        assert content(pack(CONTENT)) == CONTENT
        assert content(pack(CONTENT[:100]) + pack(b"") + pack(CONTENT[100:])) == CONTENT
        assert content(pack(b"")) == b""

    @given(st.lists(st.integers(0, 300)), st.lists(st.integers(0, 2000), max_size=3))
    def test_pieces_of_any_size(self, name: str, places: list[int], parts: list[int]) -> None:
        data = b"".join(PACK[name](CONTENT[:size]) for size in (10, *parts))
        borders = [0, *sorted(places), len(data)]
        chunks = [data[start:end] for start, end in pairwise(borders)]
        assert b"".join(decompressed(chunks, 200)) == b"".join(CONTENT[:size] for size in (10, *parts))

    def test_single_bytes(self, name: str) -> None:
        data = PACK[name](CONTENT[:1000]) + PACK[name](CONTENT[1000:2000])
        singles = [data[place : place + 1] for place in range(len(data))]
        assert b"".join(decompressed(singles, 200)) == CONTENT[:2000]

    @pytest.mark.parametrize("missing", [1, 4, 8, 20])
    def test_an_early_end_comes_after_what_could_be_decoded(self, name: str, missing: int) -> None:
        data = PACK[name](CONTENT) + PACK[name](CONTENT)[:-missing]
        decoded: list[bytes] = []
        with pytest.raises(InputError) as caught:
            decoded.extend(decompressed([data], 200))
        assert b"".join(decoded).startswith(CONTENT)
        assert caught.value.code == "XYIN0009"
        assert f"{name} data ends after {len(data)} bytes" in caught.value.why

    def test_damage(self, name: str) -> None:
        data = PACK[name](CONTENT)
        for damaged in (data[:50] + bytes(100) + data[150:], data + b"garbage"):
            with pytest.raises(InputError) as caught:
                content(damaged)
            assert caught.value.code == "XYIN0009"

    def test_padding_between_and_after_parts(self, name: str) -> None:
        part = PACK[name](b"<a/>")
        assert content(part + bytes(512) + part + bytes(7)) == b"<a/><a/>"

    def test_the_ratio_is_limited(self, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(decompression, "_SMALL_OUTPUT", 1000)
        bomb = PACK[name](bytes(1_000_000))
        with pytest.raises(InputError) as caught:
            content(bomb)
        assert caught.value.code == "XYIN0004"
        assert "decompression ratio" in caught.value.why
        ratio = -(-1_000_000 // len(bomb))
        assert len(b"".join(decompressed([bomb], ratio))) == 1_000_000
        with pytest.raises(InputError):
            list(decompressed([bomb], ratio - 1))

    def test_output_comes_in_chunks(self, name: str) -> None:
        chunks = list(decompressed([PACK[name](bytes(5_000_000))], 200))
        assert sum(map(len, chunks)) == 5_000_000
        assert max(map(len, chunks)) <= 1 << 18


def test_position_counts_compressed_bytes(tmp_path: Path) -> None:
    path = tmp_path / "a.xml.gz"
    path.write_bytes(gzip.compress(CONTENT))
    with ByteSource.of(path) as source:
        assert b"".join(source) == CONTENT
        assert source.position == source.size == path.stat().st_size


def test_a_pipe_that_has_nothing_yet_has_not_ended() -> None:
    reading, writing = os.pipe()
    os.set_blocking(reading, False)

    def write() -> None:
        with open(writing, "wb", buffering=0) as file:
            for piece in (CONTENT[:10], CONTENT[10:5000], CONTENT[5000:]):
                threading.Event().wait(0.02)
                file.write(piece)

    for buffering in (0, -1):
        writer = threading.Thread(target=write)
        writer.start()
        with open(reading, "rb", buffering=buffering) as file:
            assert content(file) == CONTENT
        writer.join()
        reading, writing = os.pipe()
        os.set_blocking(reading, False)
    os.close(reading)
    os.close(writing)


def test_a_socket_with_a_time_limit_keeps_it() -> None:
    ours, theirs = socket.socketpair()
    ours.settimeout(0.05)
    theirs.sendall(b"<a>")
    with ours, theirs, pytest.raises(InputError, match=r"XYIN0002.*timed out"):
        content(ours)


@pytest.mark.parametrize("source", [["text"], [b"<a>", None, b"</a>"], [1, 2], io.StringIO("<a/>")])
def test_what_is_not_bytes_is_told(source: Any) -> None:
    with pytest.raises(TypeError, match=r"an input consists of bytes, not of (str|NoneType|int)"):
        content(source)


@pytest.mark.parametrize("source", [bytearray(b"<a/>"), memoryview(b"<a/>"), [bytearray(b"<a"), memoryview(b"/>")]])
def test_what_is_as_good_as_bytes(source: Any) -> None:
    assert content(source) == b"<a/>"
