"""`spark.read.format("xylem")`: queries as a data source, in Python, SQL and wherever a format can be named.

    xylem.spark.register(spark)
    books = spark.read.format("xylem").option("query", "//book").load("books/*.xml")

Options: `query` or `queryFile`; `path`, what load() is given; `paths`, several as a JSON array; `partitions`, about how
many tasks; `var.NAME`, an external variable; `allow`, a directory that doc() may read; `scanner`; `pushFilters`.
Columns are those of `row_shape.py`, or those given with `.schema(…)`.

With `pushFilters` set to true, rows that Spark's filters refuse do not leave the workers. It is off by default, because
PySpark 4.3 keeps pushed filters: after `frame.where("n > 5").count()`, `frame.count()` counts those rows only. A frame
that pushes filters is good for one query.

What is one spread expression over the input is read by as many tasks as suit it. What all of them must be given first,
the other side of a join or how many items come before a part, is computed while partitions are planned, by one process;
where it is larger than Spark would broadcast, the query is one task. So are sorting, grouping and answers that are put
together, which cannot be shared among the tasks of a source: `xylem.spark.query` spreads them all.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.errors import PySparkNotImplementedError
from pyspark.sql.datasource import DataSource, DataSourceReader, Filter, InputPartition

from xylem.errors import InputError
from xylem.plan.distribution import BROADCAST_BYTES, Part, PartKind
from xylem.run.tasks.flat_items import NOT_FLAT
from xylem.values.strings import UntypedAtomic

from .inputs import TaskInput, input_files
from .item_columns import chosen_columns
from .pushed_filters import keep, taken_filters
from .row_spool import RowSpool
from .run_here import RunHere
from .shipped_query import ShippedQuery, shipped_query
from .short_errors import short_errors, short_errors_of
from .source_options import VARIABLE, checked_options
from .table import Table, TableWork, WholeTable

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.types import StructType

FORMAT = "xylem"
PUSHING = "spark.sql.python.filterPushdown.enabled"


def register(spark: SparkSession) -> None:
    """Register the format in a session, and enable pushed filters if an option requests them."""
    spark.conf.set(PUSHING, "true")
    spark.dataSource.register(XylemSource)


class XylemSource(DataSource):
    """The format."""

    @classmethod
    def name(cls) -> str:
        return FORMAT

    @short_errors
    def schema(self) -> StructType:
        return _table(checked_options(self.options), None).schema()

    @short_errors
    def reader(self, schema: StructType) -> DataSourceReader:
        options = checked_options(self.options, streaming=False)
        # Sessions that do not push filters reject a reader that could take them.
        kind = FilteringReader if options.get("pushfilters", "false").lower() == "true" else XylemReader
        return kind(options, schema)

    @short_errors
    def streamReader(self, schema: StructType) -> Any:
        """The format of unbounded inputs, if available."""
        try:
            from . import stream_reader
        except ImportError:
            raise PySparkNotImplementedError(
                errorClass="NOT_IMPLEMENTED", messageParameters={"feature": "streamReader"}
            ) from None
        return stream_reader.reader(checked_options(self.options, streaming=True), schema)


@dataclass
class TaskPartition(InputPartition):
    """One task. The findings of partitions() are sent with it: that runs in a separate process."""

    work: TableWork
    task: TaskInput


@dataclass
class WholePartition(InputPartition):
    """All of the input."""

    table: WholeTable


class XylemReader(DataSourceReader):
    """Reads the items of a query as rows."""

    def __init__(self, options: dict[str, str], schema: StructType) -> None:
        self._options = options
        self._columns = schema
        self._tests: list[Any] = []

    @short_errors
    def partitions(self) -> Sequence[InputPartition]:
        """The tasks; planned on the driver, which looks for cut points, and computes the values that all tasks need."""
        files = input_files(_paths(self._options))
        table = _table(self._options, self._columns)
        wanted = self._options.get("partitions")
        run = RunHere(table.query, files, partitions=None if wanted is None else int(wanted))
        part = run.answer_part()
        given = _given(run, part) if part is not None and part.kind is PartKind.MAP and run.is_spread else None
        if part is None or given is None:
            return [WholePartition(WholeTable.of(table, files))]
        if not table.is_plain_text():
            table = replace(table, query=table.query.with_items())
        work = TableWork(table, part.number, part.stage, given)
        return [TaskPartition(work, task) for task in run.plan.tasks]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        """The rows of one partition, in Arrow's batches."""
        tests = keep(self._tests) if self._tests else None
        if isinstance(partition, WholePartition):
            return short_errors_of(partition.table.batches([None], tests))
        assert isinstance(partition, TaskPartition)
        return short_errors_of(partition.work.of_task(partition.task, tests))


class FilteringReader(XylemReader):
    """Reads only rows that Spark wants."""

    def pushFilters(self, filters: list[Filter]) -> Iterable[Filter]:
        self._tests, others = taken_filters(filters, self._columns)
        return others


def _given(run: RunHere, part: Part) -> dict[int, bytes] | None:
    """The values that every task of the answer needs; None if they are too large to send with each of them, or if items
    are nested, which only a single task handles."""
    spool = RowSpool()
    try:
        _, bound = run.rows_before(part.stage, spool)
    except InputError as error:
        if error.code != NOT_FLAT:
            raise
        return None
    finally:
        spool.close()
    return bound if sum(map(len, bound.values())) <= BROADCAST_BYTES else None


def stream_table(options: dict[str, str], columns: StructType) -> Table:
    """The table of a stream, whose documents need not exist yet."""
    return _table(options, columns)


def _table(options: dict[str, str], columns: StructType | None) -> Table:
    query = _query(options)
    table = Table(query)
    if columns is None or columns == table.schema():
        return table
    return Table(query, chosen_columns(columns))


def _query(options: dict[str, str]) -> ShippedQuery:
    name, text = "query", options.get("query")
    if text is None:
        place = options.get("queryfile")
        if place is None:
            raise InputError("XYRT0007", "no query is given", hint='option("query", …) or option("queryFile", …)')
        name = place
        try:
            text = Path(place).read_text(encoding="utf-8")
        except OSError as reason:
            raise InputError("XYIN0002", f"{place}: {reason.strerror}") from reason
    folder = Path(name).resolve().parent
    return shipped_query(
        text,
        name=name,
        base_uri=Path(name).resolve().as_uri() if name != "query" else None,
        module_folders=[folder] if name != "query" else (),
        variables={
            option.removeprefix(VARIABLE): UntypedAtomic(value)
            for option, value in options.items()
            if option.startswith(VARIABLE)
        },
        ignoring_case=True,
        needs_values=True,
        allow=[options["allow"]] if "allow" in options else (),
        scanner=options.get("scanner", "auto"),
        # The documents of a stream are queried one by one, and need not exist yet.
        several_documents="journal" not in options and len(input_files(_paths(options))) > 1,
    )


def _paths(options: dict[str, str]) -> list[str]:
    if "paths" in options:
        try:
            named = json.loads(options["paths"])
        except ValueError:
            named = None
        if not isinstance(named, list) or not all(isinstance(name, str) for name in named):
            raise InputError("XYRT0007", f"paths is a JSON array of names, not {options['paths']}")
        return named
    if "path" not in options:
        raise InputError("XYRT0007", "no input is given", hint="load(path)")
    return [options["path"]]
