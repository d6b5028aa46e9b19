"""Queries as functions of a column of messages, as in the values of a Kafka topic (users ask: XML in Kafka values)."""

from __future__ import annotations

import gzip
from decimal import Decimal
from typing import Any

import pytest
import xylem
import xylem.spark

ORDER = "<order><total>12.50</total><item n='2'>tea</item><item n='1'>jam</item></order>"
BROKEN = "<order><total>1</order>"


@pytest.fixture(scope="module")
def messages(spark: Any) -> Any:
    rows = [(0, ORDER), (1, None), (2, BROKEN), (3, "<order/>")]
    return spark.createDataFrame(rows, "id int, value string").coalesce(1)


def answers(messages: Any, query: str, **options: Any) -> list[Any]:
    answer = xylem.spark.xquery(query, **options)
    return [row[0] for row in messages.orderBy("id").select(answer("value")).collect()]


def test_one_item_is_a_value_of_its_type(messages: Any) -> None:
    assert answers(messages, "xs:decimal(/order/total)", on_error="null") == [Decimal("12.5"), None, None, None]
    assert answers(messages, "count(//item)", on_error="null") == [2, None, None, 0]


def test_several_items_are_an_array(messages: Any) -> None:
    assert answers(messages, "//item/string()", on_error="null") == [["tea", "jam"], None, None, []]


def test_records_are_structs(messages: Any) -> None:
    query = "//item ! map { 'n': xs:integer(@n), 'what': string(.) }"
    first = answers(messages, query, on_error="null")[0]
    assert [row.asDict() for row in first] == [{"n": 2, "what": "tea"}, {"n": 1, "what": "jam"}]


def test_errors_in_a_column_of_their_own(messages: Any) -> None:
    good, null, broken, empty = answers(messages, "xs:decimal(/order/total)", on_error="column")
    assert good.asDict() == {"value": Decimal("12.5"), "error": None}
    assert null is None
    assert (broken.value, broken.error.code, broken.error.excerpt) == (None, "XYIN0001", BROKEN)
    assert "byte" in broken.error.message
    assert (empty.value, empty.error) == (None, None)


def test_an_error_fails_the_job_and_says_which(messages: Any) -> None:
    with pytest.raises(Exception, match="XYIN0001"):
        answers(messages, "count(//item)")


def test_errors_of_the_query_are_told_at_once() -> None:
    with pytest.raises(xylem.StaticError) as caught:
        xylem.spark.xquery("//item[")
    assert caught.value.code == "XPST0003"


def test_binary_messages_in_any_encoding_and_compressed(spark: Any) -> None:
    texts = [("<a>ä</a>".encode(),), ("<?xml version='1.0' encoding='ISO-8859-1'?><a>ä</a>".encode("latin-1"),)]
    texts += [("<a>ä</a>".encode("utf-16"),), (gzip.compress(b"<a>b</a>"),)]
    frame = spark.createDataFrame(texts, "value binary").coalesce(1)
    answer = xylem.spark.xquery("string(/a)")
    assert [row[0] for row in frame.select(answer("value")).collect()] == ["ä", "ä", "ä", "b"]


def test_variables_and_python_functions_travel(spark: Any) -> None:
    functions = xylem.Functions()

    @functions.function("udf:twice", "xs:integer", "xs:integer")
    def twice(number: int) -> int:
        return 2 * number

    query = "declare variable $least external; udf:twice(xs:integer(/a/@n))[. ge xs:integer($least)]"
    answer = xylem.spark.xquery(query, variables={"least": 4}, functions=functions)
    frame = spark.createDataFrame([("<a n='1'/>",), ("<a n='2'/>",)], "value string").coalesce(1)
    assert [row[0] for row in frame.select(answer("value")).collect()] == [None, 4]


def test_an_item_that_does_not_fit_its_column(spark: Any) -> None:
    frame = spark.createDataFrame([("<a>9223372036854775808</a>",)], "value string")
    answer = xylem.spark.xquery("xs:integer(/a)", on_error="column")
    error = frame.select(answer("value")).collect()[0][0].error
    assert error.code == "XYRT0006"
    assert "64 bits" in error.message


def test_further_columns_are_variables(messages: Any) -> None:
    declared = "declare variable $least external; declare variable $unit external := 'g';"
    query = f"{declared} //item[@n >= $least] ! concat(., $unit)"
    above = xylem.spark.xquery(query, columns=["least"], variables={"unit": "kg"}, on_error="null")
    rows = messages.selectExpr("value", "if(id = 3, null, id + 2L) as least").select(above("value", "least")).collect()
    assert [row[0] for row in rows] == [["teakg"], None, None, []]


def test_a_function_of_sql(spark: Any, messages: Any) -> None:
    spark.udf.register("order_items", xylem.spark.xquery("count(//item)", on_error="null"))
    messages.createOrReplaceTempView("messages")
    assert [row[0] for row in spark.sql("select order_items(value) from messages order by id").collect()] == [
        2,
        None,
        None,
        0,
    ]


@pytest.mark.parametrize(
    ("column", "columns", "told"),
    [("id", (), "messages must be text or binary"), ("value", ("least",), "1 columns behind|0 columns")],
)
def test_columns_that_do_not_fit(messages: Any, column: str, columns: tuple[str, ...], told: str) -> None:
    query = "declare variable $least external := 1; count(//item)"
    with pytest.raises(Exception, match=told) as raised:
        messages.select(xylem.spark.xquery(query, columns=columns)(column)).collect()
    assert "XYRT0006" in str(raised.value)


def test_errors_are_short(messages: Any) -> None:
    with pytest.raises(Exception, match="XYIN0001") as raised:
        messages.select(xylem.spark.xquery("count(//item)")("value")).collect()
    assert len(str(raised.value).splitlines()) < 12


@pytest.mark.parametrize("given", [{"columns": ["most"]}, {"variables": {"most": 1}}, {}], ids=str)
def test_variables_that_do_not_fit_are_told_at_once(given: dict[str, Any]) -> None:
    """They are no errors of messages, and must not become nulls."""
    with pytest.raises(xylem.XylemError, match=r"most|least"):
        xylem.spark.xquery("declare variable $least external; count(//item[. > $least])", on_error="null", **given)


def test_values_of_columns(spark: Any) -> None:
    chosen = "'<a/>' as value, map('k', map('n', 2)) as m, date'2024-02-29' as d, cast(1.5 as decimal(4, 2)) as n"
    row = spark.sql(f"select {chosen}")
    asked = xylem.spark.xquery(
        "declare variable $m external; declare variable $d external; declare variable $n external;"
        "string-join(($m?k?n, $d + xs:dayTimeDuration('P1D'), $n * 2), ' ')",
        columns=["m", "d", "n"],
    )
    assert row.select(asked("value", "m", "d", "n")).collect()[0][0] == "2 2024-03-01 3"


def test_an_error_shows_the_query_and_the_message(messages: Any) -> None:
    with pytest.raises(Exception, match="XPTY0004") as raised:
        messages.where("id = 0").select(xylem.spark.xquery("string(//item)")("value")).collect()
    told = str(raised.value)
    assert "in the message <order" in told
    assert "    1 | string(//item)\n      | ^^^^" in told
