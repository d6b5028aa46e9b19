"""What each part of a plan gives, on small documents; the definitions are in `plan/scan_plan.py`."""

from __future__ import annotations

from dataclasses import replace

import pytest
from xylem.errors import XylemError
from xylem.plan.scan_plan import AttributeTest, Batch, Keep, Report, ScanPlan, ScanStep
from xylem.sink.serialization_parameters import SerializationParameters
from xylem.sink.serialize import serialize
from xylem.source.limits import DEFAULT_LIMITS, Limits
from xylem.source.python_scanner import PythonScanner
from xylem.source.scan import BatchTrees
from xylem.values.node import Node

START, END, ITEM, COUNT = Report.START, Report.END, Report.ITEM, Report.COUNT
BARE = SerializationParameters(omit_xml_declaration=True)
DOCUMENT = ScanStep(-1)


def plan(*steps: ScanStep, comments: bool = False) -> ScanPlan:
    return ScanPlan((DOCUMENT, *steps), comments)


def batches(text: str | bytes, scan_plan: ScanPlan, limits: Limits = DEFAULT_LIMITS) -> list[Batch]:
    """All batches, one for each byte that completes something."""
    data = text.encode() if isinstance(text, str) else text
    scanner = PythonScanner(scan_plan, limits)
    given = [scanner.feed(data[place : place + 1], True) for place in range(len(data))]
    return [batch for batch in (*given, scanner.finish()) if batch is not None]


def records(text: str | bytes, scan_plan: ScanPlan) -> list[str]:
    """Each record as kind, step and content: of an ITEM the XML, otherwise the path of names."""
    trees = BatchTrees(None)
    shown: list[str] = []
    for batch in batches(text, scan_plan):
        tree = trees.tree(batch)
        for kind, step, row in zip(batch.kinds, batch.steps, batch.rows, strict=True):
            node = Node(tree, row)
            shown.append(f"{Report(kind).name} {step} {serialize([node], BARE) if kind == ITEM else path(node)}")
    return shown


def path(node: Node | None) -> str:
    return "" if node is None or node.parent is None else f"{path(node.parent)}/{node.name}"


def items(text: str | bytes, *steps: ScanStep, comments: bool = False) -> list[str]:
    """The XML of the items of step 1."""
    return [line[7:] for line in records(text, plan(*steps, comments=comments)) if line.startswith("ITEM 1 ")]


def test_records_come_in_the_order_of_the_input() -> None:
    steps = plan(ScanStep(0, local="a", report=START | END), ScanStep(1, local="b", report=ITEM, keep=Keep.SUBTREE))
    assert records("<a><b>1</b><c><b/></c><b>2</b></a>", steps) == [
        "START 1 /a",
        "ITEM 2 <b>1</b>",
        "ITEM 2 <b>2</b>",
        "END 1 /a",
    ]


def test_records_of_one_tag_are_ordered_by_step_and_kind() -> None:
    every = START | END | ITEM
    steps = plan(ScanStep(0, local="a", report=every), ScanStep(0, "descendant", local="a", report=every))
    kinds = [" ".join(line.split()[:2]) for line in records("<a/>", steps)]
    assert kinds == ["START 1", "START 2", "END 1", "ITEM 1", "END 2", "ITEM 2"]


def test_nested_items_come_in_the_order_of_their_end_tags() -> None:
    part = ScanStep(0, "descendant", local="part", report=ITEM, attributes=None)
    found = items("<r><part n='1'><x><part n='2'/></x><part n='3'/></part></r>", part)
    assert found == [
        '<part n="2"/>',
        '<part n="3"/>',
        '<part n="1"><x><part n="2"/></x><part n="3"/></part>',
    ]


def test_what_no_step_needs_is_absent() -> None:
    steps = (
        ScanStep(0, local="a", report=ITEM),
        ScanStep(1, local="b", attributes=(("", "x"),)),
        ScanStep(2, local="c", text=True),
    )
    document = "<a y='0'>t<b x='1' y='2'>u<c>v<d>w</d></c></b><e><b/></e><b/></a>"
    assert items(document, *steps) == ['<a><b x="1"><c>v</c></b><b/></a>']


def test_texts_stay_apart_where_something_was_between_them() -> None:
    scan_plan = plan(ScanStep(0, local="a", report=ITEM, text=True))
    last = batches("<a>1<b/>2<!--c-->3<![CDATA[4]]>&#53;<?p?>6</a>", scan_plan)[0]
    assert last.values == [None, None, "1", "2", "345", "6"]


def test_comments_are_kept_in_whole_subtrees_only() -> None:
    document = "<a><!--1--><b><!--2--><?p q?></b></a>"
    steps = ScanStep(0, local="a", report=ITEM, text=True), ScanStep(1, local="b", keep=Keep.SUBTREE)
    assert items(document, *steps, comments=True) == ["<a><b><!--2--><?p q?></b></a>"]
    assert items(document, *steps) == ["<a><b/></a>"]


def test_a_whole_subtree_has_its_own_attributes() -> None:
    assert items("<a x='1'><b y='2'/></a>", ScanStep(0, local="a", report=ITEM, keep=Keep.SUBTREE)) == [
        '<a x="1"><b y="2"/></a>'
    ]


class TestStringValues:
    STRING = ScanStep(0, "descendant", local="s", report=ITEM, keep=Keep.STRING)

    def test_one_text_node(self) -> None:
        only = replace(self.STRING, axis="child")
        batch = batches("<s x='1'>1<b>2<!--c-->3</b>4</s>", plan(only))[0]
        assert batch.values == [None, None, "1234"]
        assert items("<s><b/></s>", only) == ["<s/>"]

    def test_nested_ones_keep_all_elements(self) -> None:
        assert items("<s>1<b y='1'>2<s>3</s></b></s>", self.STRING) == ["<s>3</s>", "<s>1<b>2<s>3</s></b></s>"]

    def test_what_other_steps_keep_stays(self) -> None:
        steps = replace(self.STRING, axis="child"), ScanStep(1, local="b", attributes=None)
        assert items("<s>1<b y='1'>2</b><c z='1'>3</c></s>", *steps) == ['<s>1<b y="1">2</b><c>3</c></s>']

    def test_counting_steps_do_not_matter(self) -> None:
        steps = plan(replace(self.STRING, axis="child"), ScanStep(0, "descendant", local="b", report=COUNT))
        last = batches("<s>1<b>2</b></s>", steps)
        assert last[-2].values == [None, None, "12"]
        assert sum(batch.counts[2] for batch in last) == 1

    def test_text_children_of_the_same_element(self) -> None:
        both = replace(self.STRING, axis="child", text=True)
        assert batches("<s>1<b>2</b>3</s>", plan(both))[0].values == [None, None, "1", None, "2", "3"]


class TestCounting:
    def test_counts_come_with_the_batches(self) -> None:
        steps = plan(ScanStep(0, "descendant", local="a", report=COUNT), ScanStep(1, local="b", report=COUNT))
        found = batches("<a><b/><a><b/><b/></a></a>", steps)
        assert [sum(counts) for counts in zip(*(batch.counts for batch in found), strict=True)] == [0, 2, 3]
        assert all(batch.codes == [0] for batch in found)

    def test_only_what_counts_and_keeps_nothing_has_no_rows(self) -> None:
        steps = (
            DOCUMENT,
            ScanStep(0, local="a"),
            ScanStep(1, local="b", report=COUNT),
            ScanStep(1, local="c"),
            ScanStep(0, local="d", report=COUNT, text=True),
            ScanStep(0, local="e"),
            ScanStep(5, local="f", report=COUNT),
        )
        assert ScanPlan(steps).only_counts() == [False, False, True, False, False, True, True]


class TestAttributes:
    DOCUMENT = "<r><i n='1' s='b'/><i n='2.50' s='a'/><i s='c'/><i n='x'/></r>"

    def found(self, *tests: AttributeTest, document: str = DOCUMENT) -> list[str]:
        return items(document, ScanStep(0, "descendant", local="i", report=ITEM, attributes=None, tests=tests))

    def test_strings(self) -> None:
        assert self.found(AttributeTest("", "s", ">", string="a")) == ['<i n="1" s="b"/>', '<i s="c"/>']
        assert self.found(AttributeTest("", "s", "=", string="a")) == ['<i n="2.50" s="a"/>']

    def test_numbers(self) -> None:
        document = self.DOCUMENT.replace("'x'", "' -INF '")
        assert self.found(AttributeTest("", "n", "=", number=2.5), document=document) == ['<i n="2.50" s="a"/>']
        assert self.found(AttributeTest("", "n", "<", number=2.0), document=document) == [
            '<i n="1" s="b"/>',
            '<i n=" -INF "/>',
        ]

    def test_what_is_no_number_stops_the_scan(self) -> None:
        with pytest.raises(XylemError) as caught:
            self.found(AttributeTest("", "n", "=", number=1.0))
        assert caught.value.code == "FORG0001"

    def test_the_first_test_that_fails_decides(self) -> None:
        tests = AttributeTest("", "s", "=", string="a"), AttributeTest("", "n", "<", number=3.0)
        assert self.found(*tests) == ['<i n="2.50" s="a"/>']

    def test_an_element_inside_a_refused_one_can_be_reached(self) -> None:
        test = AttributeTest("", "n", "=", number=2.0)
        assert self.found(test, document="<i n='1'><i n='2'/></i>") == ['<i n="2"/>']

    def test_xml_id_is_collapsed(self) -> None:
        step = ScanStep(0, local="a", report=ITEM, attributes=None)
        assert items("<a xml:id=' b '/>", step) == ['<a xml:id="b"/>']


class TestNamespaces:
    def test_names_are_matched_by_namespace(self) -> None:
        document = "<r xmlns='u' xmlns:p='u'><p:a/><a/><a xmlns=''/><a xmlns='v'/></r>"
        found = items(document, ScanStep(0, "descendant", "u", "a", report=ITEM))
        assert found == ['<p:a xmlns="u" xmlns:p="u"/>', '<a xmlns="u" xmlns:p="u"/>']
        assert len(items(document, ScanStep(0, "descendant", None, "a", report=ITEM))) == 4
        assert len(items(document, ScanStep(0, "descendant", "", None, report=ITEM))) == 1

    def test_declarations_around_are_in_scope(self) -> None:
        document = "<r xmlns:p='u'><x xmlns:q='v'><a p:y='1'/></x></r>"
        found = items(document, ScanStep(0, "descendant", local="a", report=ITEM, attributes=(("u", "y"),)))
        assert found == ['<a xmlns:q="v" xmlns:p="u" p:y="1"/>']


class TestBatches:
    def test_the_open_elements_begin_the_next_one(self) -> None:
        steps = plan(ScanStep(0, local="a", report=START, attributes=None), ScanStep(1, local="b", report=ITEM))
        found = batches("<a x='1' xmlns:p='u'><b/><b/></a>", steps)
        assert [(batch.rows, batch.values, batch.declared) for batch in found[1:3]] == [
            ([3], [None, None, "1", None], {1: {"p": "u"}}),
            ([3], [None, None, "1", None], {1: {"p": "u"}}),
        ]

    def test_an_open_item_takes_its_rows_along(self) -> None:
        inner, outer = ScanStep(0, "descendant", local="b", report=ITEM), ScanStep(0, local="a", report=ITEM, text=True)
        last = batches("<a>1<b/>2<b/>3</a>", plan(inner, outer))[-2]
        assert last.values == [None, None, "1", None, "2", None, "3"]

    def test_without_flush_they_are_large(self) -> None:
        scanner = PythonScanner(plan(ScanStep(0, "descendant", local="b", report=ITEM)), DEFAULT_LIMITS)
        assert scanner.feed(b"<a>" + b"<b/>" * 1000) is None
        given = scanner.feed(b"<b/>" * 40_000)
        assert given is not None
        assert len(given.rows) == 41_000

    def test_rows_nobody_waits_for_are_dropped(self) -> None:
        scanner = PythonScanner(plan(ScanStep(0, "descendant", local="b"), ScanStep(1, local="c")), DEFAULT_LIMITS)
        scanner.feed(b"<a>")
        for _ in range(10):
            scanner.feed(b"<b><c/></b>" * 10_000)
        scanner.feed(b"</a>")
        assert len(scanner.finish().codes) < 30_000

    def test_names_come_once(self) -> None:
        found = batches("<a><b/><b/></a>", plan(ScanStep(0, "descendant", local="b", report=ITEM)))
        assert [name for batch in found for name in batch.new_names].count(("", "b", "")) == 1

    def test_input_bytes(self) -> None:
        found = batches("<a><b/></a>", plan(ScanStep(0, "descendant", local="b", report=ITEM)))
        assert [batch.input_bytes for batch in found] == [7, 11]


class TestErrors:
    STEPS = plan(ScanStep(0, "descendant", local="b", report=ITEM))

    def test_what_was_complete_comes_first(self) -> None:
        scanner = PythonScanner(self.STEPS, DEFAULT_LIMITS)
        given = scanner.feed(b"<a><b/></c>", True)
        assert given is not None
        assert given.steps == [1]
        for _ in range(2):
            with pytest.raises(XylemError) as caught:
                scanner.feed(b"")
            assert caught.value.code == "XYIN0001"
            assert "line 1, column 10 (byte 9), in /a" in caught.value.why

    def test_at_the_end_of_the_input(self) -> None:
        scanner = PythonScanner(self.STEPS, DEFAULT_LIMITS)
        assert scanner.feed(b"<a><b/>") is None
        assert scanner.finish().steps == [1]
        with pytest.raises(XylemError, match="no element found"):
            scanner.feed(b"")

    def test_no_input(self) -> None:
        with pytest.raises(XylemError) as caught:
            PythonScanner(self.STEPS, DEFAULT_LIMITS).finish()
        assert caught.value.code == "XYIN0001"

    @pytest.mark.parametrize(
        ("limits", "at_limit", "past_limit"),
        [
            (Limits(depth=2), "<a><b/></a>", "<a><b><c/></b></a>"),
            (Limits(attributes=2), "<a x='' y=''/>", "<a x='' y='' z=''/>"),
            (Limits(name_characters=3), "<abc/>", "<abcd/>"),
            (Limits(attribute_characters=3), "<a b='123'/>", "<a b='1234'/>"),
            (Limits(text_characters=3), "<a>12&amp;</a>", "<a>123&amp;</a>"),
            (Limits(text_characters=3), "<a><!--123--></a>", "<a><!--1234--></a>"),
            (Limits(allow_dtd=False), "<a/>", "<!DOCTYPE a><a/>"),
        ],
    )
    def test_limits(self, limits: Limits, at_limit: str, past_limit: str) -> None:
        everything = ScanPlan((ScanStep(-1, report=ITEM, keep=Keep.SUBTREE),))
        assert batches(at_limit, everything, limits)
        with pytest.raises(XylemError) as caught:
            batches(past_limit, everything, limits)
        assert caught.value.code == "XYIN0004"

    def test_a_string_value_has_a_limit_as_a_whole(self) -> None:
        string = plan(ScanStep(0, local="a", report=ITEM, keep=Keep.STRING))
        assert batches("<a>12<b/>3</a>", string, Limits(text_characters=3))
        with pytest.raises(XylemError) as caught:
            batches("<a>12<b/>34</a>", string, Limits(text_characters=3))
        assert caught.value.code == "XYIN0004"

    def test_an_unread_dtd_makes_unknown_entities_errors_in_attributes_too(self) -> None:
        with pytest.raises(XylemError, match="'&e;' is not declared"):
            batches("<!DOCTYPE a SYSTEM 'x.dtd'><a><b c='&e;'/></a>", self.STEPS)


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "iso-8859-1", "windows-1252", "shift_jis", "cp037"]
)
def test_encodings_in_single_bytes(encoding: str) -> None:
    sign = {"shift_jis": "日本", "windows-1252": "€"}.get(encoding, "é")
    declared = encoding.removesuffix("-sig")
    document = f"<?xml version='1.0' encoding='{declared}'?><a>{sign}</a>".encode(encoding)
    assert items(document, ScanStep(0, local="a", report=ITEM, text=True)) == [f"<a>{sign}</a>"]


def test_bytes_outside_the_encoding_have_their_place() -> None:
    scanner = PythonScanner(plan(ScanStep(0, "descendant", local="b", report=ITEM)), DEFAULT_LIMITS)
    document = b"<?xml version='1.0' encoding='shift_jis'?><a><b/>\xff\xff</a>"
    given = scanner.feed(document)
    assert given is not None
    assert given.steps == [1]
    with pytest.raises(XylemError, match=f"shift_jis, at byte {document.index(0xFF)}") as caught:
        scanner.feed(b"")
    assert caught.value.code == "XYIN0007"


def test_the_document_node_can_be_asked_for() -> None:
    whole = ScanPlan((ScanStep(-1, report=START | END | ITEM | COUNT, keep=Keep.SUBTREE),), comments=True)
    assert records("<!--1--><a>2</a><?p 3?>", whole) == ["START 0 ", "END 0 ", "ITEM 0 <!--1--><a>2</a><?p 3?>"]
