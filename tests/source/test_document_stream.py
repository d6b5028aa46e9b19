"""Documents in a stream are told apart exactly, in pieces of any size."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xylem.errors import InputError
from xylem.source import kernel
from xylem.source.document_stream import DocumentSplitter, Framing, StreamedDocument, split_documents
from xylem.source.limits import Limits

from .scan_cases import documents
from .scan_views import cut

MISSING = "the kernel is not built here"
SCANNERS = [
    "python",
    pytest.param("kernel", marks=pytest.mark.skipif(kernel.kernel_build() is None, reason=MISSING)),
]
BOTH = pytest.mark.parametrize("scanner", SCANNERS)

DECLARED = "<?xml version='1.0'?>"
DOCTYPE = "<!DOCTYPE a [<!-- > ]> --><!ENTITY e '>]>'>]>"
GAPS = st.sampled_from([b"", b"\n", b" \r\n\t", b"]]>]]>", b"\n]]>]]>\n", b"]]>]]>]]>]]>"])


def is_told_apart(document: bytes) -> bool:
    """In an encoding that contains ASCII, and with nothing after the root element."""
    has_more = document.rstrip().endswith((b"-->", b"?>"))
    return not document.startswith((b"\xff\xfe", b"\xfe\xff")) and not has_more


@BOTH
@settings(max_examples=60, deadline=None)
@given(
    stream=st.lists(st.tuples(documents().filter(is_told_apart), GAPS), min_size=1, max_size=4),
    places=st.lists(st.integers(0, 4000), max_size=12),
)
def test_each_document_comes_back(scanner: str, stream: list[tuple[bytes, bytes]], places: list[int]) -> None:
    whole = b"".join(document + gap for document, gap in stream)
    found = list(split_documents(cut(whole, places), scanner=scanner))
    assert [document.data for document in found] == [document.strip() for document, _ in stream]
    assert all(document.is_complete for document in found)
    for document in found:
        assert whole[document.offset :].startswith(document.data)
        before = whole[: document.offset].replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        assert document.line == before.count(b"\n") + 1


@BOTH
@pytest.mark.parametrize(
    ("stream", "expected"),
    [
        ("<a/><b/>", ["<a/>", "<b/>"]),
        (f"{DECLARED}<a/><!-- end --><?p?>{DECLARED}<b/>", [f"{DECLARED}<a/>", f"{DECLARED}<b/>"]),
        ("<a/><!-- of b --><b/><!-- last -->", ["<a/>", "<!-- of b --><b/>"]),
        (f"{DOCTYPE}<a>&e;</a><b/>", [f"{DOCTYPE}<a>&e;</a>", "<b/>"]),
        ("<a><![CDATA[]]>]]&gt;<!-- ]]>]]> --></a>]]>]]><b/>", ["<a><![CDATA[]]>]]&gt;<!-- ]]>]]> --></a>", "<b/>"]),
        ("\ufeff<a/>\ufeff<b/>", ["\ufeff<a/>", "\ufeff<b/>"]),
        ("", []),
        (" ]]>]]> ", []),
    ],
)  # fmt: skip
def test_borders(scanner: str, stream: str, expected: list[str]) -> None:
    data = stream.encode()
    for size in range(1, len(data) + 2):
        pieces = [data[place : place + size] for place in range(0, len(data), size)]
        found = list(split_documents(pieces, scanner=scanner))
        assert [document.data.decode() for document in found] == expected
        assert all(document.is_complete for document in found)


@BOTH
def test_broken_documents_do_not_affect_others(scanner: str) -> None:
    stream = f"{DECLARED}<a><b>\n{DECLARED}<c/></d><e/>text{DECLARED}<f><g>".encode()
    for size in range(1, len(stream)):
        pieces = [stream[place : place + size] for place in range(0, len(stream), size)]
        found = list(split_documents(pieces, scanner=scanner))
        told = [(document.data.decode(), document.is_complete) for document in found]
        assert told == [
            (f"{DECLARED}<a><b>\n", False),
            (f"{DECLARED}<c/>", True),
            ("</d>", False),
            ("<e/>", True),
            ("text", False),
            (f"{DECLARED}<f><g>", False),
        ]


@BOTH
def test_messages_by_their_mark(scanner: str) -> None:
    stream = b"<a><b>]]>]]>\n<c/>]]>]]>\r\n]]>]]><!-- d -->]]>]]>rest"
    for size in range(1, len(stream)):
        pieces = [stream[place : place + size] for place in range(0, len(stream), size)]
        found = list(split_documents(pieces, Framing.MARK, scanner=scanner))
        assert found == [
            StreamedDocument(0, 1, b"<a><b>", True),
            StreamedDocument(13, 2, b"<c/>", True),
            StreamedDocument(31, 3, b"<!-- d -->", True),
            StreamedDocument(47, 3, b"rest", False),
        ]


@BOTH
def test_a_document_is_there_with_its_last_byte(scanner: str) -> None:
    splitter = DocumentSplitter(scanner=scanner)
    assert splitter.feed(b"<a><b/></a") == []
    assert [document.data for document in splitter.feed(b">")] == [b"<a><b/></a>"]
    assert splitter.finish() is None


@BOTH
def test_limits_and_encodings(scanner: str) -> None:
    splitter = DocumentSplitter(limits=Limits(item_bytes=100), scanner=scanner)
    assert len(splitter.feed(b"<a/>" * 50 + b"<b>" + b"x" * 97)) == 50
    with pytest.raises(InputError) as caught:
        splitter.feed(b"x")
    assert caught.value.code == "XYIN0004"
    assert caught.value.place is not None
    assert caught.value.place.byte_offset == 200
    with pytest.raises(InputError) as caught:
        list(split_documents(["<a/>".encode("utf-16")], scanner=scanner))
    assert caught.value.code == "XYIN0007"
