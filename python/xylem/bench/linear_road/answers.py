"""Answers as the queries write them, one element each, with the time at which the bytes of each were there.

    <toll vid="17" time="301" lav="20" toll="2"/>
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from .comparer import Answer

_ANSWER = re.compile(rb"<(toll|accident|balance|expenditure) ([^<>]*)/>")
_FIELD = re.compile(rb'(\w+)="(-?[0-9]+)"')
_BLOCK_BYTES = 1 << 22

Arrival = tuple[int, float]
"""The size of the output, in bytes, at this time."""


def answers_in(path: Path, arrivals: Sequence[Arrival] = ()) -> Iterator[Answer]:
    """The answers of a file; without arrivals all came in second 0."""
    ends = [end for end, _ in arrivals]
    for end, kind, fields in _elements(path):
        place = bisect_left(ends, end)
        if arrivals and place == len(arrivals):
            raise ValueError(f"nobody noted when byte {end} of {path} came")
        emit = arrivals[place][1] if arrivals else 0.0
        yield Answer(kind, {name.decode(): int(value) for name, value in _FIELD.findall(fields)}, emit)


def _elements(path: Path) -> Iterator[tuple[int, str, bytes]]:
    """(place behind it, name, attributes) of each element."""
    rest, start = b"", 0
    for block in _blocks(path):
        data = rest + block
        used = 0
        for found in _ANSWER.finditer(data):
            used = found.end()
            yield start + used, found[1].decode(), found[2]
        rest = data[used:]
        start += used


def _blocks(path: Path) -> Iterable[bytes]:
    with path.open("rb") as file:
        while block := file.read(_BLOCK_BYTES):
            yield block
