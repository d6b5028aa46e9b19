"""A stream of bytes as a log: whatever pieces it comes in, its parts have every item once."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xylem.source.byte_ranges import Scope
from xylem.source.document_stream import Framing, split_documents
from xylem.spark.continuous.pieces import MessageRun, Piece, by_items
from xylem.spark.continuous.places import Frames
from xylem.spark.continuous.spool import Position, SpoolLog
from xylem.spark.continuous.spool_writer import DelimiterFinder, ItemFinder, SpoolWriter

ITEM: Scope = (("child", "", "feed"), ("child", "", "item"))
DOCUMENT = (
    b"<?xml version='1.0'?>\n<feed a='&lt;'>"
    + b"".join(b"<item n='%d'><!--</item>--><item/>\xc3\xa4<![CDATA[</feed>]]></item>\n" % n for n in range(40))
    + b"</feed>"
)


def documents(log: SpoolLog, start: Position, end: Position, most_bytes: int | None = None) -> list[bytes]:
    """What tasks would read, each a document."""
    found = []
    for stretch in log.stretches(start, end, most_bytes):
        data = Path(stretch.path).read_bytes()[stretch.start : stretch.end]
        assert stretch.range is not None
        first, last = stretch.range.start, stretch.range.end
        found.append((first.opening if first else b"") + data + (last.closing if last else b""))
    return found


def numbers(parts: list[bytes]) -> list[int]:
    return [int(item.attrib["n"]) for part in parts for item in ElementTree.fromstring(part).iterfind("item")]


@settings(max_examples=25)
@given(st.lists(st.integers(1, 300), min_size=1, max_size=20), st.integers(50, 2000), st.integers(1, 3000))
def test_every_item_once_whatever_the_pieces(
    tmp_path_factory: pytest.TempPathFactory, sizes: list[int], segment_bytes: int, batch_bytes: int
) -> None:
    spool = tmp_path_factory.mktemp("spool")
    writer = SpoolWriter(spool, ItemFinder([ITEM]), has_context=True, segment_bytes=segment_bytes)
    log = SpoolLog(spool)
    position, parts, offset, turn = Position(), [], 0, 0
    while offset < len(DOCUMENT):
        size = sizes[turn % len(sizes)]
        writer.take(DOCUMENT[offset : offset + size])
        offset, turn = offset + size, turn + 1
        if turn % 3 == 0:
            writer.commit()
        log.refresh()
        reached = log.reach(position, batch_bytes)
        parts += documents(log, position, reached, batch_bytes // 2 or 1)
        position = reached
    writer.end(is_complete=True)
    writer.close()
    log.refresh()
    while (reached := log.reach(position, batch_bytes)) != position:
        parts += documents(log, position, reached)
        position = reached
    assert numbers(parts) == list(range(40))
    assert position == log.end


def test_what_was_received_after_the_last_cut_does_not_count(tmp_path: Path) -> None:
    writer = SpoolWriter(tmp_path, ItemFinder([ITEM]), has_context=True)
    writer.take(b"<feed><item n='0'/><item n='1'>")
    writer.commit()
    log = SpoolLog(tmp_path)
    log.refresh()
    assert numbers(documents(log, Position(), log.end)) == [0]
    writer.end(is_complete=False)
    writer.close()
    assert writer.uncounted == b"<item n='1'>"
    # The next connection is another document, in another segment.
    writer = SpoolWriter(tmp_path, ItemFinder([ITEM]), has_context=True)
    writer.take(b"<feed b='2'><item n='2'/><item n='3'/></feed>")
    writer.end(is_complete=True)
    writer.close()
    log.refresh()
    assert numbers(documents(log, Position(), log.end)) == [0, 2, 3]


def test_a_connection_that_breaks_between_items_loses_none(tmp_path: Path) -> None:
    writer = SpoolWriter(tmp_path, ItemFinder([ITEM]), has_context=True)
    writer.take(b"<feed><item n='0'/><item n='1'/>\n")
    writer.end(is_complete=False)
    writer.close()
    log = SpoolLog(tmp_path)
    log.refresh()
    assert numbers(documents(log, Position(), log.end)) == [0, 1]


def test_segments_that_were_answered_are_dropped(tmp_path: Path) -> None:
    writer = SpoolWriter(tmp_path, ItemFinder([ITEM]), has_context=True, segment_bytes=200)
    for start in range(0, len(DOCUMENT), 100):
        writer.take(DOCUMENT[start : start + 100])
        writer.commit()
    writer.end(is_complete=True)
    writer.close()
    log = SpoolLog(tmp_path)
    log.refresh()
    assert log.end.segment > 3
    half = log.reach(Position(), len(DOCUMENT) // 2)
    rest = numbers(documents(log, half, log.end))
    log.drop_before(half)
    assert len(list(tmp_path.glob("*.data"))) == log.end.segment - half.segment + 1
    again = SpoolLog(tmp_path)
    again.refresh()
    assert numbers(documents(again, half, again.end)) == rest


@pytest.mark.parametrize(
    ("frames", "delimiter"), [(Frames.LINES, b"\n"), (Frames.NETCONF, b"]]>]]>")], ids=["lines", "netconf"]
)
@settings(max_examples=15)
@given(sizes=st.lists(st.integers(1, 20), min_size=1, max_size=10))
def test_messages_are_cut_at_their_delimiters(
    tmp_path_factory: pytest.TempPathFactory, frames: Frames, delimiter: bytes, sizes: list[int]
) -> None:
    spool = tmp_path_factory.mktemp("spool")
    messages = [b"<m n='%d'/>" % n for n in range(10)]
    data = delimiter.join(messages) + delimiter
    writer = SpoolWriter(spool, DelimiterFinder(delimiter), has_context=False)
    offset = turn = 0
    while offset < len(data):
        size = sizes[turn % len(sizes)]
        writer.take(data[offset : offset + size])
        writer.commit()
        offset, turn = offset + size, turn + 1
    writer.end(is_complete=False)
    writer.close()
    log = SpoolLog(spool)
    log.refresh()
    found = []
    for stretch in log.stretches(Position(), log.end, 30):
        run = MessageRun(0, stretch.path, stretch.start, stretch.end, frames, 0)
        found += [piece.source for piece in run.pieces()]
    assert found == messages
    assert sum(stretch.items for stretch in log.stretches(Position(), log.end, 30)) == len(messages)


@settings(max_examples=40)
@given(
    parts=st.lists(st.sampled_from([b"]]>", b"]", b"<m/>", b"]]>]]>", b">"]), max_size=12),
    sizes=st.lists(st.integers(1, 9), min_size=1, max_size=5),
)
def test_marks_are_found_where_the_source_finds_them(parts: list[bytes], sizes: list[int]) -> None:
    """Also where one seems to begin inside another."""
    data = b"".join(parts)
    finder = DelimiterFinder(b"]]>]]>")
    cut = offset = turn = 0
    while offset < len(data):
        size = sizes[turn % len(sizes)]
        found = finder.feed(data[offset : offset + size])
        cut = cut if found is None else found.offset
        offset, turn = offset + size, turn + 1
    *messages, rest = data.split(b"]]>]]>")
    assert (finder.items, cut) == (len(messages), len(data) - len(rest) if messages else 0)
    documents_found = [one.data.strip() for one in split_documents([data], Framing.MARK) if one.is_complete]
    assert documents_found == [message.strip() for message in messages if message.strip()]


def test_a_part_is_taken_apart_into_its_items(tmp_path: Path) -> None:
    writer = SpoolWriter(tmp_path, ItemFinder([ITEM]), has_context=True)
    writer.take(DOCUMENT)
    writer.end(is_complete=True)
    writer.close()
    log = SpoolLog(tmp_path)
    log.refresh()
    [stretch] = log.stretches(Position(), log.end)
    assert stretch.range is not None
    assert stretch.items == 40
    parts = [item.source for item in by_items(Piece(0, stretch.range, stretch.size, 0, "feed"), [ITEM])]
    assert len(parts) == 41
    assert numbers([part for part in parts if isinstance(part, bytes)]) == list(range(40))


def test_marks_that_are_not_needed_any_more_are_let_go(tmp_path: Path) -> None:
    writer = SpoolWriter(tmp_path, ItemFinder([ITEM]), has_context=True)
    log = SpoolLog(tmp_path)
    position, parts = Position(), []
    for start in range(0, len(DOCUMENT), 100):
        writer.take(DOCUMENT[start : start + 100])
        writer.commit()
        log.refresh()
        reached = log.reach(position, None)
        parts += documents(log, position, reached)
        position = reached
        log.forget_before(position)
        assert len(log._segments[0].marks) == 1
    writer.end(is_complete=True)
    writer.close()
    log.refresh()
    parts += documents(log, position, log.end)
    assert numbers(parts) == list(range(40))
