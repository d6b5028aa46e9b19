"""Windows by event time: the order of times within a bound, late items by policy, the same in every way to run."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
import xylem
from typer.testing import CliRunner
from xylem.analysis.event_time import EventTime
from xylem.cli.app import app
from xylem.errors import DynamicError, StaticError
from xylem.functions.event_order import bound_of, event_time
from xylem.functions.late_items import LateItems
from xylem.values.strings import UntypedAtomic

RUNNER = CliRunner()
QUERY = (
    "<r>{ forseq $w in /log/e tumbling window start curItem $a when true() "
    "end nextItem $b when $b/@t - $a/@t ge 10 return <w>{ $w/@n/string() }</w> }</r>"
)
BY_KEY = (
    "for $k in distinct-values(/log/e/@k) forseq $w in /log/e[@k eq $k] tumbling window "
    "start curItem $a when true() end nextItem $b when $b/@t - $a/@t ge 10 return <w k='{ $k }'>{ $w/@n/string() }</w>"
)


def log(times: list[int]) -> str:
    entries = (f"<e t='{time}' n='{number}' k='{number % 3}'/>" for number, time in enumerate(times))
    return f"<log>{''.join(entries)}</log>"


def in_order(times: list[int], bound: int) -> tuple[list[int], int]:
    """By the definition: the numbers of the items in the order of their times, and how many were late."""
    kept = [
        (time, number)
        for number, time in enumerate(times)
        if not number or time >= max(times[:number]) - bound
    ]
    return [number for _, number in sorted(kept)], len(times) - len(kept)


def tumbling(times: list[int], order: list[int]) -> str:
    windows: list[list[int]] = []
    for number in order:
        if not windows or times[number] - times[windows[-1][0]] >= 10:
            windows.append([])
        windows[-1].append(number)
    content = "".join(f"<w>{' '.join(map(str, window))}</w>" for window in windows)
    return f"<r>{content}</r>"


@pytest.mark.parametrize("bound", [0, 3, 8])
def test_the_order_is_that_of_the_definition(bound: int) -> None:
    chance = random.Random(bound)
    for _ in range(12):
        times = [number + chance.randint(-6, 6) for number in range(chance.choice((1, 7, 40)))]
        order, late = in_order(times, bound)
        told = LateItems()
        query = xylem.compile(QUERY, event_time=EventTime("@t", f"{bound}s"), late_items=told)
        assert query.run(xylem.parse(log(times))).serialize() == tumbling(times, order)
        assert told.count == late
        written: list[bytes] = []
        query.stream(log(times).encode()).write_to(written.append)
        assert b"".join(written).decode() == tumbling(times, order)
        assert told.count == 2 * late


def test_windows_by_key_share_one_clock() -> None:
    times = [0, 20, 3, 12, 25, 14]
    query = xylem.compile(BY_KEY, event_time=EventTime("@t", "10s"))
    # 3 is behind 20 by more than ten, though not behind its own key; so is 14 behind 25.
    assert query.run(xylem.parse(log(times))).serialize() == '<w k="0">0</w><w k="0">3</w><w k="1">1 4</w>'


def test_the_options_of_a_query_and_the_function() -> None:
    times = [5, 1, 9, 30, 4, 22]
    document = xylem.parse(log(times))
    by_option = "declare option xylem:event-time '@t'; declare option xylem:watermark '5s'; " + QUERY
    ordered = "xylem:event-order(/log/e, function($e) { $e/@t }, '5s', 'drop')"
    expected = tumbling(times, in_order(times, 5)[0])
    assert xylem.compile(by_option).run(document).serialize() == expected
    assert xylem.compile(QUERY.replace("/log/e", ordered)).run(document).serialize() == expected
    numbers = xylem.compile(f"{ordered} ! string(@n)").run(document)
    assert list(numbers) == [str(number) for number in in_order(times, 5)[0]]


@pytest.mark.parametrize("option", ["x:%s", "Q{urn:xylem:functions}%s"])
def test_an_option_is_known_by_its_namespace(option: str) -> None:
    times = [5, 1, 9, 30, 4, 22]
    said = f"declare option {option % 'event-time'} '@t'; declare option {option % 'watermark'} '5s'; "
    query = f"declare namespace x = 'urn:xylem:functions'; {said}{QUERY}"
    assert xylem.compile(query).run(xylem.parse(log(times))).serialize() == tumbling(times, in_order(times, 5)[0])


def test_an_option_of_others_with_our_prefix() -> None:
    times = [5, 1, 30, 22]
    query = f"declare namespace xylem = 'urn:other'; declare option xylem:event-time '@t'; {QUERY}"
    assert xylem.compile(query).run(xylem.parse(log(times))).serialize() == tumbling(times, [0, 1, 2, 3])


def test_the_input_is_known_by_the_namespace_of_its_function() -> None:
    window = "for tumbling window $w in {} start when true() return count($w)"
    prolog = "declare namespace fn = 'urn:mine'; declare function fn:doc($a) {{ 1, 2 }}; "
    with pytest.raises(StaticError, match="no windows over its input"):
        xylem.compile(prolog.format() + window.format("fn:doc('a')"), event_time=EventTime("."))


def test_what_comes_out_is_in_document_order() -> None:
    ordered = "xylem:event-order(/log/e, function($e) { $e/@t }, '9s', 'drop')"
    query = f"let $e := {ordered} return ($e/@n/string(), $e[1] << $e[2])"
    found = list(xylem.compile(query).run(xylem.parse(log([4, 2, 8]))))
    assert found == ["1", "0", "2", True]


def test_data_windows_and_infinite_sequences() -> None:
    times = [4, 2, 8, 11, 7, 19]
    items = list(xylem.compile("/log/e").run(xylem.parse(log(times))).xdm)
    text = "declare variable $s as element()** external; for $w in $s|@t diff 10| return string-join($w/@n, ' ')"
    query = xylem.compile(text, event_time=EventTime("@t", "4s"))
    assert list(query.run(variables={"s": iter(items)})) == ["1 0 4 2 3", "5"]


def test_windows_by_key_of_an_infinite_let() -> None:
    """A variable of a `let` is as infinite as its value, also where windows by key are planned."""
    items = list(xylem.compile("/log/e").run(xylem.parse(log(list(range(12))))).xdm)
    head = "declare variable $s as element()** external; let $x := $s "
    tail = "tumbling window start position $a when true() end position $b when $b - $a eq 1 return string($w[1]/@n)"
    for keyed in (
        f"for $k in distinct-values($x/@k) forseq $w in $x[@k eq $k] {tail}",
        f"for $e in $x group by $k := $e/@k forseq $w in $e {tail}",
    ):
        assert list(xylem.compile(head + keyed).run(variables={"s": iter(items)})) == ["0", "1", "2", "6", "7", "8"]


def test_a_group_that_is_read_otherwise_blocks() -> None:
    text = (
        "declare variable $s as element()** external; for $e in $s group by $k := $e/@k "
        "for tumbling window $w in $e start when true() end when true() return count($e)"
    )
    with pytest.raises(StaticError) as caught:
        xylem.compile(text)
    assert caught.value.code == "XYST0010"


def test_times_and_bounds() -> None:
    midnight = event_time(UntypedAtomic("2024-01-01T00:00:00Z"))
    assert event_time(UntypedAtomic("2024-01-01T00:00:10Z")) - midnight == 10**10
    assert event_time(UntypedAtomic("2024-01-01T01:00:00+01:00")) == midnight
    assert event_time(UntypedAtomic(" 1.5 ")) == event_time(1.5) == 1_500_000_000
    assert [bound_of(text) for text in ("10s", "500ms", "2m", "3")] == [10**10, 5 * 10**8, 12 * 10**10, 3 * 10**9]
    for wrong in (None, UntypedAtomic("soon"), UntypedAtomic("2024-01-01Tx"), float("inf"), float("nan")):
        with pytest.raises(DynamicError) as caught:
            event_time(wrong)
        assert caught.value.code == "XYDY0011"


@pytest.mark.parametrize(
    ("query", "given", "code"),
    [
        ("count(/log/e)", EventTime("@t"), "XYST0014"),
        (QUERY, EventTime("@t", "soon"), "XYST0014"),
        (QUERY, EventTime("@t", "1s", "keep"), "XYST0014"),
        ("declare option xylem:watermark '1s'; " + QUERY, None, "XYST0014"),
        (QUERY, EventTime("@missing"), "XYDY0011"),
        (QUERY, EventTime("@t", "1s", "stop"), "XYDY0012"),
    ],
)
def test_what_is_wrong_is_told(query: str, given: EventTime | None, code: str) -> None:
    with pytest.raises((StaticError, DynamicError)) as caught:
        xylem.compile(query, event_time=given).run(xylem.parse(log([9, 1]))).serialize()
    assert caught.value.code == code


def test_from_a_shell(tmp_path: Path) -> None:
    source, late = tmp_path / "log.xml", tmp_path / "late.jsonl"
    source.write_text(log([0, 4, 2, 20, 3]))
    options = ["--event-time", "@t", "--watermark", "5s", "--late", f"dead-letter={late}"]
    ended = RUNNER.invoke(app, ["run", "-q", QUERY, "-i", str(source), *options])
    assert ended.stdout.strip() == "<r><w>0 2 1</w><w>3</w></r>"
    assert "1 item came too late" in ended.stderr
    (letter,) = map(json.loads, late.read_text().splitlines())
    assert letter["record"] == '<e t="3" n="4" k="1"/>'
    assert RUNNER.invoke(app, ["run", "-q", QUERY, "--late", "drop"]).exit_code == 2
    assert RUNNER.invoke(app, ["run", "-q", QUERY, "--event-time", "@t", "--late", "dead-letter"]).exit_code == 2
