"""Query.stream: what it gives while its input streams by is what Query.run gives of the whole tree."""

from __future__ import annotations

import bz2
import gzip
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import xylem

BOOKS = (
    b"<bib><book id='1'><title>A &amp; B</title><author>x</author><author>y</author><price>10</price></book>"
    b"<book id='2'><title>B</title><author>z</author><price>20</price></book></bib>"
)
QUERIES = [
    "//title",
    "//title/string()",
    "//book/@id/string()",
    "//book/@id",
    "count(//author)",
    "()",
    "//nothing",
    "<r>{ for $b in /bib/book return <e n='{$b/@id}'>{ $b/title }{ $b/author }</e> }</r>",
    "for $b in //book order by number($b/price) descending return string($b/title)",
    "for $b in //book return map { 'title': string($b/title) }",
    "for $b in //book return array { $b/author/string() }",
    "avg(//price), 'and', //price[. > 15]",
    "<n>{ count(//book), 'x' }</n>, //title/text()",
    "for $b in /bib/book return concat($b/title, ':', string-join($b/author, ','))",
    "declare option output:method 'json'; array { //title/string() }",
    "declare option output:indent 'yes'; <r>{ //title }</r>",
    "declare namespace p = 'urn:p'; <p:r>{ for $t in //title return <p:t>{ data($t) }</p:t> }</p:r>",
    "declare default element namespace 'urn:d'; <r>{ count(//book) }</r>",
]
PARAMETERS: list[dict[str, Any]] = [
    {},
    {"indent": True},
    {"method": "text"},
    {"method": "adaptive"},
    {"method": "html"},
    {"method": "json"},
    {"omit_xml_declaration": False},
    {"item_separator": "|"},
    {"encoding": "utf-16", "omit_xml_declaration": False},
    {"encoding": "us-ascii", "normalization_form": "NFC"},
]


def streamed(query: str, **parameters: Any) -> bytes | str:
    return outcome(lambda write: xylem.compile(query).stream(BOOKS).write_to(write, **parameters))


def from_tree(query: str, **parameters: Any) -> bytes | str:
    return outcome(lambda write: xylem.compile(query).run(xylem.parse(BOOKS)).write_to(write, **parameters))


def outcome(run: Any) -> bytes | str:
    chunks: list[bytes] = []
    try:
        run(chunks.append)
    except xylem.XylemError as error:
        return error.code
    return b"".join(chunks)


@pytest.mark.parametrize("parameters", PARAMETERS, ids=str)
@pytest.mark.parametrize("query", [query for query in QUERIES if query != "()"])
def test_the_same_bytes_as_from_the_tree(query: str, parameters: dict[str, Any]) -> None:
    assert streamed(query, **parameters) == from_tree(query, **parameters)


def test_items_are_python_values() -> None:
    assert list(xylem.compile("//price/xs:integer(.)").stream(BOOKS)) == [10, 20]
    assert list(xylem.compile("for $b in //book return map { 'id': string($b/@id) }").stream(BOOKS)) == [
        {"id": "1"},
        {"id": "2"},
    ]
    nodes = list(xylem.compile("//title").stream(BOOKS))
    assert [node.string_value for node in nodes] == ["A & B", "B"]


def pieces(*data: bytes) -> Iterator[bytes]:
    yield from data


def test_any_source_of_bytes(tmp_path: Path) -> None:
    query = xylem.compile("//title/string()")
    path = tmp_path / "books.xml"
    path.write_bytes(BOOKS)
    packed = tmp_path / "books.xml.gz"
    packed.write_bytes(gzip.compress(BOOKS[:50]) + gzip.compress(BOOKS[50:]))
    expected = ["A & B", "B"]
    assert list(query.stream(path)) == expected
    assert list(query.stream(str(path))) == expected
    assert list(query.stream(packed)) == expected
    assert list(query.stream(bz2.compress(BOOKS))) == expected
    assert list(query.stream(io.BytesIO(BOOKS))) == expected
    assert list(query.stream(pieces(BOOKS[:70], BOOKS[70:]))) == expected


def test_items_come_before_the_input_has_ended() -> None:
    def endless() -> Iterator[bytes]:
        yield b"<list>"
        while True:
            yield b"<item/>" * 10_000

    items = iter(xylem.compile("for $i at $n in /list/item return $n").stream(endless()))
    assert [next(items) for _ in range(5)] == [1, 2, 3, 4, 5]


def test_an_error_of_the_input_comes_after_what_was_complete() -> None:
    items = iter(xylem.compile("for $t in //title return string($t)").stream(BOOKS[:-40]))
    assert next(items) == "A & B"
    assert next(items) == "B"
    with pytest.raises(xylem.InputError) as caught:
        next(items)
    assert caught.value.code == "XYIN0001"


@pytest.mark.parametrize("parameters", [{}, {"method": "adaptive"}], ids=str)
def test_an_error_of_the_query_comes_after_what_was_complete(parameters: dict[str, Any]) -> None:
    chunks: list[bytes] = []
    query = "for $p in //price return if ($p = '20') then error() else string($p)"
    with pytest.raises(xylem.XylemError) as caught:
        xylem.compile(query).stream(BOOKS).write_to(chunks.append, **parameters)
    assert caught.value.code == "FOER0000"
    assert caught.value.span is not None
    assert b"10" in b"".join(chunks)


def test_a_query_that_needs_the_tree_says_why() -> None:
    for query in (
        "//title/../..",
        "1 + 1",
        "declare context item as element() external; //title",
        "collection()//title, //a",
    ):
        with pytest.raises(xylem.StaticError) as caught:
            xylem.compile(query).stream(BOOKS)
        assert caught.value.code == "XYST0004", query
        assert caught.value.why


def test_variables_are_bound() -> None:
    query = xylem.compile("declare variable $n as xs:integer external; //book[price > $n]/title/string()")
    assert list(query.stream(BOOKS, {"n": 15})) == ["B"]
    with pytest.raises(xylem.InputError) as caught:
        query.stream(BOOKS, {"m": 15})
    assert caught.value.code == "XYIN0006"


def test_another_document_is_read_from_where_it_is_allowed(tmp_path: Path) -> None:
    (tmp_path / "prices.xml").write_text("<prices><p id='2'>99</p></prices>", encoding="utf-8")
    query = xylem.compile(
        "for $b in /bib/book return doc('prices.xml')//p[@id = $b/@id]/string()", base_uri=tmp_path.as_uri() + "/"
    )
    assert list(query.stream(BOOKS, allow=[tmp_path])) == ["99"]


def test_a_query_may_name_the_document_that_streams(tmp_path: Path) -> None:
    (tmp_path / "books.xml").write_bytes(BOOKS)
    query = xylem.compile("count(doc('books.xml')//author)", base_uri=tmp_path.as_uri() + "/")
    result = query.stream(allow=[tmp_path])
    assert list(result) == [3]
    assert result.statistics.input_bytes == len(BOOKS)
    with pytest.raises(xylem.InputError):
        query.stream()
    with pytest.raises(xylem.StaticError) as caught:
        query.stream(BOOKS)
    assert caught.value.code == "XYST0004"


def test_functions_that_recurse_have_room() -> None:
    query = "declare function local:down($n) { if ($n = 0) then 0 else 1 + local:down($n - 1) }; "
    query += "for $b in /bib/book return local:down(3000)"
    assert list(xylem.compile(query).stream(BOOKS)) == [3000, 3000]


def test_a_schema_says_what_need_not_be_buffered() -> None:
    dtd = "<!ELEMENT bib (book*)> <!ELEMENT book (title, author*, price)> <!ATTLIST book id CDATA #REQUIRED>"
    dtd += "<!ELEMENT title (#PCDATA)> <!ELEMENT author (#PCDATA)> <!ELEMENT price (#PCDATA)>"
    # A parsed text, because the scan itself writes small elements without such.
    result = "<e>{ $b/title }{ $b/author }{ parse-xml-fragment('x') }</e>"
    query = xylem.compile(f"<r>{{ for $b in /bib/book return {result} }}</r>")
    without, with_schema = query.stream(BOOKS), query.stream(BOOKS, schema=dtd)
    chunks: tuple[list[bytes], list[bytes]] = ([], [])
    without.write_to(chunks[0].append)
    with_schema.write_to(chunks[1].append)
    assert b"".join(chunks[0]) == b"".join(chunks[1])
    assert without.statistics.peak_buffered_bytes > with_schema.statistics.peak_buffered_bytes == 0


LIST = "<!ELEMENT list (item*)> <!ELEMENT item (name, v*)> <!ELEMENT name (#PCDATA)> <!ELEMENT v (#PCDATA)>"
GOOD = b"<item><name>a</name><v>1</v></item>"
SWAPPED = b"<item><v>1</v><name>b</name></item>"


def test_an_order_that_the_schema_excludes_is_no_silent_mistake() -> None:
    query = xylem.compile("<r>{ for $i in /list/item return <e>{ $i/name }{ $i/v }</e> }</r>")
    with pytest.raises(xylem.InputError) as caught:
        list(query.stream(b"<list>" + GOOD + SWAPPED + b"</list>", schema=LIST))
    assert caught.value.code == "XYIN0021"


@pytest.mark.parametrize("mode", ["full", "lazy"])
@pytest.mark.parametrize("size", [1, 7, 1000])
def test_an_input_is_compared_with_its_schema_on_the_way(mode: Any, size: int) -> None:
    query = xylem.compile("for $i in /list/item return <e>{ $i/name }{ $i/v }</e>")

    def source(data: bytes) -> Iterator[bytes]:
        return (data[start : start + size] for start in range(0, len(data), size))

    good = b"<list>\n" + GOOD * 5 + b"</list>"
    assert len(list(query.stream(source(good), schema=LIST, validate=mode))) == 5
    items = iter(query.stream(source(b"<list>\n" + GOOD * 2 + SWAPPED + b"</list>"), schema=LIST, validate=mode))
    assert [next(items).string_value, next(items).string_value] == ["a1", "a1"]
    with pytest.raises(xylem.InputError) as caught:
        next(items)
    assert caught.value.code == "XYIN0021"
    for part in ("<v> where <name> is expected", "line 2, column 77", "byte 83", "/list/item"):
        assert part in str(caught.value)


def test_lazily_only_what_the_answer_relies_on_is_compared() -> None:
    data = b"<list>" + SWAPPED + b"</list>"
    query = xylem.compile("for $i in /list/item return string($i/name)")
    assert list(query.stream(data, schema=LIST, validate="lazy")) == ["b"]
    with pytest.raises(xylem.InputError):
        list(query.stream(data, schema=LIST, validate="full"))


@pytest.mark.parametrize("data", [b"<list><item>", b"<list><item></list>", b"<list>&nope;</list>", b"\xff<list/>"])
def test_what_is_not_well_formed_is_told_as_such(data: bytes) -> None:
    with pytest.raises(xylem.InputError) as caught:
        list(xylem.compile("//name").stream(data, schema=LIST, validate="full"))
    assert caught.value.code in ("XYIN0001", "XYIN0007")


def test_what_streamed_by_is_gone() -> None:
    result = xylem.compile("//title/string()").stream(BOOKS)
    assert list(result) == ["A & B", "B"]
    with pytest.raises(ValueError, match="was read once"):
        list(result)


def test_a_run_can_be_watched() -> None:
    seen: list[tuple[int, int]] = []
    result = xylem.compile("//title").stream(pieces(BOOKS[:100], BOOKS[100:]))
    result.watch(
        lambda progress: seen.append((progress.statistics.input_bytes, progress.written.results)), counting=True
    )
    result.write_to(lambda data: None)
    assert seen[0][0] == 100
    assert seen[-1] == (len(BOOKS), 2)


def test_explanations_tell_what_becomes_of_the_stream() -> None:
    query = xylem.compile("<r>{ for $b in /bib/book return <e>{ $b/title }{ $b/author }</e> }{ count(//price) }</r>")
    facts = query.explain().to_dict()
    assert facts["streamed"] is True
    assert facts["passes"] == 1
    assert [(b["variable"], b["paths"], b["bound"]) for b in facts["buffers"]] == [("b", ["author//"], "one item")]
    assert facts["aggregates"] == [{"path": "//price", "function": "count", "by_scan": True}]
    assert facts["flux"].startswith("{ ps $ROOT:")
    text = query.explain().to_text(with_code=True)
    assert "streams, in one pass" in text
    assert "def first" in text
    refused = xylem.compile("\n//title/../..").explain()
    assert refused.to_dict()["streamed"] is False
    assert refused.to_dict()["reason"]
    assert "not streamed" in refused.to_text()
