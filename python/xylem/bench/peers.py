"""The processors that are measured, behind one small interface: parse a document, answer a query over it.

A query's time is the time to compile it, to evaluate it and to write the result as text, for each of them alike;
parsing stands apart. A peer that is not installed is left out, and the report says so.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol


class Peer(Protocol):
    """A processor of XQuery."""

    name: str
    version: str

    def parse(self, path: Path) -> Any:
        """The document as this processor holds it in memory."""

    def answer(self, query: str, document: Any) -> str:
        """The result as text, the document being the context item."""


class Xylem:
    """This engine, evaluating over a whole tree."""

    name = "Xylem"

    def __init__(self) -> None:
        from xylem.version import VERSION

        self.version = VERSION

    def parse(self, path: Path) -> Any:
        from xylem import api

        return api.parse(path)

    def answer(self, query: str, document: Any) -> str:
        from xylem import api

        return api.compile(query).run(context=document).serialize()


class Saxon:
    """SaxonC-HE, Saxon compiled to machine code, from the `saxonche` package."""

    name = "Saxon"

    def __init__(self) -> None:
        from saxonche import PySaxonProcessor

        self._processor = PySaxonProcessor(license=False)
        self.version = str(self._processor.version)

    def parse(self, path: Path) -> Any:
        return self._processor.new_document_builder().parse_xml(xml_file_name=str(path))

    def parse_text(self, text: str) -> Any:
        """The document that a text is."""
        return self._processor.new_document_builder().parse_xml(xml_text=text)

    def answer(self, query: str, document: Any = None, **parameters: str) -> str:
        """The result as text; parameters are those of serialization, such as `method`."""
        processor = self._processor.new_xquery_processor()
        for name, value in parameters.items():
            processor.set_property(f"!{name}", value)
        if document is not None:
            processor.set_context(xdm_item=document)
        processor.set_query_content(query)
        return processor.run_query_to_string() or ""


def installed_peers() -> list[Peer]:
    """Xylem first, then those of the others that are there."""
    peers: list[Peer] = [Xylem()]
    with suppress(ImportError):
        peers.append(Saxon())
    return peers
