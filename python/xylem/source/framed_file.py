"""A file with many documents, separated by frames.

    messages.txt?frames=lines        one document per line; blank lines are skipped
    messages.bin?frames=length       each document follows its length in four bytes, high byte first
    messages.log?frames=netconf      ]]>]]> follows each document

Lines and ]]>]]> need an encoding that contains ASCII, as UTF-8 does. The file may be compressed, or standard input
(`-`).
"""

from __future__ import annotations

import mmap
import re
from array import array
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from struct import Struct
from urllib.parse import parse_qsl

from xylem.errors import InputError, InputPlace

from .byte_source import STDIN, ByteSource
from .decompression import LONGEST_MAGIC, is_compressed
from .limits import Limits

_LENGTH = Struct(">I")
_NETCONF = b"]]>]]>"


class Frames(Enum):
    """The separation of documents."""

    LINES = "lines"
    LENGTH = "length"
    NETCONF = "netconf"


def framed(place: str) -> tuple[str, Frames] | None:
    """The file and the frames in the name of an input; None if it has none. XYIN0012 for unknown frames."""
    path, mark, query = place.rpartition("?")
    options = dict(parse_qsl(query, keep_blank_values=True)) if mark else {}
    if "frames" not in options or Path(place).exists():
        return None
    name = options.pop("frames")
    if options:
        raise InputError("XYIN0012", f"{place}: there is no option {next(iter(options))!r} beside frames")
    try:
        return path, Frames(name)
    except ValueError:
        raise InputError("XYIN0012", f"{place}: frames must be lines, length or netconf, not {name!r}") from None


class FramedFile:
    """The documents of a file, by their numbers.

    Holds:  their offsets; the whole file if it is compressed or can be read only once.
    """

    def __init__(self, path: str, frames: Frames, limits: Limits) -> None:
        self.path = "standard input" if path == STDIN else path
        self._frames = frames
        self._data = _content(path, limits)
        self._starts, self._ends = array("Q"), array("Q")
        self._lines = array("Q")
        """If documents are lines: the line number of each."""
        find = {Frames.LINES: self._by_lines, Frames.LENGTH: self._by_length, Frames.NETCONF: self._by_mark}
        find[frames]()

    def __len__(self) -> int:
        return len(self._starts)

    def size(self, number: int) -> int:
        """The bytes of a document."""
        return self._ends[number] - self._starts[number]

    def document(self, number: int) -> bytes:
        """One document."""
        return self._data[self._starts[number] : self._ends[number]]

    def name(self, number: int) -> str:
        """The name of a document in errors."""
        if self._frames is Frames.LINES:
            return f"{self.path}, line {self._lines[number]}"
        return f"{self.path}, message {number + 1}"

    def located(self, number: int, error: InputError) -> InputError:
        """The error of a document with its place in the file: of a document in one line, line and column there."""
        place = error.place
        if place is None:
            return error.located(self.name(number))
        offset = self._starts[number] + place.byte_offset
        if self._frames is Frames.LINES:
            return error.located(self.path, InputPlace(offset, self._lines[number], place.column, place.path))
        return error.located(self.name(number), InputPlace(offset, place.line, place.column, place.path))

    def _by_lines(self) -> None:
        start = 0
        for number, end in enumerate(_ends_of_lines(self._data), 1):
            if not self._data[start:end].isspace() and end > start:
                self._starts.append(start)
                self._ends.append(end)
                self._lines.append(number)
            start = end + 1

    def _by_length(self) -> None:
        at, end = 0, len(self._data)
        while at < end:
            if end - at < _LENGTH.size:
                raise self._cut_off(at, f"{end - at} bytes are left, and a length has {_LENGTH.size}")
            (length,) = _LENGTH.unpack_from(self._data, at)
            if length > end - at - _LENGTH.size:
                raise self._cut_off(at, f"{length:,} bytes are announced, and {end - at - _LENGTH.size:,} are left")
            self._starts.append(at + _LENGTH.size)
            self._ends.append(at + _LENGTH.size + length)
            at += _LENGTH.size + length

    def _cut_off(self, at: int, why: str) -> InputError:
        name = f"{self.path}, message {len(self._starts) + 1}"
        return InputError("XYIN0012", why, source=name, place=InputPlace(at))

    def _by_mark(self) -> None:
        start = 0
        while (end := self._data.find(_NETCONF, start)) >= 0:
            self._starts.append(start)
            self._ends.append(end)
            start = end + len(_NETCONF)
        rest = self._data[start:]
        if rest and not rest.isspace():
            self._starts.append(start)
            self._ends.append(len(self._data))


def _ends_of_lines(data: bytes | mmap.mmap) -> Iterator[int]:
    yield from (found.start() for found in re.finditer(rb"\n", data))
    yield len(data)


def _content(path: str, limits: Limits) -> bytes | mmap.mmap:
    """The bytes of the file; those of a plain file are not copied."""
    if path != STDIN and "://" not in path:
        try:
            with Path(path).open("rb") as file:
                head = file.read(LONGEST_MAGIC)
                if file.seekable() and head and not is_compressed(head):
                    return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except OSError as error:
            raise InputError("XYIN0002", error.strerror or str(error), source=path) from error
    with ByteSource.of(path, limits.decompression_ratio) as source:
        return b"".join(source)
