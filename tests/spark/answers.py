"""The same query in one process, over tasks in this process, and on Spark: what the tests compare."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import xylem
from xylem.spark.batch import BatchRun
from xylem.spark.inputs import input_files
from xylem.spark.run_here import RunHere
from xylem.spark.shipped_query import shipped_query

GOLDEN = Path(__file__).parents[1] / "golden"
_NAME = re.compile(r"^# name: (.*)$", re.MULTILINE)
_SECTION = re.compile(r"^--- (query|document|schema|result)$", re.MULTILINE)


@dataclass(frozen=True)
class Case:
    """A query over a document."""

    name: str
    query: str
    document: bytes
    result: str | None = None


def golden_cases(folder: str) -> Iterator[Case]:
    """The cases of all files of a folder of golden files."""
    for file in sorted((GOLDEN / folder).glob("*.txt")):
        _, *named = _NAME.split(file.read_text(encoding="utf-8"))
        for name, body in zip(named[::2], named[1::2], strict=True):
            _, *parts = _SECTION.split(body)
            sections = {key: text.strip("\n") for key, text in zip(parts[::2], parts[1::2], strict=True)}
            yield Case(name, sections["query"], sections["document"].encode(), sections["result"])


def in_one_process(query: str, document: bytes | Path, **variables: Any) -> str:
    """The answer of the reference: over the tree of the whole document."""
    return str(xylem.compile(query).run(xylem.parse(document), variables))


def by_tasks(query: str, sources: Any, partitions: int | None = None, **variables: Any) -> str:
    """The answer by tasks in this process."""
    files = input_files(sources)
    shipped = shipped_query(query, variables=variables, several_documents=len(files) > 1)
    return "".join(RunHere(shipped, files, partitions=partitions).pieces())


def on_spark(spark: Any, query: str, sources: Any, partitions: int | None = None, **variables: Any) -> str:
    """The answer by tasks on Spark."""
    files = input_files(sources)
    shipped = shipped_query(query, variables=variables, several_documents=len(files) > 1)
    return "".join(BatchRun(lambda: spark, shipped, files, partitions=partitions).pieces())
