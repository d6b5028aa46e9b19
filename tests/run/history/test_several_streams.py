"""Streams that come message by message, in any interleaving and divided anywhere: the log is that of their files."""

from __future__ import annotations

import json
import random
from decimal import Decimal

import pytest
from xylem.errors import DynamicError, StaticError, XylemError
from xylem.pipeline import StaticEnvironment
from xylem.query.history_query import HistoryQuery
from xylem.run.history.evaluation import Surroundings
from xylem.run.history.logged_run import LoggedRun
from xylem.run.history.retention import Keep
from xylem.run.history.run import UpdateInput
from xylem.sink.changelog import ChangeLog, ChangeRow, change_line, replayed
from xylem.source.limits import DEFAULT_LIMITS
from xylem.source.resources import FileResources
from xylem.source.update_stream.formats import UpdateFormat, message_operations
from xylem.source.update_stream.wire import read_wire

from tests.run.history.random_wire import random_query, random_stream

from .test_logged_run import messages_of

NAMES = ("s", "t")
NAMESPACE = 'xmlns:u="urn:xylem:update"'


def run(query: HistoryQuery, saved: bytes | None = None, keep: Keep | None = None) -> LoggedRun:
    around = Surroundings(FileResources(), {})
    return LoggedRun(query.program, query.operators, around, UpdateFormat(), "q", streams=NAMES, keep=keep, saved=saved)


def inputs(streams: list[list[bytes]]) -> list[UpdateInput]:
    made = []
    for name, messages in zip(NAMES, streams, strict=True):
        operations = [
            operation
            for number, message in enumerate(messages)
            for operation in message_operations(message, UpdateFormat(), None, DEFAULT_LIMITS, is_first=number == 0)
        ]
        made.append(UpdateInput(name, name, operations))
    return made


def log_of_files(query: HistoryQuery, streams: list[list[bytes]]) -> list[str]:
    log, lines = ChangeLog("q"), []
    for commit, edits in query.run(inputs(streams), FileResources(), {}).commits():
        if edits is not None:
            lines += [change_line(row) for row in log.rows(commit.number, commit.time, edits)]
    return lines


def displays(lines: list[str]) -> dict[int, str]:
    """What each commit with a change shows."""
    parts: list[str] = []
    shown: dict[int, str] = {}
    for line in lines:
        row = json.loads(line)
        row["time"] = Decimal(row.pop("t"))
        replayed(parts, ChangeRow(**row))
        shown[row["commit"]] = "".join(parts)
    return shown


def interleaved(rng: random.Random, streams: list[list[bytes]]) -> list[tuple[int, bytes]]:
    rest = [list(messages) for messages in streams]
    found = []
    while any(rest):
        number = rng.choice([number for number, messages in enumerate(rest) if messages])
        found.append((number, rest[number].pop(0)))
    return found


def test_the_log_is_that_of_the_files_however_messages_come() -> None:
    lines = waited = 0
    for seed in range(20):
        rng = random.Random(f"several {seed}")
        streams = [messages_of(random_stream(rng)) for _ in NAMES]
        query = HistoryQuery(random_query(rng), StaticEnvironment())
        try:
            expected = log_of_files(query, streams)
        except XylemError:
            # Not every random text is a query.
            continue
        live, found = run(query), []
        for number, message in interleaved(rng, streams):
            found += live.take(message, number)
            waited += any(live._waiting.operations)
            if rng.random() < 0.5:
                live = run(query, live.save())
        found += live.finish()
        if all(one.rule == "S" for one in query.operators.plan.kept):
            assert found == expected, f"seed {seed}"
        else:
            # Values that were are computed anew: the same displays, by other rows.
            assert displays(found) == displays(expected), f"seed {seed}"
        lines += len(found)
    assert lines > 60
    assert waited > 30


BASE = f'<r {NAMESPACE}><a u:id="i">0</a><a u:id="k">0</a></r>'.encode()


def replaced(time: int, id: str = "i") -> bytes:
    return f'<u:replace {NAMESPACE} of="{id}" t="{time}"><a>{time}</a></u:replace>'.encode()


def test_what_is_later_than_the_slower_stream_waits_for_it() -> None:
    one = run(HistoryQuery('stream("s")//a[1]/string(), stream("t")//a[1]/string()', StaticEnvironment()))
    assert list(one.take(BASE, 0)) == []
    assert '"commit": 1' in "".join(one.take(BASE, 1)), "another at the same time may come before the second"
    assert '"commit": 2' in "".join(one.take(replaced(5), 0))
    assert list(one.take(replaced(9), 0)) == []
    assert len(list(one.take(f'<u:clock {NAMESPACE} t="7"/>'.encode(), 1))) == 1
    assert len(list(one.finish())) == 1


def test_a_base_with_updates_inside_is_taken_as_a_whole() -> None:
    """Its elements are open in the middle of it, where no state could be saved."""
    base = f'<r {NAMESPACE}><a u:id="i">0</a><u:replace of="i" t="8"><a>8</a></u:replace><a>1</a></r>'.encode()
    query = HistoryQuery('count(stream("s")//a), count(stream("t")//a)', StaticEnvironment())
    one = run(query)
    found = list(one.take(base, 0))
    found += one.take(BASE, 1)
    again = run(query, one.save())
    found += again.take(replaced(9), 1)
    found += again.finish()
    assert '"new": " 2"' in found[-1]


def is_known(one: LoggedRun, time: int) -> bool:
    try:
        one.as_of(Decimal(time))
    except DynamicError as error:
        return error.code != "XYDY0021"
    return True


@pytest.mark.parametrize("keep", [Keep(versions=2), Keep(seconds=Decimal(10)), Keep(1, Decimal(4))])
@pytest.mark.parametrize(
    "text", ['stream("s")//a[1] ! concat(., "/", count(//a))', 'for $a in stream("s")//a return <x>{ $a, $a/.#1 }</x>',
             'sum(stream("s")//a), count(stream("t")//a[. > 3])', 'stream("s")//a?[3]']
)  # fmt: skip
def test_the_past_is_kept_as_long_as_it_is_said(text: str, keep: Keep) -> None:
    query = HistoryQuery(text, StaticEnvironment())
    rng = random.Random(3)
    streams = [[BASE, *(replaced(time + side, rng.choice("ik")) for time in range(1, 40, 2))] for side in (0, 1)]
    one = run(query, keep=keep)
    for number, message in interleaved(rng, streams):
        for _ in one.take(message, number):
            pass
        if rng.random() < 0.3:
            one = run(query, one.save(), keep)
    for _ in one.finish():
        pass
    # Histories are as long as they must be, whatever the length of the stream.
    slots = [slot for stream in one._history.streams.values() for slot in stream.slots.values()]
    assert max(len(slot.versions) for slot in slots) < 14
    known = 0
    for time in range(0, 42, 3):
        expected = query.run(inputs(streams), FileResources(), {}).as_of(Decimal(time)).display.text
        if known == 0 and not is_known(one, time):
            continue
        assert one.as_of(Decimal(time)).display.text == expected, time
        known += 1
    assert known >= 1


def test_without_more_the_last_state_is_known() -> None:
    one = run(HistoryQuery('stream("s")//a[1]/string()', StaticEnvironment()))
    for number, message in ((0, BASE), (1, BASE), (0, replaced(5)), (1, replaced(6)), (0, replaced(9))):
        list(one.take(message, number))
    assert one.as_of(Decimal(6)).display.text == "5"
    with pytest.raises(DynamicError) as unknown:
        one.as_of(Decimal(3))
    assert "the earliest time kept is" in str(unknown.value)


def test_less_than_the_query_asks_for_cannot_be_kept() -> None:
    with pytest.raises(StaticError) as refused:
        run(HistoryQuery('stream("s")//a#2', StaticEnvironment()), keep=Keep(versions=1))
    assert refused.value.code == "XYST0032"


@pytest.mark.parametrize(("given", "asked", "code"), [("s", "t", "XYIN0030"), ("s", "s", ""), ("", "t", "")])
def test_a_stream_of_another_name_is_not_the_one_given(given: str, asked: str, code: str) -> None:
    """Only an input without a name stands for any."""
    data = f"<u:stream {NAMESPACE}><r><a u:id='i'>1</a></r><u:replace of='i' t='1'><a>2</a></u:replace></u:stream>"
    query = HistoryQuery(f'count(stream("{asked}")//a)', StaticEnvironment())
    made = query.run([UpdateInput(given, given, read_wire([data.encode()]))], FileResources(), {})
    if not code:
        assert made.final().text == "1"
        return
    with pytest.raises(XylemError) as caught:
        made.final()
    assert caught.value.code == code
