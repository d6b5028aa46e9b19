"""Parts of a file for several threads, without a pass that looks for places to divide it.

    <photons> <photon>…</photon> … | <photon>…</photon> … | <photon>…</photon> … </photons>
                                   guessed                guessed

A place is guessed: the next start tag with the name of the file's first item. It is assumed to have the same ancestors.
The scan of the previous part proves the guess, or does not:

- the part is scanned with the end tags of these elements appended, so it is well formed only if exactly they are open
  at its end, outside of tags, comments and CDATA sections;
- nothing in it looks like an end tag of one of them, so they are the same elements, with the same attributes and
  namespaces, and no others of these names.

An unproved part is scanned again, from the last proved place (`run/tasks/in_threads.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path

from . import kernel
from .byte_ranges import ByteRange, CutPoint, Scope
from .cut_points import CutFinder
from .decompression import is_compressed
from .encodings import declared_encoding
from .limits import Limits

FIRST_BYTES = 1 << 20
"""Size of the first part: its results come early."""
PART_BYTES = 8 << 20
_HEAD_BYTES = 1 << 20
_LOOKED_AT_BYTES = 1 << 16
"""Number of bytes searched for a tag after a place."""
_UTF_8 = ("utf-8", "us-ascii", "ascii")
_END_TAG = re.compile(rb"</([^>\s]+)")
_START_TAG = re.compile(rb"<([^\s/>]+)")
_LINE_ENDS = re.compile(rb"\r\n?|\n")


@dataclass(frozen=True)
class GuessedRange(ByteRange):
    """A part of a file; reading it shows whether it proves the place where it ends."""

    ends: tuple[bytes, ...] = ()
    """The beginnings of the end tags of its ancestors."""
    found: list[bytes] = field(default_factory=list, compare=False)
    """Those of them that occur in it."""

    def chunks(self) -> Iterator[bytes]:
        behind = b""
        longest = max(map(len, self.ends), default=0)
        for chunk in super().chunks():
            if self.end is not None and chunk is not self.end.closing:
                border = behind + chunk[:longest]
                self.found.extend(end for end in self.ends if kernel.contains(chunk, end) or end in border)
                behind = border[-longest:] if len(chunk) < longest else chunk[-longest:]
            yield chunk

    @property
    def is_proved(self) -> bool:
        """For a part read without an error: whether the next one begins where it ends."""
        return not self.found


def guessed_ranges(path: str, scopes: Sequence[Scope], limits: Limits) -> list[GuessedRange] | None:
    """The parts of a file; None if it cannot be divided so: it is compressed, has a document type, or one item."""
    with Path(path).open("rb", buffering=0) as file:
        head = file.read(_HEAD_BYTES)
        if is_compressed(head) or b"<!DOCTYPE" in head or not _is_utf_8(head):
            return None
        cuts = CutFinder(scopes, 1, limits=limits).feed(head[:_LOOKED_AT_BYTES])
        tag = None if not cuts else _START_TAG.match(head, cuts[0].offset)
        if tag is None:
            return None
        ends = tuple({b"</" + name for name in _END_TAG.findall(cuts[0].closing)})
        if not ends or max(map(len, ends)) > 64:
            return None
        start = re.compile(re.escape(tag[0]) + rb"[\s/>]")
        size = Path(path).stat().st_size
        borders: list[CutPoint | None] = [None]
        for place in (FIRST_BYTES, *range(PART_BYTES, size, PART_BYTES)):
            file.seek(place)
            found = start.search(file.read(_LOOKED_AT_BYTES))
            if found is not None:
                borders.append(replace(cuts[0], offset=place + found.start()))
        borders.append(None)
    return [GuessedRange(path, begin, end, ends) for begin, end in pairwise(borders)]


def rest_of(part: ByteRange) -> ByteRange:
    """The rest of the file from the beginning of a part on, with its first line number."""
    if part.start is None:
        return ByteRange(part.path)
    return ByteRange(part.path, replace(part.start, line=1 + _lines_before(part.path, part.start.offset)))


def _lines_before(path: str, offset: int) -> int:
    lines = 0
    with Path(path).open("rb") as file:
        while offset > 0 and (chunk := file.read(min(offset, PART_BYTES))):
            if chunk.endswith(b"\r") and len(chunk) < offset:
                # Perhaps one line end together with the following byte.
                chunk += file.read(1)
            lines += chunk.count(b"\n") if b"\r" not in chunk else len(_LINE_ENDS.findall(chunk))
            offset -= len(chunk)
    return lines


def _is_utf_8(head: bytes) -> bool:
    declared = declared_encoding(head)
    return head[:1] == b"<" and head[1:2] != b"\0" and (declared is None or declared.lower() in _UTF_8)
