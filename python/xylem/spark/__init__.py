"""The same queries on Spark: batches over files here, unbounded inputs in `continuous/`.

The text of a query comes in, with files, directories or columns of messages; the answer on the driver goes out, or a
DataFrame. Evaluation is the same as in one process (`run/tasks`): Spark handles tasks, rows and failures, and never
sees XML. PySpark is imported when something here is used, not before.

    import xylem.spark

    spark = xylem.spark.session()
    rows = "//book ! map { 'title': string(title), 'year': xs:integer(@year) }"
    books = xylem.spark.query(spark, rows, "books/*.xml")
    books.where("year > 2000").show()
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

# Not imported by name: the module has the name of the function.
from .session import session

if TYPE_CHECKING:
    from .column import xquery
    from .data_source import register
    from .frame import query
    from .shipped_code import ship

_HOME = {"query": "frame", "register": "data_source", "ship": "shipped_code", "xquery": "column"}

__all__ = ["query", "register", "session", "ship", "xquery"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'xylem.spark' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
