"""Elements that are put into elements again and again: what is seen of them is what copies at once would show."""

from __future__ import annotations

import pytest
import xylem
from xylem.source.limits import Limits
from xylem.values import deferred_tree
from xylem.values.deferred_tree import DeferredTree

WIDE = "<w>{ for $i in 1 to 40 return <i n='{ $i }'>{ $i }</i> }</w>"
LAYERS = (
    "declare function local:wrap($n, $in) { if ($n = 0) then $in else "
    "<l n='{ $n }'>before<e/>{ local:wrap($n - 1, $in) }after{ $n }<e/></l> }; "
)
COPIES = (
    "declare function local:c($n) { typeswitch ($n) case element() return element { node-name($n) }"
    " { $n/@*, $n/node() ! local:c(.) } default return $n }; "
)
QUERIES = [
    f"<a>{{ {WIDE}, 'text', {WIDE}, 1, 2, {WIDE} }}</a>",
    f"{LAYERS} local:wrap(9, {WIDE})",
    f"{LAYERS} let $l := local:wrap(9, {WIDE}) return ($l//i[7], $l//l[@n = 3]/node()[1], count($l//text()), $l is $l)",
    f"{LAYERS} let $w := {WIDE} let $l := local:wrap(4, $w) return ($w/i[1] is ($l//i)[1], count($l//*), $w/.., $w)",
    f"{LAYERS} for $n in 1 to 5 let $l := local:wrap($n, {WIDE}) order by -count($l//l) return <o>{{ $l, $l }}</o>",
    f"{LAYERS} document {{ local:wrap(3, {WIDE}), local:wrap(2, <x/>) }}/l/string()",
    f"{LAYERS} <p:q xmlns:p='u' xmlns='d'>{{ local:wrap(3, {WIDE}) }}</p:q>",
    f"{LAYERS} <q>{{ <p:x xmlns:p='u'/>, local:wrap(3, {WIDE}), <y xmlns:z='v'/>, attribute late {{ 1 }} }}</q>",
    f"{LAYERS} <q>{{ local:wrap(3, {WIDE}), <p:x xmlns:p='u'/>, <y xmlns:z='v' z:a='1'/> }}</q>",
    f"declare copy-namespaces no-preserve, no-inherit; {LAYERS} <q xmlns:k='v'>{{ local:wrap(3, {WIDE}) }}</q>",
    f"{COPIES} local:c({WIDE}), local:c(<r>{{ {WIDE}, <!--c-->, {WIDE} }}</r>)/w[2]/i[last()]/..",
    f"{COPIES} deep-equal(local:c({WIDE}), {WIDE}), let $c := local:c({WIDE}) return $c/i[5]/following-sibling::i[1]",
    f"{LAYERS} serialize(local:wrap(3, {WIDE})), path((local:wrap(3, {WIDE})//i)[9])",
    f"{LAYERS} let $l := local:wrap(3, {WIDE}) return ($l | $l/* | ($l//e)[1]) ! name()",
]

MANY = "count(<x>{ for $n in 1 to 9 return //w }</x>//i)"


def told(query: str) -> str:
    try:
        return xylem.compile(query).run().serialize()
    except xylem.XylemError as error:
        return error.code


@pytest.mark.parametrize("query", QUERIES)
def test_nothing_can_be_seen_of_it(query: str, monkeypatch: pytest.MonkeyPatch) -> None:
    deferred = told(query)
    monkeypatch.setattr(deferred_tree, "LEAST_ROWS", 10**9)
    assert deferred == told(query)


def test_rows_are_copied_when_somebody_looks() -> None:
    (node,) = xylem.compile(f"{LAYERS} local:wrap(9, {WIDE})").run().xdm
    assert type(node.tree) is DeferredTree
    assert len(node.string_value) > 100
    assert type(node.tree) is not DeferredTree


def test_a_copy_of_a_deep_tree_takes_as_long_as_the_tree_is_large() -> None:
    depth = 4_000
    deep = xylem.parse("<a><b n='1'>x</b>" * depth + "</a>" * depth)
    assert list(xylem.compile(f"{COPIES} count(local:c(/*)//*)").run(deep)) == [2 * depth - 1]


NESTED = b"<a>" * 4_000 + b"</a>" * 4_000


@pytest.mark.parametrize(
    "query",
    [
        "count(<x>{ //a }</x>//*)",
        "count(<x xmlns:p='u'>{ //a }</x>//*)",
        "let $x := element x { //a } return $x/a[1]/name()",
        "count(document { //a }//a)",
    ],
)
def test_copies_of_elements_in_each_other_have_a_limit(query: str) -> None:
    compiled = xylem.compile(query)
    for answer in (lambda: compiled.run(xylem.parse(NESTED)).serialize(), lambda: list(compiled.stream(NESTED))):
        with pytest.raises(xylem.XylemError, match="XYDY0006"):
            answer()


def test_copies_that_double_have_a_limit() -> None:
    doubled = "fold-left(1 to 60, <a>{ (1 to 40) ! <b/> }</a>, function($a, $n) { <a>{ $a, $a }</a> })"
    with pytest.raises(xylem.XylemError, match="XYDY0006"):
        xylem.compile(f"count({doubled}//*)").run().serialize()
    again = "fold-left(1 to 8, <a>{ (1 to 40) ! <b/> }</a>, function($a, $n) { <a>{ $a, $a }</a> })"
    assert xylem.compile(f"count({again}//b)").run().value == 40 * 2**8


def test_copies_of_everything_a_few_times_are_no_bomb() -> None:
    wide = b"<r>" + b"".join(b"<w>" + b"<i/>" * 50 + b"</w>" for _ in range(50)) + b"</r>"
    strict = Limits(copied_nodes=0)
    for query, number in (("count(<x>{ //w }</x>//i)", 2_500), ("count(<x>{ //w, //w, //w, /r }</x>//i)", 10_000)):
        assert xylem.compile(query).run(xylem.parse(wide, limits=strict)).value == number
    with pytest.raises(xylem.XylemError, match="XYDY0006"):
        xylem.compile(MANY).run(xylem.parse(wide, limits=strict)).serialize()
    # The limit belongs to the document.
    assert xylem.compile(MANY).run(xylem.parse(wide)).value == 22_500


SPREAD = "count((//a ! <x>{ . }</x>)//*)"


@pytest.mark.parametrize("query", [SPREAD, "let $x := //a ! <x><y/>{ . }</x> return count($x//a)"])
@pytest.mark.parametrize("streamed", [False, True])
def test_copies_in_many_elements_are_counted_together(query: str, streamed: bool) -> None:
    nested = b"<a>" * 4_000 + b"</a>" * 4_000
    compiled = xylem.compile(query)
    result = compiled.stream(nested) if streamed else compiled.run(xylem.parse(nested))
    with pytest.raises(xylem.XylemError, match="XYDY0006"):
        result.write_to(lambda text: None)


def test_copies_that_are_gone_do_not_count() -> None:
    nested = xylem.parse(b"<a>" * 4_000 + b"</a>" * 4_000)
    # Eight million nodes are copied, of which one element at a time is needed.
    assert xylem.compile("sum(//a ! count(<x>{ . }</x>//a))").run(nested).value == 4_000 * 4_001 // 2
    assert nested.tree.copies.rows == 0


def test_copies_of_copies_have_their_originals() -> None:
    wide = xylem.parse(b"<r>" + b"<w><i/></w>" * 100 + b"</r>", limits=Limits(copied_nodes=0))
    chain = "let $a := <x>{ //w, /r }</x> let $b := <x>{ $a }</x> let $c := <x>{ $b }</x> return count(($a, $b, $c)//i)"
    assert xylem.compile(chain).run(wide).value == 600


def test_originals_of_a_stream_are_its_items() -> None:
    item = b"<w>" + b"<i/>" * 50 + b"</w>"
    query = xylem.compile("count((for $w in //w order by count($w/*) return <x>{ $w }</x>)//i)")
    parts: list[bytes] = []
    query.stream(b"<r>" + item * 1_000 + b"</r>", limits=Limits(copied_nodes=0)).write_to(parts.append)
    assert b"".join(parts) == b"50000"
