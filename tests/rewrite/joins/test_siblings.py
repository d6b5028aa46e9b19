"""Siblings by conditions and by number: as the reference says, and in linear time over a tree."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import xylem
from xylem.source.xml_reader import read_document

from tests.reference import reference
from tests.spellings.growth import growth

LOOKED_UP = [
    "/s/g/t[not(v = preceding-sibling::t/v)]/v",
    "for $t in //t where not($t/v = $t/preceding-sibling::t/v) return $t/v",
    "//t[not(@k = preceding-sibling::t/@k)]/@k/string()",
    "//t[v = preceding-sibling::t/v and @k = '1']/v",
    "for $t in //t return count($t[v = preceding-sibling::t/v])",
    "//t[not(. = preceding-sibling::t)]",
    "//g/t[preceding-sibling::t/v = v]/v",
    "for $g in //g return $g/t[not(v = preceding-sibling::t/v)]/v",
    "(//t)[not(v = preceding-sibling::t/v)]/v",
    "//t[not(@k = following-sibling::t/@k)]/v",
    "for $t in //t where not($t/following-sibling::t/v = $t/v) return $t/v",
    "for $t in //t where empty($t/following-sibling::t[v = $t/v]) return $t/v",
    "for $t in //t return count($t/preceding-sibling::t[v = $t/v])",
    "for $t in //t return <n>{ $t/preceding-sibling::t[v = $t/v][1]/@k }</n>",
    "for $t in //t return <n>{ $t/following-sibling::t[v = $t/v][1]/@k }</n>",
    "for $t in //t return <n>{ ($t/preceding-sibling::t[v = $t/v])[1]/@k }</n>",
    "for $t in //t return <n>{ ($t/following-sibling::t[v = $t/v])[last()]/@k }</n>",
    "for $t in //t return count($t/preceding-sibling::t)",
    "//t/count(following-sibling::t)",
    "for $t in //t return count($t/../t[v = $t/v])",
    "for $k in (//t, //@k) return count($k/following-sibling::t) + count($k/../t) + count($k/preceding-sibling::t)",
    "for $t in //t return count(//t[@k = $t/@k and v = $t/v][. >> $t])",
    "for $t in //t return count(//t[. << $t])",
]
READ = [
    "count(//t[not(v = preceding-sibling::*/v)])",
    "//t[not(v = preceding-sibling::t[@k = '1']/v)]/v",
    "for $t in //t return <n>{ $t/following-sibling::t[v > $t/v]/string(@k) }</n>",
    "for $t in //t return count($t/following-sibling::t[@k = '1'])",
    "for $t in //t, $u in //t where $t << $u and $u/v = $t/v return <n>{ $t/@k, $u/v }</n>",
    "for $t in //t where $t << (//t)[last()] return $t/v",
    "for $t in //t return count($t/parent::g/t[v = $t/v])",
    "let $d := <r>{ //g/t }</r> return $d/t[not(v = preceding-sibling::t/v)]/v",
]


def document(size: int) -> str:
    """Siblings of two parents with values that come again, and items inside an item."""
    groups = []
    for step in (1, 2):
        items = "".join(f'<t k="{i * 7 % 5}"><v>{i * step % 7}</v></t>' for i in range(size))
        groups.append(f"<g><x/>{items}</g>")
    return f"<s>{''.join(groups)}<t k='9'><t k='9'/><t k='9'/></t></s>"


@pytest.mark.parametrize("query", [*LOOKED_UP, *READ])
def test_answers(query: str) -> None:
    tree = xylem.parse(document(20))
    assert xylem.compile(query).run(tree).serialize() == reference(query).run(tree).serialize()


@pytest.mark.parametrize("query", LOOKED_UP)
def test_time_is_linear(query: str) -> None:
    compiled = xylem.compile(query)

    def over(size: int) -> Callable[[], object]:
        tree = read_document(document(size), reader="python")
        return lambda: compiled.run(tree).serialize()

    assert growth(over) in ("linear", "between")
