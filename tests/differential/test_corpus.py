"""A corpus of small queries gives the same answers, or the same errors, as an independent processor.

The files in `queries/` hold one family of queries each. `(: document: NAME :)` at the top names the document that is
the context item; each query follows a line `(:~ what it is about :)`. Nothing but XQuery 3.1 of the basic conformance
stands there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import xylem
from xylem.bench.answers import canonical
from xylem.bench.peers import Saxon

QUERIES = Path(__file__).parent / "queries"
_CODE = re.compile(r"\b[A-Z]{4}[0-9]{4}\b")
_DOCUMENT = re.compile(r"\(: document: (\w+) :\)")


def cases() -> Iterator[Any]:
    for file in sorted(QUERIES.glob("*.xq")):
        head, *parts = re.split(r"^\(:~ (.*?) :\)", file.read_text("utf-8"), flags=re.MULTILINE)
        named = _DOCUMENT.search(head)
        for name, query in zip(parts[::2], parts[1::2], strict=True):
            yield pytest.param(query.strip(), named[1] if named else None, id=f"{file.stem}: {name}")


@pytest.fixture(scope="module")
def trees(saxon: Saxon, document_path: Callable[[str], Path]) -> Callable[[str], tuple[Any, Any]]:
    """A document as each of the two holds it."""

    @cache
    def both(name: str) -> tuple[Any, Any]:
        return xylem.parse(document_path(name)), saxon.parse(document_path(name))

    return both


def _ours(query: str, document: Any) -> str:
    try:
        return xylem.compile(query).run(context=document).serialize(method="adaptive")
    except xylem.XylemError as error:
        return f"error {error.code}"


def _theirs(saxon: Saxon, query: str, document: Any) -> str:
    from saxonche import PySaxonApiError

    try:
        return saxon.answer(query, document, **{"method": "adaptive", "omit-xml-declaration": "yes"})
    except PySaxonApiError as error:
        code = [found for found in _CODE.findall(str(error)) if not found.startswith("SXWN")]
        return f"error {code[0]}" if code else str(error)


@pytest.mark.parametrize(("query", "document"), list(cases()))
def test_same_answer(query: str, document: str | None, saxon: Saxon, trees: Callable[[str], tuple[Any, Any]]) -> None:
    ours, theirs = trees(document) if document else (None, None)
    assert canonical(_ours(query, ours)) == canonical(_theirs(saxon, query, theirs))
