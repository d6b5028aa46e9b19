"""The W3C XML conformance cases: what is malformed is refused, everything else is read, and read right.

The suite is not part of the project: it is looked for in `xmlconf/` of the directory XYLEM_SHARED, or of `shared/`
beside the work tree. What is left out or expected to differ stands in `xmlconf_exceptions.txt`, each with its reason.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from xylem.errors import InputError
from xylem.plan.scan_plan import Keep, Report, ScanPlan, ScanStep
from xylem.source.kernel import Scanner, is_kernel_built, read_tree
from xylem.source.xml_reader import read_document
from xylem.values.node import COMMENT, ELEMENT, PROCESSING_INSTRUCTION, TEXT
from xylem.values.tree import Tree

HERE = Path(__file__).resolve()
SHARED = Path(os.environ.get("XYLEM_SHARED", HERE.parents[3] / "shared"))
SUITE = SHARED / "xmlconf"
EXCEPTIONS = dict(
    line.split(maxsplit=1)
    for line in HERE.with_name("xmlconf_exceptions.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
)

pytestmark = [
    pytest.mark.skipif(not SUITE.is_dir(), reason="the W3C XML suite is not there: set XYLEM_SHARED"),
    pytest.mark.skipif(not is_kernel_built(), reason="the kernel was not built here"),
]


class Case(NamedTuple):
    """One case of a catalogue."""

    name: str
    kind: str
    entities: str
    path: Path
    output: Path | None
    has_namespaces: bool


def cases() -> list[Case]:
    catalogues = [path for path in sorted(SUITE.glob("*/*.xml")) if path.name.startswith(path.parent.name)]
    return [case for catalogue in catalogues for case in _cases(catalogue)]


def _cases(catalogue: Path) -> Iterator[Case]:
    """The cases of a catalogue; some are lists of elements without a root."""
    content = re.sub(rb"^<\?xml[^>]*\?>", b"", catalogue.read_bytes())
    tree = read_document(b"<cases>" + content + b"</cases>").tree
    for row in tree.elements_named(tree.names.code(ELEMENT, "", "TEST")):
        given = {str(tree.name(a)): tree.values[a] or "" for a in tree.attributes(row)}
        is_old = "EDITION" in given and "5" not in given["EDITION"]
        kind = "valid" if is_old and given["TYPE"] == "not-wf" else given["TYPE"]
        output = catalogue.parent / given["OUTPUT"] if "OUTPUT" in given else None
        path = catalogue.parent / given["URI"]
        yield Case(given["ID"], kind, given.get("ENTITIES", "none"), path, output, given.get("NAMESPACE") != "no")


CASES = cases() if SUITE.is_dir() else []


def refused(case: Case, namespaces: bool = False) -> str | None:
    """Why the case is refused, None where it is read."""
    try:
        read_tree(case.path.read_bytes(), namespaces=namespaces)
    except InputError as error:
        return f"{error.code} {error.why}"
    return None


def refused_in_pieces(case: Case, plan: ScanPlan, size: int) -> str | None:
    data = case.path.read_bytes()
    scanner = Scanner(plan, namespaces=False)
    try:
        for place in range(0, len(data), size):
            scanner.feed(data[place : place + size])
        scanner.finish()
        scanner.feed(b"")
    except InputError as error:
        return f"{error.code} {error.why}"
    return None


def named(kinds: tuple[str, ...], needs_entities: bool) -> list[object]:
    chosen = [case for case in CASES if case.kind in kinds and (case.entities != "none") == needs_entities]
    return [pytest.param(case, id=case.name) for case in chosen if case.name not in EXCEPTIONS]


@pytest.mark.parametrize("case", named(("not-wf",), needs_entities=False))
def test_what_is_malformed_is_refused(case: Case) -> None:
    assert refused(case) is not None
    assert refused(case, namespaces=True) is not None


@pytest.mark.parametrize("case", named(("valid", "invalid"), needs_entities=False))
def test_everything_else_is_read(case: Case) -> None:
    assert refused(case) is None
    if case.has_namespaces:
        assert refused(case, namespaces=True) is None
    if case.output is not None and case.kind == "valid":
        expected = case.output.read_bytes().decode("utf-8")
        tree = read_tree(case.path.read_bytes(), namespaces=False)
        assert canonical(tree) == without_doctype(expected)


@pytest.mark.parametrize("case", named(("valid", "invalid"), needs_entities=True))
def test_what_needs_external_entities_is_read_or_says_so(case: Case) -> None:
    why = refused(case)
    assert why is None or "XYIN0008" in why or "an external DTD is not read" in why


@pytest.mark.parametrize(
    "case", named(("not-wf", "error"), needs_entities=True) + named(("error",), needs_entities=False)
)
def test_the_rest_ends_in_a_tree_or_an_error(case: Case) -> None:
    refused(case)


SKIPS = ScanPlan((ScanStep(-1), ScanStep(0, local="no-such-element", report=Report.ITEM)))
KEEPS = ScanPlan((ScanStep(-1, report=Report.ITEM, keep=Keep.SUBTREE),), comments=True)


@pytest.mark.parametrize("plan", [SKIPS, KEEPS], ids=["skips", "keeps"])
@pytest.mark.parametrize("size", [1, 7, 100_000])
def test_pieces_and_plans_change_nothing(plan: ScanPlan, size: int) -> None:
    for case in CASES:
        if case.path.exists():
            assert refused_in_pieces(case, plan, size) == refused(case), case.name


def test_exceptions_are_cases() -> None:
    assert set(EXCEPTIONS) <= {case.name for case in CASES}


# --- the canonical form of the suite (xmltest/canonxml.html, sun/cxml.html)

_ESCAPES = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}
)


def canonical(tree: Tree) -> str:
    return "".join(_canonical(tree, row) for row in tree.children(0))


def _canonical(tree: Tree, row: int) -> str:
    kind, value = tree.kind(row), tree.values[row] or ""
    if kind == TEXT:
        return value.translate(_ESCAPES)
    if kind == COMMENT:
        return ""
    name = str(tree.name(row))
    if kind == PROCESSING_INSTRUCTION:
        return f"<?{name} {value}?>"
    given = sorted((str(tree.name(a)), (tree.values[a] or "").translate(_ESCAPES)) for a in tree.attributes(row))
    attributes = "".join(f' {attribute}="{text}"' for attribute, text in given)
    content = "".join(_canonical(tree, child) for child in tree.children(row))
    return f"<{name}{attributes}>{content}</{name}>"


def without_doctype(expected: str) -> str:
    """The second form lists the notations too, which the data model does not have."""
    return re.sub(r"<!DOCTYPE [^\[]*\[.*?\]>\n?", "", expected, flags=re.DOTALL)
