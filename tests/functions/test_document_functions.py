"""fn:doc and its like, texts, and XML in strings."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from xylem.errors import XylemError
from xylem.functions import document_functions as fn
from xylem.functions.context import Context, RunPart, StaticPart
from xylem.source.resources import FileResources
from xylem.values.datetimes import DateTime
from xylem.values.node import DOCUMENT


@pytest.fixture
def ctx() -> Context:
    resources = FileResources()
    resources.add_document("http://h/d/a.xml", b"<a/>")
    resources.add_document("http://h/d/bad.xml", b"<a>")
    resources.add_collection("http://h/d/c", [1, 2])
    resources.add_text("http://h/d/t.txt", b"one\r\ntwo\rthree\n\n")
    resources.add_text("http://h/d/empty.txt", b"")
    now = DateTime.from_python(datetime(2024, 1, 1, tzinfo=UTC))
    return Context(StaticPart(base_uri="http://h/d/query.xq"), RunPart(resources, now))


def code_of(call: Callable[[], Any]) -> str:
    with pytest.raises(XylemError) as caught:
        call()
    return caught.value.code


def test_documents(ctx: Context) -> None:
    found = fn.doc(ctx, "a.xml")
    assert found is fn.doc(ctx, "http://h/d/a.xml")
    assert found is not None
    assert found.document_uri == "http://h/d/a.xml"
    assert fn.doc(ctx, None) is None
    assert code_of(lambda: fn.doc(ctx, "none.xml")) == "FODC0002"
    assert code_of(lambda: fn.doc(ctx, "bad.xml")) == "FODC0002"
    assert code_of(lambda: fn.doc(ctx, "%gg")) == "FODC0005"
    assert [fn.doc_available(ctx, uri) for uri in ("a.xml", "bad.xml", "none.xml", "%", None)] == [True, *[False] * 4]


def test_collections(ctx: Context) -> None:
    assert fn.collection(ctx, "c") == [1, 2]
    assert code_of(lambda: fn.collection(ctx)) == "FODC0002"
    assert code_of(lambda: fn.collection(ctx, "%")) == "FODC0004"
    assert fn.uri_collection(ctx, "c") == []


def test_texts(ctx: Context) -> None:
    assert fn.unparsed_text(ctx, "t.txt") == "one\r\ntwo\rthree\n\n"
    assert list(fn.unparsed_text_lines(ctx, "t.txt")) == ["one", "two", "three", ""]
    assert list(fn.unparsed_text_lines(ctx, "empty.txt")) == []
    assert fn.unparsed_text(ctx, None) is None
    assert code_of(lambda: fn.unparsed_text(ctx, "t.txt#f")) == "FOUT1170"
    assert code_of(lambda: fn.unparsed_text(ctx, "none.txt")) == "FOUT1170"
    assert code_of(lambda: fn.unparsed_text(ctx, "t.txt", "nonsense")) == "FOUT1190"
    assert [fn.unparsed_text_available(ctx, uri) for uri in ("t.txt", "none.txt", None)] == [True, False, False]


def test_xml_in_strings(ctx: Context) -> None:
    made = fn.parse_xml(ctx, '<?xml version="1.0" encoding="utf-16"?><a>é</a>')
    assert made is not None
    assert (made.kind, made.string_value, made.base_uri, made.document_uri) == (
        DOCUMENT,
        "é",
        "http://h/d/query.xq",
        None,
    )
    assert code_of(lambda: fn.parse_xml(ctx, "<a>")) == "FODC0006"
    assert code_of(lambda: fn.parse_xml(ctx, "<!DOCTYPE a [<!ENTITY e SYSTEM 'x'>]><a>&e;</a>")) == "FODC0006"
    fragment = fn.parse_xml_fragment(ctx, "x<a/>y<b/>")
    assert fragment is not None
    assert len(fragment.tree.children(0)) == 4
    assert code_of(lambda: fn.parse_xml_fragment(ctx, "<a>")) == "FODC0006"
