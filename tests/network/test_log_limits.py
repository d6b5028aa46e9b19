"""Logs that are limited in bytes or age: what is gone is said, and nobody else is affected."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from xylem.errors import InputError
from xylem.network.log_store import LogLimits
from xylem.network.network_state import Feed
from xylem.network.pulling import found, take, wanted
from xylem.network.record_log import RecordLog
from xylem.network.site import Site
from xylem.network.site_limits import SiteLimits

HOT = "<hot>{ /s/p[@n > 3] }</hot>"
EVEN = "count(/s/p[@n mod 2 = 0])"


def record(number: int) -> bytes:
    return b'<p n="%05d"/>' % number


def filled(log: RecordLog, number: int, start: int = 0) -> None:
    log.begin(b"<s>")
    for at in range(start, start + number):
        log.append([record(at)])


def files(directory: Path) -> int:
    return len(list(directory.glob("log*.data")))


def test_the_oldest_files_go_and_the_rest_can_be_read(tmp_path: Path) -> None:
    log = RecordLog(tmp_path, limits=LogLimits(bytes=400))
    filled(log, 200)
    before = files(tmp_path)
    assert log.forget(log.end)
    assert files(tmp_path) < before
    assert 400 <= log.kept_bytes < 500
    assert log.base > 150
    again = RecordLog(tmp_path, limits=LogLimits(bytes=400))
    for one in (log, again):
        assert (one.base, one.end, one.count, one.bytes) == (log.base, 200, 200, 200 * 14)
        data, reached = one.read(one.base, one.end, 1 << 20)
        assert (data, reached) == (b"".join(map(record, range(one.base, 200))), 200)
    filled(again, 5, 200)
    assert again.read(199, 205, 1 << 20)[0] == b"".join(map(record, range(199, 205)))
    log.close()
    again.close()


def test_files_that_a_crash_left_are_removed(tmp_path: Path) -> None:
    log = RecordLog(tmp_path, limits=LogLimits(bytes=400))
    filled(log, 200)
    kept = (tmp_path / "log.data").read_bytes()
    log.forget(log.end)
    (tmp_path / "log.data").write_bytes(kept)
    RecordLog(tmp_path).close()
    assert not (tmp_path / "log.data").exists()
    log.close()


def test_records_are_kept_for_a_time(tmp_path: Path) -> None:
    now = [1000.0]
    log = RecordLog(tmp_path, limits=LogLimits(seconds=80), clock=lambda: now[0])
    for at in range(40):
        now[0] += 5
        filled(log, 1, at)
    assert log.forget(log.end)
    assert 40 - 20 <= log.base <= 40 - 16
    assert not log.forget(log.end)
    log.close()


def test_nothing_is_removed_that_is_still_to_be_read(tmp_path: Path) -> None:
    log = RecordLog(tmp_path, limits=LogLimits(bytes=0))
    filled(log, 50)
    assert log.forget(20)
    assert log.base <= 20
    assert log.read(20, 21, 1)[0] == record(20)
    log.close()


def limited(directory: Path) -> Site:
    return Site(directory, limits=SiteLimits(log=LogLimits(bytes=400)))


def publish(site: Site, start: int, number: int) -> None:
    stream = site.publication("s")
    stream.feed(b"<s>")
    for at in range(start, start + number):
        stream.feed(record(at))


def test_who_needs_records_that_are_gone_is_suspended_and_the_others_go_on(tmp_path: Path) -> None:
    site = limited(tmp_path)
    publish(site, 0, 100)
    site.subscribe("hot", HOT, "s", "earliest")
    site.work_all()
    assert site.streams["s"].log.base > 50
    now = site.subscribe("now", HOT, "s", "now")
    publish(site, 100, 10)
    site.work_all()
    # Running answers need nothing again.
    assert site.answer(site.subscription("hot"), 0)[0].count(b"<p") == 106
    assert site.subscription("hot").state == "active"
    site.close()
    # Without a saved state (`test_answer_states.py`), as where another version wrote it.
    shutil.rmtree(tmp_path / "states")
    again = limited(tmp_path)
    again.work_all()
    assert again.subscription("hot").state == "suspended"
    assert "XYRT0060" in again.subscription("hot").error
    assert again.subscription("now").state == "active"
    publish(again, 110, 5)
    again.unsubscribe("now")
    again.work_all()
    assert again.answer(now, 0)[0] == b"<hot>" + b"".join(map(record, range(100, 115))) + b"</hot>"
    anew = again.subscribe("hot", HOT, "s", "earliest")
    assert anew.start == again.streams["s"].log.base
    again.unsubscribe("hot")
    again.work_all()
    assert again.answer(anew, 0)[0] == b"<hot>" + b"".join(map(record, range(anew.start, 115))) + b"</hot>"
    again.close()


def test_a_position_that_is_gone_cannot_be_subscribed(tmp_path: Path) -> None:
    site = limited(tmp_path)
    publish(site, 0, 100)
    site.work_all()
    with pytest.raises(Exception, match="the stream has positions from"):
        site.subscribe("even", EVEN, "s", 0)
    site.close()


def test_a_neighbour_that_is_too_far_behind_is_told(tmp_path: Path) -> None:
    site, neighbour = limited(tmp_path / "a"), limited(tmp_path / "b")
    publish(site, 0, 100)
    neighbour.keep("s", 0, Feed("a", "s"), {})
    site.work_all()
    news = found(site, wanted(neighbour, "a"), "b")
    assert news is not None
    with pytest.raises(InputError, match="goes on with record 0, and a has those from") as error:
        take(neighbour, "a", news)
    assert error.value.code == "XYRT0060"
    site.close()
    neighbour.close()
