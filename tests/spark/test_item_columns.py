"""The columns of an answer follow from the query."""

from __future__ import annotations

import pytest
from xylem.pipeline import StaticEnvironment
from xylem.query.compiled_query import CompiledQuery
from xylem.spark.item_columns import shape_of_schema, spark_schema
from xylem.tables.row_shape import answer_shape

pytest.importorskip("pyspark")

SHAPES = [
    ("//book/title", "struct<value:string>"),
    ("count(//book)", "struct<value:bigint>"),
    ("for $b in //b group by $k := $b/@k return count($b)", "struct<value:bigint>"),
    ("for $b in //b order by $b/x return if ($b/y) then 1 else 2.5", "struct<value:decimal(38,18)>"),
    ("for $b in //b return if ($b/y) then 1 else $b/y", "struct<value:string>"),
    ("//book ! map { 'a': xs:integer(@n), 'b': string(title) }", "struct<a:bigint,b:string>"),
    ("//book/map { 'a': 1 }", "struct<a:bigint>"),
    ("for $b in //book return map { 'a': $b/@n }", "struct<a:string>"),
    ("for $b in //book return map { 'a': $b/title }", "struct<a:array<string>>"),
    ("for $b in //book return map { 'a': $b/@n/data(), 'd': data($b/@m) }", "struct<a:string,d:string>"),
    ("//b ! map { 'd': xs:date(.), 't': xs:dateTime(.), 'x': xs:double(.) }", "struct<d:date,t:timestamp,x:double>"),
    ("//b ! map { 'i': xs:int(.), 's': xs:short(.), 'y': xs:byte(.) }", "struct<i:int,s:smallint,y:tinyint>"),
    ("//b ! map { 'd': xs:decimal(.), 'b': . = 1 }", "struct<d:decimal(38,18),b:boolean>"),
    ("//b ! map { 'h': xs:hexBinary(.), 'e': xs:base64Binary(.) }", "struct<h:binary,e:binary>"),
    ("//b ! map { 'm': map { 'x': 1, 'y': array { c/string() } } }", "struct<m:struct<x:bigint,y:array<string>>>"),
    ("if (//a) then map { 'a': 1 } else map { 'a': 2.5, 'b': 'x' }", "struct<a:decimal(38,18),b:string>"),
    ("map { 'a': 1 }, map { 'a': 'x' }", "struct<a:string>"),
    ("map { 'a': 1 }, 2", "struct<value:string>"),
    ("map { 'a': 1 }, <a/>", "struct<value:string>"),
    ("map { string(//a): 1 }", "struct<value:string>"),
    ("//b ! <r i='{@i}' n='{count(c)}'><d>{xs:date(d)}</d></r>", "struct<i:string,n:bigint,d:date>"),
    ("//b ! <r><d>{xs:date(d)}</d><d>1</d></r>", "struct<value:string>"),
    ("//b ! <r><d>{c}</d></r>", "struct<value:string>"),
    ("//b ! <r><d>{c/text()}</d></r>", "struct<d:string>"),
    ("//b ! <r><d>{c/string()}</d></r>", "struct<d:string>"),
    ("//b ! <r>text<d>1</d></r>", "struct<value:string>"),
    ("//b ! <r><d x='1'>1</d></r>", "struct<value:string>"),
    ("for $b in //b order by $b/x return <r>\n  <d>{ string($b) }</d>\n</r>", "struct<d:string>"),
]


@pytest.mark.parametrize(("query", "columns"), SHAPES, ids=[query for query, _ in SHAPES])
def test_columns(query: str, columns: str) -> None:
    assert spark_schema(answer_shape(CompiledQuery(query, StaticEnvironment())).item).simpleString() == columns


@pytest.mark.usefixtures("spark")
def test_columns_that_a_user_names_have_a_shape() -> None:
    from pyspark.sql.types import StructType

    columns = "struct<a:bigint,b:array<string>,c:struct<d:date,e:decimal(38,18)>,f:boolean,g:timestamp,h:float>"
    fields = "a long, b array<string>, c struct<d:date,e:decimal(38,18)>, f boolean, g timestamp, h float"
    schema = StructType.fromDDL(fields)
    assert spark_schema(shape_of_schema(schema)).simpleString() == columns
