"""Errors of parts are those of the query: raised where the value would be read, and not where it would not."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
import xylem
from xylem.errors import InputError, XylemError
from xylem.run.tasks.in_process import run_in_process
from xylem.source.byte_ranges import ranges
from xylem.source.cut_points import find_cuts
from xylem.source.kernel import find_cuts as kernel_cuts
from xylem.source.kernel import is_kernel_built
from xylem.source.limits import DEFAULT_LIMITS

from .ranges_of_documents import SHOP, assert_same, distributed


@pytest.mark.parametrize(
    "query",
    [
        "sum(//city)",
        "if (count(//order) > 100) then sum(//city) else 'not asked'",
        "if (count(//order) > 1) then sum(//city) else 'asked'",
        "try { <r>{ sum(//city) }</r> } catch * { 'caught ' || $err:code }",
        "count(//order) > 1 or sum(//city) > 1",
        "for $o in //order return xs:date($o/@id)",
        "if (//nothing) then <r>{ //order/xs:date(@id) }</r> else 1",
        "for $o in //order order by (if ($o/city) then 1 else 'a') return $o/@id/string()",
        "for $o in //order order by $o/line/@qty return 1",
        "for $o in //order group by $q := $o/line/@qty return $q",
        "for $o in //order where $o/total > sum(//city) return $o",
        "for $o in //order where $o/nothing and $o/total > sum(//city) return $o",
        "distinct-values(//order) ! error()",
    ],
)
def test_errors_are_those_of_the_tree(query: str) -> None:
    assert_same(query, SHOP, Random(query), 3)


PLACES = {
    "count(//a),\n  sum(//city)": (2, 3),
    "1,\n <a>{ max(//city/xs:dayTimeDuration('PT1S'), //order/@id) }</a>": (2, 7),
    "for $o in //order order by $o/line/@qty return 1": (1, 1),
    "1, for $o in //order order by (if ($o/city) then 1 else 'a') return 1": (1, 4),
    "1, for $o in //order group by $q := $o/line/@qty return $q": (1, 4),
    "for $o in //order group by $c := $o/city\nreturn (count($o),\n sum($o/city))": (3, 2),
    "for $o in //order group by $c := 1\nreturn <g>{ $o/@id }</g>": (2, 11),
}


@pytest.mark.parametrize("query", PLACES)
def test_an_error_names_its_place_in_the_query(query: str) -> None:
    with pytest.raises(XylemError) as raised:
        run_in_process(distributed(query), [str(SHOP)])
    span = raised.value.span
    assert span is not None
    assert (span.line, span.column) == PLACES[query]
    with pytest.raises(XylemError, match=f"^{raised.value.code} "):
        str(xylem.compile(query).run(xylem.parse(SHOP)))


def test_malformed_input_is_told_with_its_place_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "bad.xml"
    path.write_text("<r>\n" + "<a>1</a>\n" * 50 + "<a>2</b>\n" + "<a>1</a>\n" * 5 + "</r>", encoding="utf-8")
    program = distributed("sum(//a)")
    cuts = [cut for cut in find_cuts(path, program.scopes, 100) if cut.offset < 455]
    with pytest.raises(XylemError) as raised:
        run_in_process(program, ranges(path, cuts))
    assert "bad.xml" in str(raised.value)
    assert "line 52" in str(raised.value)


@pytest.mark.parametrize("query", ["sum(//a)", "for $a in //a return outermost($a)", "every $a in //a satisfies $a"])
def test_a_place_in_a_range_is_one_in_the_file_however_it_is_read(query: str, tmp_path: Path) -> None:
    """By one pass, over the tree of a range, or over that after a pass has failed."""
    path = tmp_path / "cut.xml"
    path.write_text("<r>\n" + "<a>1</a>\n" * 50 + "<a>2</a", encoding="utf-8")
    program = distributed(query)
    cuts = [cut for cut in find_cuts(path, program.scopes, 100) if cut.offset < 455]
    assert len(cuts) > 2
    with pytest.raises(XylemError) as raised:
        run_in_process(program, ranges(path, cuts))
    assert str(raised.value).startswith(f"XYIN0001: the XML is not well formed: {path}: ")
    assert "line 52" in str(raised.value)
    whole = distributed("//a[following-sibling::a[2]]")
    with pytest.raises(XylemError) as of_two:
        run_in_process(whole, [str(path), str(path)])
    assert str(of_two.value) == str(raised.value)


def _told(query: str, path: Path, cut: bool) -> str:
    """An error with all that is told of it, over the whole document or over all its parts."""
    program = distributed(query)
    cuts = kernel_cuts(str(path), program.scopes, 1, DEFAULT_LIMITS, 1, 8, everywhere=True) if cut else []
    assert len(cuts) > 2 or not cut
    with pytest.raises(XylemError) as raised:
        run_in_process(program, ranges(path, cuts))
    return str(raised.value)


@pytest.mark.skipif(not is_kernel_built(), reason="only the kernel cuts where there are no items")
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "iso-8859-1"])
def test_a_document_that_stops_anywhere_tells_the_same_cut_or_not(encoding: str, tmp_path: Path) -> None:
    """Also inside a tag, a comment or a reference behind the last item, where nothing else is cut."""
    path = tmp_path / "stops.xml"
    items = "<a é='1'>é</a>" * 4
    text = f"<?xml version='1.0' encoding='{encoding.removesuffix('-sig')}'?>\n<r>{items} é<b>1</b><b c='2'>&amp;"
    for rest in ("", "<", "<b", "<b c", "<b c='", "</b", "<!", "<!-- <a", "&", "&am", "<![CDATA[x]", "<?p ", "</c>"):
        path.write_text(text + rest, encoding=encoding)
        whole = _told("count(//a)", path, cut=False)
        assert "line 2, column" in whole
        assert _told("count(//a)", path, cut=True) == whole


@pytest.mark.parametrize(
    "query",
    [
        "try { count(//a) } catch * { 'caught' }",
        "try { //a/string() } catch * { 'caught' }",
        "try { for $a in //a order by $a return string($a) } catch * { 'caught' }",
        "try { for $a in //a group by $k := string($a) return $k } catch * { 'caught' }",
        "if (1 = 1) then 'not asked' else sum(//a)",
        "1 + count(//a)",
    ],
)
def test_malformed_input_is_nothing_that_a_query_can_catch(query: str, tmp_path: Path) -> None:
    good, bad = tmp_path / "good.xml", tmp_path / "bad.xml"
    good.write_text("<r>" + "<a>1</a>" * 20 + "</r>", encoding="utf-8")
    bad.write_text("<r>" + "<a>1</a>" * 20 + "<a>2</b></r>", encoding="utf-8")
    program = distributed(query)
    with pytest.raises(InputError) as whole:
        xylem.compile(query).run(xylem.parse(bad))
    for parts in ([str(bad)], [str(good), str(bad)], ranges(bad, find_cuts(bad, program.scopes, 20))):
        with pytest.raises(InputError) as raised:
            run_in_process(program, parts)
        assert str(raised.value) == str(whole.value)


def test_items_inside_each_other_are_nothing_that_a_query_can_catch(tmp_path: Path) -> None:
    path = tmp_path / "nested.xml"
    path.write_text("<r><a k='1'><a k='1'><b/></a></a></r>", encoding="utf-8")
    assert_same("try { for $a in //a group by $k := $a/@k return count($a//b) } catch * { 0 }", path, Random(1))


@pytest.mark.parametrize("result", ["xs:integer(.)", "<a>{ string(.), xs:integer(.) }</a>"])
def test_results_before_an_error_are_told_before_it(result: str, tmp_path: Path) -> None:
    path = tmp_path / "values.xml"
    path.write_text("<r><a>1</a><a>2</a><a>x</a><a>4</a></r>", encoding="utf-8")
    query = f"for $a in //a return $a ! {result}"
    written: list[bytes] = []
    with pytest.raises(XylemError):
        xylem.compile(query).stream(path).write_to(written.append)
    program = distributed(query)
    pieces: list[str] = []
    rows = {1: program.task(0, str(path), 0, {})}
    with pytest.raises(XylemError):
        pieces.extend(map(str, program.pieces(rows)))
    assert "".join(pieces) == b"".join(written).decode()
    assert "2" in "".join(pieces)
