"""Loops over a few large elements: cut inside them, the answer is that of the whole tree."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from xylem.bench import xmark
from xylem.bench.xmark_queries import query
from xylem.functions.external import ExternalFunction
from xylem.pipeline import StaticEnvironment, compile_distributed
from xylem.run.tasks.program import DistributedProgram

from .ranges_of_documents import SHOP, divisions, over_ranges, over_tree

DIVIDED = [
    "for $r in /shop/region return count($r/order)",
    "for $r in //region return <r name='{ $r/@name }' n='{ count($r//line) }'>{ sum($r/order/total) }</r>",
    "for $r in //region where $r/@code = 'S' return <r>{ $r/@code, name($r), avg($r/order/total), count($r/../@*)}</r>",
    "<all>{ for $r in /shop/region return (max($r//line/@qty/number()), string-join($r/order/city, '|')) }</all>",
    "for $r in /shop/region return if (exists($r/order[total > 50])) then string($r/@name) else 'none'",
    "let $x := 3 for $r in /shop/region return count($r/order[count(line) < $x]) + $x",
    "for $r in //region return count(for $o in $r/order where $o/line return $o/line)",
    "for $r in /shop/region return distinct-values($r/order/city)",
    "map:merge(for $r in /shop/region return map:entry(string($r/@name), count($r/order)))?South",
    "for $r in /shop/region return concat(name($r/..), '/', $r/@name, ': ', count($r/order), ' ', max($r/order/total))",
    "for $r in /shop/region return try { xs:integer($r/@name) } catch * { count($r/order) }",
    "for $r in /shop/region return if ($r/@nothing) then sum($r/order/city) else count($r/order)",
    "for $r in /shop/region return (count($r/nothing), empty($r/order), $r/@name/string())",
]
WHOLE = [
    "for $r in /shop/region return try { xs:integer($r/@name) } catch * { sum($r/order/xs:integer(total)) }",
    "for $r in /shop/region return count($r/order) || $r/order[1]/city",
    "for $r in /shop/region return <r>{ $r, count($r/order) }</r>",
    "for $r in /shop/region order by $r/@name return count($r/order)",
    "for $r at $i in /shop/region return count($r/order)",
    "for $r in /shop/region return count($r/text())",
    "for $r in /shop/region return name($r)",
    "sum(for $r in /shop/region return count($r/order))",
]
NESTED = "<a><s><s><i/></s><i/><s><i/><s/><i/></s></s><i/><s><i/></s><x><s><s><i/><i/></s></s></x></a>"


def program_of(text: str, functions: tuple[ExternalFunction, ...] = ()) -> DistributedProgram:
    return compile_distributed(text, StaticEnvironment(external_functions=functions), divides=True)


def is_divided(program: DistributedProgram) -> bool:
    return any("is divided itself" in part.why for part in program.distribution.parts)


def check(text: str, document: Path, number: int = 4) -> DistributedProgram:
    program = program_of(text)
    expected = over_tree(text, document)
    for parts in divisions(program, document, Random(text), number):
        assert over_ranges(program, parts) == expected, f"{len(parts)} ranges:\n{text}"
    return program


@pytest.mark.parametrize("text", DIVIDED)
def test_answer_is_that_of_the_tree(text: str) -> None:
    program = check(text, SHOP)
    assert is_divided(program)
    region = compile_distributed("//region ! string(@name)", StaticEnvironment()).scopes
    assert not set(program.scopes) & set(region), "cut inside of them"


@pytest.mark.parametrize("text", WHOLE)
def test_what_cannot_be_divided_is_left_whole(text: str) -> None:
    assert not is_divided(check(text, SHOP, 2))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "iso-8859-1"])
def test_elements_inside_each_other(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "nested.xml"
    path.write_bytes(f"<?xml version='1.0' encoding='{encoding}'?>{NESTED}".encode(encoding))
    assert is_divided(
        check("for $s in //s return <n>{ count($s//i), count($s/i), count($s/ancestor::s) }</n>", path, 25)
    )


def test_xmark_6(tmp_path: Path) -> None:
    path = tmp_path / "auction.xml"
    xmark.write(path, 0.0005, seed=5)
    program = check(query(6), path, 2)
    assert is_divided(program)
    assert len(list(divisions(program, path, Random(1), 1))[1]) > 5


def test_an_error_in_one_range(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_text("<a><s><i>1</i><i>x</i></s><s><i>2</i></s></a>")
    assert check("for $s in /a/s return sum($s/i/xs:integer(.))", path)
