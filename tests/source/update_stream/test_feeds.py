"""Ordinary feeds as update streams, and the notation of the paper: what their operations make of a store."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from xylem.errors import InputError
from xylem.pipeline import StaticEnvironment, compile_query
from xylem.run.history.evaluation import Surroundings
from xylem.run.history.feed import Late
from xylem.run.history.run import UpdateInput, UpdateRun
from xylem.source.malformed import MalformedRecord, MalformedTally
from xylem.source.resources import FileResources
from xylem.source.update_stream.formats import UpdateFormat, operations_of
from xylem.source.update_stream.times import seconds_of


def shown(
    place: Path, query: str, name: str, tally: MalformedTally | None = None, late: Late = "stop", **paths: Any
) -> list[tuple[str, str]]:
    """(time, display) after each commit that changed it."""
    how = UpdateFormat(name, **paths)  # type: ignore[arg-type]
    program = compile_query(query, StaticEnvironment(over_updates=True))
    inputs = [UpdateInput("", str(place), operations_of(str(place), how))]
    run = UpdateRun(program, inputs, Surroundings(FileResources(), {}), tally=tally, late=late)
    return [(str(answer.commit.time), answer.display.text) for answer in run.answers() if answer.is_changed]


def texts(*given: Any, **paths: Any) -> list[str]:
    return [text for _, text in shown(*given, **paths)]


def test_keyed_records(tmp_path: Path) -> None:
    place = tmp_path / "feed.xml"
    place.write_text("""<feed><title>T</title>
      <r k="a" t="1"><v>1</v></r><r k="b" t="2"><v>2</v></r><r k="a" t="3"><v>3</v></r>
      <r k="b" t="4" gone="true"/><r k="b" t="5"><v>5</v></r></feed>""")
    paths = {"record": "/feed/r", "key": "@k", "time": "@t", "delete": "@gone"}
    assert shown(place, "/feed/title/string(), //v/string()", "keyed", **paths) == [
        ("0", "T"),
        ("1", "T 1"),
        ("2", "T 1 2"),
        ("3", "T 3 2"),
        ("4", "T 3"),
        ("5", "T 3 5"),
    ]
    assert texts(place, "//r#1/v/string()", "keyed", **paths) == ["1", "1 2", "1"]


def test_keyed_records_of_old_versions_are_dropped_and_gaps_told(tmp_path: Path) -> None:
    place = tmp_path / "feed.xml"
    place.write_text('<f><r id="a" v="1">x</r><r id="a" v="1">again</r><r id="a" v="4">y</r><r id="a" v="3">z</r></f>')
    told: list[str] = []
    paths: dict[str, Any] = {"version": "@v", "warn": told.append}
    assert texts(place, "string(/f/r)", "keyed", **paths) == ["x", "y"]
    assert told == ["a: version 4 after 1"]


def test_a_record_without_a_key(tmp_path: Path) -> None:
    place = tmp_path / "feed.xml"
    place.write_text('<f><r>x</r><r id="a">y</r></f>')
    with pytest.raises(InputError) as refused:
        texts(place, "/f/r", "keyed")
    assert refused.value.code == "XYIN0045"
    kept: list[MalformedRecord] = []
    assert texts(place, "/f/r/string()", "keyed", MalformedTally(kept.append)) == ["y"]
    assert [record.error.code for record in kept] == ["XYIN0045"]


def test_map_changes_are_applied_by_version(tmp_path: Path) -> None:
    (tmp_path / "1.osc").write_text("""<osmChange><create>
      <node id="1" version="1" timestamp="2024-01-01T00:00:00Z"/>
      <way id="1" version="1" timestamp="2024-01-01T00:00:09Z"/>
    </create></osmChange>""")
    (tmp_path / "2.osc").write_text("""<osmChange><delete><node id="1" version="3"/></delete>
      <modify><node id="1" version="2" n="two"/><node id="1" version="2" n="two"/></modify></osmChange>""")
    assert shown(tmp_path, "/osm/*/name(), /osm/node#1/@n/string()", "osmchange") == [
        ("1704067209", "node way"),
        ("1704067209", "way two"),
    ]


def test_snapshots(tmp_path: Path) -> None:
    for number, keys in enumerate(("ab", "xaby", "by", "by"), 1):
        items = "".join(f"<item><guid>{key}</guid>{number if key == 'b' else ''}</item>" for key in keys)
        (tmp_path / f"{number}.xml").write_text(f"<rss><channel><t/>{items}</channel></rss>")
    paths = {"record": "/rss/channel/item", "key": "guid"}
    assert texts(tmp_path, "string-join(/rss/channel/*, ' ')", "snapshot", **paths) == [
        " a b1",
        " x a b2 y",
        " b3 y",
        " b4 y",
    ]


def test_patches(tmp_path: Path) -> None:
    (tmp_path / "1.xml").write_text('<doc><list id="l"><item id="a">1</item></list></doc>')
    (tmp_path / "2.xml").write_text("""<diff t="5"><add sel="/doc/list[@id='l']"><item id="b">2</item></add>
      <add sel="id('a')" pos="before"><item id="z">0</item></add>
      <replace sel="*/item[@id=&quot;a&quot;]"><item id="a">9</item></replace>
      <add sel="id('l')" pos="prepend"><first/></add></diff>""")
    (tmp_path / "3.xml").write_text(
        """<diff t="6"><remove sel="id('b')"/><add sel="id('a')" pos="after"><c/></add></diff>"""
    )
    assert shown(tmp_path, "/doc/list/*/concat(name(), .)", "patch", key="@id") == [
        ("0", "item1"),
        ("5", "first item0 item9 item2"),
        ("6", "first item0 item9 c"),
    ]
    for change in (
        '<remove sel="/doc/list/item[1]"/>',
        """<add sel="id('a')" pos="inside"><c/></add>""",
        """<add sel="id('a')" type="@k">1</add>""",
        """<replace sel="/doc/item[@id='a']/text()">1</replace>""",
    ):
        (tmp_path / "4.xml").write_text(f"<diff>{change}</diff>")
        with pytest.raises(InputError) as refused:
            texts(tmp_path, "/", "patch", key="@id")
        assert refused.value.code == "XYIN0046"


def test_changes_of_a_database(tmp_path: Path) -> None:
    changes: list[Any] = [
        {"op": "r", "before": None, "after": {"id": 1, "name": "a", "none": None}, "ts_ms": 1500},
        {"payload": {"op": "c", "after": {"id": 2, "name": "b<", "has space": True}, "ts_ms": 2000}},
        {"op": "u", "before": {"id": 1}, "after": {"id": 1, "name": "A"}, "ts_ms": 3000},
        {"op": "d", "before": {"id": 2}, "after": None, "ts_ms": 4000},
        None,
    ]
    place = tmp_path / "table.jsonl"
    place.write_text("\n".join(json.dumps(change) for change in changes) + "\n")
    assert shown(place, "/table/row", "debezium", key="id") == [
        ("1.5", "<row><id>1</id><name>a</name></row>"),
        ("2", "<row><id>1</id><name>a</name></row><row><id>2</id><name>b&lt;</name><has_space>true</has_space></row>"),
        ("3", "<row><id>1</id><name>A</name></row><row><id>2</id><name>b&lt;</name><has_space>true</has_space></row>"),
        ("4", "<row><id>1</id><name>A</name></row>"),
    ]
    rows = [f'{{"op": "c", "after": {{"id": {id}}}, "ts_ms": 0}}' for id in (1, 2)]
    last = '{"op": "c", "after": {"id": 1}, "ts_ms": 3000}'
    place.write_text("\n".join([*rows, '{"op": "m", "ts_ms": 1000}', '{"op": "t", "ts_ms": 2000}', last, ""]))
    one, both = "<row><id>1</id></row>", "<row><id>1</id></row><row><id>2</id></row>"
    assert texts(place, "/table/row", "debezium", key="id") == [one, both, "", one]
    moved = '{"op": "u", "before": {"id": 1}, "after": {"id": 3, "j": {"x": [1.50, null, "\u00e9"], "y": 2}}}'
    place.write_text("\n".join([*rows, '{"schema": {}, "payload": null}', moved]))
    expected = '<row><id>2</id></row><row><id>3</id><j>{"x": [1.50, null, "\u00e9"], "y": 2}</j></row>'
    assert texts(place, "/table/row", "debezium", key="id") == [one, both, expected]
    place.write_text('{"op": "c"\n{"after": 1}\n{"op": "c", "after": {"name": "x"}}\n')
    kept: list[MalformedRecord] = []
    assert texts(place, "/table/row", "debezium", MalformedTally(kept.append), key="id") == []
    assert [record.error.code for record in kept] == ["XYIN0047", "XYIN0047", "XYIN0045"]


def test_the_notation_of_the_paper(tmp_path: Path) -> None:
    place = tmp_path / "s.txt"
    # Section 2: w y z, since an insert stands beside the slot, whatever has replaced its content.
    place.write_text("""[ sS(10,0), sE(0,r), sM(0,1), cD(1,"x"), eM(0,1), sR(1,2),
      cD(2,"y"), eR(1,2), sA(2,3), cD(3,"z"), eA(2,3),
      sB(1,3), cD(3,"w"), eB(1,3), eE(0,r), eS(10,0) ]""")
    assert texts(place, "string(/r)", "tokens") == ["y", "yz", "wyz"]
    # Section 3, with the display after each of its four times.
    place.write_text("""sM(1,2) sE(2,a)
      @1 sM(2,3) sE(3,b) cD(3,X) eE(3,b) eM(2,3) commit
      @2 sR(3,4) sE(4,b) cD(4,Y) eE(4,b) eR(3,4)
      @3 sR(3,4) sE(4,b) cD(4,Z) eE(4,b) eR(3,4) eE(2,a) eM(1,2)
      @4 sR(2,5) sE(5,a) sE(5,b) cD(5,W) eE(5,b) eE(5,a) eR(2,5)""")
    assert shown(place, "./a/b#[1]/string()", "tokens") == [("1", "X"), ("2", "Y X"), ("3", "Z Y"), ("4", "W")]


def test_updates_that_are_open_at_once(tmp_path: Path) -> None:
    place = tmp_path / "s.txt"
    place.write_text("""sE(0,r) sM(0,1) cD(0,a) eM(0,1) sM(0,2) cD(0,b) eM(0,2) eE(0,r) eS(1,0)
      @1 sR(1,3) sR(2,4) sE(4,x) sE(3,y) cD(4,B) eE(4,x) @2 eR(2,4) eE(3,y) @3 eR(1,3)""")
    assert shown(place, "/r", "tokens") == [("0", "<r>ab</r>"), ("2", "<r>a<x>B</x></r>"), ("3", "<r><y/><x>B</x></r>")]
    place.write_text("sE(0,r) what")
    with pytest.raises(InputError) as refused:
        texts(place, "/", "tokens")
    assert refused.value.code == "XYIN0044"


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("1", "1"), (" -2.50 ", "-2.50"), ("1970-01-01T00:01:00Z", "60"), ("Thu, 01 Jan 1970 00:02:00 GMT", "120")],
)
def test_times(text: str, seconds: str) -> None:
    assert str(seconds_of(text)) == seconds
    assert seconds_of("tomorrow") is None


def test_a_document_whose_records_have_changed_places_is_the_state(tmp_path: Path) -> None:
    rng = random.Random(5)
    keys = "abcdefg"
    documents = [rng.sample(keys, rng.randint(0, 7)) for _ in range(30)]
    place = tmp_path / "feed.xml"
    place.write_text("".join(f"<f>{''.join(f'<i id=%r>{k}</i>' % k for k in one)}</f>" for one in documents))
    expected = [" ".join(one) for one in documents]
    shown_texts = texts(place, "string-join(//i, ' ')", "snapshot")
    assert shown_texts == [text for text, before in zip(expected, ["", *expected], strict=False) if text != before]
    # Of those that stay the history goes on; what has moved is another region.
    states = (("a1", "b1", "c1"), ("b1", "c1", "a2"), ("b2", "c1", "a2"))
    place.write_text("".join(f"<f>{''.join(f'<i id=%r>{k}</i>' % k[0] for k in one)}</f>" for one in states))
    assert texts(place, "//i[@id = 'b']#1/string()", "snapshot") == ["b1"]


def test_what_is_wrong_in_a_feed_is_told_with_its_place_and_its_bytes(tmp_path: Path) -> None:
    place = tmp_path / "feed.xml"
    keyed = '<f>\n <r id="a" t="1"/>\n <r t="2">x</r>\n <r id="b" t="soon"/></f>'
    unknown, unnamed = "<diff>\n<remove sel='id(\"b\")'/></diff>", "<diff><remove sel='d'/></diff>"
    node, way = "<node version='1'/>", "<way id='1' timestamp='?'/>"
    cases = (
        ("keyed", keyed, [("XYIN0045", 3, '<r t="2">x</r>'), ("XYIN0044", 4, '<r id="b" t="soon"/>')]),
        (
            "patch",
            f"<d><i id='a'/></d>\n{unknown}\n{unnamed}\n<x/>",
            [("XYIN0040", 3, unknown), ("XYIN0046", 4, unnamed), ("XYIN0046", 5, "<x/>")],
        ),
        (
            "osmchange",
            f"<osm/>\n<osmChange><create>\n{node}{way}</create></osmChange>",
            [("XYIN0045", 3, node), ("XYIN0044", 3, way)],
        ),
    )
    for name, text, wanted in cases:
        place.write_text(text)
        kept: list[MalformedRecord] = []
        texts(place, "count(//*)", name, MalformedTally(kept.append), **({"time": "@t"} if name == "keyed" else {}))
        told = [(one.error.code, one.error.place and one.error.place.line, one.data.decode()) for one in kept]
        assert told == wanted


def test_objects_that_are_not_visible_are_deleted(tmp_path: Path) -> None:
    place = tmp_path / "map.osm"
    place.write_text("""<osm><node id="1" version="1" n="a"/><node id="1" version="2" visible="false"/>
      <node id="2" version="1" visible="true"/></osm>
      <osmChange><modify><node id="1" version="3"/></modify></osmChange>""")
    assert texts(place, "string-join(/osm/node/@id, ' ')", "osmchange") == ["2", "1 2"]


def test_a_version_whose_time_was_refused_may_come_again(tmp_path: Path) -> None:
    place = tmp_path / "feed.xml"
    place.write_text('<f><r id="a" v="1" t="1">x</r><r id="a" v="2" t="?">y</r><r id="a" v="2" t="3">z</r></f>')
    kept: list[MalformedRecord] = []
    found = texts(place, "string(/f/r)", "keyed", MalformedTally(kept.append), version="@v", time="@t")
    assert found == ["x", "z"]
    assert [record.error.code for record in kept] == ["XYIN0044"]


def test_an_extract_of_a_map_is_the_first_state(tmp_path: Path) -> None:
    place = tmp_path / "map.osm"
    place.write_text("""<osm><bounds/><node id="1" version="2" n="a"/><way id="1" version="9"/></osm>
      <osmChange><modify><node id="1" version="4" n="c"/><node id="1" version="3" n="b"/></modify></osmChange>""")
    assert texts(place, "/osm/*/name(), //node#[1]/@n/string()", "osmchange") == ["node way a", "node way c b"]


def test_a_key_whose_first_record_came_too_late_is_inserted_by_its_next_one(tmp_path: Path) -> None:
    place = tmp_path / "feed.xml"
    place.write_text('<f><r id="a" t="5">1</r><r id="b" t="2">late</r><r id="b" t="6">2</r><r id="b" t="7">3</r></f>')
    assert texts(place, "/f/r/concat(., .#1)", "keyed", time="@t", late="drop") == ["1", "1 2", "1 32"]
    place.write_text('<f><r id="a" t="5">1</r><r id="b" t="2"/><r id="b" t="6" gone="1"/><r id="a" t="7">2</r></f>')
    assert texts(place, "/f/r/@id/string()", "keyed", time="@t", delete="@gone", late="drop") == ["a"]
    created = '{"op": "c", "after": {"id": %d, "n": %d}, "ts_ms": %d}\n'
    place.write_text(created % (1, 1, 5) + created % (2, 2, 3) + created % (2, 3, 6))
    assert texts(place, "//n/string()", "debezium", key="id", late="drop") == ["1", "1 3"]
    node = '<osmChange><create><node id="%d" version="%d" timestamp="%d"/></create></osmChange>'
    place.write_text(node % (1, 1, 5) + node % (2, 1, 3) + node % (2, 2, 6))
    assert texts(place, "//node/@version/string()", "osmchange", late="drop") == ["1", "1 2"]


def test_a_key_that_is_deleted_twice_has_one_empty_version(tmp_path: Path) -> None:
    place = tmp_path / "feed.xml"
    place.write_text('<f><r id="a">1</r><r id="a" d="1"/><r id="a" d="1"/><r id="a">2</r></f>')
    assert texts(place, "/f/r#2/string()", "keyed", delete="@d") == ["1"]
    lines = ['"c", "after": {"id": 1}', '"d", "before": {"id": 1}', '"t"', '"c", "after": {"id": 1, "n": 2}']
    place.write_text("\n".join(f'{{"op": {line}}}' for line in lines))
    assert texts(place, "//row#2/id/string()", "debezium", key="id") == ["1"]


def test_a_polled_document_is_the_state_though_its_newest_record_has_vanished(tmp_path: Path) -> None:
    place = tmp_path / "feed.xml"
    states = ((("a", 1),), (("a", 1), ("b", 9)), (("a", 2),), (("c", 8), ("a", 2)))
    written = ("".join(f'<i id="{k}" t="{t}"/>' for k, t in one) for one in states)
    place.write_text("".join(f"<f>{one}</f>" for one in written))
    found = shown(place, "string-join(//i/@id, ' ')", "snapshot", time="@t", late="drop")
    assert found == [("1", "a"), ("9", "a b"), ("9", "a"), ("9", "c a")]
    # One that is left out is not what the next one is compared with.
    place.write_text('<f><i id="a" t="1"/></f><f><i id="b" t="soon"/></f><f><i id="b" t="3"/><i id="a" t="1"/></f>')
    found = shown(place, "string-join(//i/@id, ' ')", "snapshot", MalformedTally(lambda record: None), time="@t")
    assert found == [("1", "a"), ("3", "b a")]


def test_keys_are_not_taken_for_regions_of_the_adapter(tmp_path: Path) -> None:
    place = tmp_path / "feed.xml"
    place.write_text('<f><r id="/end">1</r><r id="b">2</r><r id="/end">3</r></f>')
    assert texts(place, "string-join(/f/r, ' ')", "keyed") == ["1", "1 2", "3 2"]
    rows = ({"a": "x/y", "b": "z"}, {"a": "x", "b": "y/z"})
    place.write_text("\n".join(json.dumps({"op": "c", "after": row}) for row in rows))
    assert texts(place, "count(//row)", "debezium", key="a/b") == ["0", "1", "2"]


@pytest.mark.parametrize(
    "line",
    [
        '{"op": "q", "after": {"id": 1}}',
        '{"op": ["c"], "after": {"id": 1}}',
        '{"op": "c", "after": {"id": 1}, "ts_ms": "5"}',
        '{"op": "c", "after": {"id": 1}, "ts_ms": true}',
        '{"op": "c", "after": {"id": 1, "n": "\\u0001"}}',
    ],
)
def test_what_is_no_change_of_a_database(tmp_path: Path, line: str) -> None:
    place = tmp_path / "table.jsonl"
    place.write_text(line)
    with pytest.raises(InputError) as refused:
        texts(place, "//row", "debezium", key="id")
    assert refused.value.code == "XYIN0047"


def test_what_a_patch_adds_has_a_history_of_its_own(tmp_path: Path) -> None:
    place = tmp_path / "patches.xml"
    add = "<diff><add sel='id(\"%s\")' pos='%s'><i id='%s'>%s</i></add></diff>"
    replace = "<diff><replace sel='id(\"c\")'><i id='c'>%s</i></replace></diff>"
    added = (add % ("a", "after", "c", 3), add % ("c", "before", "e", 9))
    place.write_text("<r><i id='a'>1</i></r>" + "".join((*added, replace % 4, replace % 5)))
    query = "string-join(/r/i/string-join((@id, .#[9]), '-'), ' ')"
    assert texts(place, query, "patch") == ["a-1", "a-1 c-3", "a-1 e-9 c-3", "a-1 e-9 c-4-3", "a-1 e-9 c-5-4-3"]


@pytest.mark.parametrize("format", ["keyed", "snapshot"])
@pytest.mark.parametrize(
    "first",
    ["<f/>", "<f> </f>", "<f><list/><end/></f>", "<f><list></list></f>", "<f><list> <!-- none --> </list>x</f>"],
)
def test_records_come_into_a_document_that_had_none(tmp_path: Path, format: str, first: str) -> None:
    """They stood behind its root element, where paths from there do not find them."""
    (tmp_path / "1.xml").write_text(first)
    record, inside = ("/f/list/r", "<list>{}</list>") if "list" in first else ("/f/r", "{}")
    (tmp_path / "2.xml").write_text(f"<f>{inside}</f>".format('<r id="b"/>'))
    (tmp_path / "3.xml").write_text(f"<f>{inside}</f>".format('<r id="a"/><r id="b"/>'))
    assert texts(tmp_path, f"count({record})", format, record=record, key="@id") == ["0", "1", "2"]
