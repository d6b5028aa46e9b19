"""Documents are cut exactly: any cuts give the same items once each, whatever they fall next to."""

from __future__ import annotations

import gzip
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xylem.errors import InputError
from xylem.plan.scan_plan import Keep, Report, ScanPlan, ScanStep
from xylem.source import kernel
from xylem.source.byte_ranges import ByteRange, CutPoint, Scope, ranges
from xylem.source.cut_points import CutFinder, find_cuts
from xylem.source.limits import Limits
from xylem.source.scan import scan, scanner_class

from .scan_cases import documents
from .scan_views import Record, View, cut, expected, observed

MISSING = "the kernel is not built here"
SCANNERS = [
    "python",
    pytest.param("kernel", marks=pytest.mark.skipif(kernel.kernel_build() is None, reason=MISSING)),
]
BOTH = pytest.mark.parametrize("scanner", SCANNERS)
NEEDS_KERNEL = pytest.mark.skipif(kernel.kernel_build() is None, reason=MISSING)
PERSON: Scope = (("child", "", "site"), ("child", "", "people"), ("child", "", "person"))

steps = st.tuples(
    st.sampled_from(["child", "child", "descendant"]),
    st.sampled_from([None, None, "", "u", "v"]),
    st.sampled_from([None, "a", "b", "c"]),
)
scopes = st.lists(st.lists(steps, min_size=1, max_size=3).map(tuple), min_size=1, max_size=3)
targets = st.one_of(st.integers(1, 12), st.integers(1, 300))
places = st.one_of(st.just([]), st.lists(st.integers(0, 3000), max_size=8))


def plan_of(asked: list[Scope]) -> ScanPlan:
    """Whole items, and every attribute of their ancestors."""
    steps = [ScanStep(-1), ScanStep(0, "descendant", attributes=None)]
    for scope in asked:
        parent = 0
        for number, (axis, uri, local) in enumerate(scope):
            report = Report.ITEM if number + 1 == len(scope) else Report.NOTHING
            keep = Keep.SUBTREE if number + 1 == len(scope) else Keep.NOTHING
            steps.append(ScanStep(parent, axis, uri, local, report, keep))
            parent = len(steps) - 1
    return ScanPlan(tuple(steps), comments=True)


def parts(document: bytes, cuts: list[CutPoint]) -> list[bytes]:
    """The documents that a document is divided into."""
    borders = [CutPoint(0, 1, b"", b""), *cuts, CutPoint(len(document), 0, b"", b"")]
    return [start.opening + document[start.offset : end.offset] + end.closing for start, end in pairwise(borders)]


def found(scanner: str, asked: list[Scope], target: int, pieces: list[bytes]) -> list[CutPoint]:
    finder = CutFinder(asked, target, scanner=scanner)
    return [point for piece in pieces for point in finder.feed(piece)]


def records_of(divided: list[ByteRange], plan: ScanPlan, scanner: str) -> list[Record]:
    views = (observed(scanner_class(scanner), plan, [(b"".join(part.chunks()), False)]) for part in divided)
    return [record for view in views for record in view.records]


# --- any cuts, the same items


@BOTH
@settings(max_examples=120, deadline=None)
@given(document=documents(), asked=scopes, target=targets, where=places)
def test_items_are_those_of_the_whole(
    scanner: str, document: bytes, asked: list[Scope], target: int, where: list[int]
) -> None:
    cuts = found(scanner, asked, target, cut(document, where))
    plan = plan_of(asked)
    whole = expected(document, plan)
    divided = View()
    for part in parts(document, cuts):
        view = observed(scanner_class(scanner), plan, [(part, False)])
        assert view.error is None
        divided.records += view.records
    assert divided.records == whole.records


@NEEDS_KERNEL
@settings(max_examples=120, deadline=None)
@given(document=documents(), asked=scopes, target=targets, where=places)
def test_both_find_the_same_cuts(document: bytes, asked: list[Scope], target: int, where: list[int]) -> None:
    in_kernel = found("kernel", asked, target, cut(document, where))
    assert in_kernel == found("python", asked, target, [document])


@NEEDS_KERNEL
@settings(max_examples=80, deadline=None)
@given(document=documents(), asked=scopes, target=targets, stretch=st.integers(1, 300), threads=st.integers(1, 3))
def test_borders_between_threads_may_fall_anywhere(
    tmp_path_factory: pytest.TempPathFactory,
    document: bytes,
    asked: list[Scope],
    target: int,
    stretch: int,
    threads: int,
) -> None:
    path = tmp_path_factory.getbasetemp() / "document.xml"
    path.write_bytes(document)
    limits = Limits()
    cuts = kernel.find_cuts(str(path), asked, target, limits, threads, stretch)
    assert cuts == found("kernel", asked, target, [document])


@NEEDS_KERNEL
@settings(max_examples=120, deadline=None)
@given(document=documents(), asked=scopes, target=targets, stretch=st.integers(1, 100), threads=st.integers(1, 2))
def test_what_has_no_items_can_be_cut_too(
    tmp_path_factory: pytest.TempPathFactory,
    document: bytes,
    asked: list[Scope],
    target: int,
    stretch: int,
    threads: int,
) -> None:
    path = tmp_path_factory.getbasetemp() / "document.xml"
    path.write_bytes(document)
    cuts = kernel.find_cuts(str(path), asked, target, Limits(), threads, stretch, everywhere=True)
    assert [point for point in cuts if point.is_before_item] == found("kernel", asked, target, [document])
    assert len({point.offset // target for point in cuts}) == len(cuts)
    plan = plan_of(asked)
    views = [observed(scanner_class("kernel"), plan, [(part, False)]) for part in parts(document, cuts)]
    assert not any(view.error for view in views)
    assert [record for view in views for record in view.records] == expected(document, plan).records


@NEEDS_KERNEL
def test_what_has_no_items_is_cut_inside_of_its_elements(tmp_path: Path) -> None:
    people = "<person n='1'/>\n" * 20
    others = "<open a='x'><bidder k='é'><b>1</b></bidder>\n<!-- <person/> --></open>" * 20
    path = tmp_path / "site.xml"
    path.write_text(f"<site><people>{people}</people><auctions y='2'>{others}</auctions></site>", encoding="utf-8")
    cuts = kernel.find_cuts(str(path), [PERSON], 100, Limits(), 2, 100, everywhere=True)
    between = [point for point in cuts if not point.is_before_item]
    assert len(between) > 10
    assert {point.opening.decode() for point in between} >= {
        "<site><auctions y='2'><open a='x'>",
        "<site><auctions y='2'><open a='x'><bidder k='é'>",
    }
    text = path.read_bytes()
    for point in between:
        assert point.line == text[: point.offset].count(b"\n") + 1
        assert point.closing.endswith(b"</auctions></site>")


@BOTH
@settings(max_examples=80, deadline=None)
@given(document=documents(), asked=scopes, target=targets, data=st.data())
def test_going_on_from_a_cut(
    scanner: str, document: bytes, asked: list[Scope], target: int, data: st.DataObject
) -> None:
    cuts = found(scanner, asked, target, [document])
    if not cuts:
        return
    number = data.draw(st.integers(0, len(cuts) - 1))
    finder = CutFinder(asked, target, scanner=scanner)
    finder.resume(cuts[number])
    assert finder.feed(document[cuts[number].offset :]) == cuts[number + 1 :]


@settings(max_examples=80, deadline=None)
@given(document=documents(), asked=scopes, target=targets)
def test_cuts_are_where_they_may_be(document: bytes, asked: list[Scope], target: int) -> None:
    cuts = found("auto", asked, target, [document])
    assert len({point.offset // target for point in cuts} - {0}) == len(cuts)
    for point in cuts:
        assert document[point.offset :].lstrip(b"\0").startswith(b"<")


# --- what a document may contain


@BOTH
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-le", "utf-32", "iso-8859-1", "windows-1251", "cp1252"])
def test_encodings(scanner: str, encoding: str, tmp_path: Path) -> None:
    name = encoding.removesuffix("-le")
    text = f"<?xml version='1.0' encoding='{name}'?>\n<site ä='é'><people>".replace("ä='é'", "a='ж'")
    text = text if encoding in ("utf-8", "utf-16", "utf-16-le", "utf-32", "windows-1251") else text.replace("ж", "é")
    text += "".join(f"<person n='{number}'>\r\n</person>" for number in range(30)) + "</people></site>"
    path = tmp_path / "site.xml"
    path.write_bytes(text.encode(encoding))
    cuts = find_cuts(path, [PERSON], 200, scanner=scanner)
    assert len(cuts) > 3
    plan = plan_of([PERSON])
    assert records_of(ranges(path, cuts), plan, scanner) == expected(path.read_bytes(), plan).records


@BOTH
@pytest.mark.parametrize("encoding", ["shift_jis", "big5", "gbk", "gb18030", "euc-jp", "euc-kr"])
def test_characters_whose_second_byte_looks_like_a_bracket(scanner: str, encoding: str, tmp_path: Path) -> None:
    special = {"shift_jis": "ゾ", "big5": "功", "gbk": "乚", "gb18030": "乚", "euc-jp": "ゾ", "euc-kr": "가"}[encoding]
    head = f"<?xml version='1.0' encoding='{encoding}'?><site n='{special}'><people>"
    item = f"<person><![CDATA[{special}]><person>{special}]]{special}>]]></person><!-- {special} -->"
    path = tmp_path / "site.xml"
    path.write_bytes((head + item * 20 + "</people></site>").encode(encoding))
    cuts = find_cuts(path, [PERSON], 1, scanner=scanner)
    assert len(cuts) == 20
    assert cuts[3].opening == head.encode(encoding)


@BOTH
def test_encodings_that_switch_are_one_part(scanner: str, tmp_path: Path) -> None:
    path = tmp_path / "site.xml"
    head = "<?xml version='1.0' encoding='iso-2022-jp'?><site><people>"
    path.write_bytes((head + "<person>ゾ</person>" * 20 + "</people></site>").encode("iso-2022-jp"))
    assert find_cuts(path, [PERSON], 1, scanner=scanner) == []


@BOTH
def test_what_only_looks_like_an_item(scanner: str, tmp_path: Path) -> None:
    path = tmp_path / "site.xml"
    doctype = b'<!DOCTYPE site [<!ENTITY p "<person/>"><!-- <site> ]> -->]>'
    head = doctype + b"""<site x=">'/>" y='">/>'><people>"""
    path.write_bytes(
        head + b"<!-- <person> --><![CDATA[</people><person>]]><?p <person>?>&p;<x><person/></x>"
        b"<person><person/></person><other/><person/></people><person/></site><!-- <person/> -->"
    )
    cuts = find_cuts(path, [PERSON], 1, scanner=scanner)
    text = path.read_bytes()
    assert [text[point.offset :][:17] for point in cuts] == [b"<person><person/>", b"<person/></people"]
    assert {point.opening for point in cuts} == {head}
    assert {point.closing for point in cuts} == {b"</people></site>"}


@BOTH
def test_namespaces_of_ancestors_are_carried(scanner: str, tmp_path: Path) -> None:
    path = tmp_path / "site.xml"
    head = b"<!DOCTYPE s [<!ATTLIST g xmlns:q CDATA #FIXED 'v'>]><s xmlns='u' xmlns:p='v'><g a='&lt;'>"
    path.write_bytes(head + b"<p:i/><q:i/><i/><x xmlns='v'/><i xmlns='v'/>" * 9 + b"</g></s>")
    scope: Scope = (("child", "u", "s"), ("descendant", "v", "i"))
    cuts = find_cuts(path, [scope], 1, scanner=scanner)
    assert len(cuts) == 27
    assert {point.opening for point in cuts} == {head}
    plan = plan_of([scope])
    assert records_of(ranges(path, cuts), plan, scanner) == expected(path.read_bytes(), plan).records


@BOTH
def test_no_cut_before_the_root(scanner: str, tmp_path: Path) -> None:
    path = tmp_path / "r.xml"
    path.write_bytes(b"<r><i/></r>")
    assert find_cuts(path, [(("child", "", "r"),)], 1, scanner=scanner) == []
    assert find_cuts(path, [()], 1, scanner=scanner) == []
    assert find_cuts(path, [], 1, scanner=scanner) == []


def test_compressed_files_are_one_part(tmp_path: Path) -> None:
    path = tmp_path / "site.xml.gz"
    path.write_bytes(gzip.compress(b"<site><people><person/><person/></people></site>"))
    assert find_cuts(path, [PERSON], 1) == []
    (whole,) = ranges(path, [])
    assert sum(len(batch.rows) for batch in scan(whole, plan_of([PERSON]))) == 2


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        find_cuts(tmp_path / "none.xml", [PERSON], 1)
    assert caught.value.code == "XYIN0002"
    with pytest.raises(ValueError, match="at least one byte"):
        find_cuts(tmp_path / "none.xml", [PERSON], 0)


# --- ranges as sources


@BOTH
def test_errors_are_placed_in_the_whole_file(scanner: str, tmp_path: Path) -> None:
    path = tmp_path / "site.xml"
    items = [b"<person>\n <name>x</name>\n</person>\n" for _ in range(40)]
    items[33] = b"<person><name>\n\n  x</nome></person>\n"
    path.write_bytes(b"<site\n a='1'>\n<people>" + b"".join(items) + b"</people></site>")
    plan = plan_of([PERSON])

    def failure(source: Path | ByteRange) -> str:
        with pytest.raises(InputError) as caught:
            list(scan(source, plan, scanner=scanner))
        return str(caught.value)

    whole = failure(path)
    assert f"{path}: " in whole
    assert "line 104, column" in whole
    cuts = find_cuts(path, [PERSON], 1, scanner=scanner)
    for number in (0, 20, 33):
        assert failure(ByteRange(str(path), cuts[number])) == whole
    # Expat stops at the error, so that the part goes on to the end of the file.
    assert failure(ByteRange(str(path), cuts[33], cuts[34] if len(cuts) > 34 else None)) == whole


def test_the_column_of_an_error_in_the_line_of_the_cut(tmp_path: Path) -> None:
    path = tmp_path / "site.xml"
    path.write_bytes("<site><people>\né<person/>é<person><a></b></person></people></site>".encode())
    cuts = find_cuts(path, [PERSON], 1)
    for start in (None, *cuts):
        with pytest.raises(InputError) as caught:
            list(scan(ByteRange(str(path), start), plan_of([PERSON])))
        place = caught.value.place
        assert place is not None
        assert (place.byte_offset, place.line, place.column) == (41, 2, 25)


def test_a_file_that_became_shorter(tmp_path: Path) -> None:
    path = tmp_path / "site.xml"
    path.write_bytes(b"<site><people>" + b"<person/>" * 10 + b"</people></site>")
    cuts = find_cuts(path, [PERSON], 1)
    path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(InputError, match="shorter"):
        list(scan(ByteRange(str(path), cuts[0], cuts[9]), plan_of([PERSON])))


def test_memory_does_not_grow_with_the_stream() -> None:
    finder = CutFinder([PERSON], 1 << 20)
    finder.feed(b"<site><people>")
    piece = b"<person>" + b"x" * 1000 + b"</person><!--" + b"y" * 1000 + b"-->"
    cuts = sum(len(finder.feed(piece * 100)) for _ in range(200))
    assert cuts == len(piece) * 100 * 200 // (1 << 20)
