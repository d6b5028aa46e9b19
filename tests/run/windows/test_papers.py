"""The examples of the windows paper (figures 1 and 2; sections 3, 4, 5, 6.3), run, with the outputs the paper states.

The queries are those of tests/golden/papers. Where a query cannot mean in XQuery 3.1 what the paper says of it, what
was changed stands beside the case. Infinite inputs are cut by the reader: results are taken one by one.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count, islice
from pathlib import Path
from typing import Any

import pytest
import xylem
from xylem.errors import DynamicError, StaticError
from xylem.functions.external import Functions

PAPERS = Path(__file__).resolve().parents[2] / "golden" / "papers"


def paper(name: str, *changes: tuple[str, str]) -> str:
    text = (PAPERS / f"windows-{name}.xq").read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


def with_variable(name: str, text: str) -> str:
    return f"declare variable ${name} external; {text}"


def elements(xml: str) -> list[Any]:
    return list(xylem.compile("/*/*").run(xylem.parse(f"<all>{xml}</all>")))


def strings(query: str, **variables: Any) -> list[str]:
    return [item if isinstance(item, str) else item.string_value for item in run(query, **variables)]


def run(query: str, **variables: Any) -> list[Any]:
    return list(xylem.compile(query).run(variables=variables))


def posts(authors: str) -> list[Any]:
    return elements("".join(f"<item><author>{author}</author></item>" for author in authors))


def test_figure_1_gives_an_author_of_four_postings_twice() -> None:
    query = with_variable("rssfeed", paper("01-annoying-authors-xquery10"))
    assert strings(query, rssfeed=posts("abbbbc")) == ["b", "b"]


def test_figure_2_gives_an_author_once() -> None:
    """Footnote 1: the two queries are not equivalent; this one returns an author of four postings only once."""
    query = with_variable("rssfeed", paper("02-annoying-authors"))
    assert strings(query, rssfeed=posts("abbbbc")) == ["b"]
    assert strings(query, rssfeed=posts("aaabbcccc")) == ["a", "c"]
    assert strings(query, rssfeed=posts("aabbcc")) == []


def windows(name: str, seq: list[Any], variable: str = "$w") -> list[str]:
    text = paper(name, (f"return {variable}", f"return string-join({variable} ! string(), ' ')"))
    return strings(with_variable("seq", text), seq=seq)


def test_section_3_2_1_for_and_let_as_windows() -> None:
    assert windows("03-for-as-forseq", [1, 2, 3]) == ["1", "2", "3"]
    assert windows("04-let-as-forseq", [1, 2, 3]) == ["1 2 3"]
    assert windows("04-let-as-forseq", []) == []


def test_section_3_2_1_windows_of_three() -> None:
    """`$i` is 1 for the first window, 4 for the second; the last window might be smaller."""
    assert windows("05-windows-of-three", list(range(1, 9)), "$x") == ["1 2 3", "4 5 6", "7 8"]
    text = with_variable("seq", paper("05-windows-of-three", ("return $x", "return concat($i, '-', $j)")))
    assert strings(text, seq=list(range(1, 9))) == ["1-3", "4-6", "7-8"]


def test_section_3_2_1_look_ahead_both_ways() -> None:
    """Out of the sequence, what is looked for is the empty sequence: the last window ends with the input."""
    for name in ("06-look-ahead", "07-look-ahead-by-position"):
        assert windows(name, ["a", "", "c"]) == ["a ", "c"]
        assert windows(name, ["x", "y", "", "", "z"]) == ["x", "y  ", "z"]


def test_section_3_3_every_subsequence() -> None:
    assert windows("08-general-subsequences", ["a", "b", "c"]) == ["a", "a b", "b", "a b c", "a c", "b c", "c"]
    assert len(windows("08-general-subsequences", list(range(10)))) == 2**10 - 1


def test_section_3_3_is_lazy() -> None:
    query = "declare variable $seq as xs:integer** external; forseq $w in $seq return sum($w)"
    found = xylem.compile(query).run(variables={"seq": count(1)})
    assert list(islice(found, 8)) == [1, 3, 2, 6, 4, 5, 3, 10]


def test_section_3_4_1_force() -> None:
    for force, expected in (("", ["1 2", "3 4", "5"]), ("force ", ["1 2", "3 4"])):
        query = (
            f"forseq $w in 1 to 5 tumbling window start position $i when true() {force}end position $j "
            "when $j - $i eq 1 return string-join($w ! string(), ' ')"
        )
        assert strings(query) == expected


def test_section_3_4_2_newstart() -> None:
    query = with_variable("events", paper("21-newstart"))
    kinds = ["tea", "alarm-clock", "work", "tea", "alarm-clock", "alarm-clock", "work"]
    events = elements("".join(f"<e type='{kind}'/>" for kind in kinds))
    assert run(query, events=events) == [3, 1, 2]


def test_section_3_4_3_one_hour() -> None:
    """With times as xs:dateTime and the duration written PT1H; `eq` ends a window only after an hour exactly."""
    functions = Functions()
    stamps = iter(["10:00", "10:20", "11:00", "11:05", "11:30", "12:05", "12:10"])

    @functions.function("Q{urn:ext}addTStamp", "item()*", "item()*")
    def add_time_stamp(items: list[Any]) -> list[Any]:
        return [xylem.parse(f"<e tstamp='2024-01-01T{next(stamps)}:00'>{item}</e>") for item in items]

    text = paper(
        "09-one-hour",
        ("ext:addTStamp($seq)", "ext:addTStamp($seq)/e"),
        ("($last/@tstamp - $first/@tstamp)", "(xs:dateTime($last/@tstamp) - xs:dateTime($first/@tstamp))"),
        ("'P1H'", "xs:dayTimeDuration('PT1H')"),
        ("return $w", "return string-join($w, ' ')"),
    )
    query = f"declare namespace ext = 'urn:ext'; declare variable $seq external; {text}"
    found = xylem.compile(query, functions=functions).run(variables={"seq": list("abcdefg")})
    assert list(found) == ["a b c", "d e f", "g"]


def temperatures() -> Iterator[Any]:
    for number in count():
        yield xylem.compile("declare variable $t external; <temp>{ $t }</temp>").run(variables={"t": number % 13}).value


def test_section_4_alarm_never_ends() -> None:
    """Untyped content is compared as a number: `ge` would compare it as a string with an integer, which is an error."""
    query = paper("10-alarm", ("$m ge 10", "xs:integer($m) ge 10"))
    found = xylem.compile(query).run(variables={"s": temperatures()})
    assert [item.string_value for item in islice(found, 4)] == ["10", "11", "12", "10"]


def test_section_4_alarm_as_printed() -> None:
    """Numbers are compared with a number; the untyped content of elements is not (XQuery 3.1, 3.7.1)."""
    query = paper("10-alarm", ("as (temp)**", "as xs:integer**"))
    assert [item.string_value.strip() for item in islice(xylem.compile(query).run(variables={"s": count(8)}), 2)] == [
        "10",
        "11",
    ]
    with pytest.raises(DynamicError, match="XPTY0004") as untyped:
        next(iter(xylem.compile(paper("10-alarm")).run(variables={"s": temperatures()})))
    # What they say to write is what runs.
    assert "use = != < <= > >=" in untyped.value.hint
    corrected = paper("10-alarm", ("$m ge 10", "$m >= 10"))
    assert next(iter(xylem.compile(corrected).run(variables={"s": temperatures()})))
    with pytest.raises(StaticError, match="XPST0051") as unknown:
        xylem.compile(paper("13-web-log"))
    assert "element(entry)" in unknown.value.hint
    assert xylem.compile(paper("13-web-log", ("(entry)*", "element(entry)*")))
    assert xylem.compile(paper("13-web-log", ("(entry)*", "(entry)**")))


def test_section_3_4_3_times_must_be_said_to_be_times() -> None:
    query = "let $e := <e tstamp='2024-05-01T10:00:00'/> return $e/@tstamp - $e/@tstamp"
    with pytest.raises(DynamicError, match="FORG0001") as untyped:
        xylem.compile(query).run().serialize()
    assert untyped.value.hint == "if it is a time, say so: xs:dateTime(…)"


def test_section_4_maximum_of_an_infinite_sequence_does_not_compile() -> None:
    with pytest.raises(StaticError) as caught:
        xylem.compile(paper("11-blocking-maximum"))
    assert caught.value.code == "XYST0010"
    assert "fn:max($s) ← $s is infinite" in str(caught.value)


def test_section_4_moving_average() -> None:
    found = xylem.compile(paper("12-moving-average")).run(variables={"seq": count(1)})
    assert list(islice(found, 4)) == [2, 3, 4, 5]


LOG = "".join(
    f"<entry><user>{user}</user><op>{op}</op></entry>"
    for user, op in [
        ("ann", "login"), ("bob", "login"), ("ann", "read"), ("bob", "logout"), ("ann", "write"), ("ann", "logout"),
        ("bob", "read"), ("bob", "login"), ("bob", "read"), ("bob", "logout"), ("ann", "login"),
    ]
)  # fmt: skip


def test_section_5_1_sessions_in_a_web_log() -> None:
    """`(entry)*` names an atomic type in XQuery; the elements are meant."""
    query = paper("13-web-log", ("as (entry)*", "as element(entry)*"))
    assert run(query, weblog=elements(LOG)) == [4, 1, 2, 3]


def test_section_5_1_works_on_an_infinite_log() -> None:
    """As the paper says; sessions come in the order in which they end, whoever's they are."""
    query = paper("13-web-log", ("as (entry)*", "as (entry)**"), ("return count($w)", "return concat($u, count($w))"))
    entries = elements(LOG)
    found = xylem.compile(query).run(variables={"weblog": (entry for _ in count() for entry in entries)})
    assert list(islice(found, 6)) == ["bob2", "ann4", "bob3", "bob2", "ann5", "bob3"]


def test_section_5_2_sorting() -> None:
    """1, 4, 3, 5, 2 becomes 1, 3, 4, 5: the 3 is put back, the 2 is removed."""
    assert run(paper("14-sorting"), seq=[1, 4, 3, 5, 2]) == [1, 3, 4, 5]
    numbers = (number for start in count(1, 3) for number in (start + 1, start, start + 2))
    found = xylem.compile(paper("14-sorting")).run(variables={"seq": numbers})
    assert list(islice(found, 9)) == [1, 2, 3, 4, 5, 6, 7, 8, 9]


def test_section_5_3_sensor_state() -> None:
    query = paper("15-sensor-state")
    sensors = elements("<temp id='1'>10</temp><temp id='2'>15</temp><temp id='1'>15</temp>")
    found = xylem.compile(query).run(variables={"sensors": iter(sensors)})
    one = '<values><temp id="1">10</temp></values>'
    two = '<values><temp id="1">10</temp><temp id="2">15</temp></values>'
    three = '<values><temp id="1">15</temp><temp id="2">15</temp></values>'
    assert str(found) == one + two + three


def test_section_6_3_1_predicates_in_either_place() -> None:
    seq = ["x", "S", "a", "E", "S", "E"]
    assert windows("16-predicate-in-where", seq) == windows("17-predicate-moved", seq) == ["S a E", "S a E S E", "S E"]


def test_section_6_3_2_cheaper_windows() -> None:
    seq = ["a", "b", "c", "a", "b", "c"]
    assert windows("18-sliding-where-tumbling-does", seq) == windows("19-cheaper-window", seq) == ["a b c", "a b c"]


def test_section_6_3_3_indexed_windows() -> None:
    query = with_variable("seq", paper("20-indexed-windows", ("return $w", "return string-join($w/@n, ' ')")))
    cars = elements("<p id='1' n='1'/><p id='2' n='2'/><p id='1' n='3'/>")
    assert strings(query, seq=cars) == ["1", "2", "1 2 3", "3", "2 3"]


def test_every_example_of_the_paper_is_here() -> None:
    used = Path(__file__).read_text(encoding="utf-8")
    assert [path.stem for path in PAPERS.glob("windows-*.xq") if path.stem.removeprefix("windows-") not in used] == []
