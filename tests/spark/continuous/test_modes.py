"""What a query asks of a stream is told by what its names mean, and never by how they are prefixed."""

from __future__ import annotations

from pathlib import Path

import pytest
from xylem.analysis.resolved_module import resolved_query
from xylem.spark.continuous.modes import asks_for_all, asks_for_arrivals, mode_of
from xylem.spark.continuous.subscription import Mode
from xylem.spark.continuous.told_query import QueryText, file_ending, serialization, told_queries
from xylem.spark.shipped_query import shipped_query

FN = "http://www.w3.org/2005/xpath-functions"
XYLEM = "urn:xylem:functions"
OUTPUT = "http://www.w3.org/2010/xslt-xquery-serialization"


@pytest.mark.parametrize(
    "query",
    [
        "count(collection()//e)",
        "count(fn:collection()//e)",
        f"declare namespace f = '{FN}'; count(f:collection()//e)",
        f"count(Q{{{FN}}}collection()//e)",
        "count(collection#0()//e)",
    ],
)
def test_all_documents_by_any_name_of_collection(query: str) -> None:
    assert asks_for_all(resolved_query(query, "query"))


@pytest.mark.parametrize(
    "query",
    [
        "count(//e)",
        "count(collection('a')//e)",
        "declare namespace fn = 'urn:mine'; declare function fn:collection() { 1 }; fn:collection()",
        "declare default function namespace 'urn:mine'; declare function collection() { 1 }; collection()",
    ],
)
def test_other_functions_of_that_name(query: str) -> None:
    assert not asks_for_all(resolved_query(query, "query"))


def test_the_mode_of_a_query_with_a_prefix_of_its_own() -> None:
    query = shipped_query(f"declare namespace f = '{FN}'; count(f:collection()//e)", several_documents=True)
    assert mode_of(query, is_one_document=False) is Mode.SPREAD


@pytest.mark.parametrize(
    ("query", "asks"),
    [
        ("xylem:add-timestamp(//e)", True),
        (f"declare namespace x = '{XYLEM}'; x:add-timestamp(//e)", True),
        (f"declare namespace x = '{XYLEM}'; //e => x:add-timestamp()", True),
        ("declare function local:add-timestamp($e) { $e }; local:add-timestamp(//e)", False),
    ],
)
def test_arrivals(query: str, asks: bool) -> None:
    assert asks_for_arrivals(resolved_query(query, "query")) is asks


@pytest.mark.parametrize("option", ["output:method", "o:method", f"Q{{{OUTPUT}}}method"])
def test_serialization_by_any_prefix(option: str) -> None:
    query = shipped_query(f"declare namespace o = '{OUTPUT}'; declare option {option} 'json'; map {{ 'a': 1 }}")
    assert serialization(query) == {"method": "json"}
    assert file_ending(query) == ".json"


def test_a_variable_is_for_the_queries_that_declare_it_by_its_namespace() -> None:
    texts = [
        "declare namespace a = 'urn:a'; declare variable $a:x external; $a:x",
        "declare variable $local:x external; $local:x",
    ]
    queries = [QueryText(f"q{index}", text, f"q{index}", "", Path()) for index, text in enumerate(texts)]
    first, second = told_queries(queries, variables={"Q{urn:a}x": 1, "local:x": 2}, functions=())
    assert first[1].variables == {("urn:a", "x"): [1]}
    assert second[1].variables == {("http://www.w3.org/2005/xquery-local-functions", "x"): [2]}
