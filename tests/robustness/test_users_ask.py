"""What users of other XML tools asked for in public threads, and what a stream does here. Each test names its case."""

from __future__ import annotations

import bz2
import gzip
from collections.abc import Iterator
from typing import Any

import pytest
import xylem
from xylem.source.kernel import is_kernel_built
from xylem.source.limits import Limits

SCANNERS = ["python", *(["kernel"] if is_kernel_built() else [])]


@pytest.fixture(params=SCANNERS)
def scanner(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def answer(query: str, source: Any, scanner: str, **options: Any) -> list[Any]:
    return list(xylem.compile(query).stream(source, scanner=scanner, **options))


def text(query: str, source: Any, scanner: str) -> str:
    chunks: list[bytes] = []
    xylem.compile(query).stream(source, scanner=scanner).write_to(chunks.append)
    return b"".join(chunks).decode()


def error(query: str, source: Any, scanner: str, **options: Any) -> xylem.XylemError:
    with pytest.raises(xylem.XylemError) as caught:
        answer(query, source, scanner, **options)
    return caught.value


# --- one huge record


def test_one_huge_record_streams_inside(scanner: str) -> None:
    def record() -> Iterator[bytes]:
        yield b"<root><record>"
        for _ in range(200):
            yield b"<cell>1</cell>" * 500
        yield b"</record></root>"

    result = xylem.compile("sum(for $c in /root/record/cell return $c * 2)").stream(record(), scanner=scanner)
    assert list(result) == [200_000.0]
    assert result.statistics.peak_buffered_bytes < 200


def test_what_one_item_may_take_has_a_cap_that_names_the_place(scanner: str) -> None:
    data = b"<root>\n<record><name>" + b"x" * 5000 + b"</name></record></root>"
    query = "for $r in /root/record return string-length($r/name)"
    assert answer(query, data, scanner, limits=Limits(item_bytes=10_000)) == [5000]
    told = error(query, data, scanner, limits=Limits(item_bytes=1000))
    assert told.code == "XYIN0004"
    assert "item bytes" in str(told)
    assert "/root/record" in str(told)
    assert "byte " in str(told)


def test_what_a_query_may_buffer_has_a_cap_that_names_the_variable(scanner: str) -> None:
    data = b"<list>" + b"<item><v>1</v></item>" * 1000 + b"</list>"
    told = error("for $i in //item order by $i/v return $i", data, scanner, limits=Limits(buffered_bytes=1000))
    assert told.code == "XYDY0005"
    assert "1,000 are allowed" in str(told)
    assert "$" in told.why


# --- items chosen by path


def test_rows_inside_rows_and_a_root_named_like_them(scanner: str) -> None:
    data = b"<ROW><ROW><ROW/><ROW/></ROW><ROW/></ROW>"
    assert answer("for $r in /ROW/ROW return count($r/ROW)", data, scanner) == [2, 0]
    assert answer("count(//ROW)", data, scanner) == [5]
    assert text("//ROW", data, scanner) == text_of_tree("//ROW", data)


def text_of_tree(query: str, data: bytes) -> str:
    return xylem.compile(query).run(xylem.parse(data)).serialize()


def test_rows_in_comments_and_cdata_are_none(scanner: str) -> None:
    data = b"<r><!-- <ROW/> --><a><![CDATA[<ROW/></ROW>]]></a><ROW/><?pi <ROW/>?></r>"
    assert answer("count(//ROW)", data, scanner) == [1]


def test_one_namespace_under_many_prefixes(scanner: str) -> None:
    data = b"<r xmlns:p='urn:a' xmlns='urn:a'><p:x>1</p:x><x>2</x><q:x xmlns:q='urn:a'>3</q:x><x xmlns=''>4</x></r>"
    assert answer("declare namespace a='urn:a'; for $x in //a:x return string($x)", data, scanner) == ["1", "2", "3"]


def test_each_child_as_unmodified_xml(scanner: str) -> None:
    data = b"<r xmlns='urn:a' xmlns:b='urn:b'><x b:k='1'><!--c--><y/>t</x></r>"
    expected = '<x xmlns="urn:a" xmlns:b="urn:b" b:k="1"><!--c--><y/>t</x>'
    assert text("declare namespace a='urn:a'; /a:r/*", data, scanner) == expected


FEED = b"<feed id='F'><header><date>D</date></header><item><name>a</name></item><item><name>b</name></item></feed>"


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("for $i in /feed/item return concat(/feed/@id, $i/name)", ["Fa", "Fb"]),
        ("let $d := /feed/header/date return for $i in /feed/item return concat($d, $i/name)", ["Da", "Db"]),
        ("for $f in /feed return for $i in $f/item return concat($f/@id, $f/header/date, $i/name)", ["FDa", "FDb"]),
    ],
)
def test_items_with_what_stands_above_and_before_them(query: str, expected: list[str], scanner: str) -> None:
    assert answer(query, FEED, scanner) == expected


# --- bytes of all kinds


@pytest.mark.parametrize(
    ("encoding", "declared", "letter"),
    [
        ("utf-16", "utf-16", "é"),
        ("utf-16-le", None, "é"),
        ("utf-8-sig", "utf-8", "é"),
        ("iso-8859-1", "iso-8859-1", "é"),
        ("windows-1252", "windows-1252", "€"),
        ("windows-1251", "windows-1251", "ж"),
    ],
)
def test_encodings_by_mark_and_by_declaration(encoding: str, declared: str | None, letter: str, scanner: str) -> None:
    declaration = "" if declared is None else f"<?xml version='1.0' encoding='{declared}'?>"
    mark = "\ufeff" if declared is None else ""
    data = f"{mark}{declaration}<r><a>{letter}</a></r>".encode(encoding)
    assert answer("for $a in /r/a return string($a)", data, scanner) == [letter]


def test_entities_of_the_internal_subset(scanner: str) -> None:
    query = "for $a in /r/a return string($a)"
    data = b"<!DOCTYPE r [<!ENTITY ouml '&#246;'>]><r><a>sch&ouml;n</a></r>"
    assert answer(query, data, scanner) == ["schön"]
    items = iter(xylem.compile(query).stream(b"<r><a>1</a><a>sch&ouml;n</a></r>", scanner=scanner))
    assert next(items) == "1"
    with pytest.raises(xylem.InputError, match="entity"):
        next(items)


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress])
def test_compressed_streams_of_several_members(pack: Any, scanner: str) -> None:
    data = b"<r>" + b"<a>1</a>" * 1000 + b"</r>"
    packed = b"".join(pack(data[start : start + 1000]) for start in range(0, len(data), 1000))
    assert answer("count(/r/a)", iter([packed[:7], packed[7:]]), scanner) == [1000]


# --- errors that say where


def test_an_error_has_code_source_offset_line_column_and_path(scanner: str, tmp_path: Any) -> None:
    path = tmp_path / "feed.xml"
    path.write_bytes(b"<r>\n<a>ok</a>\n <b><a>x</c></b></r>")
    told = error("//a", path, scanner)
    assert told.code == "XYIN0001"
    for part in ("feed.xml", "mismatched tag", "line 3, column 11", "byte 24", "/r/b/a"):
        assert part in str(told)


@pytest.mark.parametrize(
    "data",
    [
        b"<r><" + b"x" * 5000 + b" y></r>",
        b"<r>" + b"&" + b"x" * 100_000 + b"</r>",
        b"<r " + b"y" * 100_000 + b"></r>",
        b"<r>" + b"<a>" * 5000 + b"</b>",
        b"<r a='" + b"x" * 1_000_000 + b"<'/>",
    ],
)
def test_an_error_never_quotes_the_whole_input(data: bytes, scanner: str) -> None:
    assert len(str(error("count(//a)", data, scanner))) < 2000


@pytest.mark.parametrize("length", [1, 10, 20, 30, 40])
def test_a_truncated_upload_is_an_error_with_its_place(length: int, scanner: str) -> None:
    data = b"<list><item id='1'>text</item><item id='2'/></list>"
    told = error("count(//item)", data[:length], scanner)
    assert told.code == "XYIN0001"
    assert "line 1" in str(told)


# --- what is kept, and how far it is


def test_buffering_is_told_before_and_measured_after(scanner: str) -> None:
    query = xylem.compile("<r>{ for $i in /feed/item return <e>{ $i/name }{ $i/v }</e> }</r>")
    told = query.explain().to_dict()
    assert told["bounded"] is True
    (buffer,) = told["buffers"]
    assert buffer["bound"] == "one item"
    result = query.stream(FEED, scanner=scanner)
    list(result)
    assert set(result.statistics.peak_by_variable) <= {buffer["variable"]}
    whole = xylem.compile("for $i in /feed/item order by $i/name return $i").explain().to_dict()
    assert whole["bounded"] is False


def test_progress_in_percent_and_speed(scanner: str, tmp_path: Any) -> None:
    path = tmp_path / "list.xml"
    path.write_bytes(b"<list>" + b"<item>x</item>" * 50_000 + b"</list>")
    result = xylem.compile("//item").stream(path, scanner=scanner)
    fractions: list[float | None] = []
    result.watch(lambda progress: fractions.append(progress.fraction))
    result.write_to(lambda data: None)
    assert fractions == sorted(fractions)
    assert 0 < (fractions[0] or 0) < 1
    assert fractions[-1] == 1
    assert result.progress.megabytes_per_second > 0


# --- limits


def test_bombs_do_not_go_off(scanner: str) -> None:
    entities = b"".join(b"<!ENTITY %c '%s'>" % (98 + n, b"&%c;" % (97 + n) * 10) for n in range(9))
    data = b"<!DOCTYPE r [<!ENTITY a '" + b"x" * 100 + b"'>" + entities + b"]><r>&j;</r>"
    told = error("string-length(/r)", data, scanner)
    assert told.code == "XYIN0004"
    assert "expanded characters" in str(told)
    packed = gzip.compress(b"<r>" + b" " * 50_000_000 + b"</r>")
    assert error("count(/r)", packed, scanner).code == "XYIN0004"


def test_document_types_can_be_refused_and_nothing_is_fetched(scanner: str) -> None:
    refused = error("count(//a)", b"<!DOCTYPE r []><r/>", scanner, limits=Limits(allow_dtd=False))
    assert refused.code == "XYIN0004"
    external = b"<!DOCTYPE r SYSTEM 'http://localhost:1/y.dtd' [<!ENTITY e SYSTEM '/etc/passwd'>]><r>&e;</r>"
    assert error("string(/r)", external, scanner).code == "XYIN0008"


def test_long_texts_and_deep_documents_pass_and_limits_are_errors(scanner: str) -> None:
    assert answer("for $a in /r/a return string-length($a)", b"<r><a>" + b"x" * 11_000_000 + b"</a></r>", scanner) == [
        11_000_000
    ]
    assert answer("count(//a)", b"<a>" * 3000 + b"</a>" * 3000, scanner) == [3000]
    at, beyond = b"<a>" * 50 + b"</a>" * 50, b"<a>" * 51 + b"</a>" * 51
    assert answer("count(//a)", at, scanner, limits=Limits(depth=50)) == [50]
    assert error("count(//a)", beyond, scanner, limits=Limits(depth=50)).code == "XYIN0004"
