"""Inputs in encodings that Python knows and the kernel does not: EBCDIC, DOS code pages, and other rare ones.

They are converted to UTF-8 on the way to the scanner, whose offsets then count the converted bytes.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from itertools import chain

from xylem.errors import InputError

from .encodings import LONGEST_DECLARATION, codec_beyond_kernel, may_hide_declaration


def readable_by_kernel(chunks: Iterator[bytes]) -> tuple[Iterator[bytes], str | None]:
    """The chunks, in UTF-8 if the kernel could not decode them, and the encoding to tell the scanner in that case."""
    head = b""
    for chunk in chunks:
        head += chunk
        if len(head) >= LONGEST_DECLARATION or (len(head) >= 4 and not may_hide_declaration(head)):
            break
    chunks = chain([head], chunks) if head else chunks
    codec = codec_beyond_kernel(head)
    return (chunks, None) if codec is None else (_in_utf8(chunks, codec), "utf-8")


def _in_utf8(chunks: Iterator[bytes], codec: str) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder(codec)()
    position = 0
    for chunk, is_last in chain(((chunk, False) for chunk in chunks), [(b"", True)]):
        before = decoder.getstate()
        try:
            text = decoder.decode(chunk, is_last)
        except UnicodeDecodeError as error:
            # Input before the bad byte counts: its results are delivered first.
            good = max(error.start - len(before[0]), 0)
            decoder.setstate(before)
            yield decoder.decode(chunk[:good]).encode()
            raise InputError("XYIN0007", f"bytes that are not {codec}, at byte {position + good}") from error
        position += len(chunk)
        if text:
            yield text.encode()
