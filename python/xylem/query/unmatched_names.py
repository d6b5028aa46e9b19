"""Advice for a query that found nothing because the input is in another namespace.

    //page/title        over    <mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/">…

A name without a prefix means "in no namespace", which surprises readers of a document with a default namespace. The
advice shows the same query with the namespace declared, and with names in any namespace.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from xylem.errors import Span
from xylem.source.first_elements import SeenNames, first_elements
from xylem.source.root_element import RootElement, root_element
from xylem.syntax import ast

if TYPE_CHECKING:
    from .compiled_query import CompiledQuery

MOST_NAMES = 3
LONGEST_QUERY = 400
OPTION = "--default-ns auto"
DECLARED_OPTION = "--default-ns {uri}"
"""For documents that are no inputs: `auto` takes the namespace of an input."""
_NOTHING = {"0", "false", "NaN", "[]", "null"}
_MARKUP = re.compile(r"<[^>]*>")


@dataclass(frozen=True)
class AskedName:
    """The name of an element in a step of a query."""

    uri: str
    local: str
    span: Span
    is_prefixed: bool


def is_nothing(answer: str) -> bool:
    """Whether an answer may mean that no name matched: it has no text, or only zeros."""
    return set(_MARKUP.sub(" ", answer).split()) <= _NOTHING


def advice_for(query: CompiledQuery, text: str, head: bytes, option: str = OPTION) -> str | None:
    """The note for a query that found nothing in an input that begins with `head`; None if names are not the reason.

    `option` is what the caller offers to declare the namespace of the root.
    """
    root = root_element(head)
    return None if root is None else advice(text, asked_names(query.resolved), root, first_elements(head), option)


def asked_names(module: ast.Module) -> list[AskedName]:
    """The names of elements in the steps of a module whose names are resolved."""
    return list(_names(module))


def _names(module: ast.Module) -> Iterator[AskedName]:
    for node in module.walk():
        if not isinstance(node, ast.AxisStep) or node.axis in ("attribute", "namespace"):
            continue
        test = node.test
        name = test.name if isinstance(test, (ast.NameTest, ast.ElementTest)) else None
        if name is not None:
            yield AskedName(name.uri or "", name.local, name.span, bool(name.prefix))


def advice(
    text: str, names: Iterable[AskedName], root: RootElement, seen: SeenNames, option: str = OPTION
) -> str | None:
    """A note for a user whose query found nothing; None if its names may well be those of the input.

    `seen` has the elements near the beginning of the input. If the query's names are not among them, the namespaces of
    the root decide.
    """
    asked = list(names)
    elsewhere = [name for name in asked if name.uri not in seen.get(name.local, {name.uri: ""})]
    if elsewhere:
        uri, written = next(iter(seen[elsewhere[0].local].items()))
    else:
        there = set(root.namespaces.values()) | {root.uri}
        elsewhere = [name for name in asked if name.uri not in there or (name.uri == "" and root.uri != "")]
        uri, written = root.uri or next(iter(sorted(there - {""})), ""), root.name
        if not asked or len(elsewhere) < len(asked) or uri == "":
            return None
    is_all_in_one = all(name.uri == "" and uri in seen.get(name.local, {uri: ""}) for name in asked)
    lines = [f"note: nothing matched. The query asks for {_listed(elsewhere)}.", _place(uri, written, root)]
    if is_all_in_one and uri != "":
        way = f"Add {option.format(uri=uri)}, or write one of these:" if uri == root.uri else "Write one of these:"
        lines.append(f"      {way}")
        lines += _indented(f'declare default element namespace "{uri}";', _short(text))
    elif any(name.is_prefixed for name in elsewhere):
        lines.append("      Declare that namespace for the prefix of the query, or match any namespace:")
    else:
        lines.append("      Match any namespace:")
    lines += _indented(_short(in_any_namespace(text, elsewhere)))
    return "\n".join(lines)


def _place(uri: str, written: str, root: RootElement) -> str:
    if uri == "":
        return f"      The input has <{written}> in no namespace"
    if uri == root.uri:
        return f"      The root <{root.name}> of the input is in the namespace {uri}"
    return f"      The input has <{written}> in the namespace {uri}"


def in_any_namespace(text: str, names: Iterable[AskedName]) -> str:
    """The query with `*:name` in the place of each name."""
    in_text = [name for name in names if name.span.source.text == text]
    for name in sorted(set(in_text), key=lambda name: -name.span.start):
        text = f"{text[: name.span.start]}*:{name.local}{text[name.span.end :]}"
    return text


def _listed(names: list[AskedName]) -> str:
    shown = list(dict.fromkeys(name.local for name in names))
    more = f" and {len(shown) - MOST_NAMES} more names" if len(shown) > MOST_NAMES else ""
    uris = {name.uri for name in names}
    place = "in no namespace" if uris == {""} else "in " + ", ".join(sorted(uri for uri in uris if uri))
    return ", ".join(shown[:MOST_NAMES]) + f"{more} {place}"


def _short(text: str) -> str:
    text = text.strip()
    return text if len(text) <= LONGEST_QUERY else "…"


def _indented(*parts: str) -> list[str]:
    return [f"        {line}" for part in parts for line in part.splitlines()]
