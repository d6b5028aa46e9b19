"""Messages of a Kafka topic, read by Spark's own connector: each value is a document.

Order within a partition of the topic is kept; between partitions there is none, and a batch has them one after another.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from xylem.errors import DynamicError

from .log_source import record_batches
from .pieces import Piece
from .places import InputPlace
from .subscription import Work
from .task import ROW_SCHEMA, Task

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

PARTITION_SHIFT = 40
"""Offsets of one partition of a topic stay below 2^40 for a long time."""
_MISSING = {"KAFKA_DATA_SOURCE_NOT_ENABLED", "DATA_SOURCE_NOT_FOUND"}
"""Spark's error class for a missing connector."""


def connector_package() -> str:
    """The connector of the installed Spark, as a Maven coordinate."""
    from pyspark import __version__

    return f"org.apache.spark:spark-sql-kafka-0-10_2.13:{__version__}"


class EvaluateMessages:
    """Evaluates the messages of a batch where Spark holds them."""

    def __init__(self, work: Work, topic: str) -> None:
        self._work = work
        self._topic = topic

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return record_batches(Task(self._work).rows(self._pieces(batches)))

    def _pieces(self, batches: Iterator[pa.RecordBatch]) -> Iterator[Piece]:
        for batch in batches:
            columns = (batch.column(name).to_pylist() for name in ("partition", "offset", "ms", "value"))
            for partition, offset, ms, value in zip(*columns, strict=True):
                name = f"{self._topic}, partition {partition}, offset {offset}"
                if value is not None:
                    yield Piece((partition << PARTITION_SHIFT) + offset + 1, value, len(value), ms, name)


def kafka_rows(spark: SparkSession, place: InputPlace, work: Work) -> DataFrame:
    """The rows of a topic, in the form that tasks of other logs return."""
    from pyspark.errors import PySparkException

    settings: dict[str, Any] = {"startingOffsets": "earliest", "failOnDataLoss": "true", **dict(place.options)}
    reader = spark.readStream.format("kafka").option("kafka.bootstrap.servers", place.servers)
    try:
        messages = reader.option("subscribe", place.topic).options(**settings).load()
    except PySparkException as reason:
        if reason.getCondition() in _MISSING:
            hint = f"start with --conf spark.jars.packages={connector_package()}"
            raise DynamicError("XYRT0025", "Spark's connector is missing", hint=hint) from reason
        raise
    wanted = messages.selectExpr("partition", "offset", "unix_millis(timestamp) AS ms", "value")
    return wanted.mapInArrow(EvaluateMessages(work, place.topic), ROW_SCHEMA)
