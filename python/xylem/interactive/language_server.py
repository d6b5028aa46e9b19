"""`xylem language-server`: XQuery in editors that speak the Language Server Protocol, over standard input and output.

Diagnostics are the errors of `xylem check`, with their hints. Hover shows the notes of `xylem explain` on the line:
what streams, what is folded, what is held. Completion offers variables, functions with their signatures, and keywords.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

from xylem.errors.optional_package import optional_package
from xylem.version import VERSION

from .diagnostics import Diagnostic, Place, checked, line_notes
from .name_completion import suggestions, word_before


def folder_of(uri: str) -> list[Path]:
    """The directory of a query's library modules: its own."""
    parsed = urlparse(uri)
    return [Path(unquote(parsed.path)).parent] if parsed.scheme == "file" else []


def diagnostics(text: str, uri: str) -> list[Diagnostic]:
    """The error of a text, if it has one."""
    found = checked(text, uri, base_uri=uri, module_folders=folder_of(uri))
    return [] if found is None else [found]


def hover(text: str, uri: str, line: int) -> str | None:
    """The notes on a line, in Markdown; lines count from 1."""
    notes = line_notes(text, uri, base_uri=uri, module_folders=folder_of(uri))
    here = [note for note in notes if note.place.line <= line <= note.place.end_line]
    nearest = [note for note in here if note.place.line == line] or here[-1:]
    return "\n\n".join(f"**{note.effect}** {note.text}" for note in nearest) or None


def serve() -> None:
    """Answer an editor until it closes the connection."""
    optional_package("pygls", "lsp")
    _server().start_io()


def _server() -> Any:
    from lsprotocol import types as lsp
    from pygls.lsp.server import LanguageServer

    server = LanguageServer("xylem", VERSION)

    def publish(uri: str) -> None:
        text = server.workspace.get_text_document(uri).source
        found = [
            lsp.Diagnostic(
                range=_range(lsp, one.place),
                message=one.message + (f"\nhint: {one.hint}" if one.hint else ""),
                code=one.code,
                severity=lsp.DiagnosticSeverity.Error,
                source="xylem",
            )
            for one in diagnostics(text, uri)
        ]
        server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri=uri, diagnostics=found))

    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    def _opened(params: lsp.DidOpenTextDocumentParams) -> None:
        publish(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def _changed(params: lsp.DidChangeTextDocumentParams) -> None:
        publish(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    def _hover(params: lsp.HoverParams) -> lsp.Hover | None:
        uri = params.text_document.uri
        told = hover(server.workspace.get_text_document(uri).source, uri, params.position.line + 1)
        return None if told is None else lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, told))

    @server.feature(lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions(trigger_characters=["$", ":"]))
    def _completion(params: lsp.CompletionParams) -> list[lsp.CompletionItem]:
        document = server.workspace.get_text_document(params.text_document.uri)
        line = document.source.split("\n")[params.position.line]
        before = line[: params.position.character]
        start = lsp.Position(params.position.line, params.position.character - len(word_before(before)))
        kinds = {
            "variable": lsp.CompletionItemKind.Variable,
            "function": lsp.CompletionItemKind.Function,
            "keyword": lsp.CompletionItemKind.Keyword,
        }
        return [
            lsp.CompletionItem(
                label=one.text,
                kind=kinds.get(one.kind),
                detail=one.detail or None,
                text_edit=lsp.TextEdit(lsp.Range(start, params.position), one.text),
            )
            for one in suggestions(before, document.source)
        ]

    return server


def _range(lsp: Any, place: Place | None) -> Any:
    if place is None:
        return lsp.Range(lsp.Position(0, 0), lsp.Position(0, 1))
    is_empty = (place.end_line, place.end_column) == (place.line, place.column)
    start = lsp.Position(place.line - 1, place.column - 1)
    return lsp.Range(start, lsp.Position(place.end_line - 1, place.end_column - (0 if is_empty else 1)))
