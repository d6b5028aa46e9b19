"""Results written by the scan are those of the handlers, and those of the whole tree."""

from __future__ import annotations

from typing import Any

import pytest
import xylem
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from xylem.errors import XylemError
from xylem.plan.result_template import Tally
from xylem.plan.scan_plan import Report
from xylem.run.deep_stack import with_deep_stack
from xylem.run.stream.program import StreamProgram
from xylem.run.stream.run import Statistics
from xylem.sink.event_writer import EventWriter
from xylem.source.kernel import is_kernel_built
from xylem.source.resources import FileResources

from .compare import SCANNERS, XML, Outcome, from_tree, stream_program
from .template_cases import documents, queries

needs_kernel = pytest.mark.skipif(not is_kernel_built(), reason="the kernel was not built here")


class Watched(EventWriter):
    """Counts the results that came as text."""

    texts = 0

    def markup(self, text: str, items: int = 1, *atomic: bool) -> None:
        Watched.texts += 1
        super().markup(text, items, *atomic)


def streamed(
    program: StreamProgram, chunks: list[bytes], scanner: str, takes_markup: bool, statistics: Statistics | None = None
) -> Outcome:
    """The text of the answer, its results written by the scan where that is allowed."""
    parts: list[str] = []
    writer = Watched(XML, parts.append)
    writer.takes_markup = takes_markup
    try:
        for _ in program.write(iter(chunks), FileResources(), writer, scanner=scanner, statistics=statistics):
            pass
        return Outcome("".join(parts))
    except XylemError as error:
        return Outcome(error=error.code, message=str(error))


def compared(query: str, document: str, size: int) -> None:
    program = stream_program(query)
    if program is None:
        return
    data = document.encode()
    chunks = [data[start : start + size] for start in range(0, len(data), size)]
    expected = from_tree(query, data, as_xml=True)
    measured = {}
    usual = streamed(program, chunks, "python", False)
    for scanner in SCANNERS:
        for takes_markup in (False, True):
            statistics = measured[scanner, takes_markup] = Statistics()
            found = streamed(program, chunks, scanner, takes_markup, statistics)
            assert found == usual, f"{scanner}, text taken: {takes_markup}"
    if "FORG0001" not in (usual.error, expected.error):
        # Conditions that decide about nothing may be left out, and their errors with them.
        assert usual == expected
    if not usual.error:
        steps = program.scan.steps
        # Of elements that may nest, the kernel leaves out more records.
        together = [SCANNERS] if not any(step.nests for step in steps) else [(scanner,) for scanner in SCANNERS]
        for scanners in together:
            alike = [found for (scanner, _), found in measured.items() if scanner in scanners]
            if any(step.result is not None and step.report == Report.START | Report.END for step in steps):
                # What is written as a whole is neither told nor kept.
                continue
            assert len({found.peak_buffered_bytes for found in alike}) == 1
            if not any(isinstance(step.result, Tally) for step in steps):
                assert len({found.records for found in alike}) == 1


def test_generated() -> None:
    @settings(max_examples=250, deadline=None, suppress_health_check=list(HealthCheck))
    @given(query=queries(), document=documents(), size=st.sampled_from((1, 7, 10_000)))
    def compare(query: str, document: str, size: int) -> None:
        compared(query, document, size)

    with_deep_stack(compare)


@needs_kernel
@pytest.mark.share(3)
def test_most_of_them_are_written_by_the_scan() -> None:
    """The generator would be worth little if code had to write its results."""
    found: list[bool] = []

    @settings(max_examples=150, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(query=queries())
    def look(query: str) -> None:
        program = stream_program(query)
        found.append(program is not None and any(step.result is not None for step in program.scan.steps))

    with_deep_stack(look)
    assert sum(found) > 0.25 * len(found)


CASES = {
    "copies": "<o>{ for $p in /d/r where $p/b > 3 return <p>{ $p/a }{ $p/b }</p> }</o>",
    "whole records": "/d/r[b > 3]",
    "anywhere": "//r[b > 3]",
    "anything": "<o>{ for $p in //* where $p/b > 3 return <p>{ $p/a }</p> }</o>",
    "texts outside of elements": "for $p in /d/r where $p/b > 3 return $p/a/text()",
    "attributes": "for $p in /d/r return <p k='{ $p/@k }' a='({ $p/a })'>{ string($p/b) }</p>",
    "atomic values apart": "for $p in /d/r return <p a='{ $p/a }'>{ data($p/b) } { 'x' }{ data($p/@k) }</p>",
    "either": "for $p in /d/r return <p>{ if ($p/b > 3) then <more>{ $p/b/text() }</more> else 'less' }</p>",
    "loops": "for $p in /d/r return <p b='{ $p/b }'>{ for $a in $p/a return <q k='{ $p/@k }'>{ $a/text() }</q> }</p>",
    "descendants": "for $p in /d/r return <p a='{ $p/a }'>{ $p//c }</p>",
    "wildcards": "for $p in /d/* return <p k='{ $p/*/@k }'>{ $p/* }</p>",
    "atomic values side by side": "for $p in /d/r return <p>{ data($p/a), data($p/b), 1 }{ 2 }</p>",
    "atomic values outside of elements": "for $p in /d/r return data($p/a)",
    "a value of an attribute under a condition": "for $p in /d/r where $p/b > 3 return $p/@k/string()",
    "values and nodes outside of elements": "for $p in /d/r return (string($p/@k), $p/b, 5, '', $p/b * 2)",
    "values among others": "('x', for $p in /d/r return $p/b/string(), <e/>, 7)",
    "json": "for $p in /d/r return serialize(map { 'k': string($p/@k) }, map { 'method': 'json' })",
    "a namespace around": "<o xmlns='u'>{ for $p in /*:d/*:r return <p xmlns=''>{ $p/*:a }</p> }</o>",
    "a namespace for all": "<o xmlns='u'>{ for $p in /*:d/*:r return <p k='{ $p/@k }'>{ $p/*:a, string($p) }</p> }</o>",
    "a namespace of its own": "for $p in /d/r return <n:p xmlns:n='u'>{ $p/a }</n:p>",
    "declared but not used": "for $p in /d/r return <p xmlns:n='u' xmlns:m='v'><m:q n:k='{ $p/@k }'/>{ $p/* }</p>",
    "a prefix of the input": "for $p in /d/r return <p xmlns:n='urn:n'>{ $p/*, <q xmlns='w'>{ $p/b }</q> }</p>",
    "computed names": "for $p in /d/r return element { 'x' || $p/@k } { $p/a, element { name($p) } { $p/b/text() } }",
    "without one of the children": "for $p in /d/r return <p>{ $p/@*, $p/* except $p/b }</p>",
    "children by name": "for $p in /d/r return <p>{ $p/(b, a) }{ $p/*[not(self::a)] }{ $p/* intersect $p/a }</p>",
    "all that is in it": "for $p in /d/r return <p>{ $p/node() }</p>",
    "positions": "for $p at $i in /d/r return <p i='{ $i }'>{ if ($i mod 2 = 0) then $p/a else $i + 1 }</p>",
    "positions of some": "<o>{ for $p at $i in /d/r where $p/b > 3 return ($i, $p/a) }</o>",
    "the first or a value": "for $p in /d/r return <p>{ ($p/zz, $p/b, 'none')[1] }</p>",
    "the last of all": "for $p in /d/r return <p>{ ($p//a)[last()], ($p/*/b)[last()] }</p>",
    "attributes in a loop": "for $p in /d/r return <p>{ for $k in $p/@k where $p/b return <k>{ string($k) }</k> }</p>",
    "a fold": "for $p in /d/r return <p>{ fold-left($p/*, '', function($a, $b) { $a || '-' || $b }) }</p>",
    "some of the words": (
        "for $p in /d/r let $w := tokenize($p/a, '[a-m]') "
        "return <p>{ $w[1], $w[last()], count($w[position() > 1]) }</p>"
    ),
    "a computation": "for $p in /d/r return <p n='{ $p/b + 1 }'>{ $p/b * 2 }</p>",
    "a computation behind copies": "for $p in /d/r return <p>{ $p/a }{ $p/b * 2 }</p>",
    "else if": "for $p in /d/r return if ($p/b > 4) then <m/> else if ($p/b > 1) then <l>{ $p/a }</l> else $p/b",
    "values by name": "for $p in /d/r let $n := $p/b + 1, $a := $p/a where $n > 3 return <p n='{ $n }'>{ $a }</p>",
    "types": (
        "for $p in /d/r return <p>{ for $x in $p/* return typeswitch ($x) case element(a) return <a>{ string($x) }</a> "
        "case $b as element(b) return <b n='{ $b }'/> default return $x }</p>"
    ),
    "counts and sums": "for $p in /d/r return <p n='{ count($p/*) }'>{ $p/a }{ sum($p/b), exists($p/c) }</p>",
    "nested conditions": (
        "for $p in /d/r return <p>{ if ($p/b > 1) then <m>{ if ($p/a = 'x') then <n>{ $p/b }</n> else $p/a }</m> "
        "else <l/> }</p>"
    ),
}
DOCUMENTS = {
    "plain": "<d><r k='1'><a>x</a><b>5</b></r><r><a>y&amp;&gt;</a><a/><b>2</b><c><c/>&lt;</c></r></d>",
    "nothing there": "<d><r/><r><b> </b></r></d>",
    "no numbers": "<d><r><b>4</b><a>1</a></r><r><b>x</b><a>2</a></r></d>",
    "namespaces": (
        "<d xmlns:n='u1' xmlns='' xmlns:m='u&quot;2'>"
        "<r n:k='1' k='2'><a xmlns='' m:x='&#9;'><n:c xmlns:n='u3'><n:e/></n:c></a>"
        "<b xml:lang='de'>7</b></r><r xmlns:l='u4'><a><l:c/></a><b>9</b></r></d>"
    ),
    "records in records": (
        "<d><r><b>4</b></r><r><a>1</a><r><b>5</b><r><a>2</a><b>6</b></r></r><b>7</b></r><r><b>1</b><r/></r>"
        "<x><r><b>8</b></r><r><r/><b>9</b></r></x></d>"
    ),
    "characters": "<d><r k='&#10;&quot;&#x2028;'><a>&#13;&#x85;&#x7f;\u2028é𝄞</a><b>4</b><!--c--><?t d?></r></d>",
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("about", DOCUMENTS)
@pytest.mark.share(2)
def test_cases(name: str, about: str) -> None:
    for size in (3, 1000):
        compared(CASES[name], DOCUMENTS[about], size)


@needs_kernel
@pytest.mark.parametrize("name", sorted(CASES.keys() - {"anything"}))
def test_cases_are_written_by_the_scan(name: str) -> None:
    # Any elements stand in each other, and wait for those around them.
    program = stream_program(CASES[name])
    assert program is not None
    before = Watched.texts
    streamed(program, [DOCUMENTS["plain"].encode()], "kernel", True)
    assert Watched.texts > before


NOT_WRITTEN = {
    "attributes of some records": "for $p in /d/r return <p>{ if ($p/b) then $p/@k else () }</p>",
    "attributes of a loop as nodes": "for $p in /d/r return <p>{ for $k in $p/@k where $p/b return <k>{ $k }</k> }</p>",
    "values that begin with none of XML": "map { }, for $p in /d/r return data($p/a)",
    "a namespace around under a condition": (
        "if (/d/@x) then <o xmlns='u'>{ for $p in /d/r return <p>{ $p/a }</p> }</o> else <z>{ /d/r/b }</z>"
    ),
    "a function of the query": (
        "declare function local:f($n) { if ($n > 1) then local:f($n - 1) else $n }; "
        "for $p in /d/r return <p>{ local:f($p/b) }</p>"
    ),
    "another record": "for $p in /d/r return <p>{ //r[1] }</p>",
    "a name that is in the default namespace": (
        "declare default element namespace 'u'; for $p in /*:d/*:r return element { name($p) } { 1 }"
    ),
}


@pytest.mark.parametrize("name", NOT_WRITTEN)
def test_what_only_code_can_write(name: str) -> None:
    program = stream_program(NOT_WRITTEN[name])
    if program is None:
        return
    assert all(step.result is None for step in program.scan.steps)
    compared(NOT_WRITTEN[name], DOCUMENTS["plain"], 1000)


@needs_kernel
@pytest.mark.parametrize(
    "query",
    [
        "count(/d/r[b > 3])",
        "count(//r[@k = '1'])",
        "count(for $p in /d/r where $p/b/text() >= 2 return $p/a)",
        "count(/d/r[b != 'x']/text())",
    ],
)
def test_counts(query: str) -> None:
    program = stream_program(query)
    assert program is not None
    assert any(isinstance(step.result, Tally) or step.report & 8 for step in program.scan.steps)
    for document in DOCUMENTS.values():
        compared(query, document, 5)


# --- what the output wants

MANY = "<d>" + "<r k='1'><a>é&lt;</a><b>5</b></r>" * 40 + "</d>"


def text(query: str, **parameters: Any) -> tuple[bytes, bytes]:
    """The answer as a stream writes it, piece by piece, and as it is written from the tree."""
    data = MANY.encode()
    stream, tree = bytearray(), bytearray()
    xylem.compile(query).stream(data[start : start + 9] for start in range(0, len(data), 9)).write_to(
        stream.extend, **parameters
    )
    xylem.compile(query).run(context=xylem.parse(data)).write_to(tree.extend, **parameters)
    return bytes(stream), bytes(tree)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"encoding": "us-ascii"},
        {"encoding": "utf-16"},
        {"indent": True},
        {"method": "adaptive"},
        {"method": "text"},
        {"method": "html"},
        {"item_separator": "|"},
        {"cdata_section_elements": "a"},
        {"normalization_form": "NFD"},
        {"omit_xml_declaration": False},
    ],
    ids=str,
)
@pytest.mark.share(3)
def test_serialization_parameters(name: str, parameters: dict[str, Any]) -> None:
    streamed_text, tree_text = text(CASES[name], **parameters)
    assert streamed_text == tree_text


@pytest.mark.parametrize("modes", ["preserve, no-inherit", "no-preserve, inherit", "no-preserve, no-inherit"])
def test_copy_namespaces(modes: str) -> None:
    query = f"declare copy-namespaces {modes}; {CASES['copies']}"
    for about in ("plain", "namespaces", "characters"):
        data = DOCUMENTS[about].encode()
        out = bytearray()
        xylem.compile(query).stream([data[:40], data[40:60], data[60:]]).write_to(out.extend)
        assert out.decode() == xylem.compile(query).run(context=xylem.parse(data)).serialize()


@pytest.mark.parametrize("first", ['map { "a": 1 }', "[1]", "1", "<x/>", "()", "attribute a { 1 }", "'&amp;'"])
@pytest.mark.parametrize("parameters", [{}, {"method": "xml"}, {"method": "adaptive"}], ids=str)
def test_the_first_item_decides(first: str, parameters: dict[str, Any]) -> None:
    query = f"({first}, for $p in /d/r where $p/b > 3 return <p>{{ $p/a }}</p>, 2)"
    outcomes = []
    for size in (9, 10_000):
        data = MANY.encode()
        stream = xylem.compile(query).stream(data[start : start + size] for start in range(0, len(data), size))
        outcomes.append(_bytes_or_code(lambda write, stream=stream: stream.write_to(write, **parameters)))
    tree = xylem.compile(query).run(context=xylem.parse(MANY.encode()))
    outcomes.append(_bytes_or_code(lambda write: tree.write_to(write, **parameters)))
    assert outcomes[0] == outcomes[1] == outcomes[2]


def _bytes_or_code(run: Any) -> bytes | str:
    out = bytearray()
    try:
        run(out.extend)
    except XylemError as error:
        return error.code
    return bytes(out)


def test_items_are_nodes() -> None:
    items = list(xylem.compile(CASES["copies"]).stream([MANY[:50].encode(), MANY[50:].encode()]).xdm())
    assert [item.kind for item in items] == [1]


def test_another_collation_decides_in_the_query() -> None:
    collation = "http://www.w3.org/2005/xpath-functions/collation/html-ascii-case-insensitive"
    for path in ("a", "@k"):
        query = (
            f'declare default collation "{collation}"; for $p in /d/r where $p/{path} = "X" return <p>{{ $p/a }}</p>'
        )
        compared(query, "<d><r k='x'><a>x</a></r><r k='X'><a>X</a></r><r k='y'/></d>", 5)
