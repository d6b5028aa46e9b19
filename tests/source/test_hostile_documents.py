"""Small documents made to take much memory or time: each reader refuses them, or reads them in a time that fits them.

A document of a megabyte stays below 500 MB and ten seconds by default, in a tree and in a stream.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from xylem.errors import InputError
from xylem.plan.scan_plan import Keep, Report, ScanPlan, ScanStep
from xylem.source.kernel import Scanner, is_kernel_built
from xylem.source.limits import Limits
from xylem.source.python_scanner import PythonScanner
from xylem.source.xml_reader import read_document

CHILDREN = ScanPlan((ScanStep(-1), ScanStep(0), ScanStep(1, report=Report.ITEM, keep=Keep.SUBTREE)))
NOTHING = ScanPlan((ScanStep(-1), ScanStep(0, local="none", report=Report.ITEM)))
PIECE = 65_536
SECONDS = 30.0
"""For what takes less than two, on a machine that is busy; quadratic, it would take minutes."""

Reader = Callable[[bytes, Limits], None]


def by_scanner(kind: type[Scanner] | type[PythonScanner], plan: ScanPlan) -> Reader:
    def read(document: bytes, limits: Limits) -> None:
        scanner = kind(plan, limits)
        for start in range(0, len(document), PIECE):
            scanner.feed(document[start : start + PIECE])
        scanner.finish()

    return read


def by_tree(reader: str) -> Reader:
    return lambda document, limits: void(read_document(document, limits=limits, reader=reader))


def void(_: object) -> None:
    pass


READERS: dict[str, Reader] = {"tree": by_tree("python"), "scan": by_scanner(PythonScanner, CHILDREN)}
if is_kernel_built():
    READERS |= {
        "kernel tree": by_tree("kernel"),
        "kernel scan": by_scanner(Scanner, CHILDREN),
        "kernel scan of nothing": by_scanner(Scanner, NOTHING),
    }


@pytest.fixture(params=READERS)
def read(request: pytest.FixtureRequest) -> Reader:
    return READERS[request.param]


def with_defaults(name: str, count: int, elements: str) -> bytes:
    rules = " ".join(f'{name}{number} CDATA "v"' for number in range(count))
    return f"<!DOCTYPE r [<!ATTLIST e {rules}>]><r>{elements}</r>".encode()


@pytest.mark.parametrize("name", ["a", "xmlns:a"])
def test_defaults_of_attributes_are_expansion(read: Reader, name: str) -> None:
    with pytest.raises(InputError, match=r"XYIN0004.*expanded characters: \d+ where 1000000 are allowed.*at line 1"):
        read(with_defaults(name, 990, "<e/>" * 5_000), Limits())


def test_defaults_that_ordinary_documents_have_are_not(read: Reader) -> None:
    limits = Limits(expanded_characters=1_000)
    read(with_defaults("attribute", 2, "<e>some text beside them</e>" * 2_000), limits)
    given = " ".join(f"a{number}='w'" for number in range(50))
    read(with_defaults("a", 50, f"<e {given}/>" * 200), limits)


@pytest.mark.parametrize("rule", ['CDATA ""', "CDATA #IMPLIED", "ID #IMPLIED"])
def test_attributes_declared_for_one_element_are_limited(read: Reader, rule: str) -> None:
    declared = [f"<!ATTLIST r a{number} {rule}>" for number in range(1_001)]
    with pytest.raises(InputError, match=r"XYIN0004.*attributes: 1001 where 1000 are allowed"):
        read(f"<!DOCTYPE r [{''.join(declared)}]><r/>".encode(), Limits())
    repeated = "a CDATA #IMPLIED " * 1_001
    with pytest.raises(InputError, match=r"XYIN0004.*attributes: 1001 where 1000 are allowed"):
        read(f"<!DOCTYPE r [<!ATTLIST r {repeated}>]><r/>".encode(), Limits())


def test_entities_in_defaults_are_expansion(read: Reader) -> None:
    declared = "".join(f'<!ATTLIST e{number} a CDATA "&e;&e;&e;">' for number in range(20))
    with pytest.raises(InputError, match=r"XYIN0004.*expan"):
        read(f"<!DOCTYPE r [<!ENTITY e '{'x' * 50_000}'>{declared}]><r/>".encode(), Limits())


@pytest.mark.parametrize("place", ["<r>&e0;</r>", "<r a='&e0;'/>"])
def test_long_chains_of_entities(read: Reader, place: str) -> None:
    def chain(length: int) -> bytes:
        links = "".join(f"<!ENTITY e{number} '&e{number + 1};'>" for number in range(length))
        return f"<!DOCTYPE r [{links}<!ENTITY e{length} 'x'>]>{place}".encode()

    read(chain(1_000), Limits())
    with pytest.raises(InputError, match=r"XYIN0004.*entities that refer to others: 1001 where 1000 are allowed"):
        read(chain(40_000), Limits())


MANY = 30_000
LONG = {
    "elements with attributes": "".join(f"<!ATTLIST e{number} a CDATA ''>" for number in range(MANY)),
    "entities": "".join(f"<!ENTITY e{number} ''>" for number in range(MANY)),
    "one entity": "<!ENTITY e ''>" * MANY,
    "notations": "".join(f"<!NOTATION n{number} PUBLIC ''>" for number in range(MANY)),
    "a long content model": f"<!ELEMENT r (a{',a' * 300_000})>",
    "a deep content model": f"<!ELEMENT r {'(' * 300_000}a{')' * 300_000}>",
    "a long enumeration": f"<!ATTLIST r a (a{'|a' * 300_000}) #IMPLIED>",
}


@pytest.mark.parametrize("subset", LONG.values(), ids=LONG)
def test_long_document_types_are_read_in_one_go(read: Reader, subset: str) -> None:
    began = time.process_time()
    read(f"<!DOCTYPE r [{subset}]><r/>".encode(), Limits())
    assert time.process_time() - began < SECONDS


@pytest.mark.skipif(not is_kernel_built(), reason="the kernel was not built here")
def test_the_kernel_finds_declared_attributes_by_name() -> None:
    declared = "".join(f"<!ATTLIST r a{number} CDATA #IMPLIED>" for number in range(100_000))
    began = time.process_time()
    READERS["kernel tree"](f"<!DOCTYPE r [{declared}]><r>{'<r/>' * 100_000}</r>".encode(), Limits(attributes=200_000))
    assert time.process_time() - began < SECONDS


def test_namespaces_in_scope_are_not_copied(read: Reader) -> None:
    nested = "".join(f"<a xmlns:p{number}='u'>" for number in range(5_000)) + "</a>" * 5_000
    many = " ".join(f"xmlns:p{number}='u'" for number in range(990))
    children = "".join(f"<a xmlns:q='{number}'/>" for number in range(5_000))
    beside = f"<r {many}>{children}</r>"
    began = time.process_time()
    for document in (nested, beside):
        read(document.encode(), Limits())
    assert time.process_time() - began < SECONDS


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("coding", ["utf-8", "utf-16-be"])
def test_an_encoding_name_without_end(read: Reader, mark: str, coding: str) -> None:
    declaration = f"{mark}<?xml version='1.0' encoding='{'x' * 1_000_000}'?><r/>"
    with pytest.raises(InputError, match="XYIN0007") as caught:
        read(declaration.encode(coding), Limits())
    assert len(str(caught.value)) < 500


def test_a_declaration_that_is_long_but_ends(read: Reader) -> None:
    read(f"<?xml version='1.0'{' ' * 3_000}encoding='utf-8'?><r/>".encode(), Limits())
    read(f"<?xml-stylesheet {'x' * 9_000}?><r/>".encode(), Limits())
    with pytest.raises(InputError, match=r"XYIN0007.*an XML declaration of more than 4096 bytes"):
        read(f"<?xml version='1.0'{' ' * 5_000}encoding='utf-8'?><r/>".encode(), Limits())
