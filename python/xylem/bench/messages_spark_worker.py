"""Messages in a column of Spark's, by the column function and by Spark's own `from_xml`, in one session.

    python -m xylem.bench.messages_spark_worker MASTER FOLDER REPEAT TASK …

prints the figures by engine and task as JSON. Time is elapsed time, since several processes work: the best of some
runs, after a first one that is told apart.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

from .answers import same_answer
from .messages_engines import COMPARED
from .messages_tasks import NAMED, SPARK_SCHEMA, MessageTask
from .orders import MESSAGES

COLUMN, FROM_XML = "Spark column", "from_xml"


def main(arguments: list[str]) -> None:
    """Measure both engines at all the tasks that are named."""
    master, folder, repeat, *tasks = arguments
    from xylem.spark import session

    begun = time.monotonic()
    # Java is to run as fast as it can, not to start as fast as it can: `from_xml` is Java.
    spark = session(master, fast_start=False)
    lines = spark.read.text(str(Path(folder) / MESSAGES))
    messages = lines.repartition(spark.sparkContext.defaultParallelism).cache()
    number = messages.count()
    figures: dict[str, Any] = {"start_seconds": time.monotonic() - begun}
    for engine in (COLUMN, FROM_XML):
        figures[engine] = {}
        for task in (NAMED[name] for name in tasks):
            seconds = [_elapsed(_answers(engine, task, messages)) for _ in range(1 + int(repeat))]
            few = [row[0] for row in lines.limit(COMPARED).collect()]
            told = [_text(row[0]) for row in _answers(engine, task, lines.limit(COMPARED)).collect()]
            agree = all(same_answer(a, task.standard(m.encode())) for a, m in zip(told, few, strict=True))
            best = min(seconds[1:])
            figures[engine][task.name] = {
                "messages": number,
                "seconds": best,
                "first_call_seconds": seconds[0],
                "agree": agree,
            }
    print(json.dumps(figures))


def _answers(engine: str, task: MessageTask, messages: Any) -> Any:
    """A column of answers."""
    if engine == COLUMN:
        from xylem.spark import xquery

        return messages.select(xquery(task.as_text)("value"))
    from pyspark.sql.functions import col, from_xml

    return messages.select(from_xml(col("value"), SPARK_SCHEMA).alias("o")).selectExpr(task.spark_sql)


def _elapsed(answers: Any) -> float:
    """All answers computed, none kept."""
    started = time.monotonic()
    answers.write.format("noop").mode("overwrite").save()
    return time.monotonic() - started


def _text(answer: Any) -> str:
    """As one process writes it: items apart by spaces, whole numbers without a fraction."""
    if isinstance(answer, list):
        return " ".join(map(_text, answer))
    if isinstance(answer, float) and answer.is_integer():
        return str(int(answer))
    return "" if answer is None else str(answer)


if __name__ == "__main__":
    main(sys.argv[1:])
