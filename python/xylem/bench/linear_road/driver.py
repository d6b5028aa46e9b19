"""The driver of Linear Road: a process of its own that releases the tuples of each second when it is due.

    python -m xylem.bench.linear_road.driver TUPLES SPEED [--early] [--clock-from SECOND --told DESCRIPTOR]

The document goes to standard output: its start tag at once, its tuples from the moment on that a line on standard input
says (by the clock that all processes share), those of second t when t seconds have passed, divided by the speed. It
never waits for whoever reads: what is not read yet stays in its memory. Of `max` everything is due at once. With
`--early` a request that nobody answers goes with the start tag, for systems that load the history with their first
tuple. What comes before the second of `--clock-from` goes with the start tag too, as fast as it is read; when it has
gone, a byte to the descriptor says so.
"""

from __future__ import annotations

import os
import re
import sys
import time
from argparse import ArgumentParser
from collections import deque
from collections.abc import Iterator
from itertools import chain
from threading import Condition, Thread
from typing import BinaryIO

_TIME = re.compile(rb' time="([0-9]+)"')
_BLOCK_BYTES = 1 << 20


def seconds_of(file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """(second, its tuples); a document as `tuples.py` writes it, a tuple on each line, behind the start tag."""
    waiting: list[bytes] = []
    current = -1
    rest = b""
    while block := file.read(_BLOCK_BYTES):
        data = rest + block
        end = data.rfind(b"\n") + 1
        rest, place = data[end:], 0
        while place < end:
            found = _TIME.search(data, place, end)
            if found is None:
                waiting.append(data[place:end])
                break
            second = int(found[1])
            if second != current:
                if waiting:
                    yield current, b"".join(waiting)
                waiting, current = [], second
            stop = _end_of(data, place, end, second)
            waiting.append(data[place:stop])
            place = stop
    yield current, b"".join([*waiting, rest])


def _end_of(data: bytes, start: int, end: int, second: int) -> int:
    """Where the lines of a second end, of lines in the order of time: found by halving."""
    last = data.rfind(b' time="', start, end)
    found = _TIME.match(data, last) if last >= 0 else None
    if found is not None and int(found[1]) == second:
        return end
    low, high = start, end
    while True:
        middle = data.find(b"\n", (low + high) // 2, high) + 1
        if middle == 0 or middle >= high:
            break
        found = _TIME.search(data, middle, end)
        if found is not None and int(found[1]) == second:
            low = middle
        else:
            high = middle
    # A few lines are left.
    while low < high:
        line_end = data.find(b"\n", low) + 1
        found = _TIME.search(data, low, line_end)
        if found is None or int(found[1]) != second:
            return low
        low = line_end
    return low


class Released:
    """What is due and not written yet."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._pieces: deque[bytes] = deque()
        self._changed = Condition()
        self._is_complete = False
        self._writer = Thread(target=self._write, daemon=True)
        self._writer.start()

    def add(self, piece: bytes) -> None:
        with self._changed:
            self._pieces.append(piece)
            self._changed.notify()

    def finish(self) -> None:
        with self._changed:
            self._is_complete = True
            self._changed.notify()
        self._writer.join()

    def _write(self) -> None:
        while True:
            with self._changed:
                while not self._pieces and not self._is_complete:
                    self._changed.wait()
                if not self._pieces:
                    return
                piece = self._pieces.popleft()
            _write(self._descriptor, piece)


_UNANSWERED = b'<tuple type="4" time="0" vid="0" xway="0" qid="0" sinit="0" send="0" dow="1" tod="1"/>\n'


def drive(path: str, speed: float, *, early: bool = False, clock_from: int = 0, told: int | None = None) -> None:
    """Release the tuples of a file; a speed of 0 is as fast as they are read."""
    output = sys.stdout.fileno()
    with open(path, "rb") as file:
        _write(output, file.readline() + (_UNANSWERED if early else b""))
        if not speed:
            _tell(told)
            sys.stdin.readline()
            while block := file.read(_BLOCK_BYTES):
                _write(output, block)
            return
        seconds = seconds_of(file)
        first, due_first = next(seconds)
        while first < clock_from:
            _write(output, due_first)
            first, due_first = next(seconds)
        _tell(told)
        start = float(sys.stdin.readline())
        released = Released(output)
        for second, piece in chain([(first, due_first)], seconds):
            due = start + (second - first) / speed
            time.sleep(max(0.0, due - time.monotonic()))
            released.add(piece)
        released.finish()


def _tell(descriptor: int | None) -> None:
    if descriptor is not None:
        os.write(descriptor, b".")


def _write(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


if __name__ == "__main__":
    arguments = ArgumentParser()
    arguments.add_argument("tuples")
    arguments.add_argument("speed")
    arguments.add_argument("--early", action="store_true")
    arguments.add_argument("--clock-from", type=int, default=0)
    arguments.add_argument("--told", type=int)
    chosen = arguments.parse_args()
    pace = 0.0 if chosen.speed == "max" else float(chosen.speed)
    drive(chosen.tuples, pace, early=chosen.early, clock_from=chosen.clock_from, told=chosen.told)
