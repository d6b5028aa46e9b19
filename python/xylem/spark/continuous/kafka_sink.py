"""Results as messages of a Kafka topic, each exactly once for consumers that only read committed messages.

The messages of a batch and its number are sent in one transaction: the number is committed as the offset of a consumer
group that belongs to the query. After a crash the number shows whether the batch was sent: either both are there or
neither is. The transactional id belongs to the query too: a process that was presumed dead is fenced off. Readers need
`isolation.level=read_committed`; others may see messages of aborted transactions.

Rows of a change log have the number of their region as key, so that a topic that is compacted keeps the last of each.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from typing import Any

from xylem.errors import DynamicError
from xylem.sink.changelog import ChangeText

from .sinks import Output, Turn

TIMEOUT_SECONDS = 30.0


class KafkaSink:
    """One topic; the header `query` names the query of a message, if there are several."""

    def __init__(
        self,
        servers: str,
        topic: str,
        options: Mapping[str, str],
        *,
        query_id: str,
        is_named: bool,
        wants_changes: bool = False,
    ) -> None:
        try:
            from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition
        except ImportError as reason:
            raise DynamicError("XYRT0025", "the package confluent-kafka is missing") from reason
        self.wants_changes = wants_changes
        self._error = KafkaException
        self._topic = topic
        self._is_named = is_named
        self._partition: Any = TopicPartition
        common = {"bootstrap.servers": servers, "log_level": 2, **options}
        name = f"xylem-{query_id}"
        with self._told("connecting"):
            self._consumer: Any = Consumer({**common, "group.id": name, "enable.auto.commit": False})
            self._producer: Any = Producer({**common, "transactional.id": name, "acks": "all"})
            self._producer.init_transactions(TIMEOUT_SECONDS)

    def write(self, turn: Turn, outputs: Sequence[Output], committed: dict[str, Any]) -> dict[str, Any]:
        with self._told("sending"):
            if self._last_turn() <= turn.number and any(_messages(output) for output in outputs):
                self._send(turn, outputs)
        return {}

    def _last_turn(self) -> int:
        """One more than the number of the last turn that was sent; 0 for none."""
        offset: int = self._consumer.committed([self._partition(self._topic, 0)], TIMEOUT_SECONDS)[0].offset
        return max(0, offset)

    def _send(self, turn: Turn, outputs: Sequence[Output]) -> None:
        producer = self._producer
        producer.begin_transaction()
        try:
            for output in outputs:
                headers = [("query", output.query.encode())] if self._is_named else None
                for message in _messages(output):
                    for key, value in message.keyed() if isinstance(message, ChangeText) else ((None, message),):
                        self._produce(key, value, headers)
            group = self._consumer.consumer_group_metadata()
            told = self._partition(self._topic, 0, turn.number + 1)
            producer.send_offsets_to_transaction([told], group, TIMEOUT_SECONDS)
            producer.commit_transaction(TIMEOUT_SECONDS)
        except BaseException:
            with contextlib.suppress(self._error):
                producer.abort_transaction(TIMEOUT_SECONDS)
            raise

    def _produce(self, key: str | None, value: str | None, headers: list[tuple[str, bytes]] | None) -> None:
        given = None if value is None else value.encode("utf-8", "surrogateescape")
        while True:
            try:
                self._producer.produce(self._topic, given, key=key, headers=headers)
                return
            except BufferError:
                # The queue to the broker is full: wait for it to drain.
                self._producer.poll(0.1)

    def close(self) -> None:
        self._consumer.close()

    @contextlib.contextmanager
    def _told(self, doing: str) -> Any:
        try:
            yield
        except self._error as reason:
            raise DynamicError("XYRT0026", f"{doing} to {self._topic}: {reason}") from reason


def _messages(output: Output) -> Sequence[str]:
    return output.messages if output.current is None else (output.current,)
