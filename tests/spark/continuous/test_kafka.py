"""Kafka in, Kafka out, with a real broker: values as documents, results each once although the query is killed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner
from xylem.cli.app import app

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
    assert len(seen) == kills_wanted()
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


@pytest.mark.turns("kills")
def test_the_change_log_of_updates_by_region(broker: Broker, tmp_path: Path) -> None:
    """A compacted topic is the current answer: the last value of each key, without those that were removed."""
    namespace = 'xmlns:u="urn:xylem:update"'
    regions = "".join(f"<a u:id='i{number}'>{number}</a>" for number in range(6))
    updates = [f"<r {namespace}>{regions}</r>"]
    for number in range(1, 40):
        updates.append(f'<u:replace {namespace} of="i{number % 6}" t="{number}"><a>{number * 7 % 10}</a></u:replace>')
    broker.send("updates", updates)
    query = tmp_path / "q.xq"
    query.write_text("for $a in //a where $a > 4 return <hot>{ string($a) }</hot>")
    stream = [
        *(str(query), "--updates", "native", "--changes", "upsert", "--input", f"kafka://{broker.address}/updates"),
        *("--checkpoint", str(tmp_path / "state"), "--conf", f"spark.jars={connector_jars()}"),
    ]
    run_to_end(
        [*stream, "--output", f"kafka://{broker.address}/changes", "--trigger", "available-now"], tmp_path / "log"
    )
    current: dict[bytes, bytes] = {}
    tombstones = 0
    for key, value in broker.messages("changes"):
        assert key is not None
        tombstones += value is None
        if value is None:
            del current[key]
        else:
            current[key] = value
    assert tombstones > 3
    (tmp_path / "in").mkdir()
    for number, update in enumerate(updates):
        (tmp_path / "in" / f"{number:03}.xml").write_text(update)
    command = ["run", str(query), "-i", str(tmp_path / "in"), "--updates", "native", "--report", "final"]
    final = CliRunner().invoke(app, command)
    assert final.exit_code == 0, final.stderr
    shown = {json.loads(value)["value"] for value in current.values()}
    assert sorted(shown) == sorted(final.stdout.strip().replace("><hot", ">\n<hot").splitlines())
