"""Runs by operators give what the reference evaluator, all rules off, gives; bad updates are left out the same way."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable, Iterator

import pytest
from xylem.pipeline import StaticEnvironment, compile_query
from xylem.query.history_query import HistoryQuery
from xylem.rewrite.rule_names import all_rules
from xylem.run.history.commits import History
from xylem.run.history.evaluation import Reevaluation, Surroundings
from xylem.run.history.feed import Feed
from xylem.run.history.merged_streams import merged
from xylem.run.history.retention import retention_of
from xylem.run.history.run import UpdateInput
from xylem.sink.changelog import ChangeLog, replayed
from xylem.sink.display_parts import DisplayParts
from xylem.source.malformed import MalformedRecord, MalformedTally
from xylem.source.resources import FileResources
from xylem.source.update_stream.wire import read_wire

from tests.run.history.adversarial_queries import AdversarialQuery
from tests.run.history.adversarial_streams import AdversarialStream
from tests.run.history.feeding import told

STREAMS, QUERIES = (4_000, 8) if os.environ.get("XYLEM_CAMPAIGN") else (24, 6)
CHUNKS = 8


def expected(
    query: str, streams: dict[str, bytes], refused: list[str], *, truncates: bool = False
) -> Iterator[tuple[int, str, str]]:
    """(commit, time, display) of each commit that changes the answer, by the reference evaluator.

    `truncates`: what the query cannot ask for is let go.
    """
    history = History()
    tally = MalformedTally(_teller(refused))
    feeds = [
        (Feed(history.stream(name), tally=tally, source=name), read_wire([data])) for name, data in streams.items()
    ]
    environment = StaticEnvironment(over_updates=True, without_rules=all_rules())
    program = compile_query(query, environment)
    retention = retention_of(program) if truncates else None
    run = Reevaluation(program, history, Surroundings(FileResources(), {}), retention)
    last = ""
    for feed, operation in merged(feeds):
        commit = feed.apply(operation)
        if commit is not None:
            run.follow(commit)
            if run.display.text != last:
                last = run.display.text
                yield commit.number, str(commit.time), last


def shown(query: str, streams: dict[str, bytes], chunk: int, refused: list[str]) -> Iterator[tuple[int, str, str]]:
    """The same as a user is told it, by lines of commits and by the change log."""
    log, parts, display, last = ChangeLog("q"), list[str](), DisplayParts(), ""
    inputs = [
        UpdateInput(name, name, read_wire([data[at : at + chunk] for at in range(0, len(data), chunk)]))
        for name, data in streams.items()
    ]
    tally = MalformedTally(_teller(refused))
    for commit, edits in (
        HistoryQuery(query, StaticEnvironment()).run(inputs, FileResources(), {}, tally=tally).commits()
    ):
        if edits is None:
            continue
        for row in log.rows(commit.number, commit.time, edits):
            replayed(parts, row)
        display.apply(edits)
        text = "".join(parts)
        assert text == display.text == json.loads(display.json)
        if text != last:
            yield commit.number, str(commit.time), text
        last = text


def _teller(refused: list[str]) -> Callable[[MalformedRecord], None]:
    def tell(record: MalformedRecord) -> None:
        refused.append(str(record.error))

    return tell


@pytest.mark.parametrize("part", range(CHUNKS))
@pytest.mark.share(2)
def test_adversarial_queries_over_adversarial_streams(part: int) -> None:
    answers = 0
    for seed in range(part, STREAMS, CHUNKS):
        rng = random.Random(f"adversarial {seed}")
        streams = {name: AdversarialStream(rng).text().encode() for name in ("s", "t")}
        for _ in range(QUERIES):
            query = AdversarialQuery(rng, projections=rng.random() < 0.75).text()
            refused: tuple[list[str], list[str]] = ([], [])
            wanted = told(expected(query, streams, refused[0]))
            found = told(shown(query, streams, rng.choice((1, 50, 1 << 16)), refused[1]))
            assert found == wanted, f"seed {seed}: {query}"
            assert told(expected(query, streams, [], truncates=True)) == wanted, f"seed {seed}: {query}"
            assert wanted[1] or refused[0] == refused[1]
            answers += len(wanted[0])
    assert answers > STREAMS / CHUNKS
