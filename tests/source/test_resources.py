"""Documents, texts and collections: registered or from allowed places, the same each time, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from xylem.errors import XylemError
from xylem.source.resources import FileResources
from xylem.source.xml_reader import read_document


def code_of(call: Callable[[], Any]) -> str:
    with pytest.raises(XylemError) as caught:
        call()
    return caught.value.code


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "b.xml").write_text("<b/>")
    (tmp_path / "in" / "a.xml").write_text("<a/>")
    (tmp_path / "in" / "t.txt").write_bytes("é\r\nx".encode())
    (tmp_path / "in" / "bad.xml").write_text("<a>")
    (tmp_path / "in" / "deep").mkdir()
    (tmp_path / "in" / "deep" / "c.xml").write_text("<c/>")
    (tmp_path / "out.xml").write_text("<out/>")
    return tmp_path


def test_files_of_allowed_directories_are_read_once(folder: Path) -> None:
    resources = FileResources(allow=[folder / "in"])
    uri = (folder / "in" / "a.xml").as_uri()
    node = resources.document(uri)
    assert node.document_uri == uri
    assert resources.document(uri) is node


def test_nothing_else_is_read(folder: Path) -> None:
    resources = FileResources(allow=[folder / "in"])
    for uri in (
        (folder / "out.xml").as_uri(),
        (folder / "in").as_uri() + "/../out.xml",
        (folder / "in").as_uri() + "/%2e%2e/out.xml",
        (folder / "in" / "none.xml").as_uri(),
        "http://example.com/a.xml",
        "file://elsewhere/a.xml",
        "a.xml",
        "file:///%00",
    ):
        assert code_of(lambda uri=uri: resources.document(uri)) == "FODC0002"
        assert code_of(lambda uri=uri: resources.text(uri, None)) == "FOUT1170"
        assert code_of(lambda uri=uri: resources.module_text(uri)) == "XQST0059"
    (folder / "in" / "link.xml").symlink_to(folder / "out.xml")
    assert code_of(lambda: resources.document((folder / "in" / "link.xml").as_uri())) == "FODC0002"
    assert code_of(lambda: FileResources().document((folder / "in" / "a.xml").as_uri())) == "FODC0002"


def test_malformed_documents(folder: Path) -> None:
    resources = FileResources(allow=[folder])
    assert code_of(lambda: resources.document((folder / "in" / "bad.xml").as_uri())) == "FODC0002"


def test_registered_documents() -> None:
    resources = FileResources()
    node = read_document("<a/>")
    resources.add_document("urn:a", node)
    resources.add_document("urn:b", b"<b/>")
    assert resources.document("urn:a") is node
    assert resources.document("urn:b") is resources.document("urn:b")
    assert resources.document("urn:b").document_uri == "urn:b"


def test_collections(folder: Path) -> None:
    resources = FileResources(allow=[folder / "in"])
    assert code_of(lambda: resources.collection(None)) == "FODC0002"
    assert code_of(lambda: resources.collection("urn:none")) == "FODC0002"
    resources.add_collection(None, [1, "x"])
    resources.add_collection("urn:c", lambda: [read_document("<a/>", "urn:a")])
    assert resources.collection(None) == [1, "x"]
    assert resources.collection("urn:c") == resources.collection("urn:c")
    assert resources.collection_uris("urn:c") == ["urn:a"]
    base = (folder / "in").as_uri()
    found = resources.collection_uris(base + "/?select=[ab].xml;recurse=yes")
    assert [Path(uri).name for uri in found] == ["a.xml", "b.xml"]
    found = resources.collection_uris(base + "?select=?.xml;recurse=yes")
    assert [Path(uri).name for uri in found] == ["a.xml", "b.xml", "c.xml"]
    assert resources.collection(base + "?select=a.xml") == [resources.document(base + "/a.xml")]


def test_texts(folder: Path) -> None:
    resources = FileResources(allow=[folder])
    uri = (folder / "in" / "t.txt").as_uri()
    assert resources.text(uri, None) == "é\r\nx"
    assert resources.text(uri, "iso-8859-1") == "Ã©\r\nx"
    assert code_of(lambda: resources.text(uri, "us-ascii")) == "FOUT1190"
    assert code_of(lambda: resources.text(uri, "nonsense")) == "FOUT1190"
    assert code_of(lambda: resources.text(uri, "12")) == "FOUT1190"
    resources.add_text("urn:1", b"\xe9")
    assert code_of(lambda: resources.text("urn:1", None)) == "FOUT1200"
    resources.add_text("urn:3", "é".encode("utf-16"))
    assert resources.text("urn:3", None) == "é"
    resources.add_text("urn:4", b"\xe9", "iso-8859-1")
    assert resources.text("urn:4", "utf-8") == "é"
    declared = b'<?xml version="1.0" encoding="iso-8859-1"?><a>\xe9</a>'
    resources.add_text("urn:5", declared, media_type="application/xml")
    assert "é" in resources.text("urn:5", None)


def test_external_entities_only_on_demand(folder: Path) -> None:
    (folder / "e.txt").write_text("inside")
    document = f'<!DOCTYPE a [<!ENTITY e SYSTEM "{(folder / "e.txt").as_uri()}">]><a>&e;</a>'
    (folder / "x.xml").write_text(document)
    uri = (folder / "x.xml").as_uri()
    assert code_of(lambda: FileResources(allow=[folder]).document(uri)) == "FODC0002"
    assert FileResources(allow=[folder], read_external_entities=True).document(uri).string_value == "inside"
    assert code_of(lambda: FileResources([folder / "x.xml"], read_external_entities=True).document(uri)) == "FODC0002"
