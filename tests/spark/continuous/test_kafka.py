"""Kafka in, Kafka out, with a real broker: values as documents, results each once although the query is killed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .kafka_broker import Broker, connector_jars
from .killed_runs import TIMEOUT, Feeder, answer, kill_at_random, kills_wanted, run_to_end, write_queries

pytest.importorskip("confluent_kafka", reason="confluent-kafka is not installed")
pytestmark = [pytest.mark.usefixtures("needs_spark"), pytest.mark.timeout(TIMEOUT)]
BIG = {"big": "for $o in /order where $o/total > 50 return <big id='{ $o/@id }'>{ $o/total/text() }</big>"}


def order(number: int) -> str:
    return f"<order id='{number}'><total>{number * 37 % 101}</total></order>"


def big(number: int) -> list[str]:
    total = number * 37 % 101
    return [f'<big id="{number}">{total}</big>'] if total > 50 else []


@pytest.mark.turns("kills")
def test_each_result_once_although_it_is_killed(broker: Broker, tmp_path: Path) -> None:
    sent: list[int] = []

    def add(number: int) -> None:
        numbers = range(5 * number, 5 * number + 5)
        broker.send("orders", [order(number) for number in numbers])
        sent.extend(numbers)

    metrics = tmp_path / "metrics.jsonl"
    feeder = Feeder(add, metrics)
    feeder.start()
    common = [
        *write_queries(tmp_path / "q", BIG, ""),
        *("--input", f"kafka://{broker.address}/orders", "--output", f"kafka://{broker.address}/big"),
        *("--checkpoint", str(tmp_path / "state"), "--conf", f"spark.jars={connector_jars()}"),
    ]
    seen = kill_at_random(
        [*common, "--trigger", "100ms", "--metrics", str(metrics)], tmp_path / "log", metrics, kills_wanted()
    )
    feeder.stop()
    run_to_end([*common, "--trigger", "available-now"], tmp_path / "log")
    assert all(seen), seen
    assert broker.committed("big") == [text for number in sent for text in big(number)]


@pytest.mark.turns("kills")
def test_what_cannot_be_read_goes_to_the_dead_letters(broker: Broker, tmp_path: Path) -> None:
    values = [order(number) if number % 10 else f"<order id='{number}'>" for number in range(40)]
    broker.send("broken", values)
    run_to_end(
        [
            *write_queries(tmp_path / "q", BIG, ""),
            *("--input", f"kafka://{broker.address}/broken", "--output", f"dir:{tmp_path}/out"),
            *("--on-malformed", f"dead-letter={tmp_path}/dead", "--checkpoint", str(tmp_path / "state")),
            *("--trigger", "available-now", "--conf", f"spark.jars={connector_jars()}"),
        ],
        tmp_path / "log",
    )
    expected = [text for number in range(40) if number % 10 for text in big(number)]
    assert answer(tmp_path / "out").decode().splitlines() == expected
    letters = [json.loads(line) for line in answer(tmp_path / "dead").splitlines()]
    assert [letter["record"] for letter in letters] == [values[number] for number in (0, 10, 20, 30)]
    assert {letter["code"] for letter in letters} == {"XYIN0001"}
    assert "broken, partition 0, offset 10" in letters[1]["source"]
    assert "4 malformed" in (tmp_path / "log").read_text()
