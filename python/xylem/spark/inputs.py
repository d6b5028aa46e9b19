"""The files of a run, and their division into tasks: large documents in parts, small ones many at a time.

    split_plan(input_files(["dump.xml", "2024/*.xml.gz"]), program.scopes, cores=8)

A *range* is what is evaluated as one document: a file, or a part of one between two cut points. A *task* is some
neighbouring ranges that one worker takes one after another: starting a task costs as much as scanning megabytes, so
small files share one. Ranges are numbered in the order of the input, which is the order of the answer.

Ranges are smaller than tasks, and tasks have about equal work: parts without items are only read.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from os import PathLike, fspath
from typing import NamedTuple

from xylem.errors import InputError
from xylem.source.byte_ranges import ByteRange, Scope, ranges
from xylem.source.byte_source import STDIN
from xylem.source.cut_points import find_cuts
from xylem.source.decompression import is_compressed
from xylem.source.input_files import named_files
from xylem.source.limits import DEFAULT_LIMITS, Limits

Sources = str | PathLike[str] | Sequence[str | PathLike[str]]
"""Files, directories and patterns."""

LEAST_TASK_BYTES = 4 << 20
"""Less is not worth a separate task."""
RANGES_PER_TASK = 8
LEAST_RANGE_BYTES = 1 << 20
LEAST_STRETCH_BYTES = 1 << 18
"""Without items, cuts are at least this far apart."""
MOST_TASK_BYTES = 64 << 20
"""With more, worker memory and the cost of losing a task would grow with the input."""
TASKS_PER_CORE = 4
"""So that a core that finishes early finds more work."""
COMPRESSION = 8
"""Assumed compression ratio."""
READ_FASTER = 3
"""How much cheaper parts without items are than the same bytes with items, at least."""
COMPRESSED_NAMES = (".gz", ".bz2")


@dataclass(frozen=True)
class InputFile:
    """One file of the input."""

    path: str
    size: int
    """Stored size in bytes."""
    is_compressed: bool
    """As far as it matters for dividing the work: for small files by name only."""

    @property
    def weight(self) -> int:
        """Approximate number of bytes to scan."""
        return self.size * COMPRESSION if self.is_compressed else self.size


@dataclass(frozen=True)
class TaskInput:
    """The input of one task."""

    number: int
    first_range: int
    """The number of the first of its ranges; the others follow."""
    pieces: tuple[str | ByteRange, ...]
    size: int


@dataclass(frozen=True)
class SplitPlan:
    """The tasks of a run over its input."""

    tasks: tuple[TaskInput, ...]
    files: int
    cut_files: int
    """Number of divided files."""
    size: int
    cut_seconds: float

    @property
    def ranges(self) -> int:
        return sum(len(task.pieces) for task in self.tasks)

    def lines(self) -> list[str]:
        """The plan in words."""
        whole = self.files - self.cut_files
        parts = self.ranges - whole
        words = [
            f"{self.cut_files:,} cut into {parts:,} parts" if self.cut_files else "",
            f"{whole:,} whole" if whole else "",
        ]
        sizes = [task.size for task in self.tasks]
        return [
            f"{self.files:,} file{'s' if self.files != 1 else ''}: {', '.join(word for word in words if word)}",
            f"{len(sizes):,} task{'s' if len(sizes) != 1 else ''} of {min(sizes, default=0) / 1e6:,.1f} to "
            f"{max(sizes, default=0) / 1e6:,.1f} MB",
        ]


def input_files(sources: Sources) -> list[InputFile]:
    """The files that sources name, in order, each as often as it is named.

    A directory stands for all files below it whose names (and those of their directories) do not begin with `.` or `_`,
    by name; a pattern for the files it matches, by name. XYIN0002 for missing files, XYRT0005 for anything that is not
    a file.
    """
    names = [sources] if isinstance(sources, (str, PathLike)) else sources
    return [_input_file(path) for path in named_files(_local_name(fspath(name)) for name in names)]


def _local_name(name: str) -> str:
    """A name without its scheme; XYRT0005 for one that tasks could not open."""
    if name == STDIN:
        raise InputError("XYRT0005", "Spark cannot read standard input: only the driver has it")
    scheme, colon, _ = name.partition("://")
    if not colon:
        return name
    if scheme != "file":
        raise InputError("XYRT0005", f"{name}: {scheme} is not a file system of this machine")
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    return url2pathname(urlsplit(name).path)


def _input_file(path: str) -> InputFile:
    """A file. A small one is not opened: there may be thousands, and its content is checked when it is read."""
    try:
        size = os.stat(path).st_size
        if size < LEAST_RANGE_BYTES:
            return InputFile(_absolute(path), size, path.endswith(COMPRESSED_NAMES))
        with open(path, "rb", buffering=0) as file:
            return InputFile(_absolute(path), size, is_compressed(file.read(16)))
    except OSError as reason:
        raise InputError("XYIN0002", f"{path}: {reason.strerror or reason}") from reason


def _absolute(path: str) -> str:
    # Most files are regular, in a directory that was named, and there may be thousands.
    is_plain = path.startswith("/") and "/." not in path and "//" not in path
    return path if is_plain else os.path.abspath(path)


def split_plan(
    files: Sequence[InputFile],
    scopes: Sequence[Scope],
    *,
    cores: int,
    partitions: int | None = None,
    limits: Limits = DEFAULT_LIMITS,
    scanner: str = "auto",
    anywhere: bool = False,
) -> SplitPlan:
    """The tasks over some files: about `partitions` of them, or as many as suit the cores and the input.

    `anywhere`: parts outside the scopes count as work, and may be cut. Without scopes files stay whole, like compressed
    ones, which can only be read from their beginning.
    """
    started = time.monotonic()
    total = sum(file.weight for file in files)
    fine = _range_bytes(total, cores, partitions)
    pieces: list[_Piece] = []
    cut_files = 0
    for file in files:
        divided = _divided(file, scopes, fine, limits, scanner, anywhere)
        cut_files += len(divided) > 1
        pieces += divided
    cut_seconds = time.monotonic() - started
    tasks = tuple(_packed(pieces, _task_weight(pieces, cores, partitions)))
    return SplitPlan(tasks, len(files), cut_files, sum(file.size for file in files), cut_seconds)


class _Piece(NamedTuple):
    source: str | ByteRange
    size: int
    weight: int
    """Approximate work, in bytes."""


def _range_bytes(total: int, cores: int, partitions: int | None) -> int:
    """The distance between cut points."""
    if partitions is not None:
        return max(1, -(-total // (partitions * RANGES_PER_TASK)))
    wanted = -(-total // (cores * TASKS_PER_CORE * RANGES_PER_TASK))
    return max(LEAST_RANGE_BYTES, min(MOST_TASK_BYTES // RANGES_PER_TASK, wanted))


def _task_weight(pieces: Sequence[_Piece], cores: int, partitions: int | None) -> int:
    """The work of one task: about equal for all, so that no core waits for the last task of another."""
    total = sum(piece.weight for piece in pieces)
    if partitions is not None:
        return max(1, -(-total // partitions))
    wanted = max(LEAST_TASK_BYTES, min(MOST_TASK_BYTES, -(-total // (cores * TASKS_PER_CORE))))
    tasks = -(-total // wanted)
    if tasks > cores:
        # The same number for each core.
        tasks = cores * ((total + wanted * cores // 2) // (wanted * cores))
    return max(1, -(-total // max(1, tasks)))


def _divided(
    file: InputFile, scopes: Sequence[Scope], fine: int, limits: Limits, scanner: str, anywhere: bool
) -> list[_Piece]:
    """A file in one piece, or divided into parts."""
    weight = file.weight
    whole = [_Piece(file.path, weight, weight)]
    if not scopes or file.is_compressed or file.size <= fine + fine // 4:
        return whole
    cuts = find_cuts(file.path, scopes, fine, limits=limits, scanner=scanner, everywhere=True)
    if not cuts and anywhere and fine < LEAST_STRETCH_BYTES < file.size:
        cuts = find_cuts(file.path, scopes, LEAST_STRETCH_BYTES, limits=limits, scanner=scanner, everywhere=True)
    if not any(anywhere or cut.is_before_item for cut in cuts):
        return whole
    sizes = [end - start for start, end in pairwise([0, *(cut.offset for cut in cuts), file.size])]
    has_items = [True, *(anywhere or cut.is_before_item for cut in cuts)]
    return [
        _Piece(part, size, min(size, fine) if full else size // READ_FASTER)
        for part, size, full in zip(ranges(file.path, cuts), sizes, has_items, strict=True)
    ]


def _packed(pieces: Iterable[_Piece], target: int) -> Iterator[TaskInput]:
    """Neighbouring pieces merged: a task ends where the total so far is nearest to a multiple of the target."""
    number = first = size = done = 0
    together: list[str | ByteRange] = []
    for piece in pieces:
        middle = done + piece.weight // 2
        if together and middle >= (number + 1) * target:
            yield TaskInput(number, first, tuple(together), size)
            number, first, together, size = number + 1, first + len(together), [], 0
        together.append(piece.source)
        size += piece.size
        done += piece.weight
    if together:
        yield TaskInput(number, first, tuple(together), size)
