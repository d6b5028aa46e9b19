"""What projections mean, by the table of docs/history.md: S, N and T, on the stream of the paper and on others."""

from __future__ import annotations

import pytest
from xylem import history_query
from xylem.errors import DynamicError, StaticError, XylemError

from tests.run.history.feeding import OPEN, PAPER, displays, texts

QUOTES = f"""{OPEN}<tickers>
<ticker><name>IBM</name><quote u:id="i">100</quote></ticker>
<ticker><name>ACME</name><quote u:id="k" w="1">10</quote></ticker></tickers>
<u:replace of="i" t="1"><quote>120</quote></u:replace>
<u:replace of="k" t="2"><quote w="2">9</quote></u:replace>
<u:replace of="i" t="4"><quote>90</quote></u:replace>
<u:clock t="9"/>
</u:stream>"""


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("./a/b", ["<b>X</b>", "<b>Y</b>", "<b>Z</b>", "<b>W</b>"]),
        ("./a#1/b", ["<b>Z</b>"]),
        # Erratum: the paper shows Z here. The second version before Z is X.
        ("./a#1/b#2", ["<b>X</b>"]),
        ("./a/b#1", ["<b>X</b>", "<b>Y</b>", ""]),
        ("./a/b#[1]", ["<b>X</b>", "<b>Y</b><b>X</b>", "<b>Z</b><b>Y</b>", "<b>W</b>"]),
    ],
)
def test_the_queries_of_section_3(query: str, shown: list[str]) -> None:
    assert texts(query, PAPER) == shown


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        # S: each slot of each context node, and nothing coalesces
        ("//quote#1/string()", ["100", "100 10", "120 10"]),
        ("//ticker/quote#[1]/string()", ["100 10", "120 100 10", "120 100 9 10", "90 120 9 10"]),
        ("//ticker[2]/quote#1/string()", ["10"]),
        ("(//quote)[2]#1/string()", ["10"]),
        ("//quote[. > 100]#1/string()", ["120"]),
        ("//quote[2]#[1]/string()", ["100", "100 10", "120 10"]),
        ("//ticker/descendant::quote#[9][3]/string()", ["100"]),
        ("//ticker/(quote)#1/string()", ["100", "100 10", "120 10"]),
        ("//quote/@w#0/string()", ["1", "2"]),
        ("//quote/@w#1", []),
        ("//quote#1/@w/string()", ["1"]),
        ("//name?3/string()", ["IBM ACME"]),
        ("//quote?2/string()", ["100 10", "120 9", "90 9"]),
        ("//quote?[2]/string()", ["100 10", "120 100 10", "120 100 9 10", "90 120 9", "90 9"]),
        ("//quote?8.5/string()", ["100 10"]),
        ("string-join(//quote#1/../name, ' ')", ["IBM", "IBM ACME"]),
        ("//quote#1/following::name/string()", ["ACME"]),
        # N: the node's own slot
        ("for $q in //quote return $q#1/string()", ["100", "100 10", "120 10"]),
        ("for $q in //quote#1 return $q#1/string()", ["100"]),
        ("for $q in //quote return $q?2/string()", ["100 10", "120 9", "90 9"]),
        ("//quote/.#1/string()", ["100", "100 10", "120 10"]),
        ("for $n in (1, 2) return ($n#0, $n#1)", ["1 2"]),
        ("declare function local:f($q) { $q#1 }; //ticker/local:f(quote)/string()", ["100", "100 10", "120 10"]),
        # a let variable stands for its expression
        ("let $q := //quote return $q#1/string()", ["100", "100 10", "120 10"]),
        ("for $t in //ticker let $q := $t/quote where number($q) > $q#1 return $t/name/string()", ["IBM", ""]),
        ("let $n := sum(//quote) return $n#1", ["110", "130", "129"]),
        ("declare variable $q := //quote; $q#1/string()", ["100", "100 10", "120 10"]),
        # T: the value as of each commit
        ("sum(//quote)#1", ["110", "130", "129"]),
        ("sum(//quote)#[2]", ["110", "130 110", "129 130 110", "99 129 130"]),
        ("count(//quote)#1", []),
        ("sum(//quote)?3", ["130", "99"]),
        ("sum(//quote)?[3]", ["110", "130 110", "129 130 110", "99 129 130", "99"]),
        ("(//quote > 110)?3", ["true", "false"]),
        ("for $t in //ticker return string($t)#1", ["IBM100", "IBM100 ACME10", "IBM120 ACME10"]),
        ("for $t in //ticker return ($t/quote * 2)#1", ["200", "200 20", "240 20"]),
        ("string-join(//quote, ',')#1", ["100,10", "120,10", "120,9"]),
        ("let $n := count(//name) return ($n + sum(//quote))#1", ["112", "132", "131"]),
        ("(if (//quote = 120) then 'up' else 'down')#1", ["down", "up"]),
        # mixtures
        ("(//quote#1)#1/string()", ["100"]),
        ("//quote#1#1/string()", ["100"]),
        ("(//quote?1)?1/string()", ["100 10", "120 9", "90 9"]),
        ("let $q := //quote return ($q?1?1)/string()", ["100 10", "120 9", "90 9"]),
        ("let $q := //quote return ($q?1?0.5?0.5)/string()", ["100 10", "120 9", "90 9"]),
        ("for $q in //quote return $q?1?1/string()", ["100 10", "120 9", "90 9"]),
        ("for $n in (1, 2) return (map { 1: $n })?1", ["1 2"]),
        ("let $m := map { 1: //quote } return $m?1?2/string()", ["100 10", "120 9", "90 9"]),
        ("let $m := map { 1: [5, 6] } return $m?1?2", ["6"]),
        ("sum(//quote)?1?2", ["130", "99"]),
        # a value of a value: what stood there 3 s ago of what stood there one version before
        ("(//quote#1)?3/string()", ["100", "120 10"]),
        # as of a time, and between two
        ("xylem:as-of(//quote, 1)/string()", ["100 10", "120 10"]),
        ("xylem:as-of(sum(//quote), 2.5)", ["110", "130", "129"]),
        ("xylem:versions(//quote, 1, 4)/string()", ["100 10", "120 10", "120 9 10"]),
        (
            "for $q in //ticker[1]/quote#[9] "
            "return string-join((xylem:begin($q), xylem:end($q), xylem:version($q)), '-')",
            ["0-0", "1-0 0-1-1", "4-0 1-4-1 0-1-2"],
        ),
    ],
)
def test_projections(query: str, shown: list[str]) -> None:
    assert texts(query, QUOTES) == shown
    # As users run it, by operators where there are some.
    answers = history_query(query).answers(QUOTES.encode())
    assert [answer.display.text for answer in answers if answer.is_changed] == shown


def test_what_is_neither_node_nor_map_has_no_lookup() -> None:
    query = "for $m in (map { 1: [5, 6] }, map { 1: [7, //quote] }) return $m?1?2?2/string()"
    for run in (lambda: texts(query, QUOTES), lambda: list(history_query(query).answers(QUOTES.encode()))):
        with pytest.raises(XylemError) as refused:
            run()
        assert refused.value.code == "XPTY0004"


@pytest.mark.parametrize("chunk", [1, 3, 10_000])
def test_chunks_of_any_size(chunk: int) -> None:
    assert displays("./a/b/string()", PAPER, chunk=chunk) == [
        (1, "0", "X"),
        (2, "2", "Y"),
        (3, "3", "Z"),
        (4, "4", "W"),
    ]


def test_a_failing_version_yields_nothing_but_counts() -> None:
    stream = f"""{OPEN}<r><u:mutable id="m"><a/></u:mutable></r>
    <u:replace of="m" t="1"><b/></u:replace><u:remove of="m" t="2"/>
    <u:replace of="m" t="3"><a/><a/></u:replace></u:stream>"""
    assert texts("count(/r/a#1), count(/r/b#1), count(/r/a#2), count(/r/b#2), count(/r/a#3)", stream) == [
        "0 0 0 0 0",
        "1 0 0 0 0",
        "0 1 1 0 0",
        "0 0 0 1 1",
    ]


def test_equal_times_make_a_version_that_counts_and_holds_at_no_moment() -> None:
    stream = f"""{OPEN}<r><a u:id="i">1</a></r>
    <u:batch t="5"><u:replace of="i"><a>2</a></u:replace><u:replace of="i"><a>3</a></u:replace></u:batch>
    <u:clock t="6"/></u:stream>"""
    assert texts("/r/a#1/string()", stream) == ["2"]
    assert texts("/r/a?1/string()", stream) == ["1", "3"]
    assert texts("/r/a?[1]/string()", stream) == ["1", "3 2 1", "3 2"]


def test_a_change_deep_in_a_node_is_no_version_of_it() -> None:
    stream = f"""{OPEN}<r><a u:id="i"><b u:id="k">1</b></a></r><u:replace of="k" t="1"><b>2</b></u:replace>
    <u:replace of="i" t="2"><a><b>3</b></a></u:replace><u:replace of="k" t="3"><b>late</b></u:replace></u:stream>"""
    assert texts("/r/a#1", stream) == ["<a><b>2</b></a>", "<a><b>late</b></a>"]
    assert texts("/r/a#1/b#1/string()", stream) == ["1", "2"]
    # The timeline sees what was.
    assert texts("string(/r/a)#[9]", stream) == ["1", "2 1", "3 2 1"]


def test_a_timeline_does_not_go_back_before_a_bound_node_existed() -> None:
    stream = f"""{OPEN}<r><a u:id="i">1</a></r>
    <u:insert-after of="i" id="k" t="1"><b><c u:id="c">x</c></b></u:insert-after>
    <u:replace of="c" t="2"><c>y</c></u:replace></u:stream>"""
    assert texts("for $b in /r/b return string($b)#[9]", stream) == ["x", "y x"]
    assert texts("string-join(/r/b/string(), '')#[9] ! concat('[', ., ']')", stream) == ["[]", "[x] []", "[y] [x] []"]


def test_text_beside_regions_and_regions_of_text() -> None:
    stream = f"""{OPEN}<p>a<u:mutable id="m">b</u:mutable>c</p><u:replace of="m" t="1">B</u:replace></u:stream>"""
    assert texts("string(/p)", stream) == ["abc", "aBc"]
    assert texts("/p/text()#1", stream) == ["b"]


def test_what_is_only_known_while_the_query_runs_is_refused() -> None:
    with pytest.raises(StaticError) as refused:
        texts("for $i in 1 to 2 return //b#$i", PAPER)
    assert refused.value.code == "XYST0030"


def test_external_variables_and_durations() -> None:
    assert texts("declare variable $v external; //b#$v/string()", PAPER, variables={"v": 1}) == ["X", "Y", ""]
    assert texts("//b?[xs:dayTimeDuration('PT1S')]/string()", PAPER) == ["X", "Y X", "Z Y", "W"]
    for value in (-1, 1.5, "x"):
        with pytest.raises(DynamicError) as refused:
            texts("declare variable $v external; //b#$v", PAPER, variables={"v": value})
        assert refused.value.code == "XYDY0020"


def test_maps_and_arrays_keep_the_question_mark() -> None:
    query = "let $m := map { 1: //b/string() }, $a := [5, 6] return ($m?1, $a?2, [7]?1, (map { 1: 8 }, $m)?1)"
    assert texts(query, PAPER) == ["X 6 7 8 X", "Y 6 7 8 Y", "Z 6 7 8 Z", "W 6 7 8 W"]


def test_an_element_that_brings_its_own_id_again_has_one_history() -> None:
    updates = "".join(f'<u:replace of="i" t="{n}"><a u:id="i">{n}</a></u:replace>' for n in (1, 2, 3))
    stream = f'{OPEN}<r><a u:id="i">0</a></r>{updates}</u:stream>'
    assert texts("/r/a#1/string()", stream) == ["0", "1", "2"]
    assert texts("/r/a#[9]/string()", stream) == ["0", "1 0", "2 1 0", "3 2 1 0"]
    assert texts("for $a in /r/a return string($a)#[9]", stream) == ["0", "1", "2", "3"]


def test_a_node_is_itself_in_its_own_version() -> None:
    stream = f"""{OPEN}<r><u:mutable id="m"><a>1</a><a>2</a></u:mutable></r>
    <u:replace of="m" t="1"><a>3</a><a>4</a></u:replace></u:stream>"""
    assert texts("for $a in /r/a return $a#0/string()", stream) == ["1 2", "3 4"]
    assert texts("for $a in /r/a[1] return $a#[1]/string()", stream) == ["1", "3 1 2"]


def test_a_timeline_is_remembered_for_each_binding() -> None:
    stream = f"""{OPEN}<r><a u:id="i">1</a><a u:id="k">5</a></r><u:replace of="i" t="1"><a>2</a></u:replace>
    <u:clock t="2"/><u:replace of="k" t="3"><a>6</a></u:replace></u:stream>"""
    query = (
        "for $i in 1 to 2 return string-join(($i + sum(/r/a))#[9], '-'), "
        "for $m in (map {}, map { 1: 1 }) return count($m#0)"
    )
    assert texts(query, stream) == ["7 8 1 1", "8-7 9-8 1 1", "9-8-7 10-9-8 1 1"]


def test_a_group_takes_the_place_that_another_leaves() -> None:
    stream = f"""{OPEN}<r><a><u:mutable id="m"/></a></r><u:replace of="m" t="1"><a>2</a></u:replace></u:stream>"""
    query = 'for $x in //a group by $k := string($x) return <g k="{ $k }">{ count($x) }</g>'
    shown = ['<g k="">1</g>', '<g k="2">2</g>']
    assert texts(query, stream) == shown
    answers = history_query(query).answers(stream.encode())
    assert [answer.display.text for answer in answers if answer.is_changed] == shown


@pytest.mark.parametrize("query", ["xylem:as-of(//a)", "xylem:as-of(//a, 1, 2)", "xylem:versions(//a)"])
def test_a_call_with_other_arguments_says_which_it_takes(query: str) -> None:
    with pytest.raises(StaticError) as refused:
        texts(query, PAPER)
    assert refused.value.code == "XPST0017"
    assert refused.value.hint is not None
    assert refused.value.hint.startswith(query.partition("(")[0])
