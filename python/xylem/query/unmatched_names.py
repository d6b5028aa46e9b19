"""Advice for a query that found nothing because the input is in another namespace.

    //page/title        over    <mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/">…

A name without a prefix means "in no namespace", which surprises readers of a document with a default namespace. The
advice shows the same query with the namespace declared, and with names in any namespace.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from xylem.errors import Span
from xylem.source.root_element import RootElement
from xylem.syntax import ast

MOST_NAMES = 3
LONGEST_QUERY = 400


@dataclass(frozen=True)
class AskedName:
    """The name of an element in a step of a query."""

    uri: str
    local: str
    span: Span
    is_prefixed: bool


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


def advice(text: str, names: Iterable[AskedName], root: RootElement) -> str | None:
    """A note for a user whose query found nothing; None if its names may well be those of the input."""
    asked = list(names)
    there = set(root.namespaces.values()) | {root.uri}
    elsewhere = [name for name in asked if name.uri not in there or (name.uri == "" and root.uri != "")]
    if not asked or len(elsewhere) < len(asked):
        return None
    uri = root.uri or next(iter(sorted(there - {""})), "")
    if uri == "":
        return None
    lines = [
        f"note: nothing matched. The query asks for {_listed(elsewhere)}.",
        f"      The root <{root.name}> of the input is in the namespace {uri}",
    ]
    if all(name.uri == "" for name in elsewhere):
        lines.append("      Add --default-ns auto, or write one of these:")
        lines += _indented(f'declare default element namespace "{uri}";', _short(text))
    else:
        lines.append("      Declare that namespace for the prefix of the query, or match any namespace:")
    lines += _indented(_short(in_any_namespace(text, elsewhere)))
    return "\n".join(lines)


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
