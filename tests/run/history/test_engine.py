"""The engine gives what the reference evaluator gives, after every commit of random streams."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator

import pytest
from xylem.errors import XylemError
from xylem.pipeline import StaticEnvironment, compile_history, compile_query
from xylem.query.history_query import HistoryQuery
from xylem.rewrite.joins.module_joins import RULE
from xylem.run.history.commits import Commit, History
from xylem.run.history.engine import Engine
from xylem.run.history.evaluation import Reevaluation, Surroundings
from xylem.source.resources import FileResources

from tests.run.history.feeding import displays
from tests.run.history.random_updates import STREAMS, random_query, random_script

AROUND = Surroundings(FileResources(), {})
QUERIES = 20_000 if os.environ.get("XYLEM_CAMPAIGN") else 600
"""Each is asked of five streams."""
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

        def at_commit(commit: Commit) -> None:
            wanted = next(expected, None)
            if wanted is not None:
                where = f"{self.query}\n  stream {seed}, commit {commit.number}"
                assert engine.commit(commit).parts == wanted, where
                self.seen += 1
                self.by_operators += not engine.why_whole

        history.listeners.append(at_commit)
        random_script(seed, updates=6).run(history, lambda: None)

    def _expected(self, seed: int) -> Iterator[tuple[str, ...]]:
        """The displays up to the first error: which errors are raised, and when, is not told."""
        history = _history()
        oracle = Reevaluation(self.reference, history, AROUND)
        found: list[tuple[str, ...] | None] = []

        def at_commit(commit: Commit) -> None:
            if None not in found:
                try:
                    found.append(oracle.commit(commit).parts)
                except XylemError:
                    found.append(None)

        history.listeners.append(at_commit)
        random_script(seed, updates=6).run(history, lambda: None)
        return (parts for parts in found if parts is not None)


def _history() -> History:
    history = History()
    for name in STREAMS:
        history.stream(name)
    return history


@pytest.mark.parametrize("chunk", range(CHUNKS))
@pytest.mark.share(4)
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
        for _ in range(5):
            comparison.run(rng.randrange(1 << 30))
        seen += comparison.seen
        by_operators += comparison.by_operators
    assert by_operators > seen * 0.6


@pytest.mark.parametrize("query", ["//*:b", "for $x in //*:b return <r>{ $x, $x/*:c }</r>", "//*:b#[1]", "//*:b/*:c"])
def test_namespaces_around_a_unit_are_in_scope(query: str) -> None:
    stream = """<u:stream xmlns:u="urn:xylem:update"><a xmlns="urn:d" xmlns:p="urn:p"><b u:id="i"><p:c k="1"/></b>
        <e xmlns:q="urn:q"><p:b><c xmlns="">2</c></p:b></e></a>
        <u:replace of="i" t="1"><b xmlns="urn:d"><c>3</c></b></u:replace></u:stream>"""
    by_operators = HistoryQuery(query, StaticEnvironment())
    assert not by_operators.operators.plan.whole
    found = [answer.display.text for answer in by_operators.answers(stream.encode())]
    assert found == [text for _, _, text in displays(query, stream)]
