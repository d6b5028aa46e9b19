"""The engine gives what the reference evaluator gives, after every commit of random streams."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator

import pytest
from xylem import history_query
from xylem.errors import XylemError
from xylem.pipeline import StaticEnvironment, compile_history, compile_query
from xylem.query.history_query import HistoryQuery
from xylem.rewrite.joins.rule_name import RULE
from xylem.run.history.commits import Commit, History
from xylem.run.history.engine import Engine
from xylem.run.history.evaluation import Reevaluation, Surroundings
from xylem.sink.display_parts import DisplayParts
from xylem.source.resources import FileResources

from tests.run.history.feeding import displays, texts
from tests.run.history.random_updates import STREAMS, random_query, random_script

AROUND = Surroundings(FileResources(), {})
QUERIES, EACH = (20_000, 5) if os.environ.get("XYLEM_CAMPAIGN") else (300, 10)
"""Each is asked of some streams: 3,000 pairs in every run of the suite, where compiling is a third of the work."""
CHUNKS = 20


class Comparison:
    """Holds the engine against the reference evaluator, commit by commit."""

    def __init__(self, query: str, without: frozenset[str] = frozenset()) -> None:
        environment = StaticEnvironment(over_updates=True, without_rules=without)
        self.query = query
        self.reference = compile_query(query, environment)
        self.program = compile_history(query, environment)
        self.seen = self.by_operators = 0

    def run(self, seed: int) -> None:
        """Over one stream; the engine has a history of its own, of which it leaves out what it will not need."""
        expected = self._expected(seed)
        history = _history()
        engine = Engine(
            self.program, history, AROUND, Reevaluation(self.reference, history, AROUND), truncates=seed % 2 == 0
        )

        shown = DisplayParts()

        def at_commit(commit: Commit) -> None:
            wanted = next(expected, None)
            if wanted is not None:
                where = f"{self.query}\n  stream {seed}, commit {commit.number}"
                engine.follow(commit)
                shown.apply(engine.edits)
                assert engine.display.text == wanted, where
                assert shown.text == wanted, where
                self.seen += 1
                self.by_operators += not engine.why_whole

        history.listeners.append(at_commit)
        random_script(seed, updates=6).run(history, lambda: None)

    def _expected(self, seed: int) -> Iterator[str]:
        """The displays up to the first error: which errors are raised, and when, is not told."""
        history = _history()
        oracle = Reevaluation(self.reference, history, AROUND)
        found: list[str | None] = []

        def at_commit(commit: Commit) -> None:
            if None not in found:
                try:
                    oracle.follow(commit)
                    found.append(oracle.display.text)
                except XylemError:
                    found.append(None)

        history.listeners.append(at_commit)
        random_script(seed, updates=6).run(history, lambda: None)
        return (text for text in found if text is not None)


def _history() -> History:
    history = History()
    for name in STREAMS:
        history.stream(name)
    return history


@pytest.mark.share(2)
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_random_queries_over_random_streams(chunk: int) -> None:
    seen = by_operators = 0
    for seed in range(chunk, QUERIES, CHUNKS):
        rng = random.Random(seed)
        query = random_query(seed, projections=seed % 3 != 0)
        without = frozenset({RULE}) if seed % 4 == 0 else frozenset[str]()
        try:
            comparison = Comparison(query, without)
        except XylemError:
            # Not every random text is a query.
            continue
        for _ in range(EACH):
            comparison.run(rng.randrange(1 << 30))
        seen += comparison.seen
        by_operators += comparison.by_operators
    assert by_operators > seen * 0.6


def test_a_value_in_an_earlier_version_is_edited() -> None:
    stream = """<u:stream xmlns:u="urn:xylem:update"><r><x><b u:id="i"><c u:id="j">1</c></b></x></r>
        <u:replace of="i" t="1"><b><c u:id="k">2</c></b></u:replace><u:replace of="j" t="2"><c>3</c></u:replace>
        <u:replace of="k" t="3"><c>4</c></u:replace><u:replace of="j" t="4"><c>5</c></u:replace></u:stream>"""
    query = "for $x in /r/x return string-join($x/b#[1], '-')"
    by_operators = HistoryQuery(query, StaticEnvironment())
    assert not by_operators.operators.plan.whole
    found = [answer.display.text for answer in by_operators.answers(stream.encode())]
    assert found == [text for _, _, text in displays(query, stream)] == ["1", "2-1", "2-3", "4-3", "4-5"]


def test_a_change_beside_a_child_in_a_region_is_a_version_of_the_child() -> None:
    stream = """<u:stream xmlns:u="urn:xylem:update"><r><d><u:mutable id="m">
        <a u:id="i">0</a><c>9</c></u:mutable></d></r>
        <u:remove of="i" t="1"/><u:clock t="2"/></u:stream>"""
    query = "for $x in /r/d[c#1 = 9] return <x>{ $x/c }</x>"
    by_operators = HistoryQuery(query, StaticEnvironment())
    assert not by_operators.operators.plan.whole
    found = [answer.display.text for answer in by_operators.answers(stream.encode())]
    assert found == ["", "<x><c>9</c></x>", "<x><c>9</c></x>"]
    assert texts(query, stream) == found[1:2]


def test_versions_of_an_element_and_of_a_value_of_it() -> None:
    stream = """<u:stream xmlns:u="urn:xylem:update"><r><u:mutable id="m"/><a u:id="i"><c>1</c></a></r>
        <u:replace of="i" t="1"><b/></u:replace><u:replace of="m" t="2"><a><c/><c/></a></u:replace></u:stream>"""
    query = "for $x in /r/* return <x>{ count($x#[1]), count($x/c)?[1] }</x>"
    found = [answer.display.text for answer in HistoryQuery(query, StaticEnvironment()).answers(stream.encode())]
    assert found == texts(query, stream)


def test_an_answer_that_is_empty_when_operators_give_up_is_told() -> None:
    stream = """<u:stream xmlns:u="urn:xylem:update"><r><b u:id="i">1</b></r>
        <u:replace of="i" t="1"><c><c/></c></u:replace></u:stream>"""
    query = "for $x in /r/b return <x>{ $x = //c#[1] }</x>"
    found = [answer.display.text for answer in HistoryQuery(query, StaticEnvironment()).answers(stream.encode())]
    assert found == ["<x>false</x>", ""]


def test_an_update_in_a_region_that_was_superseded_inside_another_is_no_version() -> None:
    stream = """<u:stream xmlns:u="urn:xylem:update"><r>
        <u:mutable id="m"><u:mutable id="b"><a u:id="x">1</a></u:mutable></u:mutable></r>
        <u:replace of="b" t="1"><a>2</a></u:replace><u:replace of="x" t="2"><a>3</a></u:replace>
        <u:replace of="b" t="3"><a>4</a></u:replace><u:replace of="x" t="4"><a>5</a></u:replace></u:stream>"""
    for query in ("string-join(/r/a#[5], ' ')", "for $r in /r return string-join($r/a#[5], ' ')"):
        assert texts(query, stream) == ["1", "2 1", "2 3", "4 2 3", "4 2 5"]
        found = [answer.display.text for answer in HistoryQuery(query, StaticEnvironment()).answers(stream.encode())]
        assert found == texts(query, stream)


@pytest.mark.parametrize("query", ["//*:b", "for $x in //*:b return <r>{ $x, $x/*:c }</r>", "//*:b#[1]", "//*:b/*:c"])
def test_namespaces_around_a_unit_are_in_scope(query: str) -> None:
    stream = """<u:stream xmlns:u="urn:xylem:update"><a xmlns="urn:d" xmlns:p="urn:p"><b u:id="i"><p:c k="1"/></b>
        <e xmlns:q="urn:q"><p:b><c xmlns="">2</c></p:b></e></a>
        <u:replace of="i" t="1"><b xmlns="urn:d"><c>3</c></b></u:replace></u:stream>"""
    by_operators = HistoryQuery(query, StaticEnvironment())
    assert not by_operators.operators.plan.whole
    found = [answer.display.text for answer in by_operators.answers(stream.encode())]
    assert found == [text for _, _, text in displays(query, stream)]


def test_what_comes_into_a_version_superseded_at_once_is_a_version() -> None:
    stream = """<u:stream xmlns:u="urn:xylem:update"><r><x><c u:id="i"/></x></r>
        <u:batch t="1"><u:insert-after of="i" id="k"><u:mutable id="j"><b>0</b></u:mutable></u:insert-after>
        <u:replace of="k"><a>7</a></u:replace></u:batch>
        <u:insert-after of="j" t="2"><d>9</d></u:insert-after><u:replace of="j" t="3"><d>8</d></u:replace></u:stream>"""
    query = "//d#[2]/string()"
    by_operators = history_query(query)
    assert not by_operators.operators.plan.whole
    found = [answer.display.text for answer in by_operators.answers(stream.encode()) if answer.is_changed]
    assert found == texts(query, stream) == ["9", "8 9"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("for $x in //a#[1] return <x>{ $x/b }</x>", "<x><b>1</b><b>4</b></x><x><b>3</b></x><x><b>2</b></x>"),
        ("for $x in //c let $y := //a[d = $x/d] return <y>{ $y/b }</y>", "<y><b>1</b><b>3</b><b>4</b></y>"),
    ],
)
def test_elements_that_nest_in_what_a_loop_does_not_read(query: str, expected: str) -> None:
    stream = """<u:stream xmlns:u="urn:xylem:update"><r><c><d>7</d></c>
        <a u:id="i"><b>2</b><d>7</d></a></r><u:replace of="i" t="1">
        <a><b>1</b><d>7</d><e><a><b>3</b><d>7</d></a></e><b>4</b></a></u:replace></u:stream>"""
    found = [answer.display.text for answer in HistoryQuery(query, StaticEnvironment()).answers(stream.encode())]
    assert found == texts(query, stream)
    assert found[1] == expected


@pytest.mark.parametrize("query", ["for $x in //c return <x>{ $x }</x>", "count(//c)", "//b/../c", "//c#[1]/string()"])
def test_what_is_inserted_beside_an_update_that_has_not_ended(query: str) -> None:
    stream = """<u:stream xmlns:u="urn:xylem:update"><r><b/><a u:id="i">1</a></r>
        <u:insert-before of="i" id="k" t="1"><c>2</c><u:insert-before of="k"><c u:id="l">3</c></u:insert-before>
        </u:insert-before>
        <u:replace of="l" t="2"><c>4</c></u:replace></u:stream>"""
    found = [answer.display.text for answer in HistoryQuery(query, StaticEnvironment()).answers(stream.encode())]
    assert [text for at, text in enumerate(found) if text != (found[at - 1] if at else "")] == texts(query, stream)
    assert found[1] in ("<x><c>3</c></x><x><c>2</c></x>", "2", "<c>3</c><c>2</c>", "3 2")
