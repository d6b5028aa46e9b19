"""A run over two streams gives what the reference evaluator gives after every commit, and so does its change log."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator

import pytest
from xylem.pipeline import StaticEnvironment, compile_query
from xylem.query.history_query import HistoryQuery
from xylem.run.history.commits import History
from xylem.run.history.evaluation import Reevaluation, Surroundings
from xylem.run.history.feed import Feed
from xylem.run.history.merged_streams import merged
from xylem.run.history.run import UpdateInput
from xylem.sink.changelog import ChangeLog, replayed
from xylem.sink.display_parts import DisplayParts
from xylem.source.resources import FileResources
from xylem.source.update_stream.wire import read_wire

from tests.run.history.feeding import told
from tests.run.history.random_wire import random_query, random_stream

STREAMS, CHUNKS = (2_000, 200) if os.environ.get("XYLEM_CAMPAIGN") else (24, 8)
QUERIES = 8
"""Of each pair of streams."""


def expected(query: str, streams: dict[str, bytes]) -> Iterator[tuple[int, str, str]]:
    """(commit, time, display) of each commit that changes the answer, by the reference evaluator."""
    history = History()
    feeds = [(Feed(history.stream(name)), read_wire([data])) for name, data in streams.items()]
    run = Reevaluation(
        compile_query(query, StaticEnvironment(over_updates=True)), history, Surroundings(FileResources(), {})
    )
    last = ""
    for feed, operation in merged(feeds):
        commit = feed.apply(operation)
        if commit is not None:
            run.follow(commit)
            text = run.display.text
            if text != last:
                yield commit.number, str(commit.time), text
                last = text


def shown(query: str, streams: dict[str, bytes], chunk: int) -> Iterator[tuple[int, str, str]]:
    """The same as a user is told it; the change log must lead to it."""
    log, parts, shown, last = ChangeLog("q"), list[str](), DisplayParts(), ""
    inputs = [
        UpdateInput(name, name, read_wire([data[at : at + chunk] for at in range(0, len(data), chunk)]))
        for name, data in streams.items()
    ]
    for commit, edits in HistoryQuery(query, StaticEnvironment()).run(inputs, FileResources(), {}).commits():
        if edits is not None:
            for row in log.rows(commit.number, commit.time, edits):
                replayed(parts, row)
            shown.apply(edits)
            text = "".join(parts)
            assert text == shown.text == json.loads(shown.json)
            if text != last:
                yield commit.number, str(commit.time), text
            last = text


@pytest.mark.parametrize("chunk", range(CHUNKS))
@pytest.mark.share(2)
def test_random_queries_over_two_streams(chunk: int) -> None:
    answers = 0
    for seed in range(chunk, STREAMS, CHUNKS):
        rng = random.Random(f"two streams {seed}")
        streams = {"s": random_stream(rng).encode(), "t": random_stream(rng).encode()}
        for _ in range(QUERIES):
            query = random_query(rng)
            wanted = told(expected(query, streams))
            found = told(shown(query, streams, rng.choice((1, 50, 1 << 16))))
            assert found == wanted, f"seed {seed}: {query}"
            answers += len(wanted[0])
    assert answers > 10 * STREAMS / CHUNKS
