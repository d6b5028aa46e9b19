"""What a task tells of documents that cannot be read or answered, by policy."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from xylem.spark.carried_error import arrived
from xylem.spark.continuous.document_answers import DocumentAnswers
from xylem.spark.continuous.merged_rows import TaskRow
from xylem.spark.continuous.modes import mode_of
from xylem.spark.continuous.pieces import Piece
from xylem.spark.continuous.subscription import Changed, Malformed, Mode, Subscription, Work
from xylem.spark.continuous.task import ABOUT, ERROR, FAILED, READ, Task
from xylem.spark.shipped_query import shipped_query

NESTED = b"<r><s><s><p/></s></s></r>"


def rows_of(query: str, mode: Mode, malformed: Malformed, *sources: Path | bytes) -> list[TaskRow]:
    several = mode is Mode.SPREAD
    work = Work((Subscription("q", shipped_query(query, several_documents=several), mode),), malformed=malformed)
    pieces = [Piece(number, source, 1, 0, str(source)[-8:]) for number, source in enumerate(sources)]
    return list(Task(work).rows(pieces))


def about(rows: list[TaskRow], kind: int) -> list[bytes]:
    return [row[5] for row in rows if row[0] == ABOUT and row[1] == kind]


@pytest.mark.parametrize("malformed", [Malformed.SKIP, Malformed.DEAD_LETTER])
def test_a_file_that_is_gone_is_left_out(tmp_path: Path, malformed: Malformed) -> None:
    there = tmp_path / "there.xml"
    there.write_text("<o id='1'/>")
    rows = rows_of("string(/o/@id)", Mode.EACH, malformed, tmp_path / "gone.xml", there)
    (failed,) = map(json.loads, about(rows, FAILED))
    assert failed["code"] == "XYIN0002"
    (read,) = map(json.loads, about(rows, READ))
    assert (read["failed"], read["items"]) == (1, 2)
    assert [row[5] for row in rows if row[0] != ABOUT]


def test_a_file_that_is_gone_stops_the_query(tmp_path: Path) -> None:
    rows = rows_of("string(/o/@id)", Mode.EACH, Malformed.STOP, tmp_path / "gone.xml")
    (error,) = about(rows, ERROR)
    assert arrived(error, "").code == "XYIN0002"


def test_what_no_record_is_to_blame_for_is_not_left_out() -> None:
    query = "for $s in collection()//s group by $k := 1 return count($s//p)"
    rows = rows_of(query, Mode.SPREAD, Malformed.SKIP, NESTED)
    (error,) = about(rows, ERROR)
    assert arrived(error, "").code == "XYRT0011"
    assert not about(rows, FAILED)


def test_where_items_may_nest_one_document_is_read_in_order() -> None:
    """Tasks would find out when the batches before are gone."""
    path, flat = ("for $s in //s group by $k := 1 return $s//p", "for $s in //s group by $k := 1 return count($s)")
    assert mode_of(shipped_query(path), is_one_document=True) is Mode.IN_ORDER
    assert mode_of(shipped_query(flat), is_one_document=True) is Mode.SPREAD


def test_a_file_that_was_written_again_is_told_or_stops_the_query(tmp_path: Path) -> None:
    same, other = tmp_path / "same.xml", tmp_path / "other.xml"
    for place in (same, other):
        place.write_text("<o id='1'/>")
    pieces = [
        Piece(number, place, place.stat().st_size, 0, place.name, modified_ns=place.stat().st_mtime_ns)
        for number, place in enumerate((same, other))
    ]
    other.write_text("<o id='another'/>")
    subscriptions = (Subscription("q", shipped_query("string(/o/@id)"), Mode.EACH),)
    rows = list(Task(Work(subscriptions)).rows(pieces))
    (read,) = map(json.loads, about(rows, READ))
    assert (read["changed"], read["changed_files"]) == (1, ["other.xml"])
    assert [row[5] for row in rows if row[0] != ABOUT] == [b"1", b"another"]
    rows = list(Task(Work(subscriptions, changed=Changed.STOP)).rows(pieces))
    (error,) = about(rows, ERROR)
    assert arrived(error, "").code == "XYIN0032"


def test_documents_of_a_task_know_nothing_of_each_other(tmp_path: Path) -> None:
    """They share what runs over them, errors and different moments included."""
    query = "for $r in /r return <a at='{ current-dateTime() }'>{ $r/@n, $r/b, count($r/b) }</a>"
    assert shipped_query(query).once(DocumentAnswers).is_streaming
    sources = [f"<r n='{n}' xmlns:p{n}='urn:{n}'>{'<b>x</b>' * (n % 3)}</r>" for n in range(6)]
    sources[3] = "<r><b>half"
    files = [tmp_path / f"{number}.xml" for number in range(len(sources))]
    for place, text in zip(files, sources, strict=True):
        place.write_text(text)

    def answers(pieces: list[Piece]) -> list[bytes]:
        work = Work((Subscription("q", shipped_query(query), Mode.EACH),), malformed=Malformed.SKIP)
        return [row[5] for row in Task(work).rows(pieces) if row[0] != ABOUT]

    pieces = [Piece(n, place, 1, 1000 * (n // 2), place.name) for n, place in enumerate(files)]
    found = answers(pieces)
    assert found == [answer for piece in pieces for answer in answers([piece])]
    assert len(found) == len(set(found)) == len(files) - 1
