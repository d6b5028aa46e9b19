"""A directory as a log: an order that is written down, files that are not finished, patterns."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from xylem.errors import InputError
from xylem.spark.continuous.directory_log import DirectoryLog, refuse_results_as_input


def put(folder: Path, name: str, seconds: float) -> None:
    place = folder / name
    place.write_text("<a/>")
    os.utime(place, (seconds, seconds))


def names(log: DirectoryLog) -> list[str]:
    return [Path(file.path).name for file in log[0 : len(log)]]


def test_files_are_ordered_by_time_then_name_and_keep_their_numbers(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    put(folder, "b.xml", 10)
    put(folder, "a.xml", 20)
    put(folder, "c.xml", 10)
    log = DirectoryLog(str(folder), tmp_path / "journal")
    log.discover()
    assert names(log) == ["b.xml", "c.xml", "a.xml"]
    # Older than all others, but found later.
    put(folder, "d.xml", 1)
    log.discover()
    assert names(log) == ["b.xml", "c.xml", "a.xml", "d.xml"]
    # Another process finds the same order, whatever the directory looks like by then.
    (folder / "b.xml").unlink()
    again = DirectoryLog(str(folder), tmp_path / "journal")
    again.discover()
    assert names(again) == names(log)


def test_a_changed_file_is_no_new_file(tmp_path: Path) -> None:
    put(tmp_path, "a.xml", 10)
    log = DirectoryLog(str(tmp_path), tmp_path / "state" / "journal")
    log.discover()
    put(tmp_path, "a.xml", 99)
    log.discover()
    assert names(log) == ["a.xml"]


@pytest.mark.parametrize("name", [".a.xml", "_a.xml", "a.xml.tmp", "a.xml.part", "a.xml~"])
def test_unfinished_files_are_left_alone(tmp_path: Path, name: str) -> None:
    put(tmp_path, name, 10)
    log = DirectoryLog(str(tmp_path), tmp_path / "state" / "journal")
    log.discover()
    assert len(log) == 0


def test_a_pattern_chooses_files(tmp_path: Path) -> None:
    for name in ("a.xml", "b.txt", "c.xml"):
        put(tmp_path, name, 10)
    log = DirectoryLog(str(tmp_path / "*.xml"), tmp_path / "state" / "journal")
    log.discover()
    assert names(log) == ["a.xml", "c.xml"]


def test_files_that_still_change_wait(tmp_path: Path) -> None:
    put(tmp_path, "a.xml", 100)
    now = 101.0
    log = DirectoryLog(str(tmp_path), tmp_path / "state" / "journal", 2.0, lambda: now)
    log.discover()
    assert len(log) == 0
    now = 103.0
    log.discover()
    assert names(log) == ["a.xml"]


def test_a_missing_directory_is_told(tmp_path: Path) -> None:
    log = DirectoryLog(str(tmp_path / "nowhere"), tmp_path / "journal")
    with pytest.raises(InputError) as caught:
        log.discover()
    assert caught.value.code == "XYIN0002"


def test_half_a_line_of_the_journal_does_not_count(tmp_path: Path) -> None:
    put(tmp_path, "a.xml", 10)
    journal = tmp_path / "state" / "journal"
    DirectoryLog(str(tmp_path), journal).discover()
    with journal.open("a") as file:
        file.write('["b.xml",')
    put(tmp_path, "c.xml", 20)
    log = DirectoryLog(str(tmp_path), journal)
    log.discover()
    assert names(log) == ["a.xml", "c.xml"]


@pytest.mark.parametrize(
    ("place", "written", "is_refused"),
    [
        ("", "part-000000000001-0.xml", True),
        ("/*.xml", "part-000000000001-0.xml", True),
        ("/*.in.xml", "part-000000000001-0.xml", False),
        ("", "out/part-000000000001-0.xml", False),
    ],
)
def test_results_are_no_input(place: str, written: str, is_refused: bool, tmp_path: Path) -> None:
    if is_refused:
        with pytest.raises(InputError, match="XYRT0032"):
            refuse_results_as_input(f"{tmp_path}{place}", [tmp_path / written])
    else:
        refuse_results_as_input(f"{tmp_path}{place}", [tmp_path / written])


def test_a_batch_is_bounded_by_bytes_and_by_files(tmp_path: Path) -> None:
    for number in range(10):
        put(tmp_path, f"{number}.xml", number)
    log = DirectoryLog(str(tmp_path), tmp_path / "state" / "journal")
    log.discover()
    assert log.reach(0, 4 * 3) == 3
    assert log.reach(0, None, most_files=4) == 4
    assert log.reach(8, None, most_files=4) == 10
    assert log.reach(0, 4 * 3, most_files=2) == 2
    assert log.reach(0, 1, most_files=1) == 1


def test_what_was_found_is_known_by_size_and_time(tmp_path: Path) -> None:
    put(tmp_path, "a.xml", 10)
    log = DirectoryLog(str(tmp_path), tmp_path / "state" / "journal")
    log.discover()
    put(tmp_path, "a.xml", 99)
    again = DirectoryLog(str(tmp_path), tmp_path / "state" / "journal")
    again.refresh()
    assert [(file.size, file.modified_ns) for file in again[0:1]] == [(4, 10 * 10**9)]
