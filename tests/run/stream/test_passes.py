"""Several passes over an input: the same answer as from the tree, in bounded memory, as many readings as were told."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import xylem
from xylem.errors import XylemError
from xylem.source.byte_source import ByteSource
from xylem.source.kernel import is_kernel_built
from xylem.source.limits import DEFAULT_LIMITS, Limits
from xylem.stream_result import StreamResult

from .compare import Outcome, from_tree, written

SCANNERS = ("python", "kernel") if is_kernel_built() else ("python",)


def document(items: int) -> bytes:
    """Measurements, and behind them what is to be known of them."""
    inner = "".join(f"<p n='{i}'><x>{i * 7 % 10}</x><y>{i}</y></p>" for i in range(items))
    return f"<s id='s1'>{inner}<h><scale>2</scale><unit>m</unit></h></s>".encode()


SMALL, LARGE = document(30), document(120)

CASES = {
    "query 1": ("let $b := count(/s/p[x > 0]) for $i in /s/p return $i/y idiv $b", 2),
    "query 3": ("let $b := for $i in /s/p[x > 3] return $i for $j in $b/y where $j < count($b) return $j", 2),
    "aggregate in the loop": ("for $p in /s/p where $p/x > avg(/s/p/x) return $p/y", 2),
    "aggregate in a predicate": ("/s/p[y > max(/s/p/x)]/y", 2),
    "aggregate of a selection": ("count(/s/p[x > avg(/s/p/x)])", 2),
    "aggregate in front": ("<r n='{ count(//x) }'>{ //x }</r>", 2),
    "aggregate in a sequence in front": ("(sum(/s/p/y), /s/p/x)", 2),
    "nested in front": ("<r><n>{ count(//x) }</n><l>{ for $x in //x return <i>{ $x/text() }</i> }</l></r>", 2),
    "two values": (
        "let $m := max(/s/p/x) let $k := sum(/s/p/y) div count(/s/p) "
        "for $p in /s/p where $p/x = $m and $p/y > $k return <o>{ $p/y/text() }</o>",
        2,
    ),
    "a chain": ("for $p in /s/p[x > 7] where $p/y < count(/s/p[x > 8 and x > avg(/s/p[x = 9]/x)]) return $p/y", 3),
    "a chain of lets": (
        "let $a := avg(/s/p/y) let $b := avg(/s/p[y > $a]/y) let $c := avg(/s/p[y > $b]/y) "
        "for $p in /s/p where $p/y > $c return $p/y",
        4,
    ),
    "a value of the header": ("for $p in /s/p return $p/x * /s/h/scale", 2),
    "no header": ("for $p in /s/p return $p/x * /s/none/scale", 2),
    "text of the header": ("for $p in /s/p where $p/x = 3 return $p/y || /s/h/unit", 2),
    "quantifier": ("for $p in /s/p where some $h in /s/h satisfies $h/unit = 'm' return $p/x", 2),
    "position from the end": ("for $p at $i in /s/p where $i > count(/s/p) - 3 return $p/x", 2),
    "function": (
        "declare function local:share($p, $all) { $p/x div $all }; for $p in /s/p return local:share($p, sum(/s/p/x))",
        2,
    ),
    "typed global variable": (
        "declare variable $mean as xs:double := avg(/s/p/x); for $p in /s/p where $p/x > $mean return $p/y",
        2,
    ),
    "global variable of another": (
        "declare variable $in := /s; declare variable $mean := avg($in/p/x); "
        "for $p in $in/p where $p/x > $mean return $p",
        2,
    ),
    "names of inner variables": (
        "let $x := avg(/s/p/x) for $p in /s/p let $x := $p/x return if ($x > avg(/s/p/x)) then $x else ()",
        2,
    ),
    "an aggregate of a variable": ("let $m := avg(/s/p/x) return count(/s/p[x > $m])", 2),
    "deviation": (
        "declare function local:dev($s) { let $m := avg($s) return sum(for $x in $s return ($x - $m) * ($x - $m)) }; "
        "math:sqrt(local:dev(/s/p/x) div count(/s/p))",
        2,
    ),
    "an aggregate and one of it": ("let $a := avg(/s/p/y), $b := avg(/s/p[y > $a]/y) return ($a, $b)", 2),
    "quantifier about a variable": ("let $m := avg(/s/p/y) return some $p in /s/p satisfies $p/y > 2 * $m", 2),
    "a variable of another": ("let $m := count(/s/p) let $k := $m + 1 return sum(/s/p/(y * $k))", 2),
    "one behind another": ("(/s/p/x, /s/p/y)", 2),
    "one behind another in elements": ("<r><a>{ /s/p/x }</a><b>{ /s/p/y }</b></r>", 2),
    "values behind values": ("<r>{ 'a', /s/p/x/data() }{ /s/p/y/data(), 'b' }</r>", 2),
    "in namespaces": ("<r xmlns:z='urn:z'><z:a>{ /s/p/x }</z:a><z:b n='{ count(/s/h) }'>{ /s/p/y }</z:b></r>", 2),
    "a value between them": ("<r>{ /s/p/x }<n>{ sum(/s/p/x) }</n>{ /s/p/y }</r>", 2),
    "a value in front of them": ("<r n='{ count(/s/p) }'>{ /s/p/x }{ /s/p/y }</r>", 3),
    "both need a value": ("let $m := avg(/s/p/x) return <r>{ /s/p[x > $m]/y }{ /s/p[x <= $m]/x }</r>", 3),
    "in a loop of one turn": ("for $s in /s return <r id='{ $s/@id }'>{ $s/p/x, $s/p/y, $s/p/y/text() }</r>", 3),
    "of one variable": ("let $p := /s/p return ($p/x, for $i in $p where $i/x > 3 return <h>{ $i/y }</h>)", 2),
    "under a condition": ("if (count(/s/p) > 2) then (/s/p/x, /s/p/y) else 'few'", 3),
    "by a function": ("declare function local:f($p) { ($p/x, $p/y) }; local:f(/s/p)", 2),
    "the last, then all": ("(/s/p[last()]/y, /s/p/x)", 2),
    "windows": (
        "let $m := avg(/s/p/x) for tumbling window $w in /s/p start at $s when $s mod 4 = 1 "
        "where avg($w/x) > $m return <w>{ $w[1]/y/text() }</w>",
        2,
    ),
    "namespaces": (
        "declare default element namespace 'urn:none'; "
        "for $p in /*:s/*:p where $p/*:x > avg(/*:s/*:p/*:x) return <o>{ $p/*:y/text() }</o>",
        2,
    ),
    "empty input": ("for $p in /s/q where $p/x > avg(/s/q/x) return $p", 2),
    "last aggregate of nothing": ("for $p in /s/p return $p/x + count(/s/none)", 2),
}


def run(query: str, source: object, **options: object) -> tuple[Outcome, StreamResult | None]:
    result = None
    try:
        result = xylem.compile(query).stream(source, **options)  # type: ignore[arg-type]
        return Outcome(written(result.xdm())), result
    except XylemError as error:
        return Outcome(error=error.code, message=str(error)), result


@pytest.mark.parametrize("scanner", SCANNERS)
@pytest.mark.parametrize(("query", "passes"), CASES.values(), ids=CASES)
@pytest.mark.share(4)
def test_the_answer_of_the_tree(query: str, passes: int, scanner: str) -> None:
    peaks = []
    for data in (SMALL, LARGE):
        found, result = run(query, data, scanner=scanner)
        assert found == from_tree(query, data)
        assert result is not None
        assert result.statistics.passes == passes
        peaks.append(result.statistics.peak_buffered_bytes)
    assert peaks[1] <= max(1.5 * peaks[0], 200)
    told = xylem.compile(query).explain()
    assert told.streamability.passes == told.to_dict()["passes"] == passes
    assert told.streamability.is_bounded
    assert told.streamability.reasons


ERRORS = {
    "never read": "for $p in /s/none return $p/x + sum(/s/p/@n/xs:date(.))",
    "read": "for $p in /s/p return $p/x + sum(/s/p/@n/xs:date(.))",
    "of one, and not of the other": (
        "for $p in /s/p return if ($p/x > 100) then sum(/s/p/@n/xs:date(.)) else $p/x + count(/s/p)"
    ),
    "caught": "for $p in /s/p return try { $p/x + sum(/s/p/@n/xs:date(.)) } catch * { 'no date' }",
    "two values for one": "for $p in /s/p where $p/x = 3 return $p/x * /s/p/y",
    "division by an aggregate": "for $p in /s/p return $p/x idiv count(/s/none)",
    "behind another sequence": "(/s/p/x, /s/p/(1 idiv (y - 5)))",
    "between two sequences": "(/s/p/x, error(), /s/p/y)",
}


@pytest.mark.parametrize("query", ERRORS.values(), ids=ERRORS)
def test_errors_come_where_the_value_is_read(query: str) -> None:
    found, _ = run(query, SMALL)
    assert found == from_tree(query, SMALL)


QUERY, PASSES = CASES["aggregate in the loop"]


class _Source:
    """A file object that counts how often it is gone through."""

    def __init__(self, data: bytes, piece: int = 1000) -> None:
        self.pieces = [data[start : start + piece] for start in range(0, len(data), piece)]
        self.readings = 0

    def __iter__(self) -> Iterator[bytes]:
        self.readings += 1
        return iter(self.pieces)


def test_kinds_of_inputs(tmp_path: Path) -> None:
    plain, packed = tmp_path / "a.xml", tmp_path / "a.xml.gz"
    plain.write_bytes(LARGE)
    packed.write_bytes(gzip.compress(LARGE))
    expected = from_tree(QUERY, LARGE)
    for source in (plain, str(plain), packed, LARGE):
        found, result = run(QUERY, source)
        assert found == expected
        assert result is not None
        assert result.statistics.passes == 2
    with plain.open("rb") as file:
        found, result = run(QUERY, file)
    assert found == expected
    assert result is not None
    assert result.statistics.passes == 2


def test_what_can_be_read_once_is_kept_within_the_limit() -> None:
    source = _Source(LARGE)
    found, result = run(QUERY, source)
    assert found == from_tree(QUERY, LARGE)
    assert result is not None
    assert (result.statistics.passes, source.readings) == (2, 1)
    assert result.statistics.peak_by_variable["input"] == len(LARGE)
    assert result.statistics.peak_buffered_bytes >= len(LARGE)
    found, _ = run(QUERY, _Source(LARGE), limits=Limits(buffered_bytes=len(LARGE) - 1))
    assert found.error == "XYDY0005"
    assert "because $p/y needs avg(/s/p/x)" in found.message


def test_what_can_be_read_once_is_kept_on_disk(tmp_path: Path) -> None:
    source = _Source(LARGE)
    found, result = run(QUERY, source, spill=tmp_path, limits=Limits(buffered_bytes=1_000))
    assert found == from_tree(QUERY, LARGE)
    assert result is not None
    assert (result.statistics.passes, source.readings) == (2, 1)
    assert not list(tmp_path.iterdir())
    found, _ = run(QUERY, _Source(LARGE), spill=tmp_path, limits=Limits(spilled_bytes=1000))
    assert found.error == "XYDY0005"
    found, _ = run(QUERY, _Source(LARGE), spill=tmp_path / "missing")
    assert found.error == "XYIN0002"
    # What streams in one pass needs no place.
    source = _Source(LARGE)
    found, _ = run("/s/p/x", source, spill=tmp_path / "missing")
    assert found == from_tree("/s/p/x", LARGE)


def test_parts_of_an_answer_over_what_can_be_read_once(tmp_path: Path) -> None:
    query, passes = CASES["a value in front of them"]
    for options in ({}, {"spill": tmp_path, "limits": Limits(buffered_bytes=1_000)}):
        source = _Source(LARGE)
        found, result = run(query, source, **options)
        assert found == from_tree(query, LARGE)
        assert result is not None
        assert (result.statistics.passes, source.readings) == (passes, 1)
    found, _ = run("(/s/p/x, /s/p/y)", _Source(LARGE), limits=Limits(buffered_bytes=len(LARGE) - 1))
    assert found.error == "XYDY0005"
    found, _ = run("(/s/p/x, /s/p/y)", _Source(LARGE), limits=Limits(buffered_bytes=0))
    assert found.error == "XYST0012"
    assert "/y comes after all items of another sequence" in found.message


def test_parts_of_an_answer_come_before_what_is_wrong_with_the_input() -> None:
    pieces: list[bytes] = []
    with pytest.raises(XylemError) as failed:
        xylem.compile("<r>{ /s/p/x }{ /s/p/y }</r>").stream(b"<s><p><x>1</x><y>2</y></p></q>").write_to(pieces.append)
    assert failed.value.code == "XYIN0001"
    assert b"".join(pieces) == b"<r><x>1</x>"


def test_an_earlier_pass_may_stop_early(tmp_path: Path) -> None:
    """exists() has seen enough at its first item: the next pass gets what it left, and the rest."""
    query = "for $p in /s/p where exists(/s/p) and $p/x > avg(/s/p/x) and (some $q in /s/p satisfies $q = 7) return 1"
    found, result = run(query, _Source(LARGE, 100), spill=tmp_path)
    assert found == from_tree(query, LARGE)
    assert result is not None
    assert result.statistics.passes == 2
    query = "if (exists(/s/p)) then for $p in /s/p return $p/y else ()"
    found, _ = run(query, _Source(LARGE, 100), spill=tmp_path)
    assert found == from_tree(query, LARGE)


def test_a_pipe_has_a_name_and_is_read_once(tmp_path: Path) -> None:
    from threading import Thread

    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = Thread(target=lambda: pipe.write_bytes(LARGE))
    writer.start()
    source = ByteSource.of(pipe)
    assert not source.can_be_read_again
    found, result = run(QUERY, source)
    writer.join()
    assert found == from_tree(QUERY, LARGE)
    assert result is not None
    assert (result.statistics.passes, result.statistics.peak_by_variable["input"]) == (2, len(LARGE))


def test_nothing_that_grows_may_be_kept() -> None:
    nothing = Limits(buffered_bytes=0)
    found, _ = run(QUERY, _Source(LARGE), limits=nothing)
    assert found.error == "XYST0012"
    assert "query:1" in found.message
    for blocking in ("reverse(/s/p)", "for $p in /s/p order by $p/x return $p"):
        found, _ = run(blocking, LARGE, limits=nothing)
        assert found.error == "XYST0012"
    # Two passes over a file keep nothing that grows, nor does an item.
    for query in (QUERY, "for $p in /s/p return <o>{ $p/y, $p/x }</o>"):
        found, _ = run(query, LARGE, limits=nothing)
        assert found == from_tree(query, LARGE)


def test_all_passes_leave_out_the_same_records() -> None:
    broken = LARGE.replace(b"<p n='5'><x>5</x>", b"<p n='5'><x>5</z>").replace(b"<y>70</y>", b"<y>70</y></q>")
    sound = LARGE.replace(b"<p n='5'><x>5</x><y>5</y></p>", b"").replace(b"<p n='70'><x>0</x><y>70</y></p>", b"")
    found, result = run(QUERY, broken, on_malformed="skip")
    assert found == from_tree(QUERY, sound)
    assert result is not None
    assert result.malformed is not None
    assert (result.statistics.passes, result.malformed.records) == (2, 2)


def test_all_passes_are_compared_with_the_schema() -> None:
    dtd = "<!ELEMENT s (p*, h)> <!ATTLIST s id CDATA #IMPLIED> <!ELEMENT p (x, y)> <!ATTLIST p n CDATA #IMPLIED>"
    dtd += "<!ELEMENT x (#PCDATA)><!ELEMENT y (#PCDATA)><!ELEMENT h ANY><!ELEMENT scale ANY><!ELEMENT unit ANY>"
    found, _ = run(QUERY, SMALL, schema=dtd, validate="full")
    assert found == from_tree(QUERY, SMALL)
    found, _ = run(QUERY, SMALL.replace(b"<h>", b"<p/><h>"), schema=dtd, validate="full")
    assert found.error == "XYIN0021"
    # Measurements first: the header is past when they come.
    early = "<!ELEMENT s (h, p*)> <!ELEMENT h (scale)> <!ELEMENT scale (#PCDATA)>"
    early += "<!ELEMENT p (x, y)> <!ELEMENT x (#PCDATA)> <!ELEMENT y (#PCDATA)>"
    query = "for $p in /s/p return $p/x * /s/h/scale"
    assert xylem.compile(query).explain(early).streamability.is_single_pass


def test_one_moment_for_all_passes() -> None:
    query = (
        "for $p in /s/p[1] where count(/s/p[string(current-dateTime()) != '']) > 0 "
        "return (current-dateTime() - max(/s/p/current-dateTime())) = xs:dayTimeDuration('PT0S')"
    )
    found, _ = run(query, SMALL)
    assert found.text == "true()"


def test_external_variables_reach_all_passes() -> None:
    query = "declare variable $least external; for $p in /s/p where $p/x > avg(/s/p[x > $least]/x) return $p/y"
    expected = xylem.compile(query).run(xylem.parse(SMALL), variables={"least": 5})
    assert written(xylem.compile(query).stream(SMALL, {"least": 5}).xdm()) == written(expected.xdm)


def test_documents_that_queries_name(tmp_path: Path) -> None:
    """The same document in all passes, whatever others there are."""
    (tmp_path / "prices.xml").write_bytes(b"<prices><price>1</price><price>5</price></prices>")
    (tmp_path / "stock.xml").write_bytes(b"<stock><item/><item/><item/></stock>")
    query = """let $mean := avg(doc("prices.xml")/prices/price)
        return <r n="{ count(doc("stock.xml")/stock/item) }">{
          for $p in doc("prices.xml")/prices/price where $p > $mean return $p }</r>"""
    compiled = xylem.compile(query, base_uri=tmp_path.as_uri() + "/")
    assert compiled.explain().streamability.trees == ('doc("stock.xml")',)
    result = compiled.stream(allow=[tmp_path])
    parts: list[bytes] = []
    result.write_to(parts.append)
    assert b'<r n="3"><price>5</price></r>' in b"".join(parts)
    assert result.statistics.passes == 2


def test_malformed_input_is_told_by_the_first_pass() -> None:
    found, _ = run(QUERY, LARGE[:-10])
    assert found.error == "XYIN0001"


def test_limits_have_their_defaults() -> None:
    assert DEFAULT_LIMITS.buffered_bytes == 1_000_000_000
