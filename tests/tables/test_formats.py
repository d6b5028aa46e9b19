"""Answers as lines, JSON lines, CSV, tables and Parquet: each can be read back, and columns are those of the query."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import xylem
from xylem.errors import DynamicError
from xylem.tables.formats import WRITERS, write_parquet
from xylem.tables.row_shape import Record, Scalar, answer_shape
from xylem.values import atomic_type as at

BOOKS = (
    b"<books><book id='1' year='2001'><title>A, \"b\"\nc</title><author>x</author><author>y</author></book>"
    b"<book id='2' year='1999'><title>\xc3\x84</title></book></books>"
)
ROWS = """//book ! map { "id": xs:integer(@id), "title": string(title), "by": array { author/string() },
"late": xs:integer(@year) gt 2000, "price": xs:decimal(@year) div 8, "gone": price/data() }"""


def written(text: str, how: str, source: bytes = BOOKS) -> str:
    query = xylem.compile(text)
    out = io.BytesIO()
    WRITERS[how](query.stream(source).xdm(), answer_shape(query.compiled).item, out.write)
    return out.getvalue().decode()


def test_lines_have_one_item_each() -> None:
    lines = written("//title", "lines").splitlines()
    assert lines == ['<title>A, "b"&#10;c</title>', "<title>Ä</title>"]
    assert xylem.parse(lines[0]).string_value == 'A, "b"\nc'
    assert written("//book/@year/data()", "lines") == "2001\n1999\n"
    assert written("//nothing", "lines") == ""


def test_json_lines_are_what_the_json_method_says() -> None:
    rows = [json.loads(line) for line in written(ROWS, "jsonl").splitlines()]
    assert rows[0] == {"id": 1, "title": 'A, "b"\nc', "by": ["x", "y"], "late": True, "price": 250.125, "gone": None}
    assert written("(1, 2.5, 'a', true(), //book[2]/title, [1, map { 'a': () }], 1e0)", "jsonl").splitlines() == [
        *("1", "2.5", '"a"', "true", '"<title>Ä</title>"', '[1,{"a":null}]', "1.0"),
    ]


def test_json_lines_have_the_values_of_attributes_and_texts() -> None:
    text = "//book[2] ! map { 'id': @id, 'title': title/text(), 'n': array { @year, 1 } }, <t>a &amp; b</t>/text()"
    assert [json.loads(line) for line in written(text, "jsonl").splitlines()] == [
        {"id": "2", "title": "Ä", "n": ["1999", 1]},
        "a & b",
    ]


def test_json_lines_of_flat_elements_are_objects() -> None:
    text = "//book ! <b id='{ @id }'><n>{ count(author) }</n></b>"
    assert [json.loads(line) for line in written(text, "jsonl").splitlines()] == [
        {"id": "1", "n": 2},
        {"id": "2", "n": 0},
    ]


ROW = 'year,t,n\n2001,"A, ""b""\nc",2\n1999,Ä,0\n'


@pytest.mark.parametrize(
    "text",
    [
        "for $b in //book return <b year='{ $b/@year }'><t>{ string($b/title) }</t><n>{ count($b/author) }</n></b>",
        "//book/<b year='{ @year }'><t>{ title/text() }</t><n>{ count(author) }</n></b>",
        "//book ! <b>{ @year, <t>{ data(title) }</t> }<n>{ count(author) }</n></b>",
        "for $b in //book return <b>{ $b/@year }{ element t { string($b/title) } }{ <n>{ count($b/author) }</n> }</b>",
        "//book/element b { @year, element t { title/string() }, element n { count(author) } }",
        "//book ! element b { attribute year { @year }, <t>{ string(title) }</t>, element n { count(author) } }",
        "//book/(if (author) then <b>{ @year }<t>{ string(title) }</t><n>{ count(author) }</n></b> "
        "else element b { @year, element t { string(title) }, element n { 0 } })",
    ],
)
def test_flat_elements_have_their_columns_in_every_spelling(text: str) -> None:
    assert written(text, "csv") == ROW
    shape = answer_shape(xylem.compile(text).compiled).item
    assert isinstance(shape, Record)
    assert [(field.name, field.shape) for field in shape.fields][1:] == [("t", Scalar()), ("n", Scalar(at.INTEGER))]


@pytest.mark.parametrize(
    "content", ["{ title }", "{ @*, 'a' }", "text", "<t a='1'/>", "{ (//book)[1]/@* }", "<t/><t/>"]
)
def test_other_elements_are_one_value(content: str) -> None:
    assert written(f"//book ! <b>{content}</b>", "csv").startswith("value\n")


def test_an_attribute_that_is_not_there_is_null() -> None:
    text = "//book/element b { @lang, attribute id { @id } }"
    assert json.loads(written(text, "jsonl").splitlines()[0]) == {"lang": None, "id": "1"}


def test_csv_can_be_read_back() -> None:
    rows = list(csv.DictReader(io.StringIO(written(ROWS, "csv"))))
    assert rows[0] == {
        "id": "1",
        "title": 'A, "b"\nc',
        "by": '["x", "y"]',
        "late": "true",
        "price": "250.125",
        "gone": "[]",
    }
    assert [row["title"] for row in rows] == ['A, "b"\nc', "Ä"]
    assert written("//book/@id/string()", "csv") == "value\n1\n2\n"
    assert written("//nothing ! map { 'a': 1 }", "csv") == "a\n"


def test_a_table_is_aligned_and_cut() -> None:
    table = written("//book ! map { 'id': string(@id), 'text': string-join((1 to 99) ! 'w') }", "table").splitlines()
    assert len({len(line) for line in table[1:]}) == 1
    assert table[2].endswith("…")
    assert written("//title/string()", "table").splitlines()[2] == 'A, "b" c'


def test_parquet_has_the_types_of_the_query(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    query = xylem.compile(ROWS)
    with (tmp_path / "b.parquet").open("wb") as file:
        write_parquet(query.stream(BOOKS).xdm(), answer_shape(query.compiled).item, file)
    table = parquet.read_table(tmp_path / "b.parquet")
    assert [str(field.type).partition("<")[0] for field in table.schema][:4] == ["int64", "string", "list", "bool"]
    assert table.column("id").to_pylist() == [1, 2]


def test_what_does_not_fit_is_an_error_after_the_rows_before_it() -> None:
    query = xylem.compile("//n ! map { 'n': xs:byte(.) }")
    out: list[bytes] = []
    items: Iterable[Any] = query.stream(b"<a><n>1</n><n>2</n></a>").xdm()
    WRITERS["csv"]((item for item in items), answer_shape(query.compiled).item, out.append)
    assert b"".join(out) == b"n\n1\n2\n"
    wide = xylem.compile("(1, 10000000000000000000) ! map { 'n': . }")
    out.clear()
    with pytest.raises(DynamicError, match="XYRT0006"):
        WRITERS["csv"](wide.run().xdm, answer_shape(wide.compiled).item, out.append)
    assert b"".join(out) == b"n\n1\n"


@pytest.mark.parametrize("text", ["({})[position() le 2]", "head(({}))", "subsequence(({}), 1, 2)", "({})[?n gt 0]"])
def test_parts_of_rows_have_their_columns(text: str) -> None:
    rows = "for $b in //book order by $b/@id return map { 'n': xs:integer($b/@id) }"
    assert written(text.replace("{}", rows), "csv").startswith("n\n1\n")


@pytest.mark.parametrize("kind", ["tumbling", "sliding"])
def test_windows_have_typed_columns(kind: str) -> None:
    query = xylem.compile(
        f"for {kind} window $w in //n start at $s when true() end at $e when $e - $s = 1 "
        "return map { 'first': string($w[1]), 'n': count($w) }"
    )
    shape = answer_shape(query.compiled).item
    assert isinstance(shape, Record)
    assert [(field.name, field.shape) for field in shape.fields] == [("first", Scalar()), ("n", Scalar(at.INTEGER))]
