"""Folds that grow: what explain says of them is what is measured."""

from __future__ import annotations

from pathlib import Path

import pytest
import xylem

GROWING = [
    "fold-left(/s/p, (), function($a, $p) { ($a, string($p)) })",
    "fold-left(/s/p, '', function($a, $p) { $a || $p })",
    "fold-left(/s/p, [], function($a, $p) { array:append($a, 1) }) => array:size()",
    "fold-left(/s/p, (), function($a, $p) { if ($p > 3) then ($a, string($p)) else $a })",
    "declare function local:f($p, $a) { if (empty($p)) then $a else local:f(tail($p), ($a, string($p[1]))) }; "
    "local:f(/s/p, ())",
]
BOUNDED = [
    "fold-left(/s/p, 0, function($a, $p) { $a + $p })",
    "fold-left(/s/p, (), function($a, $p) { ($a, string($p))[position() > last() - 3] })",
    "fold-left(/s/p, map { }, function($a, $p) { map:put($a, $p mod 5, 1) }) => map:size()",
]


def kept(query: str, number: int, folder: Path) -> int:
    document = folder / f"{number}.xml"
    document.write_text("<s>" + "".join(f"<p>{i % 10}</p>" for i in range(number)) + "</s>", encoding="ascii")
    result = xylem.compile(query).stream(document)
    result.write_to(lambda written: None)
    return result.statistics.peak_buffered_bytes


@pytest.mark.parametrize("query", GROWING)
def test_what_grows_is_told(query: str, tmp_path: Path) -> None:
    assert kept(query, 4000, tmp_path) > 3 * kept(query, 400, tmp_path)
    assert not xylem.compile(query).explain().streamability.is_single_pass


@pytest.mark.parametrize("query", BOUNDED)
def test_what_does_not_grow(query: str, tmp_path: Path) -> None:
    assert kept(query, 4000, tmp_path) == kept(query, 400, tmp_path)
    assert xylem.compile(query).explain().streamability.is_single_pass
