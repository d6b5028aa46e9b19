"""Answers as DataFrames: rows are items in their order, columns follow from the query."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import xylem
import xylem.spark

BOOKS = b"""<books>
  <book id="b1" year="1999" day="2024-02-29"><title>Trees</title><price>10</price><author>A</author></book>
  <book id="b2" year="2005">
    <title>Rivers &amp; <b>Lakes</b></title><price>30.5</price><author>B</author><author>C</author></book>
  <book id="b3" year="2010" day="2024-03-01"><title>Birds</title></book>
</books>"""


@pytest.fixture(scope="module")
def books(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = tmp_path_factory.mktemp("books") / "books.xml"
    path.write_bytes(BOOKS)
    return path


def table(spark: Any, query: str, books: Path, **options: Any) -> Any:
    return xylem.spark.query(spark, query, books, partitions=3, **options)


def rows(frame: Any) -> list[dict[str, Any]]:
    return [row.asDict(recursive=True) for row in frame.collect()]


def test_items_are_rows_of_text(spark: Any, books: Path) -> None:
    frame = table(spark, "//title", books)
    assert frame.schema.simpleString() == "struct<value:string>"
    assert [row.value for row in frame.collect()] == [
        "<title>Trees</title>",
        "<title>Rivers &amp; <b>Lakes</b></title>",
        "<title>Birds</title>",
    ]


def test_maps_are_rows_of_columns(spark: Any, books: Path) -> None:
    query = """for $b in //book return map {
        "id": $b/@id, "title": string($b/title), "year": xs:integer($b/@year), "day": xs:date($b/@day),
        "price": xs:decimal($b/price), "authors": $b/author/string(), "old": $b/@year < "2000" }"""
    frame = table(spark, query, books)
    columns = "id:string,title:string,year:bigint,day:date,price:decimal(38,18),authors:array<string>,old:boolean"
    assert frame.schema.simpleString() == f"struct<{columns}>"
    first, second, third = rows(frame)
    assert (first["id"], first["year"], first["day"], first["old"]) == ("b1", 1999, dt.date(2024, 2, 29), True)
    assert (second["title"], second["authors"], second["day"]) == ("Rivers & Lakes", ["B", "C"], None)
    assert second["price"] == Decimal("30.5")
    assert (third["price"], third["authors"]) == (None, [])
    assert frame.where("year > 2000").count() == 2


def test_flat_elements_are_rows_of_columns(spark: Any, books: Path) -> None:
    query = "for $b in //book return <b id='{ $b/@id }'><n>{ count($b/author) }</n><p>{ xs:double($b/price) }</p></b>"
    frame = table(spark, query, books)
    assert frame.schema.simpleString() == "struct<id:string,n:bigint,p:double>"
    assert rows(frame) == [
        {"id": "b1", "n": 1, "p": 10.0},
        {"id": "b2", "n": 2, "p": 30.5},
        {"id": "b3", "n": 0, "p": None},
    ]


def test_sorted_rows(spark: Any, books: Path) -> None:
    frame = table(spark, "for $b in //book order by $b/title return map { 'id': $b/@id }", books)
    assert [row.id for row in frame.collect()] == ["b3", "b2", "b1"]


@pytest.mark.parametrize("result", ["map { 'n': string($b/@id) }", "if ($b/@id = 'b2') then () else $b/@id/string()"])
def test_sorted_rows_whose_keys_cannot_be_compared(spark: Any, books: Path, result: str) -> None:
    """Each task sees keys of one kind only."""
    key = "if ($b/@id = 'b2') then 5 else string($b/title)"
    frame = table(spark, f"for $b in //book order by {key} return {result}", books)
    for use in (frame.collect, frame.count, lambda: frame.head(1)):
        with pytest.raises(Exception, match="XPTY0004"):
            use()
    grouped = f"for $b in //book group by $i := string($b/@id) order by {key.replace('$b/@id', '$i')} return $i"
    with pytest.raises(Exception, match="XPTY0004"):
        table(spark, grouped, books).collect()


def test_sorted_rows_with_keys_that_are_empty(spark: Any, books: Path) -> None:
    frame = table(spark, "for $b in //book order by xs:double($b/price) descending return map { 'id': $b/@id }", books)
    assert [row.id for row in frame.collect()] == ["b2", "b1", "b3"]
    assert [row.id for row in frame.limit(1).collect()] == ["b2"]
    assert frame.where("id <> 'b2'").count() == 2


def test_grouped_rows(spark: Any, books: Path) -> None:
    query = "for $b in //book group by $new := $b/@year > '2000' return map { 'new': $new, 'n': count($b) }"
    assert rows(table(spark, query, books)) == [{"new": False, "n": 1}, {"new": True, "n": 2}]


def test_answers_put_together(spark: Any, books: Path) -> None:
    assert rows(table(spark, "count(//book)", books)) == [{"value": 3}]
    assert rows(table(spark, "sum(//price), //book[1]/title", books)) == [
        {"value": "40.5"},
        {"value": "<title>Trees</title>"},
    ]
    assert rows(table(spark, "map { 'n': count(//book), 'p': sum(//price) }", books)) == [{"n": 3, "p": "40.5"}]


def test_queries_of_one_task(spark: Any, books: Path) -> None:
    frame = table(spark, "//book[following-sibling::book]/@id/string()", books)
    assert [row.value for row in frame.collect()] == ["b1", "b2"]


def test_what_is_the_same_for_all_items_is_computed_first(spark: Any, books: Path) -> None:
    query = "for $b in //book return map { 'id': $b/@id, 'of': count(//book) }"
    assert rows(table(spark, query, books)) == [{"id": f"b{n}", "of": 3} for n in (1, 2, 3)]


def test_columns_can_be_chosen(spark: Any, books: Path) -> None:
    query = "for $b in //book return map { 'id': $b/@id, 'year': $b/@year }"
    frame = table(spark, query, books, schema="year int, id string, more double")
    assert rows(frame)[0] == {"year": 1999, "id": "b1", "more": None}


def test_an_item_that_does_not_fit(spark: Any, books: Path) -> None:
    query = "for $b in //book return map { 'id': $b/@id }"
    with pytest.raises(Exception, match="XYRT0006"):
        table(spark, query, books, schema="id int").collect()


def test_several_documents(spark: Any, books: Path, tmp_path: Path) -> None:
    for name in ("1.xml", "2.xml"):
        (tmp_path / name).write_bytes(BOOKS)
    frame = xylem.spark.query(spark, "//book/@id/string()", tmp_path)
    assert [row.value for row in frame.collect()] == ["b1", "b2", "b3"] * 2
    assert rows(xylem.spark.query(spark, "count(collection()//book)", str(tmp_path / "*.xml"))) == [{"value": 6}]


def test_variables(spark: Any, books: Path) -> None:
    query = "declare variable $least external; //book[@year > $least]/@id/string()"
    frame = xylem.spark.query(spark, query, books, {"least": "2001"})
    assert [row.value for row in frame.collect()] == ["b2", "b3"]


def test_errors_name_the_place(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "bad.xml").write_bytes(b"<a><b/></c>")
    with pytest.raises(Exception, match=r"XYIN0001.*bad\.xml.*byte"):
        xylem.spark.query(spark, "//b", tmp_path / "bad.xml").collect()
    with pytest.raises(xylem.StaticError):
        xylem.spark.query(spark, "//b[", tmp_path / "bad.xml")
    with pytest.raises(xylem.InputError) as caught:
        xylem.spark.query(spark, "//b", tmp_path / "none.xml")
    assert caught.value.code == "XYIN0002"


NESTED = "<r><s n='1'><s n='2'><p/><p/></s><p/><s n='3'/></s><s n='2'><p n='2'/></s><t n='2'/><t n='1'/></r>"


@pytest.mark.parametrize(
    "query",
    [
        "for $s in //s group by $k := $s/@n < 9 return map { 'k': $k, 'p': count($s//p) }",
        "for $s in //s for $c in $s/* group by $k := 1 return $s/@n/string()",
        "for $t in //t let $s := //s[@n = $t/@n] return count($s//p)",
        "for $t in //t let $s := //s[@n >= $t/@n] order by $t/@n return string-join($s/*/name(), ' ')",
        "(//s)[position() < 4]/s/@n/string()",
    ],
)
def test_items_inside_each_other(spark: Any, tmp_path: Path, query: str) -> None:
    """Copies of them in tasks would be taken apart; as by `xylem run --on spark`, one task tells them apart."""
    path = tmp_path / "nested.xml"
    path.write_text(NESTED)
    expected = xylem.compile(query).run(xylem.parse(path)).items
    flat = [tuple(item.values()) if isinstance(item, dict) else (item,) for item in expected]
    frame = xylem.spark.query(spark, query, path, partitions=3)
    assert [tuple(row) for row in frame.collect()] == flat
    xylem.spark.register(spark)
    read = spark.read.format("xylem").option("query", query).option("partitions", 3).load(str(path))
    assert [tuple(row) for row in read.collect()] == flat


def test_groups_of_items_that_do_not_nest_stay_spread(spark: Any, tmp_path: Path) -> None:
    path = tmp_path / "flat.xml"
    path.write_text("<r><s n='1'><p/></s><s n='2'><p/><p/></s></r>")
    query = "for $s in //s group by $k := $s/@n < 9 return count($s//p)"
    frame = xylem.spark.query(spark, query, path, partitions=2)
    assert [row.value for row in frame.collect()] == [3]
    assert "Exchange" in frame._jdf.queryExecution().executedPlan().toString()


def test_no_input_is_no_context(spark: Any) -> None:
    with pytest.raises(Exception, match="XPDY0002"):
        xylem.spark.query(spark, "//a", []).collect()


def test_columns_lose_nothing(spark: Any, books: Path) -> None:
    """Several children of one name are an array, or an error: never the first alone."""
    frame = table(
        spark, "//book", books, schema="id string, author array<string>, price decimal(4,1), year int not null"
    )
    assert rows(frame)[1] == {"id": "b2", "author": ["B", "C"], "price": Decimal("30.5"), "year": 2005}
    with pytest.raises(Exception, match="author: 2 items instead of one value"):
        table(spark, "//book", books, schema="author string").collect()


def test_what_no_column_can_be_is_told_at_once(spark: Any, books: Path) -> None:
    for columns in ("id interval day", "id varchar(3)", "id struct<a: map<string, int>>"):
        with pytest.raises(xylem.XylemError, match="there are no items for columns of type"):
            table(spark, "//book", books, schema=columns)
    with pytest.raises(xylem.XylemError, match=r"the external variable \$least has no value"):
        table(spark, "declare variable $least external; //book[@year > $least]", books)
