"""Decodes compressed input while it is read: gzip, bzip2, xz and Zstandard, recognised by their first bytes. All of
them allow several compressed parts in a row, which form one text. Output is produced in chunks whatever the ratio, and
a ratio that only an attack has is an error before it costs memory or time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from typing import Protocol

from xylem.errors import InputError
from xylem.errors.optional_package import optional_package

from . import parallel_bzip2

_MAGIC = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "Zstandard"}
LONGEST_MAGIC = 6
_ZIP = b"PK\x03\x04"
_MOST_DECODER_BYTES = 256 << 20
"""Memory limit of a decoder: xz and Zstandard let the compressor choose it."""
_CHUNK_BYTES = 1 << 18
_SMALL_OUTPUT = 10_000_000
_ZSTANDARD_INPUT = 4096


class _Part(Protocol):
    """A decoder of one compressed part, as `bz2` has it."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int) -> bytes: ...


class _ZstandardPart:
    """A decoder of Zstandard with the interface of bzip2's. Its output is cut into pieces."""

    def __init__(self) -> None:
        zstandard = optional_package("zstandard", "zstd")
        self._error: type[Exception] = zstandard.ZstdError
        self._decoder = zstandard.ZstdDecompressor(max_window_size=_MOST_DECODER_BYTES // 2).decompressobj()
        self._output = b""
        self._input = b""

    @property
    def eof(self) -> bool:
        return bool(self._decoder.eof) and not self._output

    @property
    def needs_input(self) -> bool:
        return not self._output and not self._input

    @property
    def unused_data(self) -> bytes:
        return bytes(self._decoder.unused_data) + self._input

    def decompress(self, data: bytes, max_length: int) -> bytes:
        self._input += data
        # A little at a time: a block of the format holds up to 128 kB, whatever its compressed size.
        while not self._output and self._input and not self._decoder.eof:
            piece, self._input = self._input[:_ZSTANDARD_INPUT], self._input[_ZSTANDARD_INPUT:]
            try:
                self._output = self._decoder.decompress(piece)
            except self._error as reason:
                raise OSError(str(reason)) from reason
        given, self._output = self._output[:max_length], self._output[max_length:]
        return given


class _GzipPart:
    """A decoder of gzip with the interface of bzip2's."""

    def __init__(self) -> None:
        import zlib

        self._decoder = zlib.decompressobj(16 + zlib.MAX_WBITS)

    @property
    def eof(self) -> bool:
        return self._decoder.eof

    @property
    def needs_input(self) -> bool:
        return not self._decoder.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        return self._decoder.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        return self._decoder.decompress(self._decoder.unconsumed_tail + data, max_length)


def is_compressed(head: bytes) -> bool:
    """Whether the first bytes of an input show that it is compressed."""
    return head.startswith(tuple(_MAGIC))


def decompressed(chunks: Iterable[bytes], ratio_limit: int, *, by_threads: bool = False) -> Iterator[bytes]:
    """The decoded chunks; uncompressed chunks unchanged.

    `by_threads` decodes bzip2 data of many streams on all cores. It reads ahead, so it is not for input that arrives.
    """
    chunks = iter(chunks)
    head = b""
    for chunk in chunks:
        head += chunk
        # Only while it may still be the beginning of a compressed input: the rest may be long in coming.
        if not any(magic.startswith(head) for magic in _MAGIC):
            break
    rest = chain((head,), chunks) if head else chunks
    for magic, name in _MAGIC.items():
        if head.startswith(magic):
            if name == "bzip2" and by_threads:
                in_one_thread = partial(_decoded, name, _decoder(name), ratio_limit)
                return parallel_bzip2.decoded(rest, in_one_thread, partial(_check_ratio, limit=ratio_limit))
            return _decoded(name, _decoder(name), ratio_limit, rest)
    if head.startswith(_ZIP):
        # A zip directory is at the end: it cannot be read on arrival, and the wanted member is unknown.
        hint = "save it as a file whose name ends in .zip, then: -i FILE.zip, or -i 'FILE.zip!*.xml' for some members"
        raise InputError("XYIN0001", "it is a zip archive", hint=hint)
    return iter(rest)


def _decoder(name: str) -> Callable[[], _Part]:
    if name == "gzip":
        return _GzipPart
    if name == "Zstandard":
        return _ZstandardPart
    if name == "xz":
        from lzma import LZMADecompressor

        return lambda: LZMADecompressor(memlimit=_MOST_DECODER_BYTES)
    from bz2 import BZ2Decompressor

    return BZ2Decompressor


def _decoded(
    name: str,
    new_part: Callable[[], _Part],
    ratio_limit: int,
    chunks: Iterable[bytes],
    read: int = 0,
    written: int = 0,
) -> Iterator[bytes]:
    """Decode chunks, after `read` bytes of whole parts that produced `written` bytes."""
    part = new_part()
    is_between = read > 0
    for chunk in chunks:
        read += len(chunk)
        data = chunk
        while data or not part.needs_input:
            if is_between:
                # Parts may be padded with zeros, as tapes were.
                data = data.lstrip(b"\0")
                if not data:
                    break
                part, is_between = new_part(), False
            output = _next_output(part, data, name, read)
            data = b""
            if output:
                written += len(output)
                _check_ratio(written, read, ratio_limit)
                yield output
            if part.eof:
                data, is_between = part.unused_data, True
                part = _DONE
    if not is_between:
        raise InputError("XYIN0009", f"the {name} data ends after {read} bytes, in the middle")


class _Done:
    """The state between two parts: nothing is decoded."""

    eof = False
    needs_input = True
    unused_data = b""

    def decompress(self, data: bytes, max_length: int) -> bytes:
        raise AssertionError("no part is open")


_DONE = _Done()


def _next_output(part: _Part, data: bytes, name: str, read: int) -> bytes:
    import zlib

    try:
        return part.decompress(data, _CHUNK_BYTES)
    except (zlib.error, OSError, EOFError) as error:
        raise InputError("XYIN0009", f"bytes that are not {name} data, before byte {read}") from error
    except Exception as error:
        # lzma's own error; the module is loaded only for xz data.
        if type(error).__name__ != "LZMAError":
            raise
        raise InputError("XYIN0009", f"bytes that are not {name} data, before byte {read}: {error}") from error


def _check_ratio(written: int, read: int, limit: int) -> None:
    if written > _SMALL_OUTPUT and written > limit * read:
        raise InputError("XYIN0004", f"decompression ratio: {written // read} where {limit} are allowed")
