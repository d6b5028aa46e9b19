"""A data set on disk: the tuples of a stretch of time, and the toll history that answers their requests."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import numpy as np

from . import history, tuples
from .traffic import Second, Traffic


@dataclass
class Figures:
    """What was generated."""

    tuples: int = 0
    reports: int = 0
    vehicles: int = 0
    accidents_planted: int = 0
    peak_tuples_per_second: int = 0
    byte_count: int = 0


@dataclass(frozen=True)
class Wanted:
    """Which data set."""

    expressways: float = 1.0
    minutes: int = 180
    from_minute: int = 1
    seed: int = 0
    form: str = "xml"
    noise: bool = False


def write_dataset(wanted: Wanted, output: Path, history_file: Path | None) -> Figures:
    """Write the tuples, and the history of all their vehicles."""
    figures, seen = Figures(), SeenVehicles()
    traffic = Traffic(wanted.expressways, wanted.minutes * 60, wanted.seed, noise=wanted.noise)
    asked = history.AskedDays()
    is_xml = wanted.form == "xml"
    with _opened(output) as file:
        if is_xml:
            file.write(tuples.OPENING)
        for _, count, text in tuples.lines(_from(wanted, asked.noting(traffic.seconds()), figures, seen), wanted.form):
            figures.tuples += count
            figures.peak_tuples_per_second = max(figures.peak_tuples_per_second, count)
            figures.byte_count += file.write(text)
        if is_xml:
            file.write(tuples.CLOSING)
    vehicles = seen.numbers()
    figures.vehicles, figures.accidents_planted = len(vehicles), traffic.accidents_planted
    if history_file is not None:
        with _opened(history_file) as file:
            file.write(history.OPENING)
            file.writelines(history.history_lines(vehicles, traffic.roads, asked, wanted.seed))
            file.write(history.CLOSING)
    return figures


class SeenVehicles:
    """The vehicles of some seconds."""

    def __init__(self) -> None:
        self._is_seen = np.zeros(1, bool)

    def note(self, second: Second) -> None:
        numbers = second.reports[:, 1]
        if not len(numbers):
            return
        if (most := int(numbers.max())) >= len(self._is_seen):
            self._is_seen = np.concatenate([self._is_seen, np.zeros(most + 1, bool)])
        self._is_seen[numbers] = True

    def numbers(self) -> list[int]:
        found: list[int] = np.nonzero(self._is_seen)[0].tolist()
        return found


def _from(
    wanted: Wanted, seconds: Iterator[Second], figures: Figures, seen: SeenVehicles
) -> Iterator[Second]:
    first = (wanted.from_minute - 1) * 60
    for second in seconds:
        if second.time >= first:
            figures.reports += len(second.reports)
            seen.note(second)
            yield second


def _opened(path: Path) -> AbstractContextManager[TextIO]:
    if str(path) == "-":
        return nullcontext(sys.stdout)
    return open(path, "w", encoding="ascii", newline="\n", buffering=1 << 20)
