"""`spark.readStream.format("xylem")`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.timeout(300)
QUERY = "//order ! map { 'id': xs:integer(@id), 'total': xs:decimal(total) }"


def write(folder: Path, *numbers: int) -> None:
    folder.mkdir(exist_ok=True)
    for number in numbers:
        (folder / f"{number:03}.xml").write_text(f"<order id='{number}'><total>{number}.5</total></order>")


def read(spark: Any, place: Path, text: str = QUERY, **options: str) -> list[Any]:
    """The rows that are new, by a stream with its own checkpoint."""
    from xylem.spark.data_source import register

    register(spark)
    stream = spark.readStream.format("xylem").option("query", text).option("journal", str(place / "journal"))
    rows: list[Any] = []
    query = (
        stream.options(**options)
        .load(str(place / "in"))
        .writeStream.foreachBatch(lambda frame, batch: rows.extend(frame.collect()))
        .option("checkpointLocation", str(place / "state"))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    return rows


@pytest.mark.turns("on Spark")
def test_rows_of_documents_that_appear(spark: Any, tmp_path: Path) -> None:
    write(tmp_path / "in", 1, 2)
    assert [(row.id, float(row.total)) for row in read(spark, tmp_path)] == [(1, 1.5), (2, 2.5)]
    write(tmp_path / "in", 3)
    assert [row.id for row in read(spark, tmp_path)] == [3]
    assert read(spark, tmp_path) == []


def test_documents_that_cannot_be_read(spark: Any, tmp_path: Path) -> None:
    write(tmp_path / "in", 1, 2)
    (tmp_path / "in" / "bad.xml").write_text("<order")
    with pytest.raises(Exception, match=r"XYIN0001.*bad\.xml|bad\.xml.*XYIN0001"):
        read(spark, tmp_path)
    assert [row.id for row in read(spark, tmp_path, mode="DROPMALFORMED")] == [1, 2]


def test_items_inside_each_other(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "nested.xml").write_text("<r><s><s><p/></s></s><t/></r>")
    query = "for $s in //s group by $k := 1 return count($s//p), for $t in //t return count(//s[p or s]//p)"
    assert [row.value for row in read(spark, tmp_path, query)] == [1, 1]


def test_a_directory_may_be_empty_at_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its documents are found when they come, by names that workers in other directories can use."""
    from pyspark.sql.streaming.datasource import ReadAllAvailable
    from xylem.spark.data_source import XylemSource

    monkeypatch.chdir(tmp_path)
    (tmp_path / "in").mkdir()
    source = XylemSource({"query": QUERY, "journal": "journal", "path": "in"})
    reader = source.streamReader(source.schema())
    nothing = reader.latestOffset(reader.initialOffset(), ReadAllAvailable())
    assert nothing == {"files": 0}
    write(tmp_path / "in", 1)
    one = reader.latestOffset(nothing, ReadAllAvailable())
    [partition] = reader.partitions(nothing, one)
    assert partition.paths[0][0] == str(tmp_path / "in" / "001.xml")
    [batch] = reader.read(partition)
    assert batch.to_pylist()[0]["id"] == 1


def test_a_journal_that_cannot_be_written(tmp_path: Path) -> None:
    from pyspark.sql.streaming.datasource import ReadAllAvailable
    from xylem.errors import InputError
    from xylem.spark.data_source import XylemSource

    write(tmp_path / "in", 1)
    (tmp_path / "journal").write_text("in the way")
    source = XylemSource({"query": QUERY, "journal": str(tmp_path / "journal"), "path": str(tmp_path / "in")})
    reader = source.streamReader(source.schema())
    with pytest.raises(InputError, match=r"XYIN0002.*journal"):
        reader.latestOffset({"files": 0}, ReadAllAvailable())
