"""Best-match joins of two streams batch by batch: what the definitions give, whatever the batches and the restarts."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import xylem
from xylem.errors import StaticError, XylemError
from xylem.run.tasks.rows import Row
from xylem.spark.continuous.evaluations import Evaluations, Join
from xylem.spark.continuous.match_answer import MatchAnswer
from xylem.spark.continuous.match_plan import match_plan
from xylem.spark.continuous.places import input_place
from xylem.spark.continuous.subscription import Malformed
from xylem.spark.shipped_query import shipped_query
from xylem.syntax import parse

from tests.run.best_match.oracle import Case, document_of, pairs_of, query_of
from tests.run.best_match.test_two_streams import ordered_case

SEEDS = range(20_000 if os.environ.get("XYLEM_CAMPAIGN") else 120)


class Streams:
    """A join in this process: documents of one stream or the other, batch by batch."""

    def __init__(self, query: str, streams: tuple[str, str] = ("a", "b"), *, keeps_late: bool = False) -> None:
        plan = match_plan(parse(query), streams)
        self._queries = [shipped_query(side.text, several_documents=True).with_items() for side in plan.sides]
        self._plan = plan
        self._match = shipped_query(plan.match)
        self._keeps_late = keeps_late
        self._saved: list[bytes] = []
        self._count = 0
        self.answer = self._made(())

    def _made(self, saved: Sequence[bytes]) -> MatchAnswer:
        told = zip(self._plan.sides, self._queries, strict=True)
        return MatchAnswer(
            [(side.stream, side.variable, query.program()) for side, query in told],
            self._match.compiled.program,
            self._match.seen(),
            {},
            self._match.late_items(),
            state_limit_bytes=1_000_000,
            keeps_late=self._keeps_late,
            saved=saved,
        )

    def batch(self, *come: tuple[int, str]) -> list[str]:
        """Documents with the number of their stream; the state is saved behind them."""
        rows: dict[int, list[Row]] = {0: [], 1: []}
        for side, document in come:
            self._count += 1
            program, options = self._queries[side].program(), self._queries[side].options()
            rows[side] += program.task(0, document.encode(), self._count, {}, each_item=True, **options)
        found = self.answer.take(rows, [])
        is_whole = not self._saved
        self._saved = [*([] if is_whole else self._saved), self.answer.save(is_whole)]
        return found

    def restart(self, *, whole: bool) -> None:
        """Another process goes on from what was saved: one state, or one and its changes."""
        if whole:
            self._saved = [self.answer.save(True)]
        self.answer = self._made(self._saved)


def in_batches(case: Case, prolog: str, chance: random.Random) -> list[str]:
    """The answer over documents of a few items each, in turns as chance has it, with restarts in between."""
    query = prolog + query_of(case, 'stream("a")/d/*', 'stream("b")/d/*')
    streams = Streams(query)
    left = document_of(Case(case.left, [], [])).removeprefix("<d>").removesuffix("</d>")
    right = document_of(Case([], case.right, [])).removeprefix("<d>").removesuffix("</d>")
    waiting = [[f"<{one}" for one in text.split("<")[1:]] for text in (left, right)]
    found: list[str] = []
    while any(waiting):
        come = []
        for _ in range(chance.randint(0, 3)):
            side = chance.randrange(2)
            size = chance.randint(0, 4)
            come.append((side, f"<d>{''.join(waiting[side][:size])}</d>"))
            del waiting[side][:size]
        found += streams.batch(*come)
        if chance.random() < 0.3:
            streams.restart(whole=chance.random() < 0.3)
    return found + streams.answer.finish()


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.share(2)
def test_batches_give_what_the_definitions_give(seed: int) -> None:
    chance = random.Random(f"batches {seed}")
    slack, sign, said = [
        (0, 1, ""),
        (4, 1, 'declare option xylem:watermark "4"; '),
        (0, -1, 'declare option xylem:direction "descending"; '),
        (50, 1, 'declare option xylem:read-ahead "20"; '),
    ][seed % 4]
    case = ordered_case(seed, slack, sign)
    prolog = 'declare option xylem:event-time "@x"; ' + said
    assert in_batches(case, prolog, chance) == [f"{i} {j}" for i, j in pairs_of(case)]


NEAREST = """for $t in stream("a")//t for $q in stream("b")//q
where $t left outer bestmatch join $q on (abs($t/@at - $q/@at)) min 2 return $t/@at || ":" || $q/@at"""


def t(*times: float) -> tuple[int, str]:
    return 0, "<d>" + "".join(f'<t at="{time}"/>' for time in times) + "</d>"


def q(*times: float) -> tuple[int, str]:
    return 1, "<d>" + "".join(f'<q at="{time}"/>' for time in times) + "</d>"


def test_results_come_when_the_slower_stream_has_passed() -> None:
    streams = Streams(NEAREST)
    assert streams.batch(t(1, 5, 20)) == []
    assert streams.batch(q(2)) == []
    assert streams.batch(q(4)) == ["1:2"]
    assert streams.batch(q(8), t(30)) == ["5:4"]
    assert streams.batch(q(19, 21)) == []
    assert streams.answer.finish() == ["20:19", "20:21"]
    assert streams.answer.finish() == []


def test_windows_alone_are_kept() -> None:
    streams = Streams(NEAREST)
    sizes = []
    for n in range(60):
        streams.batch(t(10 * n, 10 * n + 5), q(10 * n + 1, 10 * n + 6))
        streams.restart(whole=n % 7 == 0)
        streams.batch()
        sizes.append((streams.answer.held_items, streams.answer.state_bytes))
    assert max(held for held, _ in sizes[10:]) <= 6
    assert max(size for _, size in sizes[10:]) < 3_000


@pytest.mark.parametrize("kind", ["left", "right", "full"])
def test_of_large_batches_windows_alone_are_kept(kind: str) -> None:
    streams = Streams(NEAREST.replace("left", kind))
    for n in range(0, 3000, 1000):
        streams.batch(t(*range(n, n + 1000)), q(*range(n, n + 1000)))
        assert streams.answer.held_items < 20


def test_changes_are_short() -> None:
    streams = Streams(NEAREST)
    streams.batch(t(*range(1000)))
    whole = len(streams.answer.save(True))
    streams.batch(q(3))
    assert len(streams.answer.save(False)) < whole / 10


def test_late_items_are_counted_by_side_once() -> None:
    late = 'declare option xylem:watermark "a=0, b=3"; declare option xylem:late "drop"; '
    streams = Streams(late + NEAREST, keeps_late=True)
    streams.batch(t(1, 9), q(9))
    assert streams.answer.late == {}
    streams.batch(t(4, 5), q(6, 3))
    assert streams.answer.late == {"$t": 2, "$q": 1}
    letters = [json.loads(letter) for letter in streams.answer.late_letters()]
    assert [letter["record"] for letter in letters if "$q" in letter["message"]] == ['<q at="3"/>']
    streams.restart(whole=False)
    streams.batch(t(10), q(30))
    assert streams.answer.late == {}
    assert list(streams.answer.late_letters()) == []


def test_what_is_out_of_order_ends_the_query() -> None:
    streams = Streams(NEAREST)
    streams.batch(t(9))
    with pytest.raises(XylemError) as caught:
        streams.batch(t(4))
    assert caught.value.code == "XYDY0012"


def test_values_functions_and_padding() -> None:
    query = """declare function local:label($x) { "n" || $x };
        for $t in stream("a")//t/xs:double(@at) let $name := local:label($t) where $t > 0
        for $q allowing empty in stream("b")//q
        where $t left outer bestmatch join $q on (abs($t - $q/@at)) min 2
        where $t < 100
        return <p t="{ $name }" q="{ $q/@at }"/>"""
    streams = Streams(query)
    found = streams.batch(t(-1, 1, 7), q(2))
    streams.restart(whole=False)
    found += streams.batch(q(50), t(200))
    streams.restart(whole=True)
    assert found + streams.answer.finish() == ['<p t="n1" q="2"/>', '<p t="n7" q=""/>']


@pytest.mark.parametrize(
    ("query", "why"),
    [
        (f"<all>{{ {NEAREST} }}</all>", "no loop"),
        (NEAREST.replace('stream("b")', 'stream("c")'), "does not loop over"),
        (NEAREST.replace("$t in", "$t at $i in"), "positions"),
        (NEAREST.replace("return", "order by $t/@at return"), "nothing may stand"),
        (NEAREST.replace("return", "count $n return"), "nothing may stand"),
        (NEAREST.replace("return", 'let $all := stream("a") return'), "read elsewhere"),
        (NEAREST.replace("return", 'for $x in doc("x.xml")/x return'), "does not loop over"),
    ],
)
def test_what_cannot_be_joined_is_told(query: str, why: str) -> None:
    with pytest.raises(StaticError) as caught:
        match_plan(parse(query), ("a", "b"))
    assert caught.value.code == "XYRT0027"
    assert why in str(caught.value)


@pytest.mark.parametrize("change", [("left outer ", ""), (" min 2", " min")])
def test_joins_without_end_are_refused_before_anything_begins(change: tuple[str, str], tmp_path: Path) -> None:
    def begin() -> None:
        places = [input_place(f"dir:{tmp_path}"), input_place(f"dir:{tmp_path}")]
        queries = [("query", shipped_query(NEAREST.replace(*change)))]
        Evaluations(queries, places, Join(("a", "b"), None), malformed=Malformed.STOP, each_item=False).works(0)

    with pytest.raises(StaticError) as caught:
        begin()
    assert caught.value.code == "XYST0010"


def test_the_same_as_in_one_process(tmp_path: Path) -> None:
    rng = random.Random(3)
    trades = sorted(round(rng.uniform(0, 200), 1) for _ in range(150))
    quotes = sorted(round(rng.uniform(0, 200), 1) for _ in range(150))
    given: dict[str, Any] = {
        "a": xylem.items(t(*trades)[1].encode()),
        "b": xylem.items(q(*quotes)[1].encode()),
    }
    in_one = xylem.compile(NEAREST.replace("//t", "").replace("//q", "")).run(streams=given)
    streams = Streams(NEAREST)
    found = []
    for n in range(0, 150, 10):
        found += streams.batch(q(*quotes[n : n + 10]), t(*trades[n : n + 10]))
    assert found + streams.answer.finish() == list(in_one)
