"""Cut points, where a document can be split: for files, and for input that arrives in pieces and may never end.

    persons = (("child", "", "site"), ("child", "", "people"), ("child", "", "person"))
    cuts = find_cuts("auction.xml", [persons], 64 << 20)
    for part in ranges("auction.xml", cuts):
        …                                    # each part is scanned as a document, on its own

**Where.** A document is cut before the first element that a scope leads to at or after each multiple of the target; not
inside an element any scope leads to, not before the root element, and not inside the text of an entity. So the cuts
depend on the document, the scopes and the target alone, and each part has whole items. With `everywhere`, parts without
items are cut too, before the first tag of each stretch that a thread examines, with all elements that are open there:
half of an auction site may be irrelevant to a query, and still must be read.

**Cost.** The kernel examines a file with several threads (`kernel/src/cut_points/file_pass.rs`); on expat
(`cut_points_on_expat.py`) it is one, and slow. Nothing is checked: on a document that is not well formed the cuts
before the error are right, so the scan of the parts finds the error in its place, and later cuts mean nothing.

**Encodings.** The openings and closings of the cuts are in the encoding of the document. UTF-8, UTF-16, UTF-32 and all
encodings that contain ASCII are cut; those that switch between alphabets (ISO-2022-JP) are not, nor are compressed
files: they are one part.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from enum import StrEnum
from os import PathLike, fspath
from pathlib import Path

from xylem.errors import InputError

from .byte_ranges import CutPoint, Scope
from .decompression import is_compressed
from .limits import DEFAULT_LIMITS, Limits

STRETCH_BYTES = 8 << 20
"""Bytes that one thread examines before it takes the next piece of work."""
_HEAD_BYTES = 16


def find_cuts(
    path: str | PathLike[str],
    scopes: Sequence[Scope],
    target_bytes: int,
    *,
    limits: Limits = DEFAULT_LIMITS,
    scanner: str = "auto",
    threads: int | None = None,
    everywhere: bool = False,
) -> list[CutPoint]:
    """The cut points of a file, about every `target_bytes`; none if it cannot be divided. XYIN0002: no such file.

    `everywhere`: also where there are no items, with the kernel and encodings that contain ASCII.
    """
    if target_bytes < 1:
        raise ValueError("the target is at least one byte")
    try:
        with Path(path).open("rb", buffering=0) as file:
            if is_compressed(file.read(_HEAD_BYTES)):
                return []
        if uses_kernel(scanner):
            from . import kernel

            many = threads or len(os.sched_getaffinity(0))
            return kernel.find_cuts(fspath(path), scopes, target_bytes, limits, many, STRETCH_BYTES, everywhere)
        return _one_by_one(Path(path), CutFinder(scopes, target_bytes, limits=limits, scanner="python"))
    except OSError as error:
        raise InputError("XYIN0002", f"{fspath(path)}: {error.strerror or error}") from error


def _one_by_one(path: Path, finder: CutFinder) -> list[CutPoint]:
    cuts: list[CutPoint] = []
    with path.open("rb", buffering=0) as file:
        while piece := file.read(1 << 20):
            cuts += finder.feed(piece)
    return cuts


class Inside(StrEnum):
    """What a place in a document is inside of."""

    NOTHING = "nothing"
    """Between items, directly in elements on the way to them; or before the root element."""
    ITEM = "item"
    """An element that a scope leads to."""
    OTHER = "other"
    """An element that no scope leads to or through."""
    OVER = "over"
    """Past the root element, or where tags no longer make sense."""


class CutFinder:
    """The cut points of one document whose bytes come in pieces of any size.

    It holds the start tags of the open elements around items, and of the input no more than a tag. The input is not
    compressed. Once the document has ended, or its tags make no sense, there are no further cuts.
    """

    def __init__(
        self,
        scopes: Sequence[Scope],
        target_bytes: int,
        *,
        limits: Limits = DEFAULT_LIMITS,
        scanner: str = "auto",
    ) -> None:
        if target_bytes < 1:
            raise ValueError("the target is at least one byte")
        if uses_kernel(scanner):
            from .kernel import CutFinder as finder_class
        else:
            from .cut_points_on_expat import CutFinder as finder_class  # type: ignore[assignment]  # the same methods
        self._finder = finder_class(scopes, target_bytes, limits)

    def feed(self, data: bytes) -> list[CutPoint]:
        """Examine more input; return the cut points whose tags it completes."""
        return self._finder.feed(data)

    def resume(self, cut: CutPoint) -> None:
        """Resume from a cut point, as if everything before it had been fed; the next bytes begin there. For new
        finders.
        """
        self._finder.resume(cut)

    def place(self) -> tuple[Inside, CutPoint]:
        """What the end of the input so far is inside of.

        As a cut point: the start of the item it is inside of, or the end of the last tag. There is no place to resume
        from before the root element begins, nor after it has ended.
        """
        inside, cut = self._finder.place()
        return Inside(inside), cut


def uses_kernel(scanner: str) -> bool:
    """Whether to use the kernel, for a choice of scanner as in `scan`."""
    from .kernel import is_kernel_built

    if scanner not in ("auto", "kernel", "python"):
        raise ValueError(f"the scanner is auto, kernel or python, not {scanner!r}")
    if scanner == "python":
        return False
    if scanner == "kernel" and not is_kernel_built():
        raise InputError("XYIN0010")
    return is_kernel_built()
