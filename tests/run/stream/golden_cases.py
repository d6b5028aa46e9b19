"""Cases as data: `golden/streaming/*.txt`, each with a query, a document, perhaps a schema, and the result."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent.parent.parent / "golden" / "streaming"
_NAME = re.compile(r"^# name: (.*)$", re.MULTILINE)
_SECTION = re.compile(r"^--- (query|document|schema|result)$", re.MULTILINE)


@dataclass(frozen=True)
class GoldenCase:
    """One case of a file."""

    name: str
    query: str
    document: str
    result: str
    schema: str | None = None


def golden_cases() -> Iterator[GoldenCase]:
    """All cases of all files."""
    for file in sorted(FOLDER.glob("*.txt")):
        _, *named = _NAME.split(file.read_text(encoding="utf-8"))
        for name, body in zip(named[::2], named[1::2], strict=True):
            _, *parts = _SECTION.split(body)
            sections = {key: text.strip("\n") for key, text in zip(parts[::2], parts[1::2], strict=True)}
            yield GoldenCase(name, sections["query"], sections["document"], sections["result"], sections.get("schema"))
