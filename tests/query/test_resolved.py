"""What a query says with its names resolved can be asked for first, before anything else of it is made."""

from __future__ import annotations

import pytest
from xylem.functions.registry import FN
from xylem.pipeline import StaticEnvironment
from xylem.query.compiled_query import CompiledQuery
from xylem.syntax import ast


@pytest.mark.timeout(60)
def test_asked_first() -> None:
    query = CompiledQuery(f"declare namespace f = '{FN}'; f:true()", StaticEnvironment())
    resolved = query.resolved
    assert isinstance(resolved, ast.MainModule)
    assert isinstance(resolved.body, ast.FunctionCall)
    assert resolved.body.name.expanded == (FN, "true")
    assert query.resolved is resolved
