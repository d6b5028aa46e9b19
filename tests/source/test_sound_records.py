"""Malformed records are left out, told with place and reason, and nothing else is lost."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from xylem.errors import InputError
from xylem.plan.scan_plan import Keep, Report, ScanPlan, ScanStep
from xylem.source import kernel
from xylem.source.byte_ranges import Scope
from xylem.source.byte_source import ByteSource
from xylem.source.limits import DEFAULT_LIMITS, Limits
from xylem.source.malformed import MalformedRecord
from xylem.source.python_scanner import PythonScanner
from xylem.source.scan import scanner_class
from xylem.source.sound_records import SoundRecords

from .scan_views import cut, observed
from .test_cut_points import plan_of

MISSING = "the kernel is not built here"
SCANNERS = [
    "python",
    pytest.param("kernel", marks=pytest.mark.skipif(kernel.kernel_build() is None, reason=MISSING)),
]
BOTH = pytest.mark.parametrize("scanner", SCANNERS)
ITEM: Scope = (("child", None, "r"), ("child", None, "i"))


def sound(
    data: bytes,
    scanner: str,
    pieces: list[bytes] | None = None,
    limits: Limits = DEFAULT_LIMITS,
    scopes: list[Scope] | None = None,
) -> tuple[bytes, list[MalformedRecord]]:
    told: list[MalformedRecord] = []
    wanted = scopes or [ITEM]
    source = ByteSource([data] if pieces is None else pieces, name="in.xml")
    kept = b"".join(SoundRecords(source, wanted, plan_of(wanted), limits, told.append, scanner=scanner))
    return kept, told


# --- one bad record among others

BAD = {
    "mismatched tag": b"<i><a></b></i>",
    "bad entity": b"<i>&none;</i>",
    "bare ampersand": b"<i>a & b</i>",
    "bad byte": b"<i>\xff</i>",
    "forbidden character": b"<i>\x01</i>",
    "attribute twice": b"<i x='1' x='2'><a/></i>",
    "attribute without quotes": b"<i x=1><a/></i>",
    "empty element without quotes": b"<i x=1/>",
    "undeclared prefix": b"<i><p:a/></i>",
    "undeclared prefix of the record": b"<p:i/>",
    "missing inner end tag": b"<i><a><b></b></i>",
    "missing outer end tag": b"<i><a/>",
    "quote that does not end": b"<i><a x='1></a></i>",
    "quote of the record that does not end": b"<i x='1></i>",
    "hyphens in a comment": b"<i><!-- a -- <i> --></i>",
    "end of a section in text": b"<i>]]></i>",
    "declaration inside": b"<i><!ELEMENT a></i>",
    "stray less-than sign": b"<i>1 < 2</i>",
    "end tag too many": b"<i></a></i>",
    "nested record with an error": b"<i><i>x</i><a></b></i>",
    "entity in an attribute": b"<i x='&none;'/>",
    "name that is none": b"<i><1/></i>",
}
SHOWN = {"missing outer end tag": b"<i><a/>", "end tag too many": b"<i></a></i>"}


@BOTH
@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("place", ["first", "middle", "last"])
def test_the_others_are_kept(scanner: str, name: str, place: str) -> None:
    good = [b"<i n='%d'>good\n</i>" % number for number in range(4)]
    bad = BAD[name]
    number = {"first": 0, "middle": 2, "last": 4}[place]
    items = [*good[:number], bad, *good[number:]]
    data = b"<r a='1'>\n" + b"\n".join(items) + b"\n</r>"
    whole = sound(data, scanner)
    for size in (1, 7, 50):
        pieces = [data[start : start + size] for start in range(0, len(data), size)]
        kept, told = sound(data, scanner, pieces)
        assert kept.replace(b"\n", b"") == b"<r a='1'>" + b"".join(good).replace(b"\n", b"") + b"</r>"
        (record,) = told
        assert record.kind == ("unclosed record" if name == "missing outer end tag" and place != "last" else "record")
        assert record.data.strip() == bad
        assert data[record.byte_offset :].startswith(record.data)
        assert record.size == len(record.data)
        assert record.line == data[: record.byte_offset].count(b"\n") + 1
        reason = record.error.place
        assert reason is not None
        assert reason.line is not None
        assert record.byte_offset <= reason.byte_offset
        assert (kept, [(one.byte_offset, one.data) for one in told]) == (
            whole[0],
            [(one.byte_offset, one.data) for one in whole[1]],
        )


@BOTH
def test_several_bad_records_in_several_groups(scanner: str) -> None:
    scope: Scope = (("child", None, "r"), ("child", None, "g"), ("child", None, "i"))
    data = (
        b"<!DOCTYPE r [<!ENTITY e 'x<y/>z'>]><r><g k='1'><i>&e;</i><i><a></i></g><g k='2'><i>&f;</i></g>"
        b"<g k='3'><h><i/></h><i/><i>\xfe</i><i/></g></r>"
    )
    kept, told = sound(data, scanner, scopes=[scope])
    assert [record.data for record in told] == [b"<i><a></i>", b"<i>&f;</i>", b"<i>\xfe</i>"]
    expected = data
    for record in told:
        expected = expected.replace(record.data, b"")
    assert kept == expected


@BOTH
def test_what_is_broken_between_records(scanner: str) -> None:
    kept, told = sound(b"<r><i/> &bad; text <i/><junk x=1><y/></junk><i/></q><i/></r>", scanner)
    assert kept.count(b"<i/>") == 4
    assert {record.kind for record in told} == {"between records"}
    assert observed_items(kept) == 4


def observed_items(data: bytes) -> int:
    view = observed(PythonScanner, plan_of([ITEM]), [(data, False)])
    assert view.error is None
    return len(view.records)


@BOTH
@pytest.mark.parametrize("end", range(4, 40))
def test_a_document_cut_short(scanner: str, end: int) -> None:
    data = b"<r>\n<i>1</i>\n<i x='2'>\n</i><i>3</i></r>"[:end]
    kept, told = sound(data, scanner)
    complete = len(re.findall(rb"</i>", data))
    if end == 39:
        assert (kept, told) == (data, [])
        return
    (record,) = told
    assert observed_items(kept) == complete
    assert "ends" in record.error.detail or "no element" in record.error.detail or "unclosed" in record.error.detail
    assert b"".join([kept[: record.byte_offset], record.data]) == data


@BOTH
def test_a_record_that_is_too_large(scanner: str) -> None:
    limits = Limits(item_bytes=1000)
    data = b"<r><i>a</i><i>" + b"<b>%s</b>" % (b"x" * 100) * 50 + b"</i><i>c</i></r>"
    for size in (10, 100, 10_000):
        pieces = [data[start : start + size] for start in range(0, len(data), size)]
        kept, told = sound(data, scanner, pieces, limits)
        assert kept == b"<r><i>a</i><i>c</i></r>"
        (record,) = told
        assert record.error.code == "XYIN0004"
        assert "item bytes" in record.error.detail
        assert record.size == len(data) - len(kept)


@BOTH
def test_a_huge_bad_record_is_not_kept_whole(scanner: str) -> None:
    part = b"<b>" + b"x" * 100_000 + b"</b>"
    data = [b"<r><i/><i>&bad;", *[part] * 40, b"</i><i/></r>"]
    kept, (record,) = sound(b"", scanner, data)
    assert kept == b"<r><i/><i/></r>"
    assert record.size == len(b"".join(data)) - len(kept)
    assert len(record.data) == 1 << 20


@BOTH
@pytest.mark.parametrize(
    "data",
    [
        b"<r x=1><i/></r>",
        b"<r><i/></r><r/>",
        b"<r><i/><other><a></b></other><i/></r>",
        b"not xml",
        b"",
        "<?xml version='1.0' encoding='utf-16'?><r><i/><i><a></b></i></r>".encode("utf-16"),
    ],
)
def test_what_cannot_be_left_out_is_raised(scanner: str, data: bytes) -> None:
    with pytest.raises(InputError):
        sound(data, scanner)


# --- any document, any damage


@pytest.mark.parametrize("scanner", SCANNERS)
@settings(max_examples=150, deadline=None)
@given(
    records=st.lists(st.sampled_from([b"<i/>", b"<i>x</i>", b"<i><i>n</i></i>", *BAD.values()]), max_size=6),
    places=st.lists(st.integers(0, 300), max_size=6),
)
def test_what_is_handed_on_is_well_formed_and_nothing_is_lost(
    scanner: str, records: list[bytes], places: list[int]
) -> None:
    data = b"<r>" + b"".join(records) + b"</r>"
    kept, told = sound(data, scanner, cut(data, places))
    observed_items(kept)
    assert b"".join(restored(kept, told)) in (data, data + b"</r>")
    assert (kept, told and [r.data for r in told]) == (
        sound(data, scanner)[0],
        told and [r.data for r in sound(data, scanner)[1]],
    )


def restored(kept: bytes, told: list[MalformedRecord]) -> list[bytes]:
    """What was handed on and what was left out, in the order of the input."""
    parts, place, left_out = [], 0, 0
    for record in told:
        size = record.byte_offset - left_out - place
        parts += [kept[place : place + size], record.data]
        place += size
        left_out += record.size
    return [*parts, kept[place:]]


def test_limits_of_the_scan_that_follows() -> None:
    plan = ScanPlan((ScanStep(-1), ScanStep(0), ScanStep(1, local="i", report=Report.ITEM, keep=Keep.SUBTREE)))
    told: list[MalformedRecord] = []
    data = b"<r><i>" + b"<b/>" * 100 + b"</i><i><b/></i></r>"
    limits = Limits(item_bytes=600)
    kept = b"".join(SoundRecords(ByteSource([data]), [ITEM], plan, limits, told.append))
    assert kept == b"<r><i><b/></i></r>"
    assert [record.error.code for record in told] == ["XYIN0004"]


BYTES = st.one_of(st.sampled_from(list(b"<>&;\"'/!-?[]= xi:#\n")), st.integers(0, 255))
EDITS = st.lists(st.tuples(st.integers(0, 400), st.sampled_from(["insert", "delete", "replace"]), BYTES), max_size=4)
PARTS = [
    b"<i/>",
    b"<i a='1'>x</i>",
    b"<i><b>&amp;</b><!-- c --><![CDATA[<i>]]></i>",
    b"\n",
    b"<o><i/></o>",
    b"<g><i/></g>",
]


@pytest.mark.parametrize("scanner", SCANNERS)
@settings(max_examples=300, deadline=None)
@given(
    parts=st.lists(st.sampled_from(PARTS), max_size=8), edits=EDITS, places=st.lists(st.integers(0, 400), max_size=5)
)
@example(parts=[b"<i/>", b"<i/>"], edits=[(3, "insert", ord("&"))], places=[])
@example(parts=[b"<i/>", b"<i/>"], edits=[(7, "insert", ord("&")), (8, "insert", ord("x"))], places=[])
def test_any_damage_ends_in_a_document_or_an_error(
    scanner: str, parts: list[bytes], edits: list[tuple[int, str, int]], places: list[int]
) -> None:
    data = b"<r>" + b"".join(parts) + b"</r>"
    for place, kind, byte in edits:
        place %= len(data) or 1
        middle = b"" if kind == "delete" else bytes((byte,))
        data = data[:place] + middle + data[place + (kind != "insert") :]
    scopes: list[Scope] = [ITEM, (("child", None, "r"), ("child", None, "g"), ("child", None, "i"))]
    try:
        kept, told = sound(data, scanner, cut(data, places), scopes=scopes)
    except InputError:
        return
    view = observed(scanner_class(scanner), plan_of(scopes), [(kept, False)])
    assert view.error is None
    parts_of_input = restored(kept, told)
    assert b"".join(parts_of_input)[: len(data)] == data
    assert set(re.findall(rb"</?\w+>", b"".join(parts_of_input)[len(data) :])) <= {b"</r>", b"</g>"}
