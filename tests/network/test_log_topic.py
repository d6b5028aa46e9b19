"""Streams that are kept in Kafka: the log, and the answers of a site, are those of a log in files."""

from __future__ import annotations

import uuid
from pathlib import Path
from random import Random

import pytest
import xylem
from xylem.errors import DynamicError, InputError
from xylem.network.log_store import LogLimits
from xylem.network.log_topic import LogTopic, LogTopics, brokers_in
from xylem.network.record_log import RecordLog
from xylem.network.site import Site
from xylem.network.site_limits import SiteLimits

from tests.spark.continuous.kafka_broker import Broker

pytest.importorskip("confluent_kafka", reason="confluent-kafka is not installed")
pytestmark = [pytest.mark.timeout(600), pytest.mark.turns("logs in Kafka")]

QUERIES = {
    "hot": "<hot>{ for $p in /s/p where $p/x > 3 return <r>{ $p/n }</r> }</hot>",
    "windows": "for $w in /s/p[x > 1]|count 5 step 5| return <w>{ sum($w/n) }</w>",
}


def topic_log(broker: Broker, topic: str, tmp_path: Path, base: int = 0, limits: LogLimits | None = None) -> RecordLog:
    return RecordLog(tmp_path, base, store=LogTopic(broker.address, topic, limits))


def state(log: RecordLog) -> tuple[object, ...]:
    everything = log.records(log.base, log.end, 1 << 30)
    return log.opening, log.base, log.end, log.count, log.bytes, log.parts, everything


def record(number: int) -> bytes:
    return f"<p><x>{number % 7}</x><n>{number}</n></p>".encode()


def test_a_log_is_the_same_in_files_and_in_a_topic(broker: Broker, tmp_path: Path) -> None:
    draw = Random(7)
    topic = uuid.uuid4().hex
    for _ in range(3):
        # Opened again and again, both go on where they were.
        both = [RecordLog(tmp_path / "files"), topic_log(broker, topic, tmp_path / "topic")]
        for log in both:
            log.begin(b"<s>")
        for _ in range(12):
            records = [b"<p>%d</p>" % draw.randrange(10 ** draw.randrange(1, 30)) for _ in range(draw.randrange(5))]
            gap = draw.randrange(4)
            at = sorted(draw.sample(range(len(records) + gap), len(records)))
            parts = {"a": draw.randrange(100)} if draw.random() < 0.3 else None
            for log in both:
                log.append_at(records, [log.end + each for each in at], log.end + len(records) + gap, parts)
        assert state(both[0]) == state(both[1])
        for _ in range(20):
            start = draw.randrange(both[0].end)
            most = draw.randrange(1, 60)
            assert both[0].records(start, both[0].end, most) == both[1].records(start, both[1].end, most)
        for log in both:
            log.close()


def test_old_pieces_are_deleted_at_the_broker(broker: Broker, tmp_path: Path) -> None:
    topic = uuid.uuid4().hex
    limits = LogLimits(bytes=400)
    both = [RecordLog(tmp_path / "files", limits=limits), topic_log(broker, topic, tmp_path / "t", limits=limits)]
    for log in both:
        log.begin(b"<s>")
        for number in range(60):
            log.append([record(number)], {"part": number})
            log.forget(log.end)
        assert log.base > 40
    assert state(both[0]) == state(both[1])
    for log in both:
        log.close()
    again = topic_log(broker, topic, tmp_path / "t", limits=limits)
    assert again.base == both[0].base
    assert state(again) == state(both[0])
    again.append([record(60)])
    assert again.read(60, 61, 100)[0] == record(60)
    # The broker has less than what came.
    assert again._store._first > 0  # type: ignore[attr-defined]
    again.destroy()


def test_a_process_that_was_replaced_writes_nothing_more(broker: Broker, tmp_path: Path) -> None:
    topic = uuid.uuid4().hex
    old = topic_log(broker, topic, tmp_path)
    old.begin(b"<s>")
    old.append([record(1)])
    new = topic_log(broker, topic, tmp_path)
    new.append([record(2)])
    with pytest.raises(DynamicError) as refused:
        old.append([record(3)])
    assert refused.value.code == "XYRT0063"
    assert topic_log(broker, topic, tmp_path).read(0, 9, 1000)[0] == record(1) + record(2)


def test_answers_of_a_site_that_is_stopped_with_its_broker(broker: Broker, tmp_path: Path) -> None:
    limits = SiteLimits(brokers=broker.address)
    document = b""
    for stage in range(3):
        site = Site(tmp_path / "site", limits=limits)
        stream = site.publication("s")
        for name, query in QUERIES.items():
            site.subscribe(name, query, "s", "earliest")
        records = b"".join(map(record, range(stage * 50, stage * 50 + 50)))
        stream.feed(b"<s>" + records)
        document += records
        if stage < 2:
            # Only half of it is answered when it stops.
            site.work_all()
            if stage == 1:
                broker.close()
                broker.start()
                stream.feed(record(1000))
                document += record(1000)
            site.close()
    for name in QUERIES:
        site.unsubscribe(name)
    site.work_all()
    for name, query in QUERIES.items():
        answer, size = b"", 0
        while piece := site.answer(site.subscription(name), size)[0]:
            answer, size = answer + piece, size + len(piece)
        expected = xylem.compile(query).run(xylem.parse(b"<s>" + document + b"</s>")).serialize()
        assert answer.decode() == expected, name
    assert not list((tmp_path / "site" / "streams").rglob("log.data"))
    site.close()


def test_a_site_keeps_its_place(broker: Broker, tmp_path: Path) -> None:
    made = LogTopics.of(tmp_path / "a", broker.address)
    again = LogTopics.of(tmp_path / "a", "")
    assert made is not None
    assert again is not None
    assert (made.brokers, made.prefix) == (again.brokers, again.prefix)
    with pytest.raises(InputError, match="the streams of the site are at"):
        LogTopics.of(tmp_path / "a", "127.0.0.1:1")
    (tmp_path / "b" / "streams").mkdir(parents=True)
    with pytest.raises(InputError, match="in files already"):
        LogTopics.of(tmp_path / "b", broker.address)
    assert brokers_in("files") == ""
    assert brokers_in("kafka://127.0.0.1:9092/") == "127.0.0.1:9092"
    with pytest.raises(InputError, match="not at 'redis"):
        brokers_in("redis://x")
