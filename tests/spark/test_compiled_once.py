"""On Spark the driver compiles a query, once; its workers parse and compile nothing."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import xylem
from xylem.spark.batch import BatchRun
from xylem.spark.continuous.continuous_run import ContinuousQuery, Trigger, run_continuous
from xylem.spark.continuous.places import input_place, output_place
from xylem.spark.continuous.told_query import QueryText, told_queries
from xylem.spark.inputs import input_files
from xylem.spark.shipped_query import shipped_query
from xylem.syntax.compilations import COMPILATIONS

MANY = 50


def counting() -> xylem.Functions:
    """A function that tells where it is called what has been parsed and lowered there."""
    functions = xylem.Functions()

    @functions.function("udf:compiled", "xs:string", "xs:string")
    def compiled(text: str) -> str:
        import os

        from xylem.syntax.compilations import COMPILATIONS

        return f"{os.getpid()}:{COMPILATIONS.parsed}:{COMPILATIONS.lowered}"

    return functions


def is_constant(told: list[tuple[str, ...]]) -> bool:
    """Whether no process compiled anything between its calls. Other tests may have compiled something there."""
    of_process: dict[str, set[str]] = {}
    for process, counts in told:
        of_process.setdefault(process, set()).add(counts)
    return all(len(counts) == 1 for counts in of_process.values())


def test_tasks_compile_nothing(spark: Any, tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_text("<t>" + "".join(f"<row k='{n % 3}' n='{n}'/>" for n in range(300)) + "</t>")
    queries = (
        "for $r in //row return udf:compiled($r/@n)",
        "for $r in //row order by $r/@n descending return udf:compiled($r/@n)",
        "for $r in //row group by $k := $r/@k return udf:compiled($k)",
        "for $r in //row where count(//row[@k = $r/@k]) > 1 return udf:compiled($r/@n)",
    )
    for query in queries:
        before = COMPILATIONS.parsed
        shipped = shipped_query(query, functions=counting())
        found = "".join(BatchRun(lambda: spark, shipped, input_files(path), partitions=3).pieces())
        assert COMPILATIONS.parsed == before + 1
        told = {tuple(one.split(":")[1:]) for one in found.split()}
        assert told == {("0", "0")}, query


def test_many_queries_of_one_stream_are_compiled_once_each(spark: Any, tmp_path: Path) -> None:
    arriving = tmp_path / "in"
    arriving.mkdir()
    for number in range(6):
        (arriving / f"{number}.xml").write_text(f"<order id='{number}'/>")
    texts = [
        QueryText(f"q{number}", f"<o n='{number}' c='{{ udf:compiled(/order/@id) }}'/>", "query", "file:///", tmp_path)
        for number in range(MANY)
    ]
    before = replace(COMPILATIONS)
    told = told_queries(texts, variables={}, several_documents=True, functions=counting())
    run_continuous(
        ContinuousQuery(
            told,
            [input_place(f"dir:{arriving}")],
            output_place(f"dir:{tmp_path}/out"),
            tmp_path / "state",
            trigger=Trigger(None),
            batch_bytes=40,
            is_quiet=True,
        )
    )
    assert COMPILATIONS.parsed == before.parsed + MANY
    # For a tree, and for a stream.
    assert COMPILATIONS.lowered == before.lowered + 2 * MANY
    written = "".join(file.read_text() for file in (tmp_path / "out").rglob("*") if file.is_file())
    told_there = re.findall(r"""c=['"](\d+):(\d+:\d+)""", written)
    assert len(told_there) == 6 * MANY
    assert is_constant(told_there)


def test_a_column_function_compiles_where_it_is_made(spark: Any) -> None:
    from xylem.spark import xquery

    told = xquery("udf:compiled(/a/b)", functions=counting())
    frame = spark.createDataFrame([("<a><b>1</b></a>",)] * 4, ["message"]).repartition(2)
    rows = frame.select(told("message")).collect() + frame.select(told("message")).collect()
    assert is_constant([tuple(row[0].split(":", 1)) for row in rows])
