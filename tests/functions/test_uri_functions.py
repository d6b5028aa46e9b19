"""fn: functions on URIs."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from xylem.errors import DynamicError
from xylem.functions import uri_functions as fn
from xylem.functions.context import Context
from xylem.values.strings import AnyURI


def test_escaping() -> None:
    assert fn.encode_for_uri("100% organic/é~b-c_d.e") == "100%25%20organic%2F%C3%A9~b-c_d.e"
    assert fn.iri_to_uri('http://www.example.com/00/Weather/CA/Los%20Angeles#océan <>"{}|\\^`') == (
        "http://www.example.com/00/Weather/CA/Los%20Angeles#oc%C3%A9an%20%3C%3E%22%7B%7D%7C%5C%5E%60"
    )
    assert fn.escape_html_uri("javascript:if (x<1) 'Ç'\n") == "javascript:if (x<1) '%C3%87'%0A"
    assert fn.encode_for_uri(None) == fn.iri_to_uri(None) == fn.escape_html_uri(None) == ""


def test_resolve_uri(ctx: Context, make_context: Callable[..., Context]) -> None:
    resolved = fn.resolve_uri(ctx, "b.html", "http://www.example.com/a.html?foo=bar")
    assert resolved == "http://www.example.com/b.html"
    assert type(resolved) is AnyURI
    assert fn.resolve_uri(ctx, None) is None
    assert fn.resolve_uri(ctx, "urn:isbn:1", "not absolute") == "urn:isbn:1"
    assert fn.resolve_uri(make_context(base_uri="http://www.example/"), "") == "http://www.example/"


@pytest.mark.parametrize(
    ("reference", "base", "code"),
    [
        (":", "http://a/", "FORG0002"),
        ("b", "http:%%", "FORG0002"),
        ("b", "a/b", "FORG0002"),
        ("b", "http://a/#f", "FORG0002"),
        ("b", "urn:isbn:1", "FORG0002"),
        ("b", None, "FONS0005"),
    ],
)
def test_what_cannot_be_resolved(ctx: Context, reference: str, base: str | None, code: str) -> None:
    with pytest.raises(DynamicError, match=code):
        fn.resolve_uri(ctx, reference, base)
