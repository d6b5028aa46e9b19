"""Predicates that count from the end keep as many of the last items as they can choose from, and no more."""

from __future__ import annotations

from pathlib import Path

import pytest
import xylem
from xylem.analysis.last_items import MOST_ITEMS, last_items
from xylem.analysis.resolve_names import resolve_names
from xylem.analysis.static_context import StaticContext, build_static_context
from xylem.syntax import ast, parse


def predicate(text: str) -> ast.Expr:
    module = parse(f"declare variable $p external; $p[{text}]")
    resolved = resolve_names(module, build_static_context(module, StaticContext()))
    assert isinstance(resolved, ast.MainModule)
    assert isinstance(resolved.body, ast.Filter)
    return resolved.body.predicate


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("last()", 1),
        ("last() - 2", 3),
        ("position() = last() - 2", 3),
        ("position() > last() - 2", 2),
        ("position() ge last() - 2", 3),
        ("last() - 2 < position()", 2),
        ("position() > last() - 5 and position() < last()", 5),
        ("position() > last() - 5 and x = 3", 5),
        ("position() = last() or position() = last() - 3", 4),
        ("position() = (last() - 1, last())", 2),
        ("position() < last() - 2", None),
        ("position() != last()", None),
        ("position() > last() - 5 and position() mod 2 = 0", None),
        ("position() > last() - 5 or x = 3", None),
        ("position() > last() - $p", None),
        ("position() > last() - 0", None),
        (f"last() - {MOST_ITEMS}", None),
        ("3", None),
    ],
)
def test_how_many(text: str, number: int | None) -> None:
    assert last_items(predicate(text)) == number


KEPT = [
    "/s/p[last() - 1]/n",
    "/s/p[position() > last() - 3]",
    "(/s/p/n)[position() >= last() - 2]/text()",
    "/s/p[position() > last() - 3][x = 1]/n",
    "(/s/p)[position() > last() - 1 and x = 1]/n",
    "(/s/p)[position() = last() and x = 0]/n",
    "sum(/s/p[position() > last() - 4]/x)",
    "subsequence(/s/p, count(/s/p) - 2)/n",
    "reverse(/s/p)[position() <= 3]/n",
    "for $p in (/s/p)[position() > last() - 3] order by $p/x return <q>{ $p/n/text() }</q>",
    "(for $p in /s/p where $p/x = 1 return $p/x * 2)[position() > last() - 2]",
]
NOT_KEPT = [
    "if (/s/h) then tail(/s/p/x)[count(tail(/s/p/x))] else (//p)[last()]",
    "(/s/p)[position() > last() - 3]/../p[1]/n",
    "(/s/p)[position() > last() - 3] | /s/p[x = 0]",
    "(/s/p)[last()] | /s/p[x = 0]",
    "(/s/p)[last() - 1] << (/s/p)[last()]",
    "declare function local:up($p) { $p/../name() }; local:up((/s/p)[last() - 1])",
]


def documents(folder: Path) -> list[Path]:
    made = []
    for number in (2, 40, 4000):
        path = folder / f"{number}.xml"
        items = (f"<p><x>{i % 3}</x><n>name {i % 10}</n></p>" for i in range(number))
        path.write_text(f"<s>{''.join(items)}</s>", encoding="ascii")
        made.append(path)
    return made


def streamed(compiled: xylem.Query, document: Path) -> tuple[str, int]:
    """The answer, and the most bytes that were kept."""
    written: list[bytes] = []
    result = compiled.stream(document)
    result.write_to(written.append)
    return b"".join(written).decode(), result.statistics.peak_buffered_bytes


@pytest.mark.parametrize("query", KEPT)
def test_a_few_items_are_kept(query: str, tmp_path: Path) -> None:
    compiled = xylem.compile(query)
    kept = []
    for document in documents(tmp_path):
        answer, size = streamed(compiled, document)
        assert answer == str(compiled.run(xylem.parse(document)))
        kept.append(size)
    assert kept[1] == kept[2] < 2000
    assert compiled.explain().streamability.is_single_pass


@pytest.mark.parametrize("query", NOT_KEPT)
def test_what_looks_around_items_or_compares_them(query: str, tmp_path: Path) -> None:
    compiled = xylem.compile(query)
    for document in documents(tmp_path)[:2]:
        assert streamed(compiled, document)[0] == str(compiled.run(xylem.parse(document)))
