"""What users of other streams suffered from: work done twice, latencies that nobody tells, sources that are missing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from xylem.functions.external import Functions
from xylem.spark.continuous.continuous_run import ContinuousQuery, run_continuous
from xylem.spark.continuous.places import input_place, output_place
from xylem.spark.continuous.told_query import QueryText, told_queries

from .killed_runs import answer
from .test_continuous_run import NOW, documents

pytestmark = [pytest.mark.usefixtures("spark"), pytest.mark.timeout(300)]


def test_a_batch_that_is_used_twice_is_evaluated_twice(tmp_path: Path) -> None:
    """Two queries share a batch, and a sink that writes files reads it again: each document is evaluated once for each.

    How long a batch took, and how old its results were when they were out, is told for each.
    """
    calls = tmp_path / "calls"
    place = str(calls)
    functions = Functions()

    @functions.function("udf:noted", "xs:string", "xs:string")
    def noted(text: str) -> str:
        with open(place, "a", encoding="utf-8") as file:
            file.write(text + "\n")
        return text

    texts = [
        QueryText(name, query, name, Path.cwd().as_uri() + "/", Path.cwd())
        for name, query in (
            ("each", "/order/udf:noted(string(@id))"),
            ("all", "count(collection()/order[udf:noted('all') = 'all'])"),
        )
    ]
    source = documents(tmp_path / "in", 0, 20)
    metrics = tmp_path / "metrics.jsonl"
    run_continuous(
        ContinuousQuery(
            told_queries(texts, variables={}, several_documents=True, functions=functions),
            [input_place(source)],
            output_place(f"dir:{tmp_path}/out"),
            tmp_path / "state",
            trigger=NOW,
            metrics=metrics,
            batch_bytes=300,
            is_quiet=True,
        )
    )
    assert answer(tmp_path / "out" / "each").decode().split() == [str(n) for n in range(20)]
    assert answer(tmp_path / "out" / "all") == b"20\n"
    noted_calls = calls.read_text().split()
    assert sorted(noted_calls) == sorted([*map(str, range(20)), *["all"] * 20])
    told = [json.loads(line) for line in metrics.read_text().splitlines()]
    batches = [figures for figures in told if figures["items"]]
    assert len(batches) > 1
    assert sum(figures["items"] for figures in batches) == 20
    assert all(figures["seconds"] > 0 and figures["latency_seconds"] > 0 for figures in batches)


@pytest.mark.parametrize(
    ("place", "kind"),
    [
        ("dir:incoming", "dir"),
        ("tcp://host:7000", "tcp"),
        ("kafka://broker:9092/orders", "kafka"),
        ("-", "stdin"),
    ],
)
def test_connectors_know_no_xml(place: str, kind: str) -> None:
    """Directories, sockets, Kafka and standard input; tests of their own read each of them."""
    assert input_place(place).kind == kind
