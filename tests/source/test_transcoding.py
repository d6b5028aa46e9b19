"""Encodings that only Python knows stream through the kernel too."""

from __future__ import annotations

import pytest
import xylem
from xylem.source.transcoding import readable_by_kernel

ENCODINGS = ["cp437", "IBM850", "cp037", "IBM500", "johab", "hz", "x-sjis", "windows-31j"]


def document(encoding: str, body: str) -> bytes:
    codec = {"x-sjis": "shift_jis", "windows-31j": "cp932"}.get(encoding, encoding)
    return f'<?xml version="1.0" encoding="{encoding}"?><a><b>{body}</b><b>2</b></a>'.encode(codec)


@pytest.mark.parametrize("scanner", ["kernel", "python"])
@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_streams_in_any_chunks(encoding: str, size: int, scanner: str) -> None:
    body = {"johab": "한국", "hz": "中文", "x-sjis": "日本", "windows-31j": "日本"}.get(encoding, "é")
    data = document(encoding, body)
    chunks = [data[at : at + size] for at in range(0, len(data), size)]
    query = xylem.compile("//b ! string(.)")
    assert list(query.stream(iter(chunks), scanner=scanner)) == [body, "2"]
    assert list(query.run(xylem.parse(data))) == [body, "2"]


def test_what_comes_before_a_bad_byte_is_delivered() -> None:
    data = document("johab", "x").replace(b"<b>2", b"<c/>\xff\xff<b>2")
    items = iter(xylem.compile("//b ! string(.)").stream(data, scanner="kernel"))
    assert next(items) == "x"
    with pytest.raises(xylem.XylemError, match="XYIN0007"):
        next(items)


@pytest.mark.parametrize(
    "data", [b"", b"<", b"<a/>", "<a/>".encode("utf-16"), b"<?xml version='1.0'"]
)
def test_other_inputs_pass_unchanged(data: bytes) -> None:
    chunks, encoding = readable_by_kernel(iter([data[:2], data[2:]]))
    assert (b"".join(chunks), encoding) == (data, None)
