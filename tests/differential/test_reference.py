"""The corpus and XMark give what the reference gives: the tree evaluator with every rule off."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import xylem
from xylem.api import Query
from xylem.bench.xmark_queries import query as xmark_query

from tests.reference import reference

from .test_corpus import cases


@cache
def tree(path: Path) -> Any:
    return xylem.parse(path)


def answer(make: Callable[[str], Query], text: str, document: Any) -> str:
    try:
        return make(text).run(context=document).serialize(method="adaptive")
    except xylem.XylemError as error:
        return f"error {error.code}"


@pytest.mark.parametrize(("query", "document"), list(cases()))
def test_corpus(query: str, document: str | None, document_path: Callable[[str], Path]) -> None:
    given = None if document is None else tree(document_path(document))
    assert answer(xylem.compile, query, given) == answer(reference, query, given)


@pytest.mark.parametrize("number", range(1, 21))
def test_xmark(number: int, document_path: Callable[[str], Path]) -> None:
    given = tree(document_path("auction"))
    text = xmark_query(number)
    assert answer(xylem.compile, text, given) == answer(reference, text, given)
