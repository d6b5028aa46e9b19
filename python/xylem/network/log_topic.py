"""A log in a topic of Kafka, with one partition: each entry is a message, followed by the bytes of its records.

Each message is a transaction: an entry and its records come together or not at all. The site has the topic's name as
its transactional identity, so a message of a killed process does not arrive after its successor's. A piece begins with
the state of the log at that point, so all earlier messages can be deleted.
"""

from __future__ import annotations

import json
import os
import secrets
import threading
import time
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from xylem.errors import DynamicError, InputError
from xylem.errors.optional_package import optional_package

from .log_store import LogLimits, LogStore

_MOST_BYTES = 64 << 20
_TIMEOUT_SECONDS = 60.0


def brokers_in(place: str) -> str:
    """The brokers in `kafka://HOST:PORT,…`; none for `files`. XYRT0053 for any other place."""
    if place == "files":
        return ""
    if not place.removeprefix("kafka://") or not place.startswith("kafka://"):
        raise InputError("XYRT0053", f"streams are kept in `files` or at `kafka://HOST:PORT`, not at '{place}'")
    return place.removeprefix("kafka://").rstrip("/")


class LogTopics:
    """The topics of one site."""

    def __init__(self, brokers: str, prefix: str) -> None:
        self.brokers = brokers
        self.prefix = prefix

    def store(self, stream: str, limits: LogLimits) -> LogTopic:
        # A stream that reuses a name gets another topic: the topic's name contains the catalogue version.
        return LogTopic(self.brokers, f"{self.prefix}.{stream.replace('~', '.v')}", limits)

    @classmethod
    def of(cls, directory: Path, brokers: str) -> LogTopics | None:
        """The place of the logs of a site, fixed by the first call; XYRT0053 for a different one."""
        kept = directory / "log-topics.json"
        known = json.loads(kept.read_text()) if kept.exists() else None
        has_files = (directory / "streams").exists() and known is None
        if brokers and has_files:
            raise InputError("XYRT0053", "the streams of the site are in files already")
        if known is None and not brokers:
            return None
        if known is not None and brokers not in ("", known["brokers"]):
            raise InputError("XYRT0053", f"the streams of the site are at {known['brokers']}, not at {brokers}")
        if known is None:
            known = {"brokers": brokers, "prefix": f"xylem.{secrets.token_hex(8)}"}
            directory.mkdir(parents=True, exist_ok=True)
            pending = kept.with_name(".log-topics.pending")
            pending.write_text(json.dumps(known))
            os.replace(pending, kept)
        return cls(known["brokers"], known["prefix"])


class LogTopic(LogStore):
    """The topic of one log. XYRT0063 if the broker does not answer or refuses something."""

    def __init__(
        self,
        brokers: str,
        topic: str,
        limits: LogLimits | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(limits, clock)
        kafka = optional_package("confluent_kafka", "kafka")
        self._brokers, self._topic = brokers, topic
        self._lock = threading.Lock()
        self._offsets: list[int] = []
        """By addition: the stream offset where it begins."""
        self._messages: list[int] = []
        """By addition: the number of its message."""
        self._piece_messages: dict[int, int] = {0: 0}
        """By the offset where a piece begins: the number of its first message."""
        self._first = 0
        """The first message that the broker has."""
        self._next = -1
        """The message that the consumer reads next."""
        common = {"bootstrap.servers": brokers, "message.max.bytes": _MOST_BYTES}
        self._make_topic()
        self._fault: object = None
        """Why the broker has not confirmed a message: reopening the log shows whether it arrived."""
        timeout = int(_TIMEOUT_SECONDS * 1000)
        sending = {"transactional.id": topic, "transaction.timeout.ms": timeout, "linger.ms": 0}
        self._producer = kafka.Producer({**common, **sending})
        self._consumer = kafka.Consumer(
            {
                "bootstrap.servers": brokers, "group.id": f"xylem-{topic}", "enable.auto.commit": False,
                "enable.partition.eof": True, "isolation.level": "read_committed", "auto.offset.reset": "error",
                "fetch.message.max.bytes": _MOST_BYTES, "receive.message.max.bytes": 2 * _MOST_BYTES,
                # A reader that seeks must wait for the fetch in progress.
                "fetch.wait.max.ms": 20, "queued.max.messages.kbytes": 8 << 10,
            }
        )  # fmt: skip

    def _make_topic(self) -> None:
        from confluent_kafka import KafkaError, KafkaException
        from confluent_kafka.admin import AdminClient
        from confluent_kafka.cimpl import NewTopic

        admin = AdminClient({"bootstrap.servers": self._brokers})
        settings = {"max.message.bytes": str(_MOST_BYTES), "retention.ms": "-1", "retention.bytes": "-1"}
        made = admin.create_topics([NewTopic(self._topic, 1, config=settings)], request_timeout=_TIMEOUT_SECONDS)
        try:
            made[self._topic].result(_TIMEOUT_SECONDS)
        except KafkaException as reason:
            if reason.args[0].code() != KafkaError.TOPIC_ALREADY_EXISTS:
                raise self._refused(reason.args[0]) from reason

    def _refused(self, reason: object) -> DynamicError:
        return DynamicError("XYRT0063", f"topic {self._topic} at {self._brokers}: {reason}")

    def entries(self) -> Iterator[dict[str, Any]]:
        from confluent_kafka import KafkaException, TopicPartition

        try:
            # Transactions of an earlier process are completed or aborted by now.
            self._producer.init_transactions(_TIMEOUT_SECONDS)
            place = TopicPartition(self._topic, 0)
            self._first, _ = self._consumer.get_watermark_offsets(place, timeout=_TIMEOUT_SECONDS)
        except KafkaException as reason:
            raise self._refused(reason.args[0]) from reason
        offset = 0
        for number, entry, data in self._messages_from(self._first):
            if "file" in entry:
                offset = entry["file"]
                self._piece_messages[offset] = number
            if "n" in entry:
                self._know(number, offset)
                offset += len(data)
            yield entry

    def _know(self, number: int, offset: int) -> None:
        self._offsets.append(offset)
        self._messages.append(number)

    def _go_to(self, place: Any) -> None:
        from confluent_kafka import KafkaException

        with suppress(KafkaException):
            # Faster if the consumer is already at this place.
            self._consumer.seek(place)
            return
        self._consumer.assign([place])

    def _messages_from(self, first: int) -> Iterator[tuple[int, dict[str, Any], bytes]]:
        """The messages from a number on, up to the end."""
        from confluent_kafka import KafkaError, TopicPartition

        if self._next != first:
            self._go_to(TopicPartition(self._topic, 0, first))
            self._next = first
        until = time.monotonic() + _TIMEOUT_SECONDS
        while time.monotonic() < until:
            message = self._consumer.poll(1.0)
            if message is None:
                continue
            error = message.error()
            if error is not None:
                if error.code() == KafkaError._PARTITION_EOF:
                    # A reader at the end makes no further requests to the broker.
                    self._next = -1
                    self._consumer.unassign()
                    return
                if error.fatal() or error.code() == KafkaError._AUTO_OFFSET_RESET:
                    self._next = -1
                    raise self._refused(error)
                continue
            number, value = message.offset(), message.value()
            assert number is not None
            assert value is not None
            self._next = number + 1
            head, _, data = value.partition(b"\n")
            yield number, json.loads(head), data
            until = time.monotonic() + _TIMEOUT_SECONDS
        self._next = -1
        raise self._refused("no message came")

    def write(self, entry: Mapping[str, Any], data: bytes = b"", offset: int = 0) -> None:
        number = self._send(entry, data)
        if data:
            self._know(number, offset)

    def begin_piece(self, entry: Mapping[str, Any], state: Mapping[str, Any]) -> None:
        self._piece_messages[entry["file"]] = self._send({**entry, "state": dict(state)}, b"")

    def _send(self, entry: Mapping[str, Any], data: bytes) -> int:
        """The number of the message, once the broker has it."""
        from confluent_kafka import KafkaException

        if self._fault is not None:
            raise self._refused(self._fault)
        sent: list[Any] = []
        value = json.dumps(entry, separators=(",", ":")).encode() + b"\n" + data
        with self._lock:
            try:
                self._producer.begin_transaction()
                self._producer.produce(self._topic, value, partition=0, on_delivery=lambda _, one: sent.append(one))
                self._producer.commit_transaction(_TIMEOUT_SECONDS)
            except (KafkaException, BufferError) as reason:
                self._fault = reason.args[0]
                raise self._refused(self._fault) from reason
        number: int = sent[0].offset()
        return number

    def read(self, offset: int, size: int) -> bytes:
        wanted = self._messages[bisect_left(self._offsets, offset)]
        with self._lock:
            # Between two messages of a log there are only transaction marks: the next message is the one.
            for number, _, data in self._messages_from(self._between(wanted)):
                if number >= wanted:
                    return data if number == wanted else b""
        return b""

    def _between(self, wanted: int) -> int:
        """Where to start reading: after the last message, if only marks are in between."""
        return self._next if 0 <= wanted - self._next <= 1 else wanted

    def damage(self, offset: int, told: str) -> Exception:
        place = f"topic {self._topic} at {self._brokers}"
        return DynamicError("XYRT0033", f"{place}: {told.replace('byte ?', f'byte {offset:,}')}")

    def remove(self, offset: int) -> None:
        from confluent_kafka import KafkaException, TopicPartition
        from confluent_kafka.admin import AdminClient

        number = self._piece_messages.get(offset)
        if number is None or number <= self._first:
            return
        admin = AdminClient({"bootstrap.servers": self._brokers})
        for future in admin.delete_records([TopicPartition(self._topic, 0, number)]).values():
            try:
                future.result(_TIMEOUT_SECONDS)
            except KafkaException as reason:
                raise self._refused(reason.args[0]) from reason
        self._first = number

    def destroy(self) -> None:
        from confluent_kafka import KafkaException
        from confluent_kafka.admin import AdminClient

        self.close()
        for future in AdminClient({"bootstrap.servers": self._brokers}).delete_topics([self._topic]).values():
            with suppress(KafkaException):
                # Nothing reads it; a leftover only takes space.
                future.result(_TIMEOUT_SECONDS)

    def close(self) -> None:
        self._consumer.close()
