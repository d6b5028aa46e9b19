"""Replays: records come when they happened, and the clock shows their times, whatever the speed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import xylem
from xylem.source.replay import AS_FAST_AS_POSSIBLE, ReplayClock, replayed, speed_of

LOG = b"""<log>
<entry time="2024-01-01T10:00:00"><v>1</v></entry>
<entry time="2024-01-01T10:00:20"><v>2</v></entry>
<!-- <entry time="never"/> -->
<entry time="2024-01-01T10:00:50"><v>3</v></entry>
<entry time="2024-01-01T10:00:45"><v>4</v></entry>
<entry time="2024-01-01T10:01:10"><v>5</v></entry>
</log>"""
STAMPS = "for $e in xylem:add-timestamp(/log/entry) return <e>{ $e/@tstamp, $e/v/text() }</e>"


class Wall:
    """A clock that nobody waits for."""

    def __init__(self) -> None:
        self.time = 100.0
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.slept.append(round(seconds, 6))
        self.time += seconds

    def clock(self, speed: float) -> ReplayClock:
        return ReplayClock(speed, monotonic=lambda: self.time, sleep=self.sleep)


def in_pieces(size: int) -> Iterator[bytes]:
    return (LOG[start : start + size] for start in range(0, len(LOG), size))


def stamps(source: object) -> list[str]:
    found = xylem.compile(STAMPS).stream(source)  # type: ignore[arg-type]
    return [str(node.tree.values[1]) + node.string_value for node in found]


EXPECTED = [
    "2024-01-01T10:00:001",
    "2024-01-01T10:00:202",
    "2024-01-01T10:00:503",
    # Late: it came when the clock was there already.
    "2024-01-01T10:00:504",
    "2024-01-01T10:01:105",
]


@pytest.mark.parametrize("speed", [1.0, 10.0, AS_FAST_AS_POSSIBLE])
def test_the_same_times_at_every_speed(speed: float) -> None:
    wall = Wall()
    assert stamps(replayed(LOG, "/log/entry/@time", clock=wall.clock(speed))) == EXPECTED
    assert wall.slept == ([] if speed == AS_FAST_AS_POSSIBLE else [20 / speed, 30 / speed, 20 / speed])


@pytest.mark.parametrize("size", [1, 7, 40, 1000])
def test_the_same_times_however_it_is_cut(size: int) -> None:
    # A tag that is cut in two is only told later: all that follows it comes together.
    found = stamps(replayed(in_pieces(size), "//entry/@time", clock=Wall().clock(1)))
    assert [stamp[-1] for stamp in found] == ["1", "2", "3", "4", "5"]
    assert found[0] == EXPECTED[0]
    assert found == sorted(found, key=lambda stamp: stamp[:-1])


def test_windows_over_arrival_times() -> None:
    query = """
        forseq $w in xylem:add-timestamp(/log/entry) tumbling window
          start curItem $first when true()
          end nextItem $next when
            xs:dateTime($next/@tstamp) - xs:dateTime($first/@tstamp) ge xs:dayTimeDuration("PT1M")
        return sum($w/v)"""
    streamed = xylem.compile(query).stream(replayed(LOG, "/log/entry/@time", clock=Wall().clock(10)))
    assert streamed.account.is_bounded
    assert list(streamed) == [10, 5]


def test_results_come_when_they_are_due() -> None:
    wall = Wall()
    source = replayed(LOG, "/log/entry/@time", clock=wall.clock(1))
    seen = []
    for item in xylem.compile("/log/entry/v/string()").stream(source):
        seen.append((item, wall.time - 100))
    assert seen == [("1", 0), ("2", 20), ("3", 50), ("4", 50), ("5", 70)]


def test_seconds_and_elements() -> None:
    log = b"<r><x><at>1.5</at><a>one</a></x><x><at>2</at><a>two</a></x></r>"
    wall = Wall()
    source = replayed(log, "/r/x/at", clock=wall.clock(1))
    query = xylem.compile("for $x in xylem:add-timestamp(/r/x) return $x/@tstamp/string()")
    assert list(query.stream(source)) == ["1970-01-01T00:00:01.5Z", "1970-01-01T00:00:02Z"]
    assert wall.slept == [0.5]


def test_items_of_an_infinite_variable() -> None:
    source = replayed(LOG, "//entry/@time", clock=Wall().clock(1))
    query = xylem.compile("declare variable $s as element(entry)** external; xylem:add-timestamp($s)/@tstamp/string()")
    found = query.run(variables={"s": xylem.items(source)}, clock=source.clock.now)
    assert list(found)[:2] == ["2024-01-01T10:00:00", "2024-01-01T10:00:20"]


@pytest.mark.parametrize("encoding", ["utf-16", "iso-8859-1"])
def test_encodings(encoding: str) -> None:
    log = f'<?xml version="1.0" encoding="{encoding}"?><r><x t="1">é</x><x t="2">ü</x></r>'.encode(encoding)
    source = replayed(log, "/r/x/@t", clock=Wall().clock(1))
    assert list(xylem.compile("/r/x/string()").stream(source)) == ["é", "ü"]


@pytest.mark.parametrize(
    ("log", "path", "why"),
    [
        (b"<r><x t='soon'/></r>", "/r/x/@t", "'soon'"),
        (b"<r><x t='1'/></r>", "/r/y/@t", "no record has /r/y/@t"),
        (b"<r/>", "/r/x[1]/@t", "is not a path"),
        (b"<r/>", "/@t", "names no element"),
        (b"<r/>", "", "is not a path"),
    ],
)
def test_times_that_cannot_be_read(log: bytes, path: str, why: str) -> None:
    with pytest.raises(xylem.InputError, match=r"XYIN0031.*") as told:
        list(xylem.compile("/r/x").stream(replayed(log, path)))
    assert why in str(told.value)


def test_malformed_input_is_told_as_ever() -> None:
    with pytest.raises(xylem.InputError, match="XYIN0001"):
        list(xylem.compile("/r/x").stream(replayed(b"<r><x t='1'/><x", "/r/x/@t")))


def test_a_stamp_that_is_there_is_replaced_and_all_else_kept() -> None:
    log = b"<r xmlns:p='u'><x tstamp='old' p:a='1' t='5'><p:y>z</p:y></x></r>"
    source = replayed(log, "/r/x/@t", clock=Wall().clock(1))
    pieces: list[bytes] = []
    xylem.compile("xylem:add-timestamp(/r/x)").stream(source).write_to(pieces.append)
    expected = '<x xmlns:p="u" p:a="1" t="5" tstamp="1970-01-01T00:00:05Z"><p:y>z</p:y></x>'
    assert b"".join(pieces).decode().strip() == expected


def test_speeds() -> None:
    assert [speed_of(text) for text in ("10x", "0.5x", "3", "max")] == [10, 0.5, 3, AS_FAST_AS_POSSIBLE]
    for wrong in ("0x", "-1x", "fast", "nanx", "x"):
        with pytest.raises(ValueError, match=r".*"):
            speed_of(wrong)
