"""fn:load-xquery-module and fn:transform."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from xylem.errors import DynamicError, StaticError
from xylem.functions.context import Context
from xylem.functions.module_functions import load_xquery_module, transform
from xylem.values.function_item import FunctionItem
from xylem.values.map import XMap
from xylem.values.qname import QName
from xylem.values.sequence_type import ANY_SEQUENCE

NAME = QName("urn:m", "f", "m")


def test_variables_and_functions_by_name(ctx: Context) -> None:
    calls: list[Any] = []
    functions = [FunctionItem(NAME, (ANY_SEQUENCE,) * n, ANY_SEQUENCE, list) for n in (0, 2)]

    def load(*arguments: Any) -> Any:
        calls.append(arguments)
        return [(NAME, (7,))], functions

    ctx.run.load_module = load
    variables = XMap.of([(NAME, (1, 2))])
    options = XMap.of([("location-hints", ("a.xqm",)), ("variables", (variables,)), ("context-item", (5,))])
    loaded = load_xquery_module(ctx, "urn:m", options)
    assert calls == [("urn:m", ["a.xqm"], 5, {("urn:m", "f"): (1, 2)})]
    (found,) = loaded.get("variables") or ()
    assert found.get(NAME) == (7,)
    (tables,) = loaded.get("functions") or ()
    assert list(tables.get(NAME)[0].keys()) == [0, 2]


@pytest.mark.parametrize(
    ("uri", "options", "code"),
    [
        ("", {}, "FOQM0001"),
        ("urn:m", {"xquery-version": (Decimal("9.9"),)}, "FOQM0006"),
        ("urn:m", {"location-hints": (1,)}, "XPTY0004"),
        ("urn:m", {"variables": (XMap.of([("a", ())]),)}, "XPTY0004"),
        ("urn:m", {}, "FOQM0003"),
    ],
)
def test_refused(ctx: Context, uri: str, options: dict[str, Any], code: str) -> None:
    def load(*arguments: Any) -> Any:
        raise StaticError("XPST0003")

    ctx.run.load_module = load
    with pytest.raises(DynamicError) as caught:
        load_xquery_module(ctx, uri, XMap.of(options.items()))
    assert caught.value.code == code


def test_there_is_no_xslt() -> None:
    with pytest.raises(DynamicError) as caught:
        transform(XMap())
    assert caught.value.code == "FOXT0001"
