"""bzip2 data of many streams by several threads: the same bytes and the same errors as by one."""

from __future__ import annotations

import bz2
import random
import threading
from collections.abc import Iterable
from pathlib import Path

import pytest
import xylem
from xylem.errors import InputError
from xylem.source import byte_source, parallel_bzip2
from xylem.source.byte_source import ByteSource
from xylem.source.decompression import decompressed

TEXT = b"<a>" + b"".join(b"<b>%d</b>" % (n * 7919 % 100_003) for n in range(12_000)) + b"</a>"


def streams(size: int, padding: bytes = b"") -> bytes:
    return padding.join(bz2.compress(TEXT[start : start + size]) for start in range(0, len(TEXT), size))


def in_chunks(data: bytes, seed: int) -> Iterable[bytes]:
    chance, start = random.Random(seed), 0
    while start < len(data):
        end = start + chance.choice([1, 7, 100, 5_000, 60_000])
        yield data[start:end]
        start = end


def outcome(data: bytes, seed: int, ratio: int = 200, *, by_threads: bool) -> tuple[bytes, str]:
    found: list[bytes] = []
    try:
        found.extend(decompressed(in_chunks(data, seed), ratio, by_threads=by_threads))
    except InputError as error:
        return b"".join(found), error.code
    return b"".join(found), ""


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel_bzip2, "PIECE_BYTES", 3_000)
    monkeypatch.setattr(parallel_bzip2, "LONGEST_PIECE", 40_000)
    monkeypatch.setattr(byte_source, "MUCH_BYTES", 1_000)


@pytest.mark.parametrize("size", [500, 9_000, 100_000, len(TEXT)])
@pytest.mark.parametrize("padding", [b"", b"\0" * 512])
def test_the_same_bytes(size: int, padding: bytes) -> None:
    data = streams(size, padding)
    for seed in range(2):
        assert outcome(data, seed, by_threads=True) == outcome(data, seed, by_threads=False) == (TEXT, "")


def test_the_same_errors() -> None:
    data = streams(9_000)
    chance = random.Random(5)
    broken = [data[: chance.randrange(4, len(data))] for _ in range(6)]
    for _ in range(6):
        place = chance.randrange(4, len(data))
        broken.append(data[:place] + bytes([data[place] ^ 0xFF]) + data[place + 1 :])
    broken += [data + b"something else", data[:20_000] + data]
    for seed, one in enumerate(broken):
        assert outcome(one, seed, by_threads=True) == outcome(one, seed, by_threads=False), seed


def test_the_header_of_a_stream_inside_of_one() -> None:
    """Such bytes hardly ever occur; here they are what was not compressed."""
    inner = bz2.compress(TEXT[:9_000])
    assert parallel_bzip2._output(inner[:-10]) is None
    pieces = parallel_bzip2._Pieces(iter([inner * 3 + inner[:12]]))
    piece = pieces.next()
    assert piece is not None
    assert len(piece) % len(inner) == 0
    data = streams(9_000)
    cut = data[:6_000] + b"BZh91AY&SY" + data[6_000:]
    assert outcome(cut, 1, by_threads=True) == outcome(cut, 1, by_threads=False)


def test_a_ratio_that_only_an_attack_has() -> None:
    bomb = bz2.compress(bytes(4_000_000)) * 30 + streams(9_000)
    by_one, by_several = (outcome(bomb, 2, by_threads=by_threads) for by_threads in (False, True))
    assert by_one[1] == by_several[1] == "XYIN0004"
    assert len(by_several[0]) < 20_000_000


def test_a_file_is_read_by_threads_which_end(tmp_path: Path) -> None:
    path = tmp_path / "dump.xml.bz2"
    path.write_bytes(streams(9_000))
    before = threading.active_count()
    assert list(xylem.compile("count(//b)").stream(path)) == [12_000]
    assert list(xylem.compile("(//b)[1]/string()").stream(path)) == ["0"]
    with ByteSource.of(path) as source:
        assert next(iter(source)).startswith(b"<a>")
    assert threading.active_count() <= before + parallel_bzip2.threads()
