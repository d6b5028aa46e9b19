"""A log of records: what was added can be read again, and what was interrupted does not count."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
import xylem
from xylem.errors import InputError
from xylem.network.record_log import RecordLog


def test_positions_are_numbers_of_records(tmp_path: Path) -> None:
    log = RecordLog(tmp_path / "s")
    log.begin(b"<s>")
    assert log.append([b"<r>1</r>", b"<r>2</r>"]) == 2
    assert log.append([b"<r>3</r>"]) == 3
    for each in (log, RecordLog(tmp_path / "s")):
        assert each.end == 3
        assert each.opening == b"<s>"
        assert each.read(1, 3, 1 << 20) == (b"<r>2</r><r>3</r>", 3)
        assert each.read(0, 3, 1) == (b"<r>1</r>", 1)
        assert each.read(2, 2, 10) == (b"", 2)


def test_bytes_of_an_interrupted_addition_do_not_count(tmp_path: Path) -> None:
    log = RecordLog(tmp_path / "s")
    log.begin(b"<s>")
    log.append([b"<r>1</r>"])
    with (tmp_path / "s" / "log.data").open("ab") as file:
        file.write(b"<r>half")
    with (tmp_path / "s" / "log.index").open("ab") as file:
        file.write(b'0123 {"n":')
    again = RecordLog(tmp_path / "s")
    assert again.append([b"<r>2</r>"]) == 2
    assert RecordLog(tmp_path / "s").read(0, 2, 1 << 20)[0] == b"<r>1</r><r>2</r>"


def test_bytes_that_are_not_what_came_are_told(tmp_path: Path) -> None:
    log = RecordLog(tmp_path / "s")
    log.begin(b"<s>")
    log.append([b"<r>1</r>"])
    (tmp_path / "s" / "log.data").write_bytes(b"<r>2</r>")
    with pytest.raises(xylem.DynamicError, match="XYRT0033"):
        RecordLog(tmp_path / "s").read(0, 1, 100)


def test_records_of_one_stream_stand_in_the_same_elements(tmp_path: Path) -> None:
    log = RecordLog(tmp_path / "s")
    log.begin(b"<s>")
    with pytest.raises(InputError, match="XYRT0052"):
        log.begin(b"<t>")
    log.begin(b"<?xml version='1.0' encoding='utf-8'?><s>")
    with pytest.raises(InputError, match="XYRT0052"):
        log.begin(b"<?xml version='1.0' encoding='latin1'?><s>")


def test_a_log_may_have_records_at_some_positions_only(tmp_path: Path) -> None:
    draw = Random(7)
    for round_number in range(5):
        place = tmp_path / str(round_number)
        base = draw.choice([0, 0, 12])
        log = RecordLog(place, base)
        log.begin(b"<s>")
        known: dict[int, bytes] = {}
        while log.end < 60:
            end = log.end + draw.randrange(1, 9)
            at = sorted(draw.sample(range(log.end, end), draw.randrange(0, end - log.end + 1)))
            records = [b"<r>%d</r>" % position for position in at]
            known |= dict(zip(at, records, strict=True))
            assert log.append_at(records, at, end) == end
        for each in (log, RecordLog(place, 99)):
            assert (each.base, each.end, each.count) == (base, log.end, len(known))
            for _ in range(20):
                start = draw.randrange(base, log.end)
                end = draw.randrange(start, log.end + 1)
                at, most = start, draw.choice([1, 20, 1 << 20])
                found: dict[int, bytes] = {}
                while at < end:
                    piece = each.records(at, end, most)
                    assert each.read(at, end, most) == (piece.data, piece.end)
                    assert at < piece.end <= end
                    found |= dict(piece.each())
                    at = piece.end
                assert found == {position: one for position, one in known.items() if start <= position < end}
