"""Records out of bytes, however these are cut."""

from __future__ import annotations

import random

import pytest
from xylem.errors import InputError
from xylem.network.record_splitter import RecordSplitter

DOCUMENT = (
    b'<?xml version="1.0"?><!-- before --><s a="1">\n <r>1</r> <!-- a <r> in a comment --><r><r>in</r></r>'
    b"<x/>text<r><![CDATA[</s><r>]]></r>\n</s  >\n<!-- after -->"
)


def split(data: bytes, cuts: list[int]) -> tuple[list[bytes], RecordSplitter]:
    splitter = RecordSplitter()
    found: list[bytes] = []
    for start, end in zip([0, *cuts], [*cuts, len(data)], strict=True):
        records, fault = splitter.feed(data[start:end])
        assert fault is None
        found += records
    return found, splitter


def element(record: bytes) -> bytes:
    """A record without what came behind it."""
    return record.split(b"<!--")[0].removesuffix(b"text").strip()


def test_each_child_of_the_root_is_a_record() -> None:
    records, splitter = split(DOCUMENT, [])
    assert [record.split(b">")[0] for record in records] == [b"<r", b"<r", b"<x/", b"<r"]
    assert splitter.opening == b'<?xml version="1.0"?><s a="1">'
    assert splitter.is_over
    assert b"".join(records).rstrip().endswith(b"</r>")


def test_any_cut_gives_the_same_elements() -> None:
    whole = [element(record) for record in split(DOCUMENT, [])[0]]
    assert whole == [b"<r>1</r>", b"<r><r>in</r></r>", b"<x/>", b"<r><![CDATA[</s><r>]]></r>"]
    for seed in range(200):
        draw = random.Random(seed)
        cuts = sorted(draw.sample(range(1, len(DOCUMENT)), draw.randrange(1, 12)))
        records, _ = split(DOCUMENT, cuts)
        assert len(records) == 4, cuts
        # White space, text and comments go with the record before them, or come too late to do so.
        assert [element(record) for record in records] == whole


@pytest.mark.parametrize(
    "data", [b"<s><r>1</r><r>2", b"<s><r>1</r><r><x>2</x>", b"<s><r>1</r><r", b"<s><r>1</r></r", b"<s"]
)
def test_a_document_that_ends_within_a_record_is_an_error(data: bytes) -> None:
    splitter = RecordSplitter()
    records, fault = splitter.feed(data)
    assert fault is None
    assert len(records) == data.count(b"</r>")
    found = splitter.finish()
    assert isinstance(found, InputError)
    assert found.code == "XYIN0001"


@pytest.mark.parametrize("data", [b"<s><r>1</r>", b"<s><r>1</r>\n <!-- and so on -->", b"<s>", b"<s><r/></s>", b""])
def test_the_elements_around_the_records_may_stay_open(data: bytes) -> None:
    splitter = RecordSplitter()
    splitter.feed(data)
    assert splitter.finish() is None


def test_what_is_whole_before_an_error_is_given() -> None:
    splitter = RecordSplitter()
    records, fault = splitter.feed(b"<s><r>1</r><r>2</r><r>3</x></s>")
    assert len(records) == 2
    assert isinstance(fault, InputError)
    assert fault.code == "XYIN0001"


@pytest.mark.parametrize("data", [b"<s>", b"<s/>", b"<s>\n</s>", b""])
def test_a_document_without_records_gives_none(data: bytes) -> None:
    assert split(data, [])[0] == []
