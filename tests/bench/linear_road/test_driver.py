"""The driver of Linear Road: seconds told apart whatever the blocks, and nobody waited for."""

from __future__ import annotations

import io
import os
import time

import pytest
from xylem.bench.linear_road import driver, tuples
from xylem.bench.linear_road.traffic import Traffic


@pytest.fixture(scope="module")
def seconds() -> list[tuple[int, bytes]]:
    return [(second, text.encode()) for second, _, text in tuples.lines(Traffic(1, 90, seed=2).seconds()) if text]


@pytest.mark.parametrize("block", [200, 1_000, 7_777, 1 << 20])
def test_seconds(seconds: list[tuple[int, bytes]], block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "_BLOCK_BYTES", block)
    file = io.BytesIO(b"".join(text for _, text in seconds) + b"</linear-road>\n")
    last, text = seconds[-1]
    assert list(driver.seconds_of(file)) == [*seconds[:-1], (last, text + b"</linear-road>\n")]


def test_what_nobody_reads_does_not_hold_up_what_is_due() -> None:
    reader, writer = os.pipe()
    try:
        released = driver.Released(writer)
        begun = time.monotonic()
        for _ in range(50):
            released.add(b"x" * 100_000)
        assert time.monotonic() - begun < 5.0
        read = 0
        while read < 5_000_000:
            read += len(os.read(reader, 1 << 20))
        released.finish()
    finally:
        os.close(reader)
        os.close(writer)
