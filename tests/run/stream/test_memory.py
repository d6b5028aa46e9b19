"""Memory and latency of a long stream: neither depends on how much is still to come."""

from __future__ import annotations

import gc
import resource
from collections.abc import Iterator
from pathlib import Path

import pytest
from xylem.bench import photons
from xylem.source.resources import FileResources

from .compare import SCANNERS, stream_program

INPUT_BYTES = 30_000_000
CHUNK_BYTES = 1 << 16
GROWTH_BYTES = 1_500_000
"""Memory is counted in pages, and freed when the allocator likes: a twentieth of what passes between measurements."""
STATM = Path("/proc/self/statm")
FILTER = """<photons>{ for $p in /photons/photon
  where $p/ra > 120.0 and $p/ra < 138.0 and $p/dec > -49.0 and $p/dec < -40.0
  return <vela>{ $p/ra, $p/dec, $p/en }</vela> }</photons>"""
BARE = "for $p in /photons/photon where $p/ra > 130.5 and $p/ra < 135.5 and $p/en > 1.3 return $p/det_time/text()"
COUNT = "count(//photon[en > 1.3])"


class Feed:
    """A document made while it is read: its size, and how much has been pulled from it."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.pulled = 0
        sample = "".join(photons.events(340, seed=5)).encode()
        self._block = sample[: sample.rindex(b"<photon>", 0, CHUNK_BYTES)]

    def __iter__(self) -> Iterator[bytes]:
        yield self._gone(b"<photons>\n")
        while self.pulled < self.size:
            yield self._gone(self._block)
        yield self._gone(b"</photons>\n")

    def _gone(self, chunk: bytes) -> bytes:
        self.pulled += len(chunk)
        return chunk


class Discarding:
    """An output that counts and keeps nothing."""

    def __init__(self) -> None:
        self.calls = 0

    def start_element(self, *arguments: object) -> None:
        self.calls += 1

    attribute = text = item = start_element

    def end_element(self) -> None:
        self.calls += 1

    def finish(self) -> None:
        pass


@pytest.mark.skipif(not STATM.exists(), reason="the memory of a process is read as Linux tells it")
@pytest.mark.parametrize("scanner", SCANNERS)
@pytest.mark.parametrize("query", [FILTER, BARE, COUNT], ids=["filter", "bare filter", "count"])
@pytest.mark.share(2)
def test_memory_does_not_grow(query: str, scanner: str) -> None:
    # The Python scanner is a reference, not for speed: less must do.
    feed = Feed(INPUT_BYTES if scanner == "kernel" else INPUT_BYTES // 8)
    program = stream_program(query)
    assert program is not None
    output = Discarding()
    batches = program.write(iter(feed), FileResources(), output, scanner=scanner)
    early, late = _resident_bytes(batches, feed)
    assert output.calls > 1_000 or query is COUNT
    assert late - early < GROWTH_BYTES, f"{early:,} bytes at 10 %, {late:,} at the end"


def _resident_bytes(batches: Iterator[object], feed: Feed) -> tuple[int, int]:
    """The memory of the process after a tenth of the input, and at the end."""
    early = 0
    for _ in batches:
        if not early and feed.pulled > feed.size / 10:
            gc.collect()
            early = _resident()
        if feed.pulled >= feed.size:
            gc.collect()
            return early, _resident()
    pytest.fail("the stream ended before its last batch")


def _resident() -> int:
    return int(STATM.read_text().split()[1]) * resource.getpagesize()


@pytest.mark.parametrize("scanner", SCANNERS)
@pytest.mark.parametrize("query", [BARE, "/photons/photon", "//en"])
def test_the_first_result_comes_early(query: str, scanner: str) -> None:
    feed = Feed(INPUT_BYTES)
    program = stream_program(query)
    assert program is not None
    results = program.run(iter(feed), FileResources(), scanner=scanner)
    next(iter(results))
    assert feed.pulled < feed.size / 100
