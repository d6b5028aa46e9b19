"""What is done with what windows give, over a document that streams by: paths, tests, functions."""

from __future__ import annotations

import pytest
import xylem

from .test_streamed_input import WINDOWS as TUMBLING
from .test_streamed_input import check_kept, check_streamed

SLIDING = "for sliding window $w in /log/e start $s when true() end at $j when $j mod 2 = 0 return"
DATA_WINDOWS = "for $w in /log/e|count 2| return"
STREAMED = [
    # steps from items of windows: those of one window stand before those of the next
    f"({TUMBLING} $w[1])/@t/string()",
    f"({TUMBLING} $w[1])[@k = 'a']/@t/string()",
    f"({TUMBLING} reverse($w))/@t/string()",
    f"({TUMBLING} ($w[2], $w[1], $w[2]))/@t/string()",
    f"({TUMBLING} for $x in $w order by $x/@t descending return $x)/@t/string()",
    f"({TUMBLING} let $v := tail($w) return $v)/(@t, @k)/string()",
    f"({TUMBLING.replace('return', 'count $c where $c > 1 return')} $w)/@t/string()",
    f"({TUMBLING.replace('/log/e', '/log/d')} $w)//b/text()",
    f"({TUMBLING.replace('/log/e', '/log/d')} $w/b)[. > 1]/string()",
    f"({TUMBLING.replace('/log/e', '//d')} $w)/count(b)",
    f"({TUMBLING.replace('/log/e', '//e')} $w[1])/@t/string()",
    f"({TUMBLING} $w/@t)[position() > 1]/string()",
    f"({TUMBLING} $w)[position() > 1]/@t/string()",
    f"subsequence({TUMBLING} $w, 2, 2)/@k/string()",
    f"({TUMBLING} $w ! .)[@t > 1]/@k/string()",
    f"({SLIDING} $s)/@t/string()",
    f"({SLIDING} $w[1])/@t/string()",
    f"({SLIDING} head($w)[@k = 'a'])/@t/string()",
    f"({SLIDING} $w)[3]/@t/string()",
    f"let $r := {TUMBLING} $w return $r/@t/string()",
    f"let $r := {TUMBLING} sum($w/@t) return max($r)",
    f"let $w := 'a' return ({TUMBLING} $w)[@k = $w]/@t/string()",
    f"count(({TUMBLING} $w)/@t), head(({TUMBLING} $w[2])/@t/string())",
    f"count({DATA_WINDOWS} $w[1])",
    f"({DATA_WINDOWS} <v>{{ $w }}</v>)[2]/e/@t/string()",
    # functions that ask each result, or until they know
    f"({TUMBLING} sum($w/@t))[last()]",
    f"(({TUMBLING} $w)/@t)[last()]/string()",
    f"data({TUMBLING} $w[1]/@k)",
    f"distinct-values({TUMBLING} $w[1]/@k)",
    f"every $n in ({TUMBLING} sum($w/@t)) satisfies $n > 3",
    f"some $n in ({TUMBLING} $w), $k in ('b', 'c') satisfies $n/@k = $k",
    f"({TUMBLING} sum($w/@t)) = 12, 7 < ({TUMBLING} count($w))",
    f"if ({TUMBLING} $w[@k = 'a']) then 'yes' else 'no'",
    f"<o n='{{ count({TUMBLING} $w) }}' last='x'>text</o>",
    f"array {{ {TUMBLING} count($w) }} ? *",
    f"switch (count({TUMBLING} $w)) case 4 return 'four' default return 'not'",
    # constructed elements have no parent, and live on without their batch
    f"let $r := ({TUMBLING} <w k='{{ $w[1]/@k }}'>{{ count($w) }}</w>) for $k in ('a', 'b')"
    " return <x>{ count($r/..), $r[@k = $k]/string(), count($r[@k = $k]/ancestor-or-self::*) }</x>",
    f"let $r := ({TUMBLING} <w k='{{ $w[1]/@k }}'>{{ $w }}</w>) for $k in distinct-values($r/@k)"
    " return <x>{ $r[@k = $k]/e/@t/string(), count($r/e/..), count($r/e/../..) }</x>",
]
OTHERS = [
    # a path sorts what it finds, and takes each node once
    f"({SLIDING} $w)/@t/string()",
    f"({SLIDING} $w[last()])/@t/string()",
    f"({TUMBLING.replace('tumbling', 'sliding')} $w[1])/@t/string()",
    "(forseq $w in /log/e landmark window start position $p when $p = 1 end when true() return $w[last()])/@t/string()",
    f"({TUMBLING.replace('return', 'order by $w[1]/@t descending return')} $w)/@t/string()",
    f"({TUMBLING.replace('/log/e', '//d')} $w)/b/string()",
    "(for tumbling window $w in /log/e start when true() end next $n when true() return $n)/@t/string()",
    f"({TUMBLING} let $w := reverse($w) return $w)[position() < 3]/@t/string()",
    f"({TUMBLING} $w)/string(position())",
    f"<o n='{{ count({TUMBLING} $w) }}'>{{ /log/x }}</o>",
    "(for $w in /log/e|count 2 step 1| return $w)/@t/string()",
]


@pytest.mark.parametrize("query", STREAMED)
def test_each_result_is_asked_when_it_comes(query: str) -> None:
    check_streamed(query)


@pytest.mark.parametrize("query", OTHERS)
def test_what_must_be_sorted_is_kept(query: str) -> None:
    check_kept(query)


def test_of_an_item_no_more_is_kept_than_steps_lead_to() -> None:
    (held,) = xylem.compile(f"({TUMBLING} $w[@k])/x/@y/string()").stream(b"<log/>").account.buffered
    assert (held.variable, held.paths, held.bound) == ("w", ("@k", "x/@y"), "one window")


def test_a_landmark_keeps_all_items_since() -> None:
    landmark = "forseq $w in /log/e landmark window start position $p when $p = 1 {} position $q when {} return {}"
    for end, test, result, bounds in (
        ("end", "true()", "<w>{ $w }</w>", ["the whole stream"]),
        ("end", "true()", "count($w)", []),
        ("force end", "$q - $p = 3", "<w>{ $w }</w>", ["one window"]),
    ):
        buffered = xylem.compile(landmark.format(end, test, result)).stream(b"<log/>").account.buffered
        assert [held.bound for held in buffered] == bounds


def test_every_sub_sequence_keeps_all_items() -> None:
    (held,) = xylem.compile("forseq $w in /log/e return count($w)").stream(b"<log/>").account.buffered
    assert held.bound == "the whole stream"
