"""Queries as DataFrames: rows are items, columns follow from the query.

    xylem.spark.query(spark, "//book ! map { 'title': string(title), 'year': xs:integer(@year) }", "books/*.xml")

A query that is one spread expression (a path, a loop, a sorted or grouped loop) stays in the cluster: nothing is
computed before the DataFrame is used, and its rows never pass the driver. An answer that the driver assembles (an
aggregate, or a report around several parts) is computed when the function is called.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any

from xylem.errors import InputError
from xylem.functions.external import ExternalFunction
from xylem.plan.distribution import Part, PartKind
from xylem.run.tasks.flat_items import NOT_FLAT
from xylem.source.limits import DEFAULT_LIMITS, Limits
from xylem.tables.item_values import row_of

from .batch import BatchRun
from .inputs import Sources, input_files
from .item_columns import chosen_columns
from .named_input import with_named_input
from .row_spool import RowSpool
from .shipped_query import shipped_query
from .table import NESTS, ORDER, RAW_SCHEMA, Table, TableWork, WholeTable, arrow_schema, ordered_schema
from .task import SHUFFLED, StageWork

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType


def query(
    spark: SparkSession,
    text: str,
    source: Sources = (),
    variables: Mapping[str, Any] | None = None,
    *,
    schema: StructType | str | None = None,
    partitions: int | None = None,
    functions: Iterable[ExternalFunction] | None = None,
    module_folders: Iterable[str | PathLike[str]] = (),
    allow: Iterable[str | PathLike[str]] = (),
    base_uri: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
    scanner: str = "auto",
) -> DataFrame:
    """The answer to a query over files as a DataFrame: a row for each item, in the order of the answer.

    `source` names files, directories and patterns that driver and executors see under the same path; with several
    files a leading ``/`` means each document. Columns are those of `row_shape.py`, or `schema` (names are keys of maps,
    or children and attributes of elements; values are cast). The other parameters are those of `xylem.compile` and
    `Query.run`. Errors of the input or the query fail the Spark job that meets them.
    """
    files = input_files(source)
    chosen = None if schema is None else chosen_columns(_struct(schema))
    shipped = shipped_query(
        text,
        variables=variables,
        functions=functions,
        module_folders=module_folders,
        allow=allow,
        base_uri=base_uri,
        limits=limits,
        scanner=scanner,
        several_documents=len(files) > 1,
        needs_values=True,
    )
    shipped, files = with_named_input(shipped, files)
    # As text first: most answers without separate columns need no more.
    table = Table(shipped, chosen)
    run = BatchRun(lambda: spark, shipped, files, partitions=partitions)
    part = run.answer_part()
    if part is not None and part.kind in (PartKind.AGGREGATE, PartKind.SEQUENTIAL):
        part = None
    if part is None or part.kind is not PartKind.MAP or not table.is_plain_text():
        table = Table(shipped.with_items(), chosen)
        run = BatchRun(lambda: spark, table.query, files, partitions=partitions)
    if run.is_spread and part is None:
        return _of_driver(spark, table, run)
    spread = _spread(spark, table, run, part, partitions) if run.is_spread and part is not None else None
    if spread is not None:
        return spread
    return spark.range(0, 1, 1, 1).mapInArrow(WholeTable.of(table, files).batches, table.schema())


def _spread(spark: SparkSession, table: Table, run: BatchRun, part: Part, partitions: int | None) -> DataFrame | None:
    """The rows of a part that is the whole answer; None if items are nested: a single task must handle them. The inputs
    of the tasks show it, and a group with nested items is checked before it is built."""
    tasks = run.plan.tasks
    try:
        numbers, bound = _given(spark, run, part)
    except InputError as error:
        if error.code != NOT_FLAT:
            raise
        return None
    columns = table.schema()
    is_ordered = part.kind is not PartKind.MAP
    work = TableWork(table, part.number, part.stage, bound, tasks, is_ordered)
    if run.program.must_be_flat(part.number) and any(
        row[0] for row in numbers.mapInArrow(work.nesting, f"{NESTS} boolean").collect()
    ):
        return None
    if part.kind in SHUFFLED:
        raw = numbers.mapInArrow(work.raw_batches, RAW_SCHEMA).repartition(partitions or len(tasks), "key")
        rows = raw.sortWithinPartitions("key", "range", "ordinal").mapInArrow(work.reduced, ordered_schema(columns))
    elif is_ordered:
        rows = numbers.mapInArrow(work.batches, ordered_schema(columns))
        # Spark's sort samples first. After a shuffle it samples stored data, so tasks run once.
        rows = rows.repartition(max(run.cores, 2), "__range")
    else:
        return numbers.mapInArrow(work.batches, columns)
    return rows.orderBy(*ORDER).mapInArrow(work.checked, columns)


def _given(spark: SparkSession, run: BatchRun, part: Part) -> tuple[DataFrame, dict[int, bytes]]:
    """The tasks by number, each with its results of joins, and the values for all of them."""
    spool = RowSpool()
    try:
        _, bound = run.rows_before(part.stage, spool)
    finally:
        spool.close()
    joins = run.joins
    if joins is not None and joins.is_asked(part.stage):
        given = joins.given(StageWork(run.query, part.stage, bound))
        return spark.createDataFrame(given, "number long, bound binary"), bound
    tasks = len(run.plan.tasks)
    return spark.range(0, tasks, 1, tasks), bound


def _of_driver(spark: SparkSession, table: Table, run: BatchRun) -> DataFrame:
    """The rows of an answer that the driver assembles."""
    import pyarrow as pa

    record = row_of(table.shape())
    columns = table.schema()
    rows = pa.Table.from_pylist([record(item) for item in run.items()], arrow_schema(columns, with_order=False))
    return spark.createDataFrame(rows, columns)


def _struct(schema: StructType | str) -> StructType:
    from pyspark.sql.types import StructType

    if not isinstance(schema, str):
        return schema
    parsed = StructType.fromDDL(schema)
    assert isinstance(parsed, StructType)
    return parsed
