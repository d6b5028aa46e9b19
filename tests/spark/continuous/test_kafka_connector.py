"""What Spark says of its connector for Kafka: missing, or something else that must not be called so."""

from __future__ import annotations

from typing import Any

import pytest
from pyspark.errors import AnalysisException
from xylem.errors import DynamicError
from xylem.spark.continuous.kafka_source import kafka_rows
from xylem.spark.continuous.places import input_place


class Refusal(AnalysisException):
    """What Spark raises, by its own name for it."""

    def __init__(self, condition: str) -> None:
        super().__init__("something about kafka")
        self.condition = condition

    def getCondition(self) -> str:
        return self.condition


class Refusing:
    """A session whose reader refuses to load."""

    def __init__(self, condition: str) -> None:
        self.condition = condition

    def __getattr__(self, name: str) -> Any:
        return self

    def __call__(self, *arguments: Any, **options: Any) -> Refusing:
        return self

    def load(self) -> None:
        raise Refusal(self.condition)


def rows_of(condition: str) -> None:
    session: Any = Refusing(condition)
    work: Any = None
    kafka_rows(session, input_place("kafka://localhost:9092/topic"), work)


def test_a_missing_connector_is_told_with_the_way_to_get_it() -> None:
    with pytest.raises(DynamicError) as told:
        rows_of("KAFKA_DATA_SOURCE_NOT_ENABLED")
    assert told.value.code == "XYRT0025"
    assert "spark.jars.packages" in told.value.hint


def test_another_refusal_that_names_kafka_is_not_taken_for_it() -> None:
    with pytest.raises(Refusal):
        rows_of("KAFKA_INVALID_OPTION")
