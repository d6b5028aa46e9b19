"""Errors: what was complete before them is told, then they are raised, with their kind and their place."""

from __future__ import annotations

import threading

import pytest
from xylem.errors import DynamicError, EngineBug, InputError
from xylem.plan.scan_plan import AttributeTest, Keep, Report, ScanPlan, ScanStep
from xylem.source import kernel
from xylem.source.kernel import Scanner, is_kernel_built, read_tree

from .records import records_of

pytestmark = pytest.mark.skipif(not is_kernel_built(), reason="the kernel was not built here")

ITEMS = ScanPlan((ScanStep(-1), ScanStep(0), ScanStep(1, local="i", report=Report.ITEM, keep=Keep.SUBTREE)))


def test_records_before_an_error_are_told_first() -> None:
    scanner = Scanner(ITEMS)
    batch = scanner.feed(b"<r><i>1</i><i>2</i><i>3</x></i></r>")
    assert batch is not None
    assert len(batch.kinds) == 2
    for _ in range(2):
        with pytest.raises(InputError, match=r"XYIN0001.*mismatched tag.*line 1, column 26 \(byte 25\), in /r/i"):
            scanner.feed(b"")
    with pytest.raises(InputError):
        scanner.finish()


def test_an_error_with_nothing_before_it_is_raised_at_once() -> None:
    with pytest.raises(InputError, match="XYIN0001"):
        Scanner(ITEMS).feed(b"<r><i></q>")


ENDS = ["", " ", "<", "<i", "<i a=", "<i a='", "<i>", "<i></", "<!--", "<![CDATA[", "&", "&am", "]]"]


@pytest.mark.parametrize("end", ENDS)
def test_input_that_ends_too_early(end: str) -> None:
    data = f"<r><i>1</i>{end}".encode()
    for size in (1, 100):
        records, _, error = records_of(Scanner(ITEMS), [(data[i : i + size], True) for i in range(0, len(data), size)])
        assert len(records) == 1
        assert error is not None
        assert error.startswith("XYIN0001")
        assert ", in /r" in error


def test_nothing_is_no_document() -> None:
    for data in (b"", b"  \n", b"<?xml version='1.0'?>", b"\xef\xbb\xbf", b"<!--x-->", b"<!DOCTYPE a>"):
        scanner = Scanner(ITEMS)
        scanner.feed(data)
        with pytest.raises(InputError, match=r"XYIN0001.*no element found"):
            scanner.finish()


def test_input_after_the_end_is_a_fault_of_the_caller() -> None:
    scanner = Scanner(ITEMS)
    scanner.feed(b"<r/>")
    scanner.finish()
    assert scanner.feed(b"") is None
    with pytest.raises(EngineBug):
        scanner.feed(b"<r/>")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be", "utf-32-be", "iso-8859-1", "shift_jis"])
def test_places_are_those_of_the_bytes_that_came_in(encoding: str) -> None:
    signs = {"iso-8859-1": "éé", "shift_jis": "日本"}.get(encoding, "é日\U0001f600")
    declaration = "" if encoding.startswith("utf") else f'<?xml version="1.0" encoding="{encoding}"?>'
    text = f"{declaration}<r>\n<i>{signs}</x></i></r>"
    before = text[: text.index("x>")]
    data = text.encode(encoding)
    if encoding == "utf-16-be":
        data = b"\xfe\xff" + data
    elif encoding == "utf-16-le":
        data = b"\xff\xfe" + data
    expected = len(before.encode(encoding)) + (2 if encoding.startswith("utf-16") else 0)
    place = f"line 2, column {len(before) - before.index(chr(10))} (byte {expected}), in /r/i"
    for size in (1, 5, 1000):
        error = records_of(Scanner(ITEMS), [(data[i : i + size], False) for i in range(0, len(data), size)])[2]
        assert error is not None
        assert place in error


KINDS = [
    ("<a>&e;</a>", "XYIN0001", "not declared"),
    ("<!DOCTYPE a SYSTEM 's'><a>&e;</a>", "XYIN0001", "an external DTD is not read"),
    ("<!DOCTYPE a [%p;]><a>&e;</a>", "XYIN0001", "an external DTD is not read"),
    ("<?xml version='1.0' standalone='yes'?><!DOCTYPE a SYSTEM 's'><a>&e;</a>", "XYIN0001", "'&e;' is not declared,"),
    ("<!DOCTYPE a [<!ENTITY e SYSTEM 'file:/x'>]><a>&e;</a>", "XYIN0008", "file:/x"),
    ("<!DOCTYPE a [<!ENTITY e SYSTEM 'file:/x'>]><a b='&e;'/>", "XYIN0008", "file:/x"),
    ("<!DOCTYPE a [<!ENTITY e SYSTEM 'x' NDATA n>]><a>&e;</a>", "XYIN0001", "no parsed entity"),
    ("<!DOCTYPE a [<!ENTITY e '<b>'>]><a>&e;</b></a>", "XYIN0001", "ends inside something"),
    ("<!DOCTYPE a [<!ENTITY e '</a>'>]><a>&e;", "XYIN0001", "began outside"),
    ("<!DOCTYPE a [<!ENTITY e '&f;'><!ENTITY f '&e;'>]><a>&e;</a>", "XYIN0001", "itself"),
    ("<!DOCTYPE a [<!ENTITY % p '%q;'>]><a/>", "XYIN0001", "parameter entity"),
    ("<!DOCTYPE a [<!ENTITY % p '<!ELEMENT'> %p; ]><a/>", "XYIN0001", "ends inside something"),
    ("<p:a/>", "XYIN0001", "prefix 'p'"),
    ("<a xmlns:p='u' xmlns:q='u' p:b='' q:b=''/>", "XYIN0001", "Q{u}b"),
    ("<a>\ufffe</a>", "XYIN0001", "#xFFFE"),
    ("<a>\x0c</a>", "XYIN0001", "#xC "),
    ('<?xml version="1.0" encoding="nonsense"?><a/>', "XYIN0007", "nonsense"),
]


@pytest.mark.parametrize(("text", "code", "words"), KINDS)
def test_kinds_of_errors(text: str, code: str, words: str) -> None:
    for plan in (ITEMS, ScanPlan((ScanStep(-1, report=Report.ITEM, keep=Keep.SUBTREE),))):
        error = records_of(Scanner(plan), [(text.encode(), False)])[2]
        assert error is not None
        assert error.startswith(code)
        assert words in error


def test_without_namespaces_a_colon_means_nothing() -> None:
    plan = ScanPlan((ScanStep(-1), ScanStep(0, uri="", local="p:a:b", report=Report.ITEM, keep=Keep.SUBTREE)))
    scanner = Scanner(plan, namespaces=False)
    records, _, error = records_of(scanner, [(b"<p:a:b xmlns:q='u' :x='1'/>", False)])
    assert error is None
    assert records == [(4, 1, " <:{}p:a:b :{}xmlns:q='u' :{}:x='1' []></>")]


def test_a_value_that_is_no_number_is_the_error_of_the_query() -> None:
    test = AttributeTest("", "n", ">", number=1.0)
    plan = ScanPlan((ScanStep(-1), ScanStep(0), ScanStep(1, report=Report.ITEM, tests=(test,))))
    scanner = Scanner(plan)
    batch = scanner.feed(b"<r><i n='2'/><i n='1'/><i/><i n=' INF '/><i n='x'/></r>")
    assert batch is not None
    assert len(batch.kinds) == 2
    with pytest.raises(DynamicError) as caught:
        scanner.feed(b"")
    assert caught.value.code == "FORG0001"


def test_a_bad_plan_is_refused() -> None:
    with pytest.raises(ValueError, match="step"):
        Scanner(ScanPlan(()))
    with pytest.raises(ValueError, match="parent"):
        Scanner(ScanPlan((ScanStep(-1), ScanStep(2), ScanStep(0))))


def test_the_lock_is_released_while_scanning() -> None:
    data = b"<r>" + b"<i a='1'>text</i>" * 400_000 + b"</r>"
    ticks = 0
    done = threading.Event()

    def work() -> None:
        read_tree(data)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    while not done.is_set():
        ticks += 1
    thread.join()
    assert ticks > 0


def test_a_fault_of_the_kernel_is_told_as_one() -> None:
    from xylem import _kernel

    error = kernel._error(_kernel.ScanError("bug", "why", 0, 0, 0, ""))
    assert isinstance(error, EngineBug)
    assert "why" in error.message
