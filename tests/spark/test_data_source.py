"""`spark.read.format("xylem")`: options, partitions, filters."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import xylem.spark
from xylem.errors import XylemError
from xylem.spark.data_source import FilteringReader, XylemReader, XylemSource, _table
from xylem.spark.pushed_filters import keep, taken_filters
from xylem.spark.source_options import checked_options

ROWS = "//row ! map { 'n': xs:integer(@n), 'word': string(.), 'share': xs:double(@n) div 2, 'even': @n[. mod 2 = 0] }"
WORDS = ["ant", "bee", "cat", "dog"]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = tmp_path_factory.mktemp("rows") / "rows.xml"
    path.write_text("<t>" + "".join(f"<row n='{n}'>{WORDS[n % 4]}</row>" for n in range(100)) + "</t>")
    return path


@pytest.fixture(scope="module")
def frame(spark: Any, source: Path) -> Any:
    xylem.spark.register(spark)
    return spark.read.format("xylem").option("query", ROWS).option("partitions", 4).load(str(source))


def pushing(spark: Any, source: Path) -> Any:
    return spark.read.format("xylem").option("query", ROWS).option("pushFilters", "true").load(str(source))


def test_columns_and_partitions(frame: Any) -> None:
    assert frame.schema.simpleString() == "struct<n:bigint,word:string,share:double,even:string>"
    assert frame.rdd.getNumPartitions() == 4
    assert [row.n for row in frame.collect()] == list(range(100))


FILTERS = [
    "n > 90",
    "n >= 10 and n < 13",
    "n = 5 or n = 7",
    "not n <= 95",
    "n in (1, 3, 1000)",
    "word = 'bee' and n <= 9",
    "word like 'c%' and n < 10",
    "word like '%at' and n < 10",
    "word like '%o%' and n < 10",
    "even is null and n < 10",
    "even is not null and n < 10",
    "even <=> null and n < 10",
    "not even = '4' and n < 10",
    "share > 48.0",
]


@pytest.mark.share(2)
def test_filters_give_what_spark_gives(spark: Any, source: Path, frame: Any) -> None:
    kept = frame.collect()
    for condition in FILTERS:
        expected = spark.createDataFrame(kept, frame.schema).where(condition).collect()
        assert pushing(spark, source).where(condition).collect() == expected, condition


def test_filters_are_taken(spark: Any, source: Path, frame: Any) -> None:
    def plan(frame: Any) -> str:
        return str(frame._jdf.queryExecution().executedPlan().toString())

    assert "Filter (" not in plan(pushing(spark, source).where("n > 90 and word = 'bee'"))
    assert "Filter (" in plan(pushing(spark, source).where("share > 48.0"))


def test_a_frame_without_pushed_filters_can_be_used_again(frame: Any) -> None:
    assert [frame.where("n > 90").count(), frame.count(), frame.where("n = 5 or n = 7").count()] == [9, 100, 2]


def test_spark_still_keeps_what_was_pushed(spark: Any, source: Path, frame: Any) -> None:
    """Why pushing is not the default. Where this fails, Spark has been corrected, and it can be."""
    used = pushing(spark, source)
    assert [used.where("n > 90").count(), used.count()] == [9, 9]


def test_filters_that_are_not_sure_are_left_to_spark(frame: Any) -> None:
    from pyspark.sql import datasource as ds

    sure = [ds.EqualTo(("n",), 1), ds.IsNull(("share",)), ds.Not(ds.In(("word",), ("ant", None)))]
    unsure = [ds.GreaterThan(("share",), 1.0), ds.EqualTo(("n", "m"), 1)]
    tests, others = taken_filters([*sure, *unsure], frame.schema)
    assert len(tests) == 3
    assert others == unsure
    passes = keep(tests[2:])
    # SQL's `not in` is never true where the list has a null.
    assert not any(passes({"word": word}) for word in ("ant", "bee", None))


def test_a_query_in_a_file_with_variables(spark: Any, source: Path, tmp_path: Path) -> None:
    file = tmp_path / "q.xq"
    file.write_text("declare variable $least external; //row[@n > xs:integer($least)]/@n/string()")
    reader = spark.read.format("xylem").option("queryFile", str(file)).option("var.least", "97")
    assert [row.value for row in reader.load(str(source)).collect()] == ["98", "99"]


def test_columns_can_be_chosen(spark: Any, source: Path, frame: Any) -> None:
    chosen = spark.read.format("xylem").schema("word string, n int").option("query", ROWS).load(str(source))
    assert chosen.where("n = 5").collect()[0].asDict() == {"word": "bee", "n": 5}


def test_what_cannot_be_shared_is_one_partition(spark: Any, source: Path, frame: Any) -> None:
    for query, first in (("count(//row)", 100), ("for $r in //row order by -$r/@n return $r/@n/string()", "99")):
        whole = spark.read.format("xylem").option("query", query).load(str(source))
        assert whole.rdd.getNumPartitions() == 1
        assert whole.first().value == first


def test_directories(spark: Any, frame: Any, tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"{number}.xml").write_text(f"<t><row n='{number}'>x</row></t>")
    every = spark.read.format("xylem").option("query", ROWS).load(str(tmp_path))
    assert [row.n for row in every.collect()] == [0, 1, 2]


def test_sql(spark: Any, source: Path, frame: Any) -> None:
    frame.createOrReplaceTempView("xylem_rows")
    found = spark.sql("select word, count(*), sum(n) from xylem_rows where n < 10 group by word order by word")
    assert [tuple(row) for row in found.collect()] == [("ant", 3, 12), ("bee", 3, 15), ("cat", 2, 8), ("dog", 2, 10)]


def test_errors_of_options(spark: Any, source: Path, frame: Any) -> None:
    with pytest.raises(Exception, match="no query is given"):
        spark.read.format("xylem").load(str(source))
    with pytest.raises(Exception, match="XPST0003"):
        spark.read.format("xylem").option("query", "//row[").load(str(source))
    with pytest.raises(Exception, match="XYIN0002"):
        spark.read.format("xylem").option("query", "//row").load(str(source) + ".none")


def test_errors_show_the_line_and_the_way_out(spark: Any, source: Path, frame: Any) -> None:
    with pytest.raises(Exception, match="XYRT0007") as raised:
        spark.read.format("xylem").option("qury", "//row").load(str(source))
    assert "hint: did you mean query?" in str(raised.value)
    with pytest.raises(Exception, match="XPST0003") as raised:
        spark.read.format("xylem").option("query", "//row[").load(str(source))
    assert "    1 | //row[\n      |       ^" in str(raised.value)


@pytest.mark.parametrize(
    ("columns", "told"),
    [
        ("n decimal(1, 0)", r"has more digits than decimal\(1, 0\)"),
        ("nothing int not null", "nothing: no item"),
        ("n map<string, int>", "there are no items for columns of type map"),
    ],
)
def test_columns_that_do_not_fit(source: Path, columns: str, told: str) -> None:
    from pyspark.sql.types import StructType

    reader = XylemSource({"query": "//row", "path": str(source)})
    with pytest.raises(XylemError, match=told) as raised:
        rows_of(reader.reader(StructType.fromDDL(columns)))
    assert raised.value.code == "XYRT0006"


def test_it_is_found_without_being_registered() -> None:
    """Spark looks for `DefaultSource` in packages named pyspark_…; without the setting it must not want filters."""
    from pyspark.sql.datasource import DataSourceReader
    from pyspark_xylem import DefaultSource

    assert DefaultSource is XylemSource
    assert DefaultSource.name() == "xylem"
    assert XylemReader.pushFilters is DataSourceReader.pushFilters
    assert FilteringReader.pushFilters is not DataSourceReader.pushFilters


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"querry": "//row"}, "there is no querry"),
        ({"query": "//row", "partitions": "few"}, "partitions is a number from 1 on, not few"),
        ({"query": "//row", "partitions": "0"}, "partitions is a number"),
        ({"query": "//row", "pushFilters": "perhaps"}, "pushFilters is true or false, not perhaps"),
        ({"query": "//row", "scanner": "sax"}, "scanner is auto or kernel or python"),
        ({"query": "//row", "queryFile": "q.xq"}, "both given"),
        ({"query": "//row", "paths": "a.xml"}, "JSON array"),
        ({}, "no query is given"),
    ],
)
def test_options_that_are_not_right(options: dict[str, str], told: str) -> None:
    with pytest.raises(XylemError, match=told) as raised:
        _table(checked_options({"path": "rows.xml", **options}), None)
    assert raised.value.code == "XYRT0007"


def test_options_of_streams_and_tables() -> None:
    with pytest.raises(XylemError, match="there is no journal for tables"):
        checked_options({"query": "//row", "journal": "j"}, streaming=False)
    with pytest.raises(XylemError, match="there is no partitions for streams"):
        checked_options({"query": "//row", "partitions": "3"}, streaming=True)
    assert checked_options({"Query": "//row", "VAR.x": "1"}) == {"query": "//row", "var.x": "1"}


def test_names_of_variables_may_have_capitals(source: Path) -> None:
    query = "declare variable $leastN external; //row[@n >= $leastN] ! string(@n)"
    reader = XylemSource({"query": query, "var.leastN": "98", "path": str(source)}).reader(None)  # type: ignore[arg-type]
    assert rows_of(reader) == [{"value": "98"}, {"value": "99"}]


@pytest.mark.parametrize(
    "query",
    [
        "for $a in //row for $b in //row where $b/@n = $a/@n return map { 'n': xs:integer($b/@n) }",
        "for $a at $i in //row return map { 'n': $i - 1 }",
        "//row[@n >= min(//row/@n)] ! map { 'n': xs:integer(@n) }",
    ],
)
def test_what_all_tasks_are_given_is_computed_first(query: str, source: Path) -> None:
    reader = XylemReader(
        {"query": query, "partitions": "4", "path": str(source)},
        _table({"query": query, "path": str(source)}, None).schema(),
    )
    assert len(reader.partitions()) == 4
    assert [row["n"] for row in rows_of(reader)] == list(range(100))


def rows_of(reader: Any) -> list[Any]:
    return [row for part in reader.partitions() for batch in reader.read(part) for row in batch.to_pylist()]


def test_errors_are_short(spark: Any, tmp_path: Path) -> None:
    path = tmp_path / "broken.xml"
    path.write_text("<t><row/><row></t>")
    with pytest.raises(Exception, match="XYIN0001") as raised:
        xylem.spark.query(spark, "//row ! map { 'n': count(*) }", path).collect()
    assert "broken.xml" in str(raised.value)
    assert "byte 16" in str(raised.value)
    assert len(str(raised.value).splitlines()) < 14
