"""Loops over distinct values that ask for the items of each: read once, as groups."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from xylem.errors import InputError
from xylem.run.tasks.in_process import run_in_process

from .ranges_of_documents import SHOP, assert_same, distributed

GROUPS = [
    "for $c in distinct-values(/shop/region/order/city) return <c>{ $c, count(/shop/region/order[city = $c]) }</c>",
    "for $c in distinct-values(//order/@id) return <c>{ //order[@id = $c]/total }</c>",
    "for $c in distinct-values(//line/@sku) let $l := //line[@sku = $c] order by $c return <c>{ $c, sum($l/@qty) }</c>",
    "for $c in distinct-values(/shop/region/order/city) let $p := for $o in /shop/region/order where $o/city = $c "
    "return <o>{ $c, $o/@id }</o> return <c>{ <id>{ $c }</id>, $p }</c>",
    "for $c in distinct-values(/shop/region/order/city) for $o in /shop/region/order where $c = $o/city and $o/line "
    "return <o>{ $o/@id }</o>",
    "for $c in distinct-values(/shop/region/order/line/@qty) "
    "return <c>{ $c instance of xs:untypedAtomic, (/shop/region/order[line/@qty = $c])[1]/@id/string() }</c>",
    "let $all := /shop/region/order for $c in distinct-values($all/city) where count($all[city = $c]) > 1 return $c",
    "for $c in distinct-values(//order[total]/@id) return string-join(//order[total][@id = $c][line]/city)",
    "<r>{ for $c in distinct-values(/shop/region/order/city) "
    "let $o := /shop/region/order[city = $c and total > 10] where exists($o) return <c>{ avg($o/total), $c }</c> }</r>",
    # Elements that may be inside each other, which tasks look at.
    "for $c in distinct-values(//order/city) return count(//order[city = $c])",
    "for $c in distinct-values(//order/city) order by $c descending return <c>{ $c, //order[city = $c]/@id }</c>",
    "for $c in distinct-values(//order/line/@sku) let $o := //order[line/@sku = $c] order by count($o), $c "
    "return <c n='{ $c }'>{ sum($o/total), $o/@id/string() }</c>",
    "for $c in distinct-values(//region//order[total]/city) return <c>{ for $o in //region//order[total] "
    "where $o/city = $c return $o/@id/string() }</c>",
    "for $c in distinct-values(/shop/region/order/city) return (for $o in /shop/region/order where $o/city = $c "
    "order by $o/total return $o/@id/string())",
]

OTHERS = [
    # A position in the group's loop, two kinds of items, another comparison.
    "for $c in distinct-values(/shop/region/order/city) return /shop/region/order[city = $c][1]/@id/string()",
    "for $c in distinct-values(/shop/region/order/city) return count(/shop/region/order[city > $c])",
    "for $c at $n in distinct-values(/shop/region/order/city) return count(/shop/region/order[city = $c])",
    "for $c in distinct-values(/shop/region/order/city) return count((//customer, /shop/region/order[city = $c]))",
]

NESTED = "<r><a k='x'><a k='y'><b>1</b></a><b>2</b></a><a k='x'><b>1</b></a><a><b>3</b><b>3</b></a></r>"


@pytest.mark.parametrize("query", GROUPS)
def test_the_input_is_read_once(query: str) -> None:
    program = assert_same(query, SHOP, Random(query), 3)
    assert [part.kind.name for part in program.distribution.parts] == ["GROUP"]


@pytest.mark.parametrize("query", OTHERS)
def test_other_loops_are_left_alone(query: str) -> None:
    program = assert_same(query, SHOP, Random(query), 2)
    assert "GROUP" not in [part.kind.name for part in program.distribution.parts]


def test_items_inside_each_other(tmp_path: Path) -> None:
    path = tmp_path / "nested.xml"
    path.write_text(NESTED)
    by_attribute = "for $k in distinct-values(//a/@k) return <k>{ $k, count(//a[@k = $k]), //a[@k = $k]/b }</k>"
    assert assert_same(by_attribute, path, Random(1), 3).distribution.is_parallel
    by_child = "for $b in distinct-values(//a/b) return <b>{ $b, count(//a[b = $b]) }</b>"
    program = assert_same(by_child, path, Random(1), 3)
    assert program.must_be_flat(1)
    with pytest.raises(InputError, match="XYRT0011"):
        run_in_process(program, [str(path)])


def test_the_first_value_may_be_in_the_second_item(tmp_path: Path) -> None:
    """Where an item is in another, groups would come in the wrong order, and the answer would not be that of a tree."""
    path = tmp_path / "inside.xml"
    path.write_text("<r><e><e><u>a</u></e><u>b</u></e></r>")
    assert_same("for $u in distinct-values(//e/u) return <u>{ $u, count(//e[u = $u]) }</u>", path, Random(1), 3)
    assert_same("for $u in distinct-values(//e/u) order by $u return <u>{ //e[u = $u] }</u>", path, Random(1), 3)


def test_explained() -> None:
    (part,) = distributed(GROUPS[0]).distribution.parts
    assert part.shuffles == ("by group, $c",)
    assert part.why == "count() computed by range and merged"
    assert "group by $c" in part.text
