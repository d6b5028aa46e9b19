"""The catalogue is in order, and whatever the code raises is in it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from xylem.errors import CATALOGUE, DynamicError, SourceText, Span
from xylem.errors.page import FAMILIES, page

ROOT = Path(__file__).resolve().parents[2]
CODE = re.compile(r'"((?:XP|XQ|XY|FO|SE)[A-Z]{2,3}\d{4})"')


def test_is_sorted_and_without_duplicates() -> None:
    assert list(CATALOGUE) == sorted(CATALOGUE)
    source = (ROOT / "python/xylem/errors/catalogue.py").read_text(encoding="utf-8")
    written = re.findall(r'^    "(\w+)": Entry', source, re.MULTILINE)
    assert len(written) == len(set(written)) == len(CATALOGUE)


def test_every_entry_is_a_sentence_of_ours() -> None:
    for code, entry in CATALOGUE.items():
        assert entry.title, code
        assert not entry.title.endswith("."), code
        assert not re.match(r"It is a (static|dynamic|type) error", entry.title), code


def test_every_code_in_the_source_is_listed() -> None:
    unknown = {
        (path.relative_to(ROOT).as_posix(), code)
        for path in (ROOT / "python/xylem").rglob("*.py")
        for code in CODE.findall(path.read_text(encoding="utf-8"))
        if code not in CATALOGUE
    }
    assert not unknown


def test_every_entry_is_on_the_page() -> None:
    text = page()
    assert all(f"| `{code}` |" in text for code in CATALOGUE)
    assert all(code.startswith(tuple(start for start, _ in FAMILIES)) for code in CATALOGUE)


def test_the_page_is_up_to_date() -> None:
    assert (ROOT / "docs/errors.md").read_text(encoding="utf-8") == page(), "run `make docs`"


def test_an_error_shows_its_place_and_a_way_out() -> None:
    source = SourceText("1 +\n  $boook", "orders.xq")
    error = DynamicError("XPST0008", "$boook", span=Span(6, 12, source), hint="did you mean $book?")
    assert error.render().splitlines() == [
        "XPST0008 at orders.xq:2:3: the name is not declared: $boook",
        "    2 |   $boook",
        "      |   ^^^^^^",
        "  hint: did you mean $book?",
    ]


@pytest.mark.parametrize("code", ["Q{http://example.com/}oops", "NOTLISTED"])
def test_codes_of_queries_need_no_entry(code: str) -> None:
    assert str(DynamicError(code, "as the query says")) == f"{code}: as the query says"
