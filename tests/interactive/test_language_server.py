"""The language server as an editor meets it: a process, messages, diagnostics with exact ranges, hover, completion."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from xylem.interactive.language_server import hover

pytest.importorskip("pygls")
ROOT = Path(__file__).parents[2]
URI = "file:///tmp/q.xq"


class Editor:
    """Speaks the protocol with a server."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._number = 0

    def leave(self) -> tuple[int, bytes]:
        """Close the connection as the protocol says: the exit code, and what the server said on standard error."""
        self.send("shutdown", None)
        self.send("exit", None, is_request=False)
        _, told = self._process.communicate(timeout=30)
        return self._process.returncode, told

    def send(self, method: str, params: Any, *, is_request: bool = True) -> Any:
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params}
        if is_request:
            self._number += 1
            message["id"] = self._number
        data = json.dumps(message).encode()
        assert self._process.stdin is not None
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(data), data))
        self._process.stdin.flush()
        return self.receive(lambda told: told.get("id") == self._number)["result"] if is_request else None

    def receive(self, is_wanted: Any) -> dict[str, Any]:
        out = self._process.stdout
        assert out is not None
        while True:
            length = 0
            while (line := out.readline()) not in (b"\r\n", b""):
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            told: dict[str, Any] = json.loads(out.read(length))
            if is_wanted(told):
                return told


@pytest.fixture
def editor() -> Iterator[Editor]:
    process = subprocess.Popen(
        [sys.executable, "-m", "xylem", "language-server"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT / "python")},
    )
    yield Editor(process)
    process.kill()
    process.communicate()


def test_an_editor(editor: Editor) -> None:
    told = editor.send("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
    assert told["capabilities"]["hoverProvider"]
    editor.send("initialized", {}, is_request=False)
    text = "for $page in //page\norder by $page/title\nreturn $pag"
    document = {"uri": URI, "languageId": "xquery", "version": 1, "text": text}
    editor.send("textDocument/didOpen", {"textDocument": document}, is_request=False)
    (found,) = _published(editor)
    assert found["code"] == "XPST0008"
    assert found["range"] == {"start": {"line": 2, "character": 7}, "end": {"line": 2, "character": 11}}
    assert "did you mean $page?" in found["message"]
    place = {"textDocument": {"uri": URI}, "position": {"line": 2, "character": 11}}
    names = [one["label"] for one in editor.send("textDocument/completion", place)]
    assert names[0] == "$page"
    change = {"textDocument": {"uri": URI, "version": 2}, "contentChanges": [{"text": text + "e"}]}
    editor.send("textDocument/didChange", change, is_request=False)
    assert _published(editor) == []
    told = editor.send("textDocument/hover", {"textDocument": {"uri": URI}, "position": {"line": 1, "character": 2}})
    assert told["contents"]["value"].startswith("**holds**")
    assert editor.leave() == (0, b"")


def _published(editor: Editor) -> Any:
    told = editor.receive(lambda told: told.get("method") == "textDocument/publishDiagnostics")
    return told["params"]["diagnostics"]


def test_hover_says_what_explain_says_of_the_line() -> None:
    text = "for $p in //page\norder by $p/title\nreturn $p"
    told = hover(text, URI, 2)
    assert told is not None
    assert told.startswith("**holds** all tuples")
    assert hover("1 +", URI, 1) is None


def test_the_grammar_names_what_it_uses_and_knows_the_extensions() -> None:
    place = ROOT / "editors" / "vscode" / "syntaxes" / "xquery.tmLanguage.json"
    grammar = json.loads(place.read_text())
    text = place.read_text()
    included = {part.split('"')[0] for part in text.split('"include": "#')[1:]}
    assert included <= set(grammar["repository"])
    for word in ("forseq", "bestmatch", "landmark", "newstart"):
        assert word in grammar["repository"]["extension"]["match"]
