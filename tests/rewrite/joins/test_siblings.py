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
    "//t[not(@k/string() = preceding-sibling::t/(@k/string()))]/v",
    "for $t in //t where not($t/v = $t/preceding-sibling::t/(v[1])) return $t/v",
    "for $t in //t where $t/@k = $t/following-sibling::t/xs:integer(@k) return $t/v",
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
    "count(//t[not(v = preceding-sibling::*/v)])",
    "for $t in //t return count($t/preceding-sibling::*) + 1",
    "//t/count(preceding-sibling::node())",
    "let $d := <r>{ //g/t }</r> return $d/t[not(v = preceding-sibling::t/v)]/v",
    "//t[not(v = preceding::t/v)]/v",
    "for $t in //t where $t/v = $t/following::t/v return $t/@k/string()",
    "for $t in //t return <n>{ $t/following::t[v = $t/v][1]/@k }</n>",
    "//t/count(preceding::t)",
    "//t/count(following::t)",
]
READ = [
    "//@k[. = following::t/@k]/string()",
    "//@k[. = preceding::t/@k]/string()",
    "(//node(), //@*)/count(preceding::node())",
    "(//node(), //@*)/count(following::node())",
    "(//node(), //@*)/count(preceding::t[v = following-sibling::t/v])",
    "for $t in //t return <n>{ $t/preceding::t[v = $t/v][1]/@k, ($t/preceding::t[v = $t/v])[last()]/@k }</n>",
    "for $t in //t return <n>{ ($t/preceding::t[count(v) = count($t/v)])[last()]/@k }</n>",
    "for $t in //t return (//t[t[1] << $t][count(v) = count($t/v)])[last()]/@k/string()",
    "for $x in (1, 2) return $x/preceding-sibling::t[v = $x]",
    "for $x in (1, 2) return $x/following::t[v = $x]",
    "(1, 2)[. = preceding::t/v]",
    "(1, 2)[. = preceding-sibling::t]",
    "for $t in //t where $t/@k = $t/preceding-sibling::t/position() return $t/@k/string()",
    "for $t in //t where $t/@k = $t/preceding-sibling::t/(last() - 1) return $t/@k/string()",
    "//t[not(v = preceding-sibling::t[@k = '1']/v)]/v",
    "for $t in //t return <n>{ $t/following-sibling::t[v > $t/v]/string(@k) }</n>",
    "for $t in //t return count($t/following-sibling::t[@k = '1'])",
    "for $t in //t, $u in //t where $t << $u and $u/v = $t/v return <n>{ $t/@k, $u/v }</n>",
    "for $t in //t where $t << (//t)[last()] return $t/v",
    "for $t in //t return count($t/parent::g/t[v = $t/v])",
]
STREAMED = [
    "//t[not(v = preceding-sibling::t/v)]/v",
    "for $t in //t where not($t/v = $t/following-sibling::t/v) return $t/v",
    "for $t in //t return count($t/preceding-sibling::t[v = $t/v])",
    "for $g in //g return count($g/t[v = ../t[@k = '1']/v])",
    "for $t in //t where $t/v = $t/../x/following-sibling::t/v return $t/@k/string()",
]
"""Over what a stream keeps."""


def document(size: int) -> str:
    """Siblings of two parents with values that come again, and items inside an item."""
    groups = []
    for step in (1, 2):
        items = "".join(f'<t k="{i * 7 % 5}"><v>{i * step % 7}</v></t>' for i in range(size))
        groups.append(f"<g><x/>{items}</g>")
    nested = "<t k='8'>" * 9 + "</t>" * 9
    return f"<s>{''.join(groups)}<t k='9'><t k='9'/><t k='9'/></t>{nested}<t k='7'/></s>"


@pytest.mark.parametrize("query", [*LOOKED_UP, *READ])
def test_answers(query: str) -> None:
    tree = xylem.parse(document(20))
    assert answer(xylem.compile(query).run, tree) == answer(reference(query).run, tree)


def answer(run: Callable[[xylem.Node], xylem.Result], tree: xylem.Node) -> str:
    """As text, or the code of an error."""
    try:
        return run(tree).serialize()
    except xylem.XylemError as error:
        return error.code


@pytest.mark.parametrize("query", [*STREAMED, *LOOKED_UP, *READ])
def test_streamed_answers(query: str) -> None:
    compiled = xylem.compile(query)
    for size in (1, 20):
        whole = document(size)
        expected = answer(reference(query).run, xylem.parse(whole))
        assert streamed(compiled, whole) in (expected, "XYST0004")


def streamed(query: xylem.Query, text: str) -> str:
    """The answer, from pieces of the document, or the code of an error."""
    data = text.encode()
    pieces = (data[start : start + 40] for start in range(0, len(data), 40))
    written: list[bytes] = []
    try:
        query.stream(pieces).write_to(written.append)
    except xylem.XylemError as error:
        return error.code
    return b"".join(written).decode()


@pytest.mark.parametrize("query", STREAMED)
def test_streamed_time_is_linear(query: str) -> None:
    compiled = xylem.compile(query)

    def over(size: int) -> Callable[[], object]:
        data = document(size).encode()
        return lambda: compiled.stream(data).write_to(lambda _: None)

    assert growth(over) in ("linear", "between")


@pytest.mark.parametrize("query", LOOKED_UP)
def test_time_is_linear(query: str) -> None:
    compiled = xylem.compile(query)

    def over(size: int) -> Callable[[], object]:
        tree = read_document(document(size), reader="python")
        return lambda: compiled.run(tree).serialize()

    assert growth(over) in ("linear", "between")
