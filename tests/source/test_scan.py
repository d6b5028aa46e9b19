"""A scan from a source to trees: the same with both scanners, errors last, names and URIs as everywhere."""

from __future__ import annotations

import gzip
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from xylem.errors import DynamicError, InputError
from xylem.plan.scan_plan import AttributeTest, Keep, Report, ScanPlan, ScanStep
from xylem.sink.serialization_parameters import SerializationParameters
from xylem.sink.serialize import serialize
from xylem.source import kernel
from xylem.source import scan as scan_module
from xylem.source.limits import Limits
from xylem.source.scan import ScannedBatch, scan, scanner_class
from xylem.source.xml_reader import read_document
from xylem.values.node import Node

BARE = SerializationParameters(omit_xml_declaration=True)
ITEMS = ScanPlan((ScanStep(-1), ScanStep(0, "descendant", local="b", report=Report.ITEM, keep=Keep.SUBTREE)))
HAS_KERNEL = kernel.kernel_build() is not None and hasattr(kernel, "Scanner")
SCANNERS = [
    "python",
    pytest.param("kernel", marks=pytest.mark.skipif(not HAS_KERNEL, reason="the kernel has no scanner here")),
]


def items(batches: Iterator[ScannedBatch]) -> Iterator[str]:
    for batch in batches:
        for row in batch.rows:
            yield serialize([Node(batch.tree, row)], BARE)


@pytest.mark.parametrize("scanner", SCANNERS)
class TestScan:
    def test_trees_are_like_any_other(self, scanner: str, tmp_path: Path) -> None:
        path = tmp_path / "a.xml"
        path.write_bytes(b"<p:a xmlns:p='u'><p:b xmlns:q='u' q:x='1'>t</p:b><q:b xmlns:q='u'/></p:a>")
        (batch,) = [batch for batch in scan(path, ITEMS, scanner=scanner) if batch.kinds]
        first, second = (Node(batch.tree, row) for row in batch.rows)
        assert serialize([first], BARE) == '<p:b xmlns:q="u" xmlns:p="u" q:x="1">t</p:b>'
        assert str(second.name) == "q:b"
        assert first.name == second.name
        assert first.root.document_uri == first.base_uri == path.as_uri()
        whole = read_document(path)
        assert batch.tree.names is whole.tree.names
        assert batch.tree.codes[batch.rows[0]] == whole.tree.codes[2 if whole.tree.kind(2) == 1 else 1]
        assert first.namespaces["p"] == "u"

    def test_a_uri_of_its_own(self, scanner: str) -> None:
        batch = next(scan(b"<a/>", ITEMS, scanner=scanner, uri="http://example.com/a"))
        assert Node(batch.tree, 0).document_uri == "http://example.com/a"

    def test_errors_come_last_and_say_where(self, scanner: str, tmp_path: Path) -> None:
        path = tmp_path / "a.xml"
        path.write_bytes(b"<a><b>1</b><b>2</b><c></a>")
        found = items(scan(path, ITEMS, scanner=scanner))
        assert [next(found), next(found)] == ["<b>1</b>", "<b>2</b>"]
        with pytest.raises(InputError) as caught:
            next(found)
        assert caught.value.code == "XYIN0001"
        assert caught.value.why.startswith(f"{path}: ")
        assert "line 1" in caught.value.why
        assert "byte" in caught.value.why

    def test_an_error_does_not_wait_for_more_input(self, scanner: str) -> None:
        def chunks() -> Iterator[bytes]:
            yield b"<a><b/></c>"
            pytest.fail("more input was asked for")

        found = items(scan(chunks(), ITEMS, scanner=scanner))
        assert next(found) == "<b/>"
        with pytest.raises(InputError):
            next(found)

    def test_items_come_before_more_is_read(self, scanner: str) -> None:
        asked: list[int] = []

        def chunks() -> Iterator[bytes]:
            for number in range(3):
                asked.append(number)
                yield b"<a>" * (number == 0) + b"<b>%d</b>" % number
            yield b"</a>"

        found = items(scan(chunks(), ITEMS, scanner=scanner))
        for number in range(3):
            assert next(found) == f"<b>{number}</b>"
            assert asked == list(range(number + 1))
        assert list(found) == []

    def test_an_early_end_of_compressed_input(self, scanner: str) -> None:
        data = gzip.compress(b"<a>" + b"<b/>" * 1000 + b"</a>")[:-4]
        found: list[str] = []
        with pytest.raises(InputError) as caught:
            found.extend(items(scan(data, ITEMS, scanner=scanner)))
        assert caught.value.code == "XYIN0009"

    def test_an_error_of_a_test_is_the_query_s(self, scanner: str) -> None:
        tests = (AttributeTest("", "n", "=", number=1.0),)
        plan = ScanPlan((ScanStep(-1), ScanStep(0, "descendant", local="b", report=Report.ITEM, tests=tests)))
        found = items(scan(b"<a><b n='1'/><b n='x'/></a>", plan, scanner=scanner))
        assert next(found) == "<b/>"
        with pytest.raises(DynamicError) as caught:
            next(found)
        assert caught.value.code == "FORG0001"

    def test_counts_add_up(self, scanner: str) -> None:
        plan = ScanPlan((ScanStep(-1), ScanStep(0, "descendant", local="b", report=Report.COUNT)))
        chunks = [b"<a>", *[b"<b/>" * 100] * 10, b"</a>"]
        assert sum(batch.counts[1] for batch in scan(chunks, plan, scanner=scanner)) == 1000

    def test_limits_are_passed_on(self, scanner: str) -> None:
        with pytest.raises(InputError) as caught:
            list(scan(b"<a><b><c/></b></a>", ITEMS, scanner=scanner, limits=Limits(depth=2)))
        assert caught.value.code == "XYIN0004"

    def test_a_file_is_closed_when_nobody_wants_more(self, scanner: str, tmp_path: Path) -> None:
        path = tmp_path / "a.xml"
        path.write_bytes(b"<a>" + b"<b/>" * 100_000 + b"</a>")
        batches: Any = scan(path, ITEMS, scanner=scanner)
        next(batches)
        with warnings.catch_warnings():
            warnings.simplefilter("error", ResourceWarning)
            batches.close()
            del batches

    def test_memory_does_not_grow(self, scanner: str) -> None:
        rows = [
            len(batch.tree) for batch in scan([b"<a>", *[b"<b>t</b>" * 1000] * 50, b"</a>"], ITEMS, scanner=scanner)
        ]
        assert max(rows) < 4000


class TestWhichScanner:
    def test_without_a_kernel_it_says_so_once(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(kernel, "is_kernel_built", lambda: False)
        monkeypatch.setattr(scan_module, "_has_warned", False)
        with pytest.warns(RuntimeWarning, match="the scan kernel is not built here"):
            assert list(items(scan(b"<a><b/></a>", ITEMS))) == ["<b/>"]
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert list(items(scan(b"<a><b/></a>", ITEMS))) == ["<b/>"]
        with pytest.raises(InputError) as caught:
            scanner_class("kernel")
        assert caught.value.code == "XYIN0010"

    def test_choosing_python_needs_no_warning(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(kernel, "is_kernel_built", lambda: False)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            scanner_class("python")

    def test_other_names(self) -> None:
        with pytest.raises(ValueError, match="fast"):
            scanner_class("fast")
