"""Matches that there are, in whatever words the queries say it, and matches that must not be claimed."""

from __future__ import annotations

import pytest
from xylem.network.answer_matching import match_queries
from xylem.network.matching import Match
from xylem.schema import load_schema
from xylem.syntax import parse

DTD = """<!ELEMENT photons (photon*)><!ELEMENT photon (ra, dec, en, phc?, note*)>
<!ATTLIST photon id CDATA #REQUIRED>
<!ELEMENT ra (#PCDATA)><!ELEMENT dec (#PCDATA)><!ELEMENT en (#PCDATA)><!ELEMENT phc (#PCDATA)>
<!ELEMENT note (#PCDATA)>"""
WIDE = "/photons/photon[ra > 120 and ra < 138]"


def matched(first: str, second: str, dtd: str | None = DTD) -> Match:
    return match_queries(parse(first), parse(second), None if dtd is None else load_schema(dtd))


def residual(found: Match) -> list[str]:
    told: list[str] = found.to_dict()["residual"]
    return told


NARROW = [
    "/photons/photon[ra > 130.5 and ra < 135]",
    "/photons/photon[ra > 130.5][ra < 135]",
    "/photons/photon[130.5 < ra][not(ra >= 135)]",
    "(/photons/photon)[ra > 130.5][ra lt '135' or 1 = 1][ra < 135]",
    "for $p in /photons/photon where $p/ra > 130.5 and $p/ra < 135 return $p",
    "for $p in /photons/photon where $p/ra > 130.5 where 135 > $p/ra return <x>{ $p/en }</x>",
    "for $p in /photons/photon let $r := $p/ra where $r > 130.5 and $r < 135 return $r",
    "for $p in /photons/photon let $low := 130, $r := $p/ra where $r > $low + 0.5 and $r < 135 return $r",
    "declare variable $low := 130.5; for $p in /photons/photon where $p/ra > $low and $p/ra < 135 return $p",
    "let $all := /photons/photon for $p in $all where $p/ra > 130.5 and $p/ra < 135 return $p",
    "for $s in /photons for $p in $s/photon where $p/ra > 130.5 and $p/ra < 135 return $p",
    "for $p in /photons/photon return if ($p/ra > 130.5 and $p/ra < 135) then $p else ()",
    "for $p in /photons/photon return if ($p/ra > 130.5) then if ($p/ra < 135) then $p/en else () else ()",
    "for $p in /photons/photon return $p[ra > 130.5 and ra < 135]/en",
    "declare function local:near($p) { $p/ra > 130.5 and $p/ra < 135 }; /photons/photon[local:near(.)]",
    "for $p in /photons/photon where some $r in $p/ra satisfies $r > 130.5 where $p/ra < 135 return $p",
    "for $p in /photons/photon where $p/ra[. > 130.5] and exists($p/ra[135 > .]) return $p",
    "for $p in /photons/photon, $r in $p/ra where $r > 130.5 and $r < 135 return $p",
    "for $p in /photons/photon where number($p/ra) > 130.5 and ($p/ra => number()) < 135 return $p",
    "for $p in /photons/photon where xs:double($p/ra) gt 130.5 and data($p/ra) < 135 return $p",
    "for $p in /photons/photon where $p/ra = (131, 132.5, 134) return $p",
    "for $p in /photons/photon where $p/ra > 130.5 and not($p/ra >= 135 or $p/en > 9) return $p",
    "count(/photons/photon[ra > 130.5 and ra < 135])",
    "<n>{ count(/photons/photon[ra > 130.5 and ra < 135]), avg(/photons/photon[ra > 131 and ra < 133]/en) }</n>",
    "some $p in /photons/photon satisfies $p/ra > 130.5 and $p/ra < 135 and $p/en > 1",
    "/photons/photon[ra > 130.5 and ra < 135][3]/en",
    "for $p at $n in /photons/photon[ra > 130.5 and ra < 135] return <x n='{ $n }'/>",
    "for $w in /photons/photon[ra > 130.5 and ra < 135]|count 3 step 1| return avg($w/en)",
    "for $p in /photons/photon where $p/ra > 130.5 and $p/ra < 135 group by $k := $p/phc return count($p)",
    "for $p in /photons/photon where $p/ra > 130.5 and $p/ra < 135 order by $p/en return $p",
    "/photons/*[ra > 130.5 and ra < 135]",
    "/photons/photon[abs(ra - 132) < 1.5]",
    "/photons/photon[head(ra) - 130 > 0.5 and ra[last()] * 2 < 270]",
    "/photons/photon[ra > 130.5] intersect /photons/photon[ra < 135]",
]


@pytest.mark.parametrize("query", NARROW)
def test_the_spelling_does_not_matter(query: str) -> None:
    found = matched(WIDE, query)
    assert found.reuse, found.why
    assert found.residual
    assert not matched("/photons/photon[ra > 131.5 and ra < 138]", query).reuse


NOT_NARROW = [
    "/photons/photon[3]",
    "/photons/photon[3][ra > 130 and ra < 135]",
    "for $p at $n in /photons/photon where $p/ra > 130 and $p/ra < 135 return <x n='{ $n }'/>",
    "for $p in /photons/photon count $n where $p/ra > 130 and $p/ra < 135 return $n",
    "/photons/photon[ra > 130 and ra < 135]/following-sibling::photon[1]",
    "/photons/photon[not(ra <= 120) and not(ra >= 138)][position() = last()]",
    "(count(/photons/photon), /photons/photon[ra > 130 and ra < 135])",
    "every $p in /photons/photon satisfies ($p/ra > 130 and $p/ra < 135)",
    "for $p in /photons/photon return if ($p/ra > 130 and $p/ra < 135) then $p else 'no'",
    "declare variable $low external; /photons/photon[ra > $low and ra < 135]",
    "for $p in /photons/photon where $p/ra > 130 or $p/ra < 135 return $p",
    "for $p in /photons/photon where $p/ra != 121 and $p/ra < 135 return $p",
    "for $p in /photons/photon where $p/ra > '130' and $p/ra < '135' return $p",
    "for $p in /photons/photon where xs:decimal($p/ra) > 120 and xs:decimal($p/ra) < 135 return $p",
    "for $p in /photons/photon where $p/ra >= 120 and $p/ra < 135 return $p",
    "for $p in /photons/photon where not($p/phc < 3) return $p",
    "for $p in /photons/photon where $p/ra > current-time() or $p/ra > 130 return $p",
    "/photons[photon/ra > 130]/photon",
    "for $p in /photons/photon where $p/ra > 130 and $p/ra < 135 return $p/..",
    "for $p in /photons/photon where $p/ra > 130 and $p/ra < 135 return base-uri($p)",
    "for $p in /photons/photon where $p/ra > 130 and $p/ra < 135 return root($p)",
    "stream('other')/photons/photon[ra > 130 and ra < 135]",
    "1 + 1",
    "declare variable $mean := avg(/photons/photon/ra) * 1; /photons/photon[ra > 130 and ra < 135][ra > $mean]",
    "try { /photons/photon[ra > 130 and ra < 135] } catch * { 'no' }",
    "declare function local:n($x as xs:integer) { count(stream('s')/photons/photon) + $x };"
    " stream('s')/photons/photon[ra > 130 and ra < 135]/<n>{ local:n(1) }</n>",
]


@pytest.mark.parametrize("query", NOT_NARROW)
def test_what_is_no_match_is_told_why(query: str) -> None:
    found = matched(WIDE, query)
    assert not found.reuse
    assert found.why


def test_comparisons_and_casts_in_other_spellings() -> None:
    assert matched("/photons/photon[ra > dec]", "/photons/photon[dec < ra and en > 1]").reuse
    assert matched("/photons/photon[ra = dec]", "/photons/photon[dec = ra]/en").reuse
    assert not matched("/photons/photon[ra > dec]", "/photons/photon[dec <= ra]").reuse
    for test in ("xs:double(en) > 2", "xs:double(en) gt 2"):
        assert matched("/photons/photon[en > 1]", f"/photons/photon[{test}]").reuse, test
        assert not matched("/photons/photon[en > 3]", f"/photons/photon[{test}]").reuse, test
    typed = "declare function local:hot($p as element()) as xs:boolean { $p/en > 2 };"
    assert matched("/photons/photon[en > 1]", f"{typed} for $p in /photons/photon where local:hot($p) return $p").reuse


def test_a_condition_that_the_stream_has_tested_is_not_tested_again() -> None:
    found = matched(WIDE, "/photons/photon[ra > 120][ra < 138][en > 1.3]/en")
    assert found.reuse
    assert residual(found) == ["en > 1.3"]
    assert residual(matched(WIDE, "/photons/photon[ra < 138.0 and 120 < ra]")) == []
    assert residual(matched(WIDE, "/photons/photon[ra = 130]")) == ["ra = 130"]


def test_values_that_come_again_hold_each_for_itself() -> None:
    # One note above 3 and another below 5: no note need lie between.
    assert not matched("/photons/photon[note = 4]", "/photons/photon[note > 3 and note < 5]").reuse
    assert matched("/photons/photon[note > 3]", "/photons/photon[note > 4 and note < 2]").reuse
    # With one value at most, nothing is above 4 and below 2: whatever the stream has is enough.
    assert matched("/photons/photon[dec = 7]", "/photons/photon[ra > 4 and ra < 2]").reuse
    assert not matched("/photons/photon[dec = 7]", "/photons/photon[ra > 4 and ra < 2]", dtd=None).reuse
    # all of them against one of them
    assert not matched("/photons/photon[note > 3]", "/photons/photon[not(note <= 3)]").reuse
    assert matched("/photons/photon[not(note > 3)]", "/photons/photon[not(note > 2)]").reuse


def test_each_of_the_values_that_come_again_is_tested_by_itself() -> None:
    # Of <note>1</note><note/>, the second is no number: a filter takes it for one that does not pass.
    assert matched("/photons/photon[note[. < 2]]", "/photons/photon[note < 2]").reuse
    assert matched("/photons/photon[note[. < 2]]", "/photons/photon[note[. < 2]]").reuse
    assert matched("/photons/photon[ra[. < 3]]", "/photons/photon[ra < 2]").reuse
    assert matched("/photons/photon[note > (3, 1)]", "/photons/photon[note > 1]").reuse
    assert matched("/photons/photon[ra > (3, 1)]", "/photons/photon[ra > 1]").reuse
    assert matched("/photons/photon[note = ('a', 'b')]", "/photons/photon[note = 'b']").reuse


def test_missing_values_and_nan() -> None:
    assert not matched("/photons/photon[phc >= 3]", "/photons/photon[not(phc < 3)]").reuse
    assert matched("/photons/photon[not(phc < 3)]", "/photons/photon[phc >= 3]").reuse
    assert matched("/photons/photon[not(phc < 3)]", "/photons/photon[empty(phc)]").reuse
    assert matched("/photons/photon[phc]", "/photons/photon[phc > 3]").reuse
    assert not matched("/photons/photon[number(phc) != 3]", "/photons/photon[not(number(phc) < 3)]").reuse
    assert matched("/photons/photon[not(number(phc) = 3)]", "/photons/photon[number(phc) != 3]").reuse
    # NaN is not even at most itself.
    assert not matched("/photons/photon[ra <= 1.5]", "/photons/photon[not(number(ra) <= number(ra))]").reuse
    # NaN is other than itself, and what is no number is an error in both.
    assert not matched("/photons/photon[ra < 3 or ra >= 3]", "/photons/photon").reuse


def test_disjunctions_are_covered_together() -> None:
    assert matched("/photons/photon[ra < 5 or ra >= 5]", "/photons/photon[ra > 1]").reuse
    assert matched("/photons/photon[ra < 5 or ra > 3]", "/photons/photon[ra > 1 and dec > 2]").reuse
    assert not matched("/photons/photon[ra < 5 or ra > 5]", "/photons/photon[ra > 1]").reuse
    assert matched("/photons/photon[ra < number(dec) or ra >= number(dec)]", "/photons/photon[ra > 1][dec > 2]").reuse


def test_doubles_are_not_decimals() -> None:
    # As doubles, 0.3 and 0.30000000000000001 are one number.
    assert matched("/photons/photon[ra <= 0.3]", "/photons/photon[ra <= 0.30000000000000001]").reuse
    assert not matched(
        "/photons/photon[xs:decimal(ra) <= 0.3]", "/photons/photon[xs:decimal(ra) <= 0.30000000000000001]"
    ).reuse
    # Sums of doubles round: nothing follows for their operands. Those of decimals do not.
    assert not matched("/photons/photon[ra - dec < 5]", "/photons/photon[ra < dec + 5]").reuse
    assert matched(
        "/photons/photon[xs:decimal(ra) - xs:decimal(dec) < 5]", "/photons/photon[xs:decimal(ra) < xs:decimal(dec) + 4]"
    ).reuse


def test_paths_that_the_stream_lacks() -> None:
    found = matched("/photons/photon[ra > 3]/en", "/photons/photon[ra > 4]/en")
    assert not found.reuse
    assert found.why == "its records lack ra"
    assert found.widen is not None
    assert found.widen.paths == ("ra",)
    assert matched("/photons/photon[ra > 3]/en", "/photons/photon[ra > 3]/en").reuse
    assert not matched("/photons/photon/string(en)", "/photons/photon/en").reuse
    assert matched("/photons/photon/en", "/photons/photon/string(en)").reuse


def test_what_a_stream_would_have_to_keep() -> None:
    found = matched("/photons/photon[en > 2]/ra", "/photons/photon[ra > 4]/phc")
    assert not found.reuse
    assert found.widen is not None
    assert found.widen.where == "en > 2 or ra > 4 and exists(phc)"
    assert set(found.widen.paths) == {"phc", "en"}


def test_windows_are_put_together_from_windows_that_tile_them() -> None:
    def window(size: int, step: int, value: str, kind: str = "ra diff") -> str:
        return f"for $w in /photons/photon[en > 1]|{kind} {size} step {step}| return <w>{{ {value} }}</w>"

    total = "sum($w/en/xs:decimal(.))"
    assert matched(window(60, 60, total), window(120, 60, total)).reuse
    assert matched(window(60, 15, total), window(120, 30, total)).reuse
    assert not matched(window(60, 45, total), window(120, 45, total)).reuse
    assert not matched(window(60, 60, total), window(90, 60, total)).reuse
    assert matched(window(60, 20, "max($w/en)"), window(80, 20, "max($w/en)")).reuse
    assert not matched(window(60, 20, total), window(80, 20, total)).reuse
    assert matched(window(60, 60, "avg($w/en/xs:decimal(.))"), window(120, 60, total)).reuse
    assert not matched(window(60, 60, "sum($w/en)"), window(120, 60, "sum($w/en)")).reuse
    assert matched(window(60, 60, "sum($w/en)"), window(60, 60, "sum($w/en)")).reuse
    assert not matched(window(60, 60, total), window(120, 60, total).replace("en > 1", "en > 2")).reuse
    assert not matched(window(6, 6, "count($w)", "count"), window(60, 60, "count($w)")).reuse
    assert not matched(window(60, 60, total), "/photons/photon[en > 1]").reuse
