"""Messages of a change log in a topic: by region, with a message without a value for what is gone."""

from __future__ import annotations

import sys
from decimal import Decimal
from types import ModuleType
from typing import Any, ClassVar

import pytest
from xylem.sink.changelog import ChangeLog, Envelope, change_line, change_lines
from xylem.spark.continuous.kafka_sink import KafkaSink
from xylem.spark.continuous.sinks import Output, Turn


class _Client:
    """As much of a producer and a consumer as a sink asks for."""

    produced: ClassVar[list[tuple[str | None, bytes | None]]] = []

    def __init__(self, options: dict[str, Any]) -> None:
        pass

    def produce(self, topic: str, value: bytes | None, *, key: str | None, headers: Any) -> None:
        self.produced.append((key, value))

    def committed(self, partitions: list[Any], timeout: float) -> list[Any]:
        return [type("Offset", (), {"offset": -1001})]

    def __getattr__(self, name: str) -> Any:
        return lambda *given: None


@pytest.fixture
def produced(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str | None, bytes | None]]:
    client = ModuleType("confluent_kafka")
    for name in ("Consumer", "Producer"):
        monkeypatch.setattr(client, name, _Client, raising=False)
    monkeypatch.setattr(client, "KafkaException", RuntimeError, raising=False)
    monkeypatch.setattr(client, "TopicPartition", lambda *given: given, raising=False)
    monkeypatch.setitem(sys.modules, "confluent_kafka", client)
    monkeypatch.setattr(_Client, "produced", [])
    return _Client.produced


@pytest.mark.parametrize(
    ("envelope", "keys"),
    [
        (None, [("1", True), ("2", True), ("1", True), ("2", True)]),
        ("retract", [("1", True), ("2", True), ("1", True), ("1", True), ("2", True)]),
        ("upsert", [("1", True), ("2", True), ("1", True), ("2", False)]),
        ("debezium", [("1", True), ("2", True), ("1", True), ("2", True), ("2", False)]),
    ],
)
def test_rows_are_keyed_by_region(
    produced: list[tuple[str | None, bytes | None]], envelope: Envelope | None, keys: list[tuple[str, bool]]
) -> None:
    log = ChangeLog("q")
    answers = [(("<a/>", 0), ("<b/>", 0)), (("<c/>", 0), ("<b/>", 0)), (("<c/>", 0),)]
    rows = [row for number, parts in enumerate(answers, 1) for row in log.rows(number, Decimal(number), parts)]
    lines = [
        line for row in rows for line in ((change_line(row),) if envelope is None else change_lines(row, envelope))
    ]
    sink = KafkaSink("localhost:9", "log", {}, query_id="x", is_named=False)
    sink.write(Turn(0), [Output("q", tuple(lines), True)], {})
    assert [(key, value is not None) for key, value in produced] == keys
    assert [value.decode() for _, value in produced if value] == [
        line for line in lines if envelope != "upsert" or '"value": null' not in line
    ]


def test_other_results_have_no_key(produced: list[tuple[str | None, bytes | None]]) -> None:
    KafkaSink("localhost:9", "out", {}, query_id="x", is_named=False).write(Turn(0), [Output("q", ("<a/>",), True)], {})
    assert produced == [(None, b"<a/>")]
