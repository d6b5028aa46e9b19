"""Operations applied to the store: what commits, what is left out by policy, and what an error says."""

from __future__ import annotations

from typing import Any

import pytest
from xylem.errors import InputError
from xylem.source.malformed import MalformedRecord, MalformedTally
from xylem.source.update_stream.wire import read_wire

from tests.run.history.feeding import OPEN, displays, texts

BASE = '<r><a u:id="i">1</a></r>'


def failing(stream: str, **given: Any) -> InputError:
    with pytest.raises(InputError) as caught:
        displays("/r", stream, **given)
    return caught.value


@pytest.mark.parametrize(
    ("update", "code"),
    [
        ('<u:replace of="nobody"><a/></u:replace>', "XYIN0040"),
        ('<u:freeze of="i"/><u:remove of="i"/>', "XYIN0042"),
        ('<u:clock t="5"/><u:remove of="i" t="4"/>', "XYIN0043"),
        ("<u:replace><a/></u:replace>", "XYIN0044"),
        ('<u:remove of="i" t="soon"/>', "XYIN0044"),
        ('<u:remove of="i"><a/></u:remove>', "XYIN0044"),
        ("<u:batch>text</u:batch>", "XYIN0044"),
        ("<u:batch><a/></u:batch>", "XYIN0044"),
        ('<u:undo of="i"/>', "XYIN0044"),
        ('<u:replace of="i"><a u:of="i"/></u:replace>', "XYIN0044"),
    ],
)
def test_bad_updates_are_errors_with_a_place_or_are_left_out(update: str, code: str) -> None:
    base = '<r><a u:id="i">1</a><c u:id="k"/></r>'
    stream = f"{OPEN}{base}\n{update}\n<u:insert-after of='k' t='7'><b/></u:insert-after></u:stream>"
    error = failing(stream, source="feed.xml")
    assert error.code == code
    assert error.place is not None
    assert error.place.line == 2
    assert "feed.xml" in error.message
    kept: list[MalformedRecord] = []
    tally = MalformedTally(kept.append)
    assert texts("/r", stream, tally=tally, late="dead-letter", chunk=1)[-1].endswith("<b/></r>")
    assert [record.error.code for record in kept] == [code]
    assert kept[0].data.decode() in update
    assert kept[0].data.startswith(b"<u:")


def test_an_open_region_is_not_replaced() -> None:
    inside = '<r><u:mutable id="m">x{}</u:mutable></r>'
    error = failing(f"{OPEN}{inside.format('<u:replace of=`m`/>'.replace('`', chr(34)))}</u:stream>")
    assert error.code == "XYIN0041"
    before = '<u:insert-before of="m" t="1">y</u:insert-before>'
    assert texts("string(/r)", f"{OPEN}{inside.format(before)}</u:stream>") == ["yx"]


def test_commits_are_the_end_of_the_base_of_updates_and_batches_and_clocks() -> None:
    stream = f"""{OPEN}{BASE}
    <u:batch t="1"><u:replace of="i"><a>2</a></u:replace><u:insert-after of="i"><b/></u:insert-after></u:batch>
    <u:replace of="i" t="2"><a><u:remove of="i"/>3</a></u:replace>
    <u:freeze of="i"/><u:commit t="3"/><u:clock t="4.5"/></u:stream>"""
    assert displays("<d>{ /r/*, xylem:as-of(count(/r/*), 99), (1)?[9] }</d>", stream) == [
        (1, "0", "<d><a>1</a>1 1</d>"),
        (2, "1", "<d><a>2</a><b/>2 1</d>"),
        (3, "2", "<d><a>3</a><b/>2 1</d>"),
    ]
    assert [operation.kind for operation in read_wire([stream.encode()])] == [
        "base",
        "updates",
        "updates",
        "freeze",
        "commit",
        "clock",
    ]


def test_updates_inside_the_base_show_what_has_come_so_far() -> None:
    stream = f"""{OPEN}<r><a u:id="i">1</a><u:replace of="i" t="3"><a>2</a></u:replace><b/></r></u:stream>"""
    assert displays("/r", stream) == [(1, "3", "<r><a>2</a></r>"), (2, "3", "<r><a>2</a><b/></r>")]
    # The first version came and went with the same commit.
    assert texts("/r/a#1/string()", stream) == ["1"]
    assert texts("/r/a?0/string()", stream) == ["2"]


def test_a_document_without_the_wrapper_is_the_base() -> None:
    stream = """<?xml version="1.0"?><!-- c --><r xmlns:u="urn:xylem:update"><a u:id="i">1</a>
    <u:replace of="i" t="1"><a>2</a></u:replace></r>"""
    assert texts("/r/a", stream) == ["<a>2</a>"]


def test_times_are_seconds_or_dates() -> None:
    stream = f"""{OPEN}{BASE}<u:clock t="1970-01-02T00:00:00Z"/><u:clock t="86401.25"/></u:stream>"""
    assert displays("count(/r?[0.5]), xylem:begin(/r)", stream)[0][:2] == (1, "0")
    assert displays("count(/r/a?86400)", stream) == [(1, "0", "0"), (2, "86400", "1")]


@pytest.mark.parametrize(
    ("late", "shown"),
    [("clamp", [(1, "0", "1"), (3, "5", "2")]), ("drop", [(1, "0", "1")])],
)
def test_time_that_runs_back(late: str, shown: list[tuple[int, str, str]]) -> None:
    stream = f"""{OPEN}{BASE}<u:clock t="5"/><u:replace of="i" t="4"><a>2</a></u:replace></u:stream>"""
    assert displays("/r/a/string()", stream, late=late) == shown


def test_nothing_of_the_vocabulary_is_seen_by_queries() -> None:
    stream = """<u:stream xmlns:u="urn:xylem:update" xmlns="urn:d" xmlns:p="urn:p"><r><a u:id="i" p:x="1"/></r>
    <u:replace of="i" t="1"><a xmlns=""><b/></a></u:replace></u:stream>"""
    assert texts("/*", stream) == [
        '<r xmlns="urn:d" xmlns:p="urn:p"><a p:x="1"/></r>',
        '<r xmlns="urn:d" xmlns:p="urn:p"><a xmlns=""><b/></a></r>',
    ]
    assert texts("//*:a/@*/name()", stream) == ["p:x", ""]


@pytest.mark.parametrize("chunk", [1, 2, 5, 64, 10_000])
def test_documents_one_after_another_are_the_base_and_its_updates(chunk: int) -> None:
    update = '<u:replace xmlns:u="urn:xylem:update" of="i" t="{0}"><a>{0}</a></u:replace>'
    documents = [
        '<?xml version="1.0"?>\n<r xmlns:u="urn:xylem:update"><a u:id="i">0</a></r>',
        update.format(1),
        '<?xml version="1.0"?>' + update.format(2),
        f'<u:batch xmlns:u="urn:xylem:update">{update.format(3)}</u:batch><!-- done -->',
    ]
    stream = "\n".join(documents) + "\n"
    assert displays("/r/a/string()", stream, chunk=chunk) == [
        (1, "0", "0"),
        (2, "1", "1"),
        (3, "2", "2"),
        (4, "3", "3"),
    ]
    error = failing(stream + "<u:remove xmlns:u='urn:xylem:update' of='x'/>", chunk=chunk)
    assert error.place is not None
    assert (error.place.line, error.place.column, error.place.byte_offset) == (6, 1, len(stream))
    error = failing(stream + "<r><", chunk=chunk)
    assert error.code == "XYIN0001"
    assert error.place is not None
    assert error.place.line == 6
