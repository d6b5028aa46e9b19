"""Queries that look at parents, ancestors and siblings: the stream gives what the tree gives, and keeps little."""

from __future__ import annotations

import os
from datetime import date
from random import Random

import pytest
import xylem
from xylem.pipeline import StaticEnvironment, compile_stream
from xylem.plan.flux_printer import print_flux
from xylem.source.limits import Limits

from .random_axes import random_document, random_query

_SEED = int(os.environ.get("XYLEM_SEED") or date.today().toordinal())
_MANY = 3_000 if os.environ.get("XYLEM_CAMPAIGN") else 60


def streamed(query: str, document: str) -> tuple[str, int]:
    """The answer from the stream, and the bytes that were buffered for it."""
    written: list[bytes] = []
    result = xylem.compile(query).stream(document.encode())
    result.write_to(written.append, method="adaptive")
    return b"".join(written).decode(), result.statistics.peak_buffered_bytes


def answered(query: str, document: str, piece: int | None = None) -> str:
    """The answer from the stream, or the code of the refusal; `piece` bytes at a time are told as they come."""
    data = document.encode()
    written: list[bytes] = []
    try:
        pieces = data if piece is None else (data[at : at + piece] for at in range(0, len(data), piece))
        xylem.compile(query).stream(pieces).write_to(written.append, method="adaptive")
    except xylem.StaticError as refused:
        return refused.code
    return b"".join(written).decode()


def test_any_such_query_gives_what_the_tree_gives() -> None:
    random = Random(_SEED)
    for _ in range(_MANY):
        query = random_query(random)
        compiled = xylem.compile(query)
        for document in (random_document(random) for _ in range(3)):
            expected = compiled.run(context=xylem.parse(document)).serialize(method="adaptive")
            for piece in (None, random.randrange(1, 30)):
                assert answered(query, document, piece) in (expected, "XYST0004"), (_SEED, query, document, piece)


VOLUMES = "".join(
    f'<volume id="v{v}"><meta><year>{2000 + v}</year></meta>'
    + "".join(
        f'<paper><title>t{v}.{p}</title><author>A{p % 7}</author><abstract lang="{"fr" if p % 3 else "en"}">'
        f"{'word ' * 60}</abstract><!--c--><author>B</author></paper>"
        for p in range(20)
    )
    + "</volume>"
    for v in range(40)
)
DOCUMENT = f"<proceedings>{VOLUMES}</proceedings>"

KEEPS_NOTHING = [
    '//paper[ancestor::volume/@id = "v7"]/title',
    '//title[ancestor-or-self::*/@id = "v7"]',
    '//paper[not(ancestor::volume/@id = "v7")]/title',
    "//title[count(ancestor::*) = 3]",
    "(//paper/title)[position() = 1 to 5]",
    'count(//paper[../meta/year = "2020"])',
    "//title/following-sibling::author[1]",
    "//title/following-sibling::*[1][self::author]",
    "//author[preceding-sibling::*[1][self::abstract]]",
    "//author[not(preceding-sibling::author)]/string()",
    "//author[count(preceding-sibling::author) = 1]",
    "for $a in //author return count($a/preceding-sibling::author)",
    "//author ! (count(preceding-sibling::author) + 1)",
    'for $a in //author return <a n="{ count($a/preceding-sibling::author) + 1 }">{ $a }</a>',
    "for $a in //author return if ($a/preceding-sibling::author) then <other/> else <first>{ $a }</first>",
    "for $t in //title return <r>{ $t/text(), $t/following-sibling::author[1]/text() }</r>",
    "for $v in //volume return <v id='{ $v/@id }' next='{ $v/following-sibling::volume[1]/@id }'/>",
    "count(//title[following-sibling::author[1] = 'A2'])",
    "max(//author/count(preceding-sibling::*))",
    "some $v in //volume satisfies $v/following-sibling::volume[1]/@id = 'v9'",
    "//volume/preceding-sibling::volume[1]/@id",
]
KEEPS_ONE_ITEM = [
    '//abstract[@lang = "fr"]/../title',
    '//abstract[@lang = "fr"][contains(., "word")]/../title',
    '//abstract[contains(., "word")]/parent::paper/title',
    'for $a in //abstract where contains($a, "word") return $a/../title',
    'for $a in //abstract where $a/@lang = "fr" return ($a/../title, $a/../author)',
    "for $a in //abstract let $p := $a/.. where $a/@lang = 'fr' return <r>{ $p/title, $p/author }</r>",
    'for $a in //abstract where contains($a, "word") return $a/parent::paper/title',
    'for $a in //abstract where contains($a, "word") return $a/ancestor::paper[1]/title',
    'for $a in //abstract where contains($a, "word") return ($a/ancestor::paper[1]/title, $a/../author)',
    "//author ! ../title",
    'for $a in //abstract where contains($a, "word") return string($a/../title)',
    'for $a in //abstract where contains($a, "word") return <hit>{ $a/../title/text(), $a/../author/string() }</hit>',
    'for $a in //abstract where contains($a, "word") return map { "t": data($a/../title), "n": string-length($a) }?t',
    "//author ! concat(../title, ': ', .)",
    "//author/preceding-sibling::author[1]",
    '//title[following-sibling::author[1] = "A2"]',
    '//paper[preceding-sibling::paper[1]/author = "A2"]/title',
    "for $p in //paper return string-join(($p/title, $p/following-sibling::paper[1]/title), '-')",
    "(//volume/paper)[preceding-sibling::*[1]/self::meta]/title",
    "//paper[count(preceding-sibling::paper) < 2]/title",
]
KEEPS_ONE_VOLUME = [
    '//paper[../meta/year = "2020"]/title',
    '//paper[parent::*/meta/year = "2020"]/title',
    '//paper[parent::volume/meta/year = "2020"]/title',
    'for $p in //paper where $p/../meta/year = "2020" return $p/title',
    '//paper[ancestor::volume/meta/year = "2020"]/title',
    '//paper[../meta/year = "2020"][author = "A2"]/title',
    'for $a in //author where $a = "A2" return $a/../../meta/year',
    'for $a in //author let $v := $a/../.. where $a = "A2" return $v/meta/year',
    'for $a in //author where $a = "A2" return $a/ancestor::volume[1]/meta/year',
    'for $a in //author where $a = "A2" return string($a/../../meta/year)',
    'for $a in //author where $a = "A2" return <by year="{ $a/../../meta/year }">{ $a/../title/string() }</by>',
    'for $a in //author where $a = "A2" return $a/../../meta/year/text() || $a',
    "//author[. = 'A2'] ! xs:integer(../../meta/year)",
    'for $a in //paper/author where $a = "A2" return ($a/../title, $a/ancestor::volume[1]/meta)',
    '//paper[author = "A2" and ../meta/year = "2020"]/title',
]
KEEPS_PARTS = {
    "for $p in //paper group by $y := $p/ancestor::volume/meta/year return <y>{ $y, count($p) }</y>": 0.3,
    "for $p in //paper group by $y := $p/../meta/year return <y>{ $y, count($p) }</y>": 0.3,
    '//title[../../meta/year = "2020"]': 0.7,
    "declare variable $all := distinct-values(//author); count($all)": 0.01,
    "declare variable $all as item()* := distinct-values(//author); for $a in $all order by $a return $a": 0.01,
}


@pytest.mark.parametrize("query", KEEPS_NOTHING)
def test_what_is_open_around_a_node_need_not_be_kept(query: str) -> None:
    answer, kept = streamed(query, DOCUMENT)
    assert answer == xylem.compile(query).run(xylem.parse(DOCUMENT)).serialize(method="adaptive")
    assert kept == 0


@pytest.mark.parametrize("query", [*KEEPS_ONE_ITEM, *KEEPS_ONE_VOLUME])
def test_what_a_test_may_still_drop_is_all_that_waits(query: str) -> None:
    answer, kept = streamed(query, DOCUMENT)
    assert answer == xylem.compile(query).run(xylem.parse(DOCUMENT)).serialize(method="adaptive")
    assert kept < (300 if query in KEEPS_ONE_ITEM else len(DOCUMENT) / 20)


@pytest.mark.parametrize("query", KEEPS_PARTS)
def test_no_more_is_kept_than_the_query_reads(query: str) -> None:
    answer, kept = streamed(query, DOCUMENT)
    assert answer == xylem.compile(query).run(xylem.parse(DOCUMENT)).serialize(method="adaptive")
    assert kept < len(DOCUMENT) * KEEPS_PARTS[query]


@pytest.mark.parametrize(
    "query",
    [
        "for $t in //text() return <r>{ $t/following-sibling::c[1] }</r>",
        "for $t in //text() where $t/preceding-sibling::c[1]/@x return $t",
        "count(for $t in //text() return $t/../c[@x])",
        "//text() ! ../c",
        "for $k in //comment() return $k/../c",
    ],
)
def test_what_stands_beside_text_is_whole_or_refused(query: str) -> None:
    document = "<m><c x='1'>q<m/></c>1<c y='1'><!--k-->1</c></m>"
    expected = xylem.compile(query).run(xylem.parse(document)).serialize(method="adaptive")
    assert answered(query, document) in (expected, "XYST0004")


@pytest.mark.parametrize("order", ["<t/>" * 20_000 + "<a>x</a>" * 20_000, "<a>x</a><t/>" * 20_000])
def test_many_children_of_one_parent_take_linear_time(order: str) -> None:
    query = "for $a in //a where $a = 'y' return $a/../t"
    assert streamed(query, f"<r>{order}<p><t>one</t><a>y</a><t>two</t></p></r>")[0] == "<t>one</t>\n<t>two</t>"


@pytest.mark.parametrize(
    "query",
    [
        "for $a in //a return $a/../t",
        "for $a in //a return $a/preceding-sibling::t[1]",
        "for $a in //a return $a/preceding-sibling::k[1]/t",
        "for $a in //a where $a/../t return $a/ancestor::p[1]/k",
    ],
)
def test_what_stands_beside_an_item_is_whole_in_a_long_document(query: str) -> None:
    papers = (f"<p><t>title {n} {'w' * (n % 50)}</t><k><t>{n}</t></k><a>x</a><t>after</t></p>" for n in range(6000))
    document = f"<r>{''.join(papers)}</r>".encode()
    expected = xylem.compile(query).run(xylem.parse(document)).serialize()
    for size in (len(document), 10_007):
        pieces = (document[at : at + size] for at in range(0, len(document), size))
        written: list[bytes] = []
        xylem.compile(query).stream(pieces).write_to(written.append)
        assert b"".join(written).decode() == expected, size


NESTED = (
    "<p n='0'><t>0</t><q><a>y</a><p n='1'><a>y</a><t>1</t><q><q><a>y</a><t>x</t></q></q></p><a>n</a><a>y</a></q>"
    "<t>2</t><p n='2'><a>n</a></p>"
    "<m><t>3</t><y>z</y></m><q><p><t>4</t><q><p><a>y</a></p></q><t>5</t></p><m><y>w</y></m></q>"
    "</p>"
)


@pytest.mark.parametrize(
    "document",
    [NESTED, f"<m><y>v</y>{NESTED}<a>y</a><y>u</y></m>", "<t><a>y</a></t>", "<a>y</a>", "<m><y>1</y><a>y</a></m>"],
)
@pytest.mark.parametrize(
    "query",
    [
        "for $a in //a where $a = 'y' return $a/ancestor::p[1]/t",
        "for $a in //a where $a = 'y' return <r>{ $a/ancestor::p[1]/t }{ $a/../t }{ $a/../../t }</r>",
        "for $a in //a where $a = 'y' return $a/../../m/y",
        "for $a in //a where $a = 'y' return ($a/../../../t, $a/ancestor::q[1]/a)",
        "for $a in //a return ($a/following-sibling::a[1], $a/../../t)",
        "(for $a in //a return $a/../../t, for $t in //t return $t/../../a)",
        "<all>{ for $a in //a where $a = 'y' return $a/ancestor::p[1]/t }</all>",
        "for $p in //p return <p>{ for $a in $p/q/a return $a/ancestor::p[1]/t }</p>",
        "for $p in //p return <p>{ for $a in $p/q/a return $a/../../../m }</p>",
        "for $p in /p//p return <p>{ $p/../../t }</p>",
        "for $a in /*/*/a return $a/../../t",
        "count(for $a in //a return $a/../../t)",
        "//a[. = 'y']/../../m/y",
        "//a[. = 'y']/ancestor::p[1]/t",
    ],
)
def test_ancestors_nest_and_stand_at_different_heights(query: str, document: str) -> None:
    expected = xylem.compile(query).run(xylem.parse(document)).serialize(method="adaptive")
    for piece in (None, 1, 7, 40):
        assert answered(query, document, piece) == expected, piece


def test_explain_says_which_ancestor_is_waited_for() -> None:
    told = xylem.compile("for $a in //a where $a = 'y' return ($a/../../m/y, $a/ancestor::p[1]/t)").explain().to_text()
    assert "$a: ../../m/y, ancestor::p[1]/t" in told
    assert "until the end of $a/../.. and $a/ancestor::p[1]; at most the whole stream" in told


def test_what_stands_in_a_parent_has_a_limit() -> None:
    query = "for $a in //a return $a/../t"
    document = f"<r>{'<t>some text</t>' * 1000}<a/></r>".encode()
    result = xylem.compile(query).stream(document, limits=Limits(item_bytes=20_000))
    with pytest.raises(xylem.XylemError) as raised:
        result.write_to(lambda _: None)
    assert raised.value.code == "XYIN0004"


def test_explain_says_what_is_kept_of_parents() -> None:
    told = xylem.compile("for $a in //a where $a = 'y' return $a/../t").explain().to_text()
    assert "$a: ../t" in told
    assert "until the end of $a/..; at most the whole stream" in told


def test_the_documents_element_is_kept_within_the_limit_of_buffers() -> None:
    copy = (
        "declare function local:c($n) { typeswitch ($n) case element() return element { node-name($n) }"
        " { $n/@*, for $c in $n/node() return local:c($c) } default return $n }; local:c(/*)"
    )
    join = "for $v in //volume return <v>{ $v/@id, //paper[author = $v/@id]/title }</v>"
    limits = Limits(item_bytes=10_000)
    for query in (copy, join):
        written: list[bytes] = []
        xylem.compile(query).stream(DOCUMENT.encode(), limits=limits).write_to(written.append)
        assert b"".join(written).decode() == xylem.compile(query).run(xylem.parse(DOCUMENT)).serialize()


@pytest.mark.parametrize("query", ["//@n/string", "//a/@*/exactly-one", "count(//@n//x)", "//@n/.", "//b/text()/.."])
def test_nothing_is_below_an_attribute_or_a_text(query: str) -> None:
    document = "<r><a n='1'><b>2</b></a></r>"
    expected = xylem.compile(query).run(xylem.parse(document)).serialize(method="adaptive")
    assert answered(query, document) == expected


def test_a_test_of_the_second_parent_is_asked_of_those_who_have_one() -> None:
    """Of all elements of a flat document it would be asked once for each pair of them."""
    many = "".join(f"<p><f><t>{n}</t></f><m><y>{n % 9}</y></m></p>" for n in range(300))
    query = xylem.compile("//t[../../m/y = '3']")
    parts: list[bytes] = []
    query.stream(f"<r>{many}</r>".encode()).write_to(parts.append)
    assert b"".join(parts).decode() == query.run(xylem.parse(f"<r>{many}</r>")).serialize()
    program = compile_stream("//t[../../m/y = '3']", StaticEnvironment())
    assert "$ROOT//t[../../m/y" in print_flux(program.plan.program)
    # Where the document is the second parent, its element may be the one that is asked for.
    odd = "<m><t>1</t><y>3</y><m><y>4</y><f><t>2</t></f></m><f><t>3</t></f></m>"
    assert [str(item) for item in query.stream(odd.encode())] == [str(item) for item in query.run(xylem.parse(odd))]


@pytest.mark.parametrize(
    "query",
    [
        "for $a at $n in //author return ($n, $a/../title)",
        "for $a at $n in //author return <a n='{ $n }'>{ $a/../title/text() }</a>",
        "(//author)[5]/../title",
        "for $a in //author group by $t := string($a/../title) return <t>{ $t, count($a) }</t>",
        "for $a in //author return if ($a/../title eq 't1.1') then <y>{ $a/text() }</y> else ()",
        "sum(//author ! string-length(../title))",
        "distinct-values(//author/string(../title))",
    ],
)
def test_items_that_are_counted_or_folded_do_not_wait_for_what_is_beside_them(query: str) -> None:
    """They stream all the same, from what is kept of the document."""
    answer, _ = streamed(query, DOCUMENT)
    assert answer == xylem.compile(query).run(xylem.parse(DOCUMENT)).serialize(method="adaptive")


def _value(random: Random, node: str) -> str:
    up = random.choice(["..", "..", "../..", "ancestor::b[1]", "parent::a"])
    below = random.choice(["", "", "/a", "/@k", "/text()", "/comment()"])
    path = f"{node}/{up}/{random.choice('abch')}{below}"
    forms = [
        "{p}",
        "{p}/string()",
        "data({p})",
        "({p}) ! string()",
        "string-join({p}, '-')",
        "<x k='{{ {p} }}'/>",
        "<x>{{ {p} }}</x>",
        "({p} ! (. || '!'))",
        "try {{ string({p}) }} catch * {{ 'E' }}",
        "try {{ {p} + 1 }} catch * {{ 'F' }}",
        "count({p})",
        "({p} = '1')",
        "(if (count({p}) = 1) then string({p}) else ())",
        "map {{ 'v': data({p}) }}?v",
    ]
    return random.choice(forms).format(p=path)


def _values_query(random: Random) -> str:
    items = random.choice(["//a", "//b", "//a/b", "//*", "/*/a", "//h[@k]", "//a[b]", "//b[. = '1']", "(//a)[2]"])
    one, other = _value(random, "$x"), _value(random, "$x")
    loops = [
        f"for $x in {items} return ({one}, {other})",
        f"for $x at $n in {items} return ($n, {one})",
        f"for $x in {items} where $x/@k = 1 return ({one}, {other})",
        f"for $x in {items} let $y := {one} return <r>{{ string-join($y ! string(), ','), {other} }}</r>",
        f"{items} ! ({_value(random, '.')})",
        f"<r>{{ for $x in {items} for $z in $x/* return ({_value(random, '$z')}, {one}) }}</r>",
    ]
    return random.choice(loops)


def _values_document(random: Random, depth: int = 0) -> str:
    name, key = random.choice("abch"), random.choice(["", f" k='{random.randrange(3)}'"])
    if depth > 3 or random.random() < 0.15:
        return f"<{name}{key}>{random.choice(['', '1', 'x', '2'])}</{name}>"
    inner = [_values_document(random, depth + 1) if random.random() < 0.7 else "t<!--c-->" for _ in range(3)]
    return f"<{name}{key}>{''.join(inner)}</{name}>"


def test_values_beside_and_above_are_those_of_the_tree() -> None:
    random = Random(_SEED)
    for _ in range(_MANY):
        query = _values_query(random)
        compiled = xylem.compile(query)
        for document in (_values_document(random) for _ in range(3)):
            try:
                expected = compiled.run(context=xylem.parse(document)).serialize(method="adaptive")
            except xylem.XylemError as error:
                expected = error.code
            for piece in (None, random.randrange(1, 30)):
                try:
                    found = answered(query, document, piece)
                except xylem.XylemError as error:
                    found = error.code
                assert found in (expected, "XYST0004"), (_SEED, query, document, piece)
