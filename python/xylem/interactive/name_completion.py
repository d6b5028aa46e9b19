"""Names that fit at the cursor: variables, functions, keywords, and the elements of a sample."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

KEYWORDS = (
    "for", "let", "where", "order", "by", "group", "return", "in", "at", "allowing", "empty", "count", "ascending",
    "descending", "stable", "collation", "some", "every", "satisfies", "if", "then", "else", "switch", "case",
    "default", "typeswitch", "try", "catch", "instance", "of", "treat", "as", "castable", "cast", "declare",
    "namespace", "variable", "function", "option", "external", "import", "module", "xquery", "version", "tumbling",
    "window", "sliding", "start", "end", "when", "only", "previous", "next", "map", "array", "element", "attribute",
    "document", "text", "comment", "processing-instruction", "forseq", "landmark", "bestmatch", "join",
)
_WORD = re.compile(r"[$@\w][\w:.-]*$|\$$|@$")
_VARIABLE = re.compile(r"\$([^\W\d][\w.-]*(?::[^\W\d][\w.-]*)?)")
_DECLARED = re.compile(r"declare\s+(?:%\S+\s+)*function\s+([\w.-]+:[\w.-]+)")


@dataclass(frozen=True)
class Suggestion:
    """A name with its kind and a detail."""

    text: str
    kind: str
    detail: str = ""


def word_before(text: str) -> str:
    """The beginning of a name at the end of a text."""
    found = _WORD.search(text)
    return found[0] if found else ""


def suggestions(before: str, whole: str, elements: Iterable[str] = ()) -> list[Suggestion]:
    """The names that begin with the last word before the cursor; `elements` are names of a sample document."""
    word = word_before(before)
    found: dict[str, Suggestion] = {}
    for one in _candidates(word, whole, elements):
        if one.text.startswith(word) and one.text != word:
            found.setdefault(one.text, one)
    return sorted(found.values(), key=lambda one: (one.kind != "variable", one.kind, one.text))


def _candidates(word: str, whole: str, elements: Iterable[str]) -> Iterable[Suggestion]:
    if word.startswith("$"):
        yield from (Suggestion(f"${name}", "variable") for name in _VARIABLE.findall(whole))
        return
    yield from (Suggestion(name, "element") for name in elements)
    if word.startswith("@"):
        return
    yield from (Suggestion(name, "function", "declared here") for name in _DECLARED.findall(whole))
    yield from (Suggestion(name, "keyword") for name in KEYWORDS)
    yield from _functions()


def _functions() -> Iterable[Suggestion]:
    from xylem.functions.library import load_all
    from xylem.functions.registry import FN, PREFIXES

    prefixes = {uri: prefix for prefix, uri in PREFIXES.items() if not prefix.startswith("_")}
    for builtin in load_all().values():
        if builtin.uri in prefixes:
            name = builtin.local if builtin.uri == FN else f"{prefixes[builtin.uri]}:{builtin.local}"
            parameters = ", ".join(builtin.parameters)
            yield Suggestion(name, "function", f"({parameters}) as {builtin.returns}")
