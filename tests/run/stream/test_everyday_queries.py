"""Everyday queries without a schema: the answers are those of the tree, and buffers grow only where they must."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from xylem.lowering.stream.account import account_of
from xylem.plan.bounds import THE_STREAM
from xylem.run.stream.run import Statistics

from .compare import SCANNERS, from_stream, from_tree, stream_program

TABLE = Path(__file__).parent.parent.parent / "golden" / "everyday.txt"
SMALL, LARGE = 60, 600
CHUNK = 4096


def table() -> list[tuple[str, str]]:
    """(what is expected, query)"""
    rows, expected = [], ""
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        if line.startswith("== "):
            expected = line.removeprefix("== ").partition(":")[0]
        elif line and not line.startswith("#"):
            rows.append((expected, line))
    return rows


ROWS = table()


@cache
def document(items: int) -> bytes:
    """Items with everything the queries ask for; their sizes hardly differ."""
    made = []
    for i in range(items):
        title = "x" if i % 3 == 0 else "y"
        made.append(
            f'<item id="i{i}" cat="c{i % 7}"><title>t{i}</title><t>v{i % 5}</t><price a="{i}">{i % 13}.5</price>'
            f"<section><title>{title}</title><para>p{i}</para><para>q{i}</para></section>"
            f"<note>long text long text {i}</note></item>"
        )
    text = f'<root><head name="h"><date>2020</date></head>{"".join(made)}<trailer>end</trailer></root>'
    return text.encode()


def chunks(data: bytes) -> list[bytes]:
    return [data[start : start + CHUNK] for start in range(0, len(data), CHUNK)]


def test_the_table_is_long_enough() -> None:
    assert len({query for _, query in ROWS}) == len(ROWS)
    assert len([expected for expected, _ in ROWS if expected != "tree"]) >= 120


@pytest.mark.parametrize(("expected", "query"), ROWS, ids=[query[:60] for _, query in ROWS])
@pytest.mark.share(2)
def test_query(expected: str, query: str) -> None:
    program = stream_program(query)
    if expected == "tree":
        assert program is None
        return
    assert program is not None
    what, _, stops = expected.partition(" ")
    peaks = []
    for size in (SMALL, LARGE):
        data = document(size)
        for scanner in SCANNERS if size == SMALL else SCANNERS[-1:]:
            measured = Statistics()
            assert from_stream(program, chunks(data), scanner, measured) == from_tree(query, data)
        peaks.append(measured.peak_buffered_bytes)
    small, large = peaks
    if what == "nothing":
        assert peaks == [0, 0]
    elif what == "item":
        assert 0 < large < 1.3 * small + 64
    else:
        assert large > 3 * small
    # What explain says of it.
    buffered = account_of(program).buffered
    if what == "stream":
        assert any(buffer.bound == THE_STREAM for buffer in buffered), buffered
    assert (measured.input_bytes < len(document(LARGE)) / 2) == bool(stops), measured.input_bytes


def test_stopping_reads_no_further_than_the_first_item() -> None:
    """An endless input is left as soon as the answer is known."""
    read = 0

    def endless() -> Iterator[bytes]:
        nonlocal read
        yield b"<log>"
        while True:
            read += 1
            assert read < 100
            yield b"<entry level='1'><text>a</text></entry>" * 20

    for query in ("head(//entry)", "exists(//entry[text = 'a'])", "(//entry)[position() < 4]/@level", "/log/entry[7]"):
        read = 0
        program = stream_program(query)
        assert program is not None
        found = from_stream(program, endless())  # type: ignore[arg-type]
        assert not found.error
        assert read < 5, query


def test_undecided_results_wait_and_no_others() -> None:
    """One giant section: its title comes first, so that nothing of it waits; or last, so that all of it does."""
    paras = "".join(f"<para>{i}</para>" for i in range(500))
    query = "//section[title = 'x']/para"
    program = stream_program(query)
    assert program is not None
    peaks = {}
    for name, content in (
        ("first", f"<title>x</title>{paras}"),
        ("last", f"{paras}<title>x</title>"),
        ("never", f"<title>y</title>{paras}"),
    ):
        data = f"<doc><section>{content}</section><section><title>x</title><para>z</para></section></doc>".encode()
        measured = Statistics()
        assert from_stream(program, chunks(data), "python", measured) == from_tree(query, data)
        peaks[name] = measured.peak_buffered_bytes
    assert peaks["first"] == 0
    assert peaks["last"] > 500 * 24
    assert peaks["never"] > 500 * 24


def test_a_predicate_that_has_failed_discards_at_once() -> None:
    """not(draft) fails at the first draft: what waited is forgotten, and what follows never waits."""
    query = "//section[not(draft)]/para"
    program = stream_program(query)
    assert program is not None
    paras = "<para>text</para>" * 200
    data = f"<doc><section><draft/>{paras}</section><section><para>kept</para></section></doc>".encode()
    measured = Statistics()
    assert from_stream(program, chunks(data), "python", measured) == from_tree(query, data)
    assert measured.peak_buffered_bytes < 200


@pytest.mark.parametrize("scanner", SCANNERS)
@pytest.mark.parametrize(
    "query",
    [
        "//a[b]//c",
        "//*[b]/c",
        "//*[b = '1']//*[c]/d",
        "//a[not(b)]/c",
        "//a[b][2]/c",
        "//a[1]//c[1]",
        "//a[b or d]/a/c",
        "//a[count(c) > 1]/c",
        "for $x at $i in //a[b]/c return concat($i, $x)",
        "//a[b]/c/@n",
    ],
)
def test_nested_candidates(query: str, scanner: str) -> None:
    documents = [
        "<r><a><c>1</c><a><c>2</c><b>1</b></a><c>3</c><d/></a><a><b/><c n='9'>4</c><c>5</c></a></r>",
        "<a><a><a><c>1</c></a><c>2</c></a><b>1</b><c n='1'>3</c></a>",
        "<a><c>0</c><a><b/><a><d/><c>1</c></a></a><a><c>2</c><b>1</b><d/><a><c>3</c></a></a></a>",
    ]
    program = stream_program(query)
    assert program is not None
    for text in documents:
        data = text.encode()
        for cut in (len(data), 7, 1):
            found = from_stream(program, [data[i : i + cut] for i in range(0, len(data), cut)], scanner)
            assert found == from_tree(query, data), (query, text, cut)


HEADER = """<!DOCTYPE root [<!ELEMENT root (head, item*, trailer)>
<!ELEMENT head (date)> <!ATTLIST head name CDATA #REQUIRED>
<!ELEMENT item (title, t, price, section, note)> <!ELEMENT section (title, para*)> <!ELEMENT date (#PCDATA)>
<!ATTLIST item id CDATA #REQUIRED cat CDATA #REQUIRED> <!ATTLIST price a CDATA #REQUIRED> <!ELEMENT t (#PCDATA)>
<!ELEMENT title (#PCDATA)> <!ELEMENT price (#PCDATA)> <!ELEMENT para (#PCDATA)> <!ELEMENT note (#PCDATA)>
<!ELEMENT trailer (#PCDATA)>]>"""


@pytest.mark.parametrize(
    "query",
    [
        "for $i in /root/item return <r date='{ /root/head/date }'>{ $i/@id }</r>",
        "for $i in //item return <r date='{ /root/head/date }' by='{ /root/head/@name }'>{ $i/title/text() }</r>",
        "for $i in /root/item return <r date='{ $i/ancestor::root/head/date }'>{ $i/@id }</r>",
        "for $i in /root/item return <r date='{ $i/../head/date }'>{ $i/@id }</r>",
        "//item[price > /root/head/@name]/@id",
    ],
)
def test_a_header_is_captured(query: str) -> None:
    """With a schema that puts the header first, items stream, and the header is all that is kept (ask 21)."""
    program = stream_program(query, HEADER)
    assert program is not None
    peaks = []
    for size in (SMALL, LARGE):
        measured = Statistics()
        assert from_stream(program, chunks(document(size)), "python", measured) == from_tree(query, document(size))
        peaks.append(measured.peak_buffered_bytes)
    assert peaks[1] < peaks[0] + 64
    assert peaks[1] < 400


@pytest.mark.parametrize(
    ("query", "streams"),
    [
        ("for $o in //line return concat($o/../@id, count($o/ancestor::*))", True),
        ("for $o in //line return (for $x in $o return $x/../@id/string())", True),
        ("for $o in //line order by $o/../@id descending return string($o)", True),
        ("for $o in //line return (some $x in $o satisfies $x/../@id = 3)", True),
        ("(//line)[last()]/../@id/string()", True),
        ("for $o in //order return for-each($o/line, function($l) { $l/../@id/string() })", True),
        ("for $o in //line return (let $f := function($l) { name($l/..) } return $f($o))", True),
        ("for $o in //line return typeswitch ($o) case $x as element() return name($x/..) default return 1", False),
        ("for $o in //line return sort($o)/../@id/string()", False),
    ],
)
def test_elements_around(query: str, streams: bool) -> None:
    """Names and attributes above an item are known; of nodes that came through a function nothing is."""
    data = b'<shop id="0"><order id="1"><line>a</line></order><order id="3"><line>b</line><line>c</line></order></shop>'
    program = stream_program(query)
    assert (program is not None) == streams
    for scanner in SCANNERS if program is not None else ():
        for cut in (len(data), 5):
            pieces = [data[i : i + cut] for i in range(0, len(data), cut)]
            assert from_stream(program, pieces, scanner) == from_tree(query, data)
