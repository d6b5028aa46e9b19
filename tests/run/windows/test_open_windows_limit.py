"""Windows that stay open over an infinite sequence: warned about, and capped by what may be held."""

from __future__ import annotations

from itertools import count, islice

import pytest
import xylem

PROLOG = "declare variable $s as xs:integer** external; "
GROWING = [
    "forseq $w in $s landmark window start when true() end when true() return count($w)",
    "forseq $w in $s sliding window start when true() end when false() return count($w)",
    "for tumbling window $w in $s start when true() end when false() return <a>{ $w }</a>",
]
BOUNDED = [
    "for sliding window $w in $s start at $i when true() only end at $j when $j - $i eq 9 return sum($w)",
    "for sliding window $w in $s start $a when true() only end $b when $b - $a ge 9 return sum($w)",
    "forseq $w in $s landmark window start position $i when $i eq 1 end when true() return sum($w)",
    "for tumbling window $w in $s start when true() end when false() return for $x in $w return $x",
    "for tumbling window $w in $s start at $i when true() end at $j when $j - $i eq 9 return <a>{ $w }</a>",
]


@pytest.mark.parametrize("query", GROWING)
def test_what_grows_is_warned_about_and_capped(query: str) -> None:
    compiled = xylem.compile(PROLOG + query)
    assert any("XYDY0010" in remark for remark in compiled.warnings)
    with pytest.raises(xylem.DynamicError, match="XYDY0010") as told:
        list(islice(compiled.run(variables={"s": count(1)}, held_items=20), 1000))
    assert "more than 20" in str(told.value)


@pytest.mark.parametrize("query", BOUNDED)
def test_what_does_not_grow_is_not_in_the_way(query: str) -> None:
    compiled = xylem.compile(PROLOG + query)
    assert len(list(islice(compiled.run(variables={"s": count(1)}, held_items=20), 200))) == 200


def test_a_finite_input_has_no_such_limit() -> None:
    compiled = xylem.compile("for tumbling window $w in /r/i start when true() end when false() return count($w/x)")
    document = b"<r>" + b"<i><x/></i>" * 50 + b"</r>"
    from xylem.source.limits import Limits

    assert list(compiled.stream(document, limits=Limits(held_items=20))) == [50]
