"""What best-match joins mean: examples by hand, orders of every type, clauses around them, and errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import xylem
from xylem.errors import XylemError
from xylem.pipeline import StaticEnvironment
from xylem.query.compiled_query import CompiledQuery

PAPERS = Path(__file__).parents[2] / "golden" / "papers"
POINTS = """
let $R := <a><r n="A" x="2" y="2"/><r n="B" x="6" y="6"/></a>
let $S := <a><s n="a" x="3" y="2.5"/><s n="b" x="9" y="2.1"/><s n="c" x="2.2" y="5"/><s n="d" x="7" y="6.6"/></a>
"""


def run(text: str, **options: Any) -> list[Any]:
    return list(xylem.compile(text, **options).run())


def join(kind: str, orders: str, *, before: str = "", data: str = POINTS, result: str = "$r/@n || $s/@n") -> list[Any]:
    loops = f"{data} for $r in $R/r for $s in $S/s {before}"
    return run(f"{loops} where $r {kind} bestmatch join $s on {orders} return {result}")


XY = "(abs($r/@x - $s/@x)) min, (abs($r/@y - $s/@y)) min"


def test_pairs_that_no_other_pair_beats() -> None:
    assert join("", XY) == ["Aa", "Ab", "Ac"]
    assert join("left outer", XY) == ["Aa", "Ab", "Ac", "Bd"]
    assert join("right outer", XY) == ["Aa", "Ab", "Ac", "Bb", "Bc", "Bd"]
    assert join("full outer", XY) == ["Aa", "Ab", "Ac", "Bb", "Bc", "Bd"]


def test_limits_rule_out_candidates_and_what_would_beat_them() -> None:
    assert join("left outer", "(abs($r/@x - $s/@x)) min 1, (abs($r/@y - $s/@y)) min") == ["Aa", "Ac", "Bd"]
    assert join("left outer", "(abs($r/@x - $s/@x)) min 1, (abs($r/@y - $s/@y)) min 0.5") == ["Aa"]
    assert join("left outer", "(abs($r/@x - $s/@x)) min 0") == []


def test_ties_stay_together() -> None:
    data = 'let $R := <a><r n="A" x="0"/></a> let $S := <a><s n="a" x="1"/><s n="b" x="-1"/><s n="c" x="1"/></a>'
    assert join("left outer", "(abs($r/@x - $s/@x)) min", data=data) == ["Aa", "Ab", "Ac"]


def test_max_and_its_limit() -> None:
    assert join("left outer", "($s/@x) max") == ["Ab", "Bb"]
    assert join("left outer", "($s/@x) max 10") == []
    assert join("left outer", "($s/@x) max 9, ($s/@y) min") == ["Ab", "Bb"]


def test_several_best() -> None:
    assert join("left outer 2", "(abs($r/@x - $s/@x)) min") == ["Aa", "Ac", "Ba", "Bb", "Bd"]
    assert join("left outer 3", "(abs($r/@x - $s/@x)) min") == ["Aa", "Ac", "Ad", "Ba", "Bb", "Bd"]


def test_tuples_come_in_the_order_of_the_loops() -> None:
    text = f"{POINTS} for $s in $S/s for $r in $R/r where $r full outer bestmatch join $s on {XY} return $r/@n || $s/@n"
    assert run(text) == ["Aa", "Ab", "Bb", "Ac", "Bc", "Bd"]


def test_conditions_before_restrict_candidates_and_those_behind_results() -> None:
    assert join("left outer", XY, before="where $s/@n != 'a'") == ["Ab", "Ac", "Bd"]
    text = f"{POINTS} for $r in $R/r for $s in $S/s where $r left outer bestmatch join $s on {XY} where $s/@n != 'a'"
    assert run(f"{text} return $r/@n || $s/@n") == ["Ab", "Ac", "Bd"]
    greater = "where xs:double($s/@x) > xs:double($r/@x)"
    assert join("left outer", "(abs($r/@x - $s/@x)) min", before=greater) == ["Ac", "Bd"]


def test_variables_of_sides_and_of_pairs() -> None:
    before = "let $p := $r/@x * 2 let $q := $s/@x + 1 let $d := abs($p - $q) where $d < 7"
    assert join("left outer", "($d) min", before=before, result="$r/@n || $s/@n || $d") == ["Aa0", "Bb2"]
    text = f"{POINTS} for $r at $i in $R/r for $s at $j in $S/s where $r left outer bestmatch join $s on {XY}"
    assert run(f"{text} return 10 * $i + $j") == [11, 12, 13, 24]


def test_loops_around_are_joins_of_their_own() -> None:
    text = """for $k in (0, 10) for $r in (1, 5) for $s in (2, 4, 12)[. ge $k]
              where $r left outer bestmatch join $s on (abs($r + $k - $s)) min return $k || ':' || $r || '-' || $s"""
    assert run(text) == ["0:1-2", "0:5-4", "10:1-12", "10:5-12"]


def test_a_loop_that_depends_on_the_other_one() -> None:
    data = "let $g := <g><r n='A'><s n='1' v='3'/><s n='2' v='1'/></r><r n='B'><s n='3' v='2'/></r></g>"
    text = f"{data} for $r in $g/r for $s in $r/s where $r KIND bestmatch join $s on ($s/@v) min return $s/@n/string()"
    assert run(text.replace("KIND", "left outer")) == ["2", "3"]
    assert run(text.replace("KIND", "")) == ["2"]
    with pytest.raises(XylemError) as error:
        run(text.replace("KIND", "right outer"))
    assert error.value.code == "XYST0015"


def test_more_loops_between() -> None:
    text = """for $r in (1, 5) for $x in (0, 1) for $s in (2, 4)
              where $r left outer bestmatch join $s on (abs($r + $x - $s)) min return $r || '+' || $x || '-' || $s"""
    assert run(text) == ["1+1-2", "5+0-4"]


def test_empty_partners_where_they_are_allowed() -> None:
    text = f"""{POINTS} for $r in $R/r for $s allowing empty in $S/s let $n := ($s/@n, '-')[1]
               where $r KIND bestmatch join $s on (abs($r/@x - $s/@x)) min 0.5 return $r/@n || $n"""
    assert run(text.replace("KIND", "left outer")) == ["Ac", "B-"]
    assert run(text.replace("KIND", "full outer")) == ["Ac", "B-"]
    assert run(text.replace("KIND", "")) == ["Ac"]
    text = text.replace("$r in", "$r allowing empty in").replace("$s allowing empty", "$s")
    assert run(text.replace("KIND", "right outer").replace("0.5", "0.1")) == ["a", "b", "c", "d"]
    assert run(text.replace("KIND", "left outer")) == ["Ac"]


def test_what_is_missing_or_no_number_is_no_candidate() -> None:
    data = 'let $R := <a><r n="A" x="0"/><r n="B"/></a> let $S := <a><s n="a"/><s n="b" x="NaN"/><s n="c" x="9"/></a>'
    assert join("left outer", "(abs($r/@x - $s/@x)) min", data=data) == ["Ac"]


def test_orders_by_values_of_other_types() -> None:
    text = """for $r in ('2024-05-01T10:00:00', '2024-05-01T11:00:00') ! xs:dateTime(.)
              for $s in ('2024-05-01T09:59:50', '2024-05-01T10:00:20', '2024-05-01T10:30:00') ! xs:dateTime(.)
              where $s le $r
              where $r left outer bestmatch join $s on ($r - $s) min LIMIT return minutes-from-dateTime($s)"""
    assert run(text.replace("LIMIT", "")) == [59, 30]
    assert run(text.replace("LIMIT", '(xs:dayTimeDuration("PT1M"))')) == [59]
    decimals = "for $r in (0.1, 0.3) for $s in (0.2, 0.4) where $r left outer bestmatch join $s on (abs($r - $s)) min"
    assert [str(item) for item in run(f"{decimals} return $s")] == ["0.2", "0.2", "0.4"]


def test_dates_have_their_order() -> None:
    text = "for $r in 1 for $s in ('2024-05-01', '2023-01-01') ! xs:date(.) where $r bestmatch join $s on ($s) max"
    assert [str(item) for item in run(f"{text} return $s")] == ["2024-05-01"]


SETS = """
let $R := <a><r n="A" k="1"><t>x</t><t>y</t></r></a>
let $S := <a><s n="a" k="2"><t>x</t></s><s n="b" k="3"><t>y</t><t>x</t></s><s n="c" k="1"/></a>
"""


def test_subset_is_built_in() -> None:
    orders = "(abs($r/@k - $s/@k)) min, ($r/t, $s/t) subset"
    assert join("", orders, data=SETS) == ["Aa", "Ab", "Ac"]
    assert join("", "($r/t, $s/t) subset", data=SETS) == ["Ab"]
    assert join("", "($r/t, $s/t) xylem:subset", data=SETS) == ["Ab"]


def test_functions_of_the_query_compare_pairs() -> None:
    declared = """declare function local:near($r, $s, $r2, $s2) as xs:boolean? {
        if ($s/@n = 'a' or $s2/@n = 'a') then () else abs($r/@x - $s/@x) le abs($r2/@x - $s2/@x) };"""
    assert run(f"{declared} {POINTS} for $r in $R/r for $s in $S/s where $r left outer bestmatch join $s"
               " on ($r, $s) local:near return $r/@n || $s/@n") == ["Aa", "Ac", "Ba", "Bd"]
    by_sign = """declare function local:by($r, $s, $r2, $s2) as xs:integer {
        if ($s lt $s2) then -1 else if ($s gt $s2) then 1 else 0 };
        for $r in (1, 2) for $s in (5, 3, 4) where $r left outer bestmatch join $s on ($s) local:by return $s"""
    assert run(by_sign) == [3, 3]


def test_functions_of_python_compare_pairs() -> None:
    functions = xylem.Functions()

    @functions.function("udf:compare", "xs:double?, xs:double?, xs:double?, xs:double?", "xs:boolean?")
    def compare(r: float, s: float, other_r: float, other_s: float) -> bool | None:
        return abs(r - s) <= abs(other_r - other_s) if 9 not in (s, other_s) else None

    text = f"{POINTS} for $r in $R/r for $s in $S/s where $r left outer bestmatch join $s on ($r/@x, $s/@x) udf:compare"
    assert run(f"{text} return $r/@n || $s/@n", functions=functions) == ["Ab", "Ac", "Bb", "Bd"]


def test_distances_of_definition_4_2_1_have_a_name() -> None:
    assert join("left outer", "($r/@x, $s/@x) minAttrDist 1, ($r/@y, $s/@y) minAttrDist") == ["Aa", "Ac", "Bd"]


def test_distances_of_dates_and_durations() -> None:
    loops = """for $r in ('2024-01-01', '2024-02-01') ! xs:date(.) for $s in ('2024-01-05', '2024-03-01') ! xs:date(.)
               where $r left outer bestmatch join $s on"""
    result = "return month-from-date($r) || ':' || month-from-date($s)"
    assert run(f"{loops} ($r, $s) minAttrDist {result}") == ["1:1", "2:1"]
    limit = "(xs:dayTimeDuration('P10D'))"
    for order in (f"($r, $s) minAttrDist {limit}", f"(xylem:distance($s, $r)) min {limit}"):
        assert run(f"{loops} {order} {result}") == ["1:1"]
    assert run("xylem:distance(3, 5), xylem:distance((), 5)") == [2]
    assert run("string(xylem:distance(xs:dayTimeDuration('PT1H'), xs:dayTimeDuration('PT3H')))") == ["PT2H"]
    assert run("xylem:distance(xs:float(1.5), 1) instance of xs:float") == [True]
    assert run("for $r in ('P1M', 'P9M') ! xs:yearMonthDuration(.) for $s in ('P2M', 'P1Y') ! xs:yearMonthDuration(.)"
               " where $r left outer bestmatch join $s on ($r, $s) minAttrDist return string($s)") == ["P2M", "P1Y"]


def test_comments_and_numbers_within_the_clause() -> None:
    assert join("(: a :) left (: b (: c :) :) outer", "(: d :) (abs($r/@x - $s/@x)) (: e :) min") == ["Ac", "Bd"]
    assert len(join("left outer 99999999999", "(abs($r/@x - $s/@x)) min")) == 8


@pytest.mark.parametrize(
    ("clause", "hint"),
    [
        ("bestmatch join $s on ($r, $s) local:f", "a function of four parameters"),
        ("bestmatch join $s on ($r, $s) minattrdist", "did you mean minAttrDist?"),
        ("0 bestmatch join $s on ($r) min", "left outer 3 bestmatch join"),
        ("left outer 1.5 bestmatch join $s on ($r) min", "without a number, the best"),
        ("bestmatch join $s on abs($r - $s) min", "in parentheses"),
        ("bestmatch join $s", "an order is"),
        ("best match join $s on ($r) min", "a `where` of its own"),
        ("outer bestmatch join $s on ($r) min", "a `where` of its own"),
    ],
)
def test_slips_have_a_hint(clause: str, hint: str) -> None:
    with pytest.raises(XylemError) as error:
        run(f"for $r in 1 for $s in 1 where $r {clause} return 1")
    assert error.value.code in ("XPST0003", "XPST0017")
    assert hint in (error.value.hint or "")
    assert error.value.span is not None


@pytest.mark.parametrize(
    ("text", "code", "told"),
    [
        ("let $s := 1 for $r in 1 where $r bestmatch join $s on ($r) min return 1", "XYST0015", "not bound by `for`"),
        ("for $r in 1 where $r bestmatch join $r on ($r) min return 1", "XYST0015", "same variable"),
        ("for $s in 1 return for $r in 1 where $r bestmatch join $s on ($r) min return 1", "XYST0015", "this expr"),
        ("for $r in 1 for $s in 1 order by $s where $r bestmatch join $s on ($r) min return 1", "XYST0015", "between"),
        ("JOIN ($r) min ($s) return 1", "XYST0015", "same for all"),
        ("JOIN ($r, $s) subset 3 return 1", "XYST0015", "how far apart"),
        ("JOIN ($r, $r) subset return 1", "XYST0015", "same side"),
        ("JOIN ($r + $s, $s) subset return 1", "XYST0015", "one side"),
        ("JOIN ($r, $s) min return 1", "XYST0015", "operands"),
        ("JOIN ($r, $s) local:f return 1", "XPST0017", ""),
        ("for $r in 1 for $s in $r where $r right outer bestmatch join $s on ($s) min return 1", "XYST0015", "depends"),
        ("for $r in 1 for $s allowing empty in $r where $r left outer bestmatch join $s on ($s) min return 1",
         "XYST0015", "allowing empty"),
        ("for $r in 1 for $s in 1 where $r bestmatch join $z on ($r) min return 1", "XYST0015", ""),
        ("JOIN ($r) min (-1) return 1", "XYDY0013", "negative"),
        ("JOIN ($r) min (number('x')) return 1", "XYDY0013", "NaN"),
        ("JOIN ($r) min (()) return 1", "XYDY0013", "empty"),
        ("JOIN ($r) min ((1, 2)) return 1", "XYDY0013", "2 values"),
        ("for $r in <r><x>1</x><x>2</x></r> for $s in 1 where $r bestmatch join $s on ($r/x) min return 1",
         "XPTY0004", "choose one of several"),
        ("for $r in <r><x>a</x></r> for $s in 1 where $r bestmatch join $s on ($r/x) min return 1",
         "FORG0001", "number($r/t)"),
        ("for $r in 1 for $s in 'b' where $r bestmatch join $s on ($s) min return 1", "FORG0001", "xs:string"),
        ("for $r in 1 for $s in (1, current-date()) where $r bestmatch join $s on ($s) min return 1",
         "XPTY0004", "kind"),
        ("declare function local:f($a, $b, $c, $d) { 'x' }; for $r in 1 for $s in (1, 2) "
         "where $r bestmatch join $s on ($r, $s) local:f return 1", "XPTY0004", "xs:boolean"),
        ("for $r in stream('a')/a/r for $s in doc('b.xml')/a/s where $r bestmatch join $s on ($r/x) min return 1",
         "XYST0010", "bestmatch join"),
    ],
)
def test_errors(text: str, code: str, told: str) -> None:
    with pytest.raises(XylemError) as error:
        run(text.replace("JOIN", "for $r in 1 for $s in 1 where $r bestmatch join $s on"))
    assert error.value.code == code
    assert told in f"{error.value} {error.value.hint}"
    assert error.value.span is not None
    assert error.value.hint


PADDED = (
    "for $r in /d/r LOOP for $s allowing empty in /d/s BEFORE where $r left outer bestmatch join $s on (D) min 2 "
    "BEHIND"
)


@pytest.mark.parametrize(
    ("places", "expected"),
    [
        ({}, ["1a", "2", "3b"]),
        ({"LOOP": "where $r/@x > 5"}, ["2", "3b"]),
        ({"BEFORE": "where $r/@x > 5"}, ["2", "3b"]),
        ({"BEHIND": "where $r/@x > 5"}, ["2", "3b"]),
        ({"BEFORE": "where $s/@x > 5"}, ["1", "2", "3b"]),
        ({"BEFORE": "where $r/@x + $s/@x > 5"}, ["1", "2", "3b"]),
        ({"BEHIND": "where $s/@x > 5"}, ["3b"]),
        ({"BEHIND": "where empty($s)"}, ["2"]),
    ],
)
def test_conditions_and_items_without_partner(places: dict[str, str], expected: list[str]) -> None:
    text = PADDED + " return $r/@n || $s/@n"
    for place in ("LOOP", "BEFORE", "BEHIND"):
        text = text.replace(place, places.get(place, ""))
    document = xylem.parse(
        "<d><r n='1' x='1'/><r n='2' x='50'/><r n='3' x='9'/><s n='a' x='1.5'/><s n='b' x='8'/></d>"
    )
    for measure in ("abs($r/@x - $s/@x)", "abs(xs:decimal($r/@x) - xs:decimal($s/@x))"):
        assert list(xylem.compile(text.replace("(D)", f"({measure})")).run(document)) == expected


@pytest.mark.parametrize("bound", ["let $r := /a/r[1] for $s in /a/s", "for $s in /a/s let $r := /a/r[1]"])
def test_sides_that_are_no_loops_are_told_whatever_reads_the_input(bound: str) -> None:
    text = f"{bound} where $r left outer bestmatch join $s on (abs($r/@x - $s/@x)) min return 1"
    for compiled in (lambda query: query.program, lambda query: query.stream_passes()):
        with pytest.raises(XylemError) as error:
            compiled(CompiledQuery(text, StaticEnvironment()))
        assert error.value.code == "XYST0015"


def paper(name: str) -> str:
    (found,) = PAPERS.glob(f"{name}-*.xq")
    return found.read_text(encoding="utf-8")


def test_examples_of_the_thesis() -> None:
    tables = """<R><r><y1>1</y1><y2>a</y2></r><r><y1>4</y1><y2>a</y2><y2>b</y2></r></R>"""
    other = """<S><s><y1>2</y1><y2>b</y2></s><s><y1>7</y1><y2>a</y2><y2>b</y2></s></S>"""

    def asked(name: str, declared: str = "", result: str = "($r, $s)") -> list[str]:
        body = paper(name).replace(result, "string-join(($r, $s), '-')").replace("$R/r", f"({tables})/r")
        return run(f"{declared} {body.replace('$S/s', f'({other})/s')}")

    assert asked("thesis-31") == ["1a-2b", "4ab-2b", "4ab-7ab"]
    compare = """declare namespace udf = "urn:mine"; declare function udf:compare($r, $s, $r2, $s2) {
        count($r[. = $s]) ge count($r2[. = $s2]) };"""
    assert asked("thesis-30", compare) == ["1a-2b", "1a-7ab", "4ab-2b", "4ab-7ab"]
    weather = paper("thesis-32").replace("($t, $h)", "$t/v || $h/v")
    temperatures = "<T><t><t>0</t><x>0</x><y>0</y><v>20</v></t><t><t>60</t><x>0</x><y>0</y><v>21</v></t></T>"
    humidities = "<H><h><t>9</t><x>10</x><y>10</y><v>a</v></h><h><t>2</t><x>90</x><y>5</y><v>b</v></h></H>"
    bound = weather.replace("$Temp/t", f"({temperatures})/t").replace("$Hum/h", f"({humidities})/h")
    assert run(bound) == ["20a", "20b"]
