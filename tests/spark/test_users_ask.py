"""What users of other XML sources suffered from, one test for each complaint; other tests go into the details."""

from __future__ import annotations

import gzip
import random
from pathlib import Path
from typing import Any

import pytest
import xylem
import xylem.spark
from xylem.spark.batch import BatchRun
from xylem.spark.inputs import input_files
from xylem.spark.shipped_query import shipped_query

from .answers import by_tasks, in_one_process, on_spark

NOISE = [
    "<!-- <row n='c'> -->",
    "<!-- </row> -->",
    "<![CDATA[<row n='d'>]]>",
    "<![CDATA[</row>]]>",
    "<?pi </row><row n='p'>?>",
    "<a at='row>&lt;row>'/>",
    "&lt;row n='e'&gt;",
]


def test_one_task_reads_the_whole_file_and_nobody_can_say_otherwise(spark: Any, tmp_path: Path) -> None:
    """A file is cut between items, into as many parts as are asked for, and the plan says so."""
    path = tmp_path / "one.xml"
    path.write_text("<t>" + "".join(f"<row n='{n}'/>" for n in range(300)) + "</t>")
    for partitions in (1, 2, 6):
        run = BatchRun(lambda: spark, shipped_query("count(//row)"), input_files(path), partitions=partitions)
        assert "".join(run.pieces()) == "300"
        assert (len(run.plan.tasks), run.measured.tasks) == (partitions, partitions)
        assert run.plan.lines()[-1].startswith(f"{partitions} task")


def test_as_many_tasks_as_compressed_files(spark: Any, tmp_path: Path) -> None:
    """Small files share a task, compressed or not."""
    for number in range(130):
        (tmp_path / f"{number:03}.xml.gz").write_bytes(gzip.compress(f"<t><row n='{number}'/></t>".encode()))
    run = BatchRun(
        lambda: spark, shipped_query("//row/@n/string()", several_documents=True), input_files(str(tmp_path / "*.gz"))
    )
    assert "".join(run.pieces()) == " ".join(map(str, range(130)))
    assert (len(run.plan.tasks), run.measured.ranges) == (1, 130)
    assert any("130 files" in line for line in run.plan.lines())


@pytest.mark.parametrize("seed", range(4))
def test_duplicate_rows_and_cut_values_at_split_borders(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    text = "".join(
        f"<row n='{n}'>{'é€𐍈x' * chance.randrange(4)}{n}</row>{chance.choice(['', ' ', 'ß'])}" for n in range(200)
    )
    path = tmp_path / "a.xml"
    path.write_text(f"<t>{text}</t>", encoding="utf-8")
    query = "for $r in /t/row return <r n='{ $r/@n }'>{ string($r) }</r>"
    whole = in_one_process(query, path)
    for partitions in (2, chance.randrange(3, 200), 200):
        assert by_tasks(query, path, partitions) == whole


def test_row_tags_in_comments_cdata_and_attributes_are_counted(spark: Any, tmp_path: Path) -> None:
    """Among them a lone end tag in a CDATA section inside a row."""
    chance = random.Random(5)
    rows = "".join(f"{chance.choice(NOISE)}<row n='{n}'>{chance.choice(NOISE)}{n}</row>" for n in range(120))
    path = tmp_path / "a.xml"
    path.write_text(f"<t>{rows}</t>")
    query = "<n>{ count(//row), //row[@n = ('7', '110')] }</n>"
    expected = in_one_process(query, path)
    assert expected.startswith("<n>120<row")
    for partitions in (3, 40, 120):
        assert by_tasks(query, path, partitions) == expected
    assert on_spark(spark, query, path, 5) == expected


def test_prefixes_declared_on_ancestors_are_lost_in_a_split(spark: Any, tmp_path: Path) -> None:
    rows = "".join(f"<p:row n='{n}' xsi:type='x:t{n}'><v>{n}</v></p:row>" for n in range(60))
    inner = "".join(f"<p:row n='{n}' xsi:type='y:t'/>" for n in range(60, 90))
    path = tmp_path / "a.xml"
    path.write_text(
        "<p:t xmlns:p='urn:p' xmlns:x='urn:x' xmlns='urn:default' "
        "xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'>"
        f"{rows}<s xmlns:p='urn:other'><p:row/></s><s xmlns:y='urn:y'>{inner}</s></p:t>"
    )
    query = """declare namespace q = "urn:p"; declare namespace i = "http://www.w3.org/2001/XMLSchema-instance";
        declare namespace d = "urn:default";
        for $r in //q:row return ($r, <t u="{ namespace-uri-from-QName(resolve-QName($r/@i:type, $r)) }">{
          count($r/d:v), $r/../name(), in-scope-prefixes($r) => sort() }</t>)"""
    expected = in_one_process(query, path)
    assert expected.count("<p:row") == 90
    for partitions in (4, 90):
        assert by_tasks(query, path, partitions) == expected
    assert on_spark(spark, query, path, 4) == expected


def test_one_language_for_files_streams_and_columns_of_messages(spark: Any, tmp_path: Path) -> None:
    """Rows below the root of each document, by the same query wherever the documents come from."""
    folder = tmp_path / "in"
    folder.mkdir()
    texts = [f"<envelope><body><order id='{n}'><total>{n * 1.5}</total></order></body></envelope>" for n in range(4)]
    for number, text in enumerate(texts):
        (folder / f"{number}.xml").write_text(text)
    query = "for $o in /envelope/body/order return map { 'id': xs:int($o/@id), 'total': xs:double($o/total) }"
    expected = [(n, n * 1.5) for n in range(4)]
    batch = xylem.spark.query(spark, query, folder)
    assert [tuple(row) for row in batch.collect()] == expected
    xylem.spark.register(spark)
    stream = spark.readStream.format("xylem").option("query", query).option("journal", str(tmp_path / "journal"))
    source = stream.load(str(folder))
    assert source.schema == batch.schema
    written = source.writeStream.format("memory").option("checkpointLocation", str(tmp_path / "state"))
    streamed = written.queryName("asked").trigger(availableNow=True).start()
    streamed.awaitTermination(120)
    assert sorted(tuple(row) for row in spark.table("asked").collect()) == expected
    column = xylem.spark.xquery(query)
    messages = spark.createDataFrame([(text,) for text in texts], "value string")
    found = messages.select(column("value").alias("orders")).selectExpr("inline(orders)").collect()
    assert sorted(tuple(row) for row in found) == expected


def test_the_driver_reads_all_files_before_anything_starts(spark: Any, tmp_path: Path) -> None:
    """Columns follow from the query: files that nobody could read do no harm before they are read by a task."""
    for number in range(300):
        (tmp_path / f"{number}.xml").write_text("<t><row n='1'>")
    frame = xylem.spark.query(spark, "//row ! map { 'n': xs:integer(@n) }", tmp_path)
    assert frame.columns == ["n"]
    with pytest.raises(Exception, match="XYIN0001"):
        frame.collect()
