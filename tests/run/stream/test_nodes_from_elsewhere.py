"""Paths in a stream whose steps find nodes of another document: each node once, as in a tree."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
import xylem

from tests.differential.every_way import EveryWay
from tests.reference import reference

OTHER = xylem.parse("<q><p id='1'><name>a</name></p><p id='2'><name>b</name></p></q>")
DOCUMENT = b"<r><p id='2'><name>c</name><f>2</f><f>1</f><f>2</f></p><p id='1'><f>1</f></p></r>"
PATHS = [
    "for $p in //p return $p/f/(let $f := . return $x//p[@id = $f]/name)",
    "for $p in //p return $p/f/(for $f in . return $x//p[@id = $f]/name)",
    "for $p in //p return $p/f/($x//p/name)",
    "for $p in //p return <x>{ $p/f/($x//p[1] | .) }</x>",
    "for $p in //p return $p/f/(if (. = '1') then $x//p[1] else $x//p[2])/name",
    "for $p in //p return $p/f/head(($x//name, .))",
    "declare function local:n($f) { if ($f/*) then local:n($f/*) else $x//p[@id = $f] };"
    " for $p in //p return $p/f/local:n(.)",
]


@pytest.mark.parametrize("path", PATHS)
def test_each_node_comes_once(path: str) -> None:
    text = f"declare variable $x external; {path}"
    written: list[bytes] = []
    xylem.compile(text).stream([DOCUMENT], variables={"x": OTHER}).write_to(written.append)
    expected = str(reference(text).run(xylem.parse(DOCUMENT), variables={"x": OTHER}))
    assert b"".join(written).decode() == expected
    assert expected.count("b</name>") <= expected.count("</x>") + DOCUMENT.count(b"</p>")


@pytest.mark.parametrize("path", PATHS[:2])
def test_each_gathered_node_comes_once_in_tasks(path: str, tmp_path: Path) -> None:
    way = EveryWay(path.replace("$x//p", "//p"))
    expected = way.expected(DOCUMENT)
    assert expected is not None
    assert not way.differences(DOCUMENT, expected, Random(1), tmp_path / "document.xml")
