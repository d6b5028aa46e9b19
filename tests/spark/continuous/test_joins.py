"""Two streams joined: each pair once, within the bound, whatever the batches."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from xylem.errors import DynamicError, StaticError
from xylem.run.tasks.rows import Row
from xylem.spark.continuous.continuous_run import ContinuousQuery, Trigger, run_continuous
from xylem.spark.continuous.evaluations import Join
from xylem.spark.continuous.join_answer import JoinAnswer
from xylem.spark.continuous.join_plan import join_plan
from xylem.spark.continuous.places import input_place, output_place
from xylem.spark.continuous.told_query import QueryText, told_queries
from xylem.spark.shipped_query import shipped_query
from xylem.syntax import parse

from .killed_runs import answer

QUERY = (
    'for $o in stream("orders")//order, $p in stream("payments")//payment '
    "let $rest := $o/total - $p/amount where $o/@id = $p/@order and $rest ge 0 "
    'return <paid id="{ $o/@id }" rest="{ $rest }"/>'
)
STREAMS = ("orders", "payments")


def order(number: int, total: int = 10) -> bytes:
    return f"<order id='{number}'><total>{total}</total></order>".encode()


def payment(number: int, amount: int = 10) -> bytes:
    return f"<payment order='{number}'><amount>{amount}</amount></payment>".encode()


class Streams:
    """A join in this process: batches of (side, arrival in ms, document)."""

    def __init__(self, query: str = QUERY, within_ms: int = 1000) -> None:
        plan = join_plan(parse(query), STREAMS)
        self._queries = [shipped_query(side.text, several_documents=True).with_items() for side in plan.sides]
        self._settings: dict[str, Any] = {"within_ms": within_ms, "state_limit_bytes": 100_000}
        self._pair = self._queries[0].asking(plan.pair).compiled.program
        self.answer = self._made(())
        self._count = 0

    def _made(self, saved: Sequence[bytes]) -> JoinAnswer:
        left, right = self._queries
        names = (("", "o"), ("", "p"))
        programs = (left.program(), right.program())
        return JoinAnswer(programs, names, self._pair, left.seen(), {}, saved=saved, **self._settings)

    def restart(self) -> None:
        self.answer = self._made([self.answer.save(True)])

    def batch(self, *come: tuple[int, int, bytes]) -> list[str]:
        rows: dict[int, list[Row]] = {0: [], 1: []}
        for side, ms, document in come:
            self._count += 1
            program, options = self._queries[side].program(), self._queries[side].options()
            for row in program.task(0, document, self._count, {}, each_item=True, **options):
                rows[side].append(row._replace(key=ms.to_bytes(8)))
        return self.answer.take(rows, [])


def paid(number: int, rest: int = 0) -> str:
    return f'<paid id="{number}" rest="{rest}"/>'


def test_a_pair_comes_with_the_later_of_its_items() -> None:
    streams = Streams()
    assert streams.batch((0, 100, order(1)), (0, 110, order(2))) == []
    assert streams.batch((1, 200, payment(2)), (1, 210, payment(3))) == [paid(2)]
    assert streams.batch((0, 300, order(3)), (1, 310, payment(1, 4))) == [paid(3), paid(1, 6)]


def test_the_rest_of_the_condition_counts_too() -> None:
    streams = Streams()
    assert streams.batch((0, 1, order(1, 5)), (1, 2, payment(1, 6)), (1, 3, payment(1, 5))) == [paid(1)]


def test_items_that_arrive_too_far_apart_do_not_join() -> None:
    streams = Streams(within_ms=100)
    assert streams.batch((0, 100, order(1)), (1, 201, payment(1)), (1, 200, payment(1))) == [paid(1)]


def test_what_can_find_no_partner_any_more_is_dropped() -> None:
    streams = Streams(within_ms=100)
    for ms in range(0, 10_000, 50):
        streams.batch((0, ms, order(ms)), (1, ms, payment(ms + 1)))
        assert streams.answer.state_bytes < 4_000


def test_a_stream_that_lags_behind_keeps_its_partners() -> None:
    streams = Streams(within_ms=100)
    streams.batch(*((0, ms, order(ms)) for ms in range(0, 1000, 100)))
    assert streams.batch((1, 50, payment(0)), (1, 120, payment(100))) == [paid(0), paid(100)]


def test_a_restart_changes_nothing() -> None:
    streams = Streams()
    streams.batch((0, 100, order(1)))
    streams.restart()
    assert streams.batch((1, 200, payment(1))) == [paid(1)]
    streams.restart()
    assert streams.batch((1, 300, payment(1, 3))) == [paid(1, 7)]


KEYS = {
    "an untyped value and a number": ("$o/@id = $p/xs:integer(@order)", "1", "01", True),
    "a number and an untyped value": ("$o/xs:double(@id) = $p/@order", "2.0", "2", True),
    "untyped values are texts": ("$o/@id = $p/@order", "1", "01", False),
    "dates": ("$o/xs:date(@id) = $p/xs:date(@order)", "2024-02-29", "2024-02-29", True),
    "the same date otherwise": ("$o/xs:date(@id) = $p/xs:date(@order)", "2024-02-29Z", "2024-02-29+00:00", True),
    "other dates": ("$o/xs:date(@id) = $p/xs:date(@order)", "2024-02-29", "2024-03-01", False),
    "several values": ("tokenize($o/@id) = tokenize($p/@order)", "a b", "c b", True),
    "none": ("$o/@nothing = $p/@order", "1", "1", False),
    "no number": ("$o/number(@id) = $p/number(@order)", "x", "x", False),
}


@pytest.mark.parametrize(("equality", "left", "right", "joins"), KEYS.values(), ids=KEYS)
@pytest.mark.parametrize("is_left_first", [True, False])
def test_keys(equality: str, left: str, right: str, joins: bool, is_left_first: bool) -> None:
    query = 'for $o in stream("orders")//order, $p in stream("payments")//payment where E return <m/>'
    streams = Streams(query.replace("E", equality))
    items = [(0, f"<order id='{left}'/>".encode()), (1, f"<payment order='{right}'/>".encode())]
    found = [
        text
        for ms, (side, document) in enumerate(items if is_left_first else items[::-1])
        for text in streams.batch((side, ms, document))
    ]
    assert found == ["<m/>"] * joins


@pytest.mark.parametrize(
    "equality",
    ["string($o/@id) = $p/xs:integer(@order)", "$o/@id = $p/xs:date('2024-01-01')", "$o/@word = $p/xs:integer(@order)"],
)
def test_keys_that_do_not_meet_are_told(equality: str) -> None:
    streams = Streams(QUERY.replace("$o/@id = $p/@order", equality))
    streams.batch((0, 1, order(1).replace(b"<order", b"<order word='x'")))
    with pytest.raises(DynamicError) as caught:
        streams.batch((1, 2, payment(1)))
    assert caught.value.code == "XYRT0027"
    assert "one stream is joined by a" in str(caught.value)


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ('count(stream("orders"))', "no loop"),
        ('for $o in stream("orders")/a, $p in stream("payments")/b where $o/x < $p/y return 1', "no `where`"),
        ('for $o in stream("orders")/a, $p in stream("others")/b where $o/x = $p/y return 1', "does not loop over"),
        ('for $o at $i in stream("orders")/a, $p in stream("payments")/b where $o/x = $p/y return $i', "positions"),
        (QUERY.replace("return", "order by $rest return"), "nothing may stand"),
        (QUERY.replace("$o/total", 'count(stream("orders"))'), "read elsewhere"),
    ],
)
def test_what_cannot_be_joined_is_told(query: str, why: str) -> None:
    with pytest.raises(StaticError) as caught:
        join_plan(parse(query), STREAMS)
    assert caught.value.code == "XYRT0027"
    assert why in str(caught.value)


@pytest.mark.timeout(300)
@pytest.mark.usefixtures("spark")
@pytest.mark.turns("on Spark")
def test_two_directories_on_spark(tmp_path: Path) -> None:
    def write(stream: str, number: int, document: bytes) -> None:
        (tmp_path / stream).mkdir(exist_ok=True)
        place = tmp_path / stream / f"{number}.xml"
        place.write_bytes(document)
        os.utime(place, (number, number))

    def run() -> None:
        texts = [QueryText("query", QUERY, "query", Path.cwd().as_uri() + "/", Path.cwd())]
        places = [input_place(f"dir:{tmp_path}/{stream}") for stream in STREAMS]
        query = ContinuousQuery(
            told_queries(texts, variables={}),
            places,
            output_place(f"dir:{tmp_path}/out"),
            tmp_path / "state",
            join=Join(STREAMS, 3600),
            trigger=Trigger(None),
            is_quiet=True,
        )
        run_continuous(query)

    for number in range(5):
        write("orders", number, order(number))
    write("payments", 3, payment(3))
    run()
    assert sorted(answer(tmp_path / "out").decode().split("\n")[:-1]) == [paid(3)]
    write("payments", 4, payment(1, 2))
    write("orders", 9, order(9))
    write("payments", 9, payment(9))
    run()
    assert sorted(answer(tmp_path / "out").decode().split("\n")[:-1]) == [paid(1, 8), paid(3), paid(9)]


@pytest.mark.parametrize(
    ("prolog", "stream"),
    [
        ("declare namespace x = 'urn:xylem:functions'; ", "x:stream"),
        ("declare default function namespace 'urn:mine'; ", "xylem:stream"),
    ],
)
def test_streams_are_known_by_the_namespace_of_their_function(prolog: str, stream: str) -> None:
    streams = Streams(prolog + QUERY.replace("stream(", f"{stream}("))
    assert streams.batch((0, 0, order(1)), (1, 1, payment(1))) == ['<paid id="1" rest="0"/>']


def test_another_function_of_that_name_is_no_stream() -> None:
    prolog = "declare function local:stream($name) { <a/> }; "
    with pytest.raises(StaticError) as refused:
        join_plan(parse(prolog + QUERY.replace("stream(", "local:stream(")), STREAMS)
    assert refused.value.code == "XYRT0027"
