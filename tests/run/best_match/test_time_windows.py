"""Time as a window (thesis, 4.3.5.1): a join of what came within some time, evaluated again whenever windows change."""

from __future__ import annotations

import random
from typing import Any, NamedTuple

import pytest
import xylem

JOIN = """for $r in $w[self::r] for $h in $w[self::h]
where $r KIND bestmatch join $h on (abs($r/@x - $h/@x)) min 3 return"""
EACH = f"""forseq $w in SOURCE landmark window
  start curItem $s, prevItem $before when true()
  force end curItem $e when $s/@t >= $e/@t - 10 and (empty($before) or $before/@t < $e/@t - 10)
return {JOIN} $e/@t || ' ' || $r/@n || ' ' || $h/@n"""
STEPS = f"for $w in /d/*|@t diff 10 step 5| return <w>{{ {JOIN} <m r='{{ $r/@n }}' h='{{ $h/@n }}'/> }}</w>"


class Reading(NamedTuple):
    kind: str
    number: int
    time: int
    x: int

    def __str__(self) -> str:
        return f'<{self.kind} n="{self.number}" t="{self.time}" x="{self.x}"/>'


def readings(seed: int, size: int) -> list[Reading]:
    chance = random.Random(f"readings {seed}")
    found, time = [], 0
    for number in range(size):
        time += chance.choice((0, 1, 2, 3))
        found.append(Reading(chance.choice("rh"), number, time, chance.randint(0, 12)))
    return found


def pairs(window: list[Reading], kind: str) -> list[tuple[int, int]]:
    """All pairs that no pair of the same reading beats."""
    near = [
        (abs(r.x - h.x), r.number, h.number)
        for r in window for h in window if r.kind == "r" and h.kind == "h" and abs(r.x - h.x) <= 3
    ]  # fmt: skip
    place = {"left outer": 1, "right outer": 2}.get(kind)
    return [
        one[1:]
        for one in near
        if not any(other[0] < one[0] and (place is None or other[place] == one[place]) for other in near)
    ]


@pytest.mark.parametrize("kind", ["", "left outer", "right outer"])
@pytest.mark.parametrize("seed", range(3))
def test_at_every_item_with_the_time_of_the_results(kind: str, seed: int) -> None:
    all_of_them = readings(seed, 40)
    wanted = [
        f"{last.time} {r} {h}"
        for place, last in enumerate(all_of_them)
        for r, h in pairs([one for one in all_of_them[: place + 1] if one.time >= last.time - 10], kind)
    ]
    text = f"<d>{''.join(map(str, all_of_them))}</d>"
    query = EACH.replace("KIND", kind)
    compiled = xylem.compile(query.replace("SOURCE", "/d/*"))
    assert list(compiled.run(xylem.parse(text))) == wanted
    for size in (7, 4000):
        parts = [text[start : start + size].encode() for start in range(0, len(text), size)]
        assert list(compiled.stream(parts)) == wanted
    live = xylem.compile(query.replace("SOURCE", 'stream("s")'))
    assert list(live.run(streams={"s": xylem.items(text.encode())})) == wanted


def test_results_of_an_endless_stream_come_with_the_item_that_changes_the_window() -> None:
    asked: list[int] = []

    def coming() -> Any:
        for one in readings(1, 100_000):
            asked.append(one.number)
            yield from xylem.items(f"<d>{one}</d>".encode())

    query = EACH.replace("KIND", "left outer").replace("SOURCE", 'stream("s")')
    first = next(iter(xylem.compile(query).run(streams={"s": coming()})))
    last = int(str(first).split()[0])
    assert [one.time for one in readings(1, len(asked))][-1] == last


@pytest.mark.parametrize("kind", ["", "left outer", "right outer"])
def test_in_steps_of_time_with_bounded_memory(kind: str) -> None:
    all_of_them = readings(9, 300)
    text = f"<d>{''.join(map(str, all_of_them))}</d>"
    compiled = xylem.compile(STEPS.replace("KIND", kind))
    whole = str(compiled.run(xylem.parse(text)))
    start = all_of_them[0].time
    steps = [
        [one for one in all_of_them if begin <= one.time < begin + 10]
        for begin in range(start, all_of_them[-1].time - 9, 5)
    ]
    told = ["".join(f'<m r="{r}" h="{h}"/>' for r, h in pairs(one, kind)) for one in steps]
    wanted = "".join(f"<w>{one}</w>" if one else "<w/>" for one in told)
    assert whole.startswith(wanted)
    for size in (11, 100_000):
        written: list[bytes] = []
        parts = (text[start : start + size].encode() for start in range(0, len(text), size))
        result = compiled.stream(parts)
        result.write_to(written.append)
        assert b"".join(written).decode() == whole
        assert result.statistics.peak_buffered_bytes < 5000
