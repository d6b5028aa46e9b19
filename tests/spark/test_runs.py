"""Runs over files as users have them: many small ones, compressed ones, broken ones; what they suffered elsewhere."""

from __future__ import annotations

import bz2
import gzip
import random
from pathlib import Path
from typing import Any

import pytest
import xylem
from xylem.spark.batch import BatchRun
from xylem.spark.inputs import input_files
from xylem.spark.run_here import RunHere
from xylem.spark.shipped_query import shipped_query

from .answers import by_tasks, in_one_process, on_spark

ROWS = "for $r in //row return <r>{ $r/@n/string() }</r>"


def rows(first: int, last: int, padding: str = "") -> bytes:
    return b"".join(f"<row n='{n}'>{padding}</row>".encode() for n in range(first, last))


def expected(last: int) -> str:
    return "".join(f"<r>{n}</r>" for n in range(last))


def test_files_of_all_kinds_are_one_input_in_their_order(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "1.xml").write_bytes(b"<t>" + rows(0, 100) + b"</t>")
    two_members = gzip.compress(b"<t>" + rows(100, 150)) + gzip.compress(rows(150, 200) + b"</t>")
    (tmp_path / "2.xml.gz").write_bytes(two_members)
    (tmp_path / "3.xml.bz2").write_bytes(bz2.compress(b"<t>" + rows(200, 300) + b"</t>"))
    (tmp_path / "4.xml").write_bytes(b"<t>" + rows(300, 900) + b"</t>")
    for partitions in (None, 4):
        assert on_spark(spark, ROWS, tmp_path, partitions) == expected(900)
    assert on_spark(spark, "count(collection()//row)", str(tmp_path / "*"), 3) == "900"
    assert on_spark(spark, "sum(for $d in collection() return count($d//row))", tmp_path, 3) == "900"


def test_small_files_share_tasks(spark: Any, tmp_path: Path) -> None:
    for number in range(500):
        (tmp_path / f"{number:03}.xml").write_bytes(b"<t>" + rows(number * 10, number * 10 + 10) + b"</t>")
    files = input_files(tmp_path)
    run = BatchRun(lambda: spark, shipped_query(ROWS, several_documents=True), files)
    assert "".join(run.pieces()) == expected(5000)
    assert (len(run.plan.tasks), run.measured.ranges) == (1, 500)


def test_any_partitions_give_the_same_items_once(spark: Any, tmp_path: Path) -> None:
    """users ask: duplicate rows and cut values at split borders."""
    chance = random.Random(7)
    parts = []
    for number in range(400):
        noise = chance.choice(["", "<!-- <row n='x'> -->", "<![CDATA[</row><row n='x'>]]>", "<?p <row>?>", "ä€𐍈", "\n"])
        inner = chance.choice(["", "<row n='i'/>", "<a b='>'/>", "&lt;row&gt;"])
        parts.append(f"{noise}<row n='{number}'>{inner}</row>")
    document = ("<t>" + "".join(parts) + "</t>").encode()
    path = tmp_path / "a.xml"
    path.write_bytes(document)
    query = "for $r in /t/row return <r n='{$r/@n}'>{ $r/node() }</r>"
    whole = in_one_process(query, document)
    for partitions in (1, 2, 3, 7, 11, 50, 400):
        assert by_tasks(query, path, partitions) == whole, partitions
    assert on_spark(spark, query, path, 13) == whole


def test_utf_16_and_other_encodings_are_cut(tmp_path: Path) -> None:
    query = "for $r in /t/row return <r>{ string($r) }</r>"
    for encoding in ("utf-16", "iso-8859-1", "windows-1251"):
        letter = "ж" if encoding == "windows-1251" else "ä"
        text = f"<?xml version='1.0' encoding='{encoding}'?><t>" + f"<row>{letter}</row>" * 50 + "</t>"
        path = tmp_path / f"{encoding}.xml"
        path.write_bytes(text.encode(encoding))
        assert by_tasks(query, path, 5) == f"<r>{letter}</r>" * 50


def test_unordered_may_come_in_any_order(spark: Any, tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_bytes(b"<t>" + rows(0, 1000) + b"</t>")
    files = input_files(path)
    run = BatchRun(lambda: spark, shipped_query(f"unordered {{ {ROWS} }}"), files, partitions=10)
    found = "".join(run.pieces())
    assert sorted(found.split("</r>")) == sorted(expected(1000).split("</r>"))
    assert not run.program.distribution.ordered


def test_results_come_while_tasks_are_running(spark: Any, tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_bytes(b"<t>" + rows(0, 3000, "x" * 100) + b"</t>")
    run = BatchRun(lambda: spark, shipped_query(ROWS), input_files(path), partitions=30)
    pieces = run.pieces()
    assert next(pieces).startswith("<r>0</r>")
    assert run.measured.tasks < 30
    assert "".join(pieces).endswith("<r>2999</r>")
    assert run.measured.tasks == 30


def test_an_answer_that_is_given_up_leaves_nothing_running(spark: Any, tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_bytes(b"<t>" + rows(0, 3000, "x" * 100) + b"</t>")
    pieces = BatchRun(lambda: spark, shipped_query(ROWS), input_files(path), partitions=30).pieces()
    next(pieces)
    pieces.close()
    assert spark.sparkContext.statusTracker().getActiveJobsIds() == []


def test_an_error_of_the_input_names_file_and_offset_in_the_whole_file(spark: Any, tmp_path: Path) -> None:
    good = b"<t>\n" + b"<row n='1'/>\n" * 500
    path = tmp_path / "broken.xml"
    path.write_bytes(good + b"<row></rox>\n" + b"<row n='2'/>\n" * 500 + b"</t>")
    written: list[str] = []
    run = BatchRun(lambda: spark, shipped_query(ROWS), input_files(path), partitions=5)
    with pytest.raises(xylem.InputError) as caught:
        written.extend(run.pieces())
    told = str(caught.value)
    assert caught.value.code == "XYIN0001"
    assert "broken.xml" in told
    assert "line 502" in told
    assert f"byte {len(good) + len('<row></')}" in told
    assert "".join(written).startswith("<r>1</r>" * 400)


def test_an_error_of_the_query_is_placed_in_its_text(spark: Any, tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_bytes(b"<t>" + rows(0, 10) + b"</t>")
    with pytest.raises(xylem.DynamicError) as caught:
        on_spark(spark, "for $r in //row\nreturn 1 div (xs:integer($r/@n) - 7)", path, 3)
    assert caught.value.code == "FOAR0001"
    assert caught.value.span is not None
    assert caught.value.span.line == 2
    # And over which bytes of which file, among many.
    (note,) = caught.value.notes
    assert note.startswith(f"while reading {path}, bytes ")
    first, last = (int(word) for word in note.split() if word.isdigit())
    assert first <= path.read_bytes().index(b"<row n='7'") < last
    assert f"  {note}\n" in caught.value.render() + "\n"


def test_errors_that_a_query_raises_keep_their_names(spark: Any, tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_bytes(b"<t>" + rows(0, 10) + b"</t>")
    query = "for $r in //row return if ($r/@n = '7') then error(QName('urn:e', 'e:bad'), 'seven') else ()"
    for run in (lambda: on_spark(spark, query, path, 3), lambda: in_one_process(query, path)):
        with pytest.raises(xylem.DynamicError) as caught:
            run()
        assert (caught.value.code, caught.value.why) == ("Q{urn:e}bad", "seven")


def test_a_limit_holds_in_tasks(spark: Any, tmp_path: Path) -> None:
    from dataclasses import replace

    from xylem.source.limits import DEFAULT_LIMITS

    path = tmp_path / "a.xml"
    path.write_bytes(b"<t>" + rows(0, 5) + b"<row><a><a><a/></a></a></row></t>")
    shipped = shipped_query(ROWS, limits=replace(DEFAULT_LIMITS, depth=3))
    with pytest.raises(xylem.InputError) as caught:
        "".join(BatchRun(lambda: spark, shipped, input_files(path), partitions=2).pieces())
    assert caught.value.code == "XYIN0004"


def test_variables_documents_and_modules_travel(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "m.xqm").write_text("module namespace m = 'urn:m'; declare function m:twice($n) { 2 * $n };")
    path = tmp_path / "a.xml"
    path.write_bytes(b"<t>" + rows(0, 6) + b"</t>")
    query = """
        import module namespace m = 'urn:m' at 'm.xqm';
        declare variable $least external; declare variable $names external;
        for $r in //row where $r/@n ge $least return m:twice(xs:integer($r/@n)) || $names//name[@n = $r/@n]"""
    shipped = shipped_query(
        query,
        variables={"least": "3", "names": xylem.parse("<ns><name n='4'>four</name></ns>")},
        base_uri=tmp_path.as_uri() + "/",
        module_folders=[tmp_path],
    )
    run = BatchRun(lambda: spark, shipped, input_files(path), partitions=3)
    assert "".join(run.pieces()) == "6 8four 10"


@pytest.mark.parametrize(
    ("query", "output"),
    [
        (ROWS, {"indent": "yes"}),
        (ROWS, {"method": "text"}),
        (ROWS, {"item-separator": "|"}),
        (ROWS, {"omit-xml-declaration": "no"}),
        ("<t>{ //row/@n/string() }</t>", {"method": "html"}),
        ("array { //row ! map { 'n': xs:integer(@n) } }", {"method": "json", "indent": "yes"}),
        ("//row/@n", {"method": "adaptive"}),
        ("for $r in //row order by $r/@n descending return $r/@n/string()", {"method": "text", "item-separator": ","}),
    ],
)
def test_output_parameters(query: str, output: dict[str, str], tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_bytes(b"<t>" + rows(0, 30) + b"</t>")
    expected = xylem.compile(query).run(xylem.parse(path)).serialize(**output)
    assert "".join(RunHere(shipped_query(query, output=output), input_files(path), partitions=4).pieces()) == expected


def test_the_time_is_the_same_in_all_tasks(spark: Any, tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_bytes(b"<t>" + rows(0, 100) + b"</t>")
    query = "count(distinct-values(for $r in //row return current-dateTime()))"
    assert on_spark(spark, query, path, 5) == "1"


def test_a_failing_worker_is_told_without_stacks(spark: Any, tmp_path: Path) -> None:
    functions = xylem.Functions()

    @functions.function("udf:die", "xs:string", "xs:string")
    def die(text: str) -> str:
        import os

        os._exit(3)

    path = tmp_path / "a.xml"
    path.write_bytes(b"<t>" + rows(0, 3) + b"</t>")
    shipped = shipped_query("//row/udf:die(string(@n))", functions=functions)
    with pytest.raises(xylem.DynamicError) as caught:
        "".join(BatchRun(lambda: spark, shipped, input_files(path)).pieces())
    assert caught.value.code == "XYRT0004"
    assert "\tat org.apache" not in str(caught.value)


def test_workers_stay_small(spark: Any, tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    with path.open("wb") as file:
        file.write(b"<t>")
        for first in range(0, 120_000, 10_000):
            file.write(rows(first, first + 10_000, "x" * 60))
        file.write(b"</t>")
    query = "for $r in //row order by string-length($r/@n) descending, $r/@n return <r>{ $r/@n/string() }</r>"
    run = BatchRun(lambda: spark, shipped_query(query), input_files(path))
    assert "".join(run.pieces()).startswith("<r>100000</r><r>100001</r>")
    assert run.measured.peak_worker_rss_bytes < 300e6


def test_a_document_with_one_large_item_is_cut_inside_it(spark: Any, tmp_path: Path) -> None:
    """XMark's sixth query: items are counted in the one element that has them all."""
    path = tmp_path / "a.xml"
    items = "".join(f"<item n='{n}'/>" for n in range(300))
    path.write_text(f"<site><regions of='x'><africa>{items}</africa><asia>{items}</asia></regions><regions/></site>")
    query = "for $b in //site/regions return <r of='{ $b/@of }'>{ count($b//item) }</r>"
    expected = '<r of="x">600</r><r of="">0</r>'
    run = BatchRun(lambda: spark, shipped_query(query), input_files(path), partitions=3)
    assert "".join(run.pieces()) == expected
    assert (len(run.plan.tasks), run.measured.tasks) == (3, 3)
    (part,) = run.program.distribution.parts
    assert part.why == "each $b is divided itself: count() computed by range and merged"
    # Where there are enough of them, they stay whole.
    path.write_text("<site>" + "<regions><item/></regions>" * 50 + "</site>")
    whole = RunHere(shipped_query(query), input_files(path), partitions=3)
    assert "".join(whole.pieces()) == '<r of="">1</r>' * 50
    assert whole.program.distribution.parts[0].kind.name == "MAP"
