"""A side that streams by, or never ends, joined with one that stays: each item has its partners when it has come."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import count, islice

import pytest
import xylem
from xylem.errors import XylemError
from xylem.run.best_match import match_index

from .oracle import Case, Order, distance, document_of, pairs_of, query_of, random_case

SEEDS = range(20_000 if os.environ.get("XYLEM_CAMPAIGN") else 80)


def outer_case(seed: int, data: int = 0) -> Case:
    """A join that asks for the best partners of each item of its first loop."""
    case = random_case(seed, data=data)
    left_is_first = seed % 4 != 3
    return replace(case, kind="left" if left_is_first else "right", left_is_first=left_is_first)


def told(case: Case) -> list[str]:
    return [f"{i} {j}" for i, j in pairs_of(case)]


def chunks(text: bytes, size: int) -> Iterator[bytes]:
    return (text[start : start + size] for start in range(0, len(text), size))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.share(2)
def test_a_document_that_streams_by(seed: int) -> None:
    case = outer_case(seed)
    inside = (("/d/r", "$other/d/s") if case.left_is_first else ("$other/d/r", "/d/s"))
    query = xylem.compile(f"declare variable $other external; {query_of(case, *inside)}")
    for data in range(2):
        case = outer_case(seed, data)
        document = document_of(case)
        other = {"other": xylem.parse(document)}
        for size in (1, 1000) if seed % 5 == 0 else (37,):
            assert list(query.stream(chunks(document.encode(), size), other)) == told(case), size


@pytest.mark.parametrize("seed", SEEDS)
def test_a_stream_without_end(seed: int) -> None:
    case = outer_case(seed)
    inside = ('stream("a")[self::r]', "$other/d/s") if case.left_is_first else ("$other/d/r", 'stream("a")[self::s]')
    query = xylem.compile(f"declare variable $other external; {query_of(case, *inside)}")
    document = document_of(case)
    items = xylem.items(document.encode())
    assert list(query.run(variables={"other": xylem.parse(document)}, streams={"a": items})) == told(case)


@pytest.mark.parametrize("without", ["kernel", "numbers"])
def test_what_is_no_column_is_compared_by_the_query(without: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if without == "kernel":
        monkeypatch.setattr("xylem.run.best_match.numeric_index.match_index", lambda *asked: None)
        monkeypatch.setattr("xylem.run.best_match.side_rows.is_kernel_built", lambda: False)
    for seed in range(12):
        case = outer_case(seed)
        if without == "numbers":
            case.orders.append(Order(lambda r, s: 1.0, "string-length('x')"))
        query = xylem.compile(f"declare variable $other external; {query_of(case, '/d/r', '$other/d/s')}")
        document = document_of(case)
        if not case.left_is_first:
            continue
        assert list(query.stream(document.encode(), {"other": xylem.parse(document)})) == told(case)


def test_results_come_with_the_item_that_has_them() -> None:
    query = xylem.compile(
        'for $r in stream("a") for $s in (<s t="1"/>, <s t="4"/>)'
        " where $r left outer bestmatch join $s on (abs($r - $s/@t)) min 1 return $r || ':' || $s/@t"
    )
    pulled: list[int] = []

    def numbers() -> Iterator[int]:
        for number in count():
            pulled.append(number)
            yield number

    result = iter(query.run(streams={"a": numbers()}))
    assert list(islice(result, 3)) == ["0:1", "1:1", "2:1"]
    assert pulled == [0, 1, 2]
    assert next(result) == "3:4"
    assert pulled == [0, 1, 2, 3]


def test_the_side_that_stays_is_made_ready_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[object] = []
    original = match_index.NumericIndex

    def counted(*asked: object) -> object:
        made.append(asked)
        return original(*asked)  # type: ignore[arg-type]

    monkeypatch.setattr(match_index, "NumericIndex", counted)
    query = xylem.compile(
        "declare variable $other external; for $r in /d/r let $t := number($r/@x) for $s in $other/d/s"
        " where $r left outer bestmatch join $s on (abs($t - $s/@x)) min return string($s/@i)"
    )
    case = Case([{"x": float(i)} for i in range(50)], [{"x": i * 3.0} for i in range(20)], [distance("x")], "left")
    document = document_of(case)
    found = query.stream(document.encode(), {"other": xylem.parse(document)})
    assert [int(item) for item in found] == [j for _, j in pairs_of(case)]
    assert len(made) == 1


def test_integers_of_any_size_are_exact() -> None:
    query = xylem.compile(
        'for $r in stream("a") for $s in (1, 9007199254740992, 9007199254740993)'
        " where $r left outer bestmatch join $s on (abs($r - $s)) min return $s"
    )
    given: Iterable[int] = [3, 2**53 + 1, 2**53, 2**70, 5]
    assert list(query.run(streams={"a": given})) == [1, 2**53 + 1, 2**53, 2**53 + 1, 1]


REFUSED = {
    "inner": "for $r in stream('a') for $s in /d/s where $r bestmatch join $s on ($s) min return 1",
    "right": "for $r in stream('a') for $s in /d/s where $r right outer bestmatch join $s on ($s) min return 1",
    "full": "for $r in stream('a') for $s in /d/s where $r full outer bestmatch join $s on ($s) min return 1",
    "second": "for $s in /d/s for $r in stream('a') where $r left outer bestmatch join $s on ($s) min return 1",
    "order": "for $r in /d/r for $s in /d/s where $r left outer bestmatch join $s on (sum(stream('a'))) min return 1",
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_would_wait_for_ever_is_refused(name: str) -> None:
    with pytest.raises(XylemError) as error:
        xylem.compile(REFUSED[name])
    assert error.value.code == "XYST0010"
    assert error.value.hint is not None


def test_a_stream_around_a_join_has_a_join_for_each_of_its_items() -> None:
    query = xylem.compile(
        'for $d in stream("a") for $r in $d/r for $s in $d/s'
        " where $r bestmatch join $s on (abs($r - $s)) min return $r || $s"
    )
    items = xylem.items(b"<a><d><r>1</r><r>5</r><s>4</s></d><d><r>7</r><s>2</s><s>12</s></d></a>")
    assert list(query.run(streams={"a": items})) == ["54", "72", "712"]


def test_several_values_and_texts_are_the_errors_of_the_tree() -> None:
    join = "$r left outer bestmatch join $s on (abs($r/t - $s/t)) min"
    text = f"for $r in /d/r for $s in (<s><t>1</t></s>) where {join} return 1"
    for document, code in ((b"<d><r><t>1</t><t>2</t></r></d>", "XPTY0004"), (b"<d><r><t>x</t></r></d>", "FORG0001")):
        for run in (lambda q, d: list(q.stream(d)), lambda q, d: list(q.run(context=xylem.parse(d)))):
            with pytest.raises(XylemError) as error:
                run(xylem.compile(text), document)
            assert error.value.code == code


def test_positions_and_types_and_empty_partners() -> None:
    text = (
        "for $r as element(r) at $i in /d/r for $s allowing empty in <a><s x='3'/></a>/s"
        " where $r left outer bestmatch join $s on (abs($r/@x - $s/@x)) min 1 return $i || ':' || $s/@x"
    )
    document = b"<d><r x='3'/><r x='9'/><r x='2.5'/></d>"
    expected = ["1:3", "2:", "3:3"]
    assert list(xylem.compile(text).run(context=xylem.parse(document))) == expected
    assert list(xylem.compile(text).stream(document)) == expected


def test_explain_says_what_is_held() -> None:
    text = str(xylem.compile(
        'for $r in stream("a")/d/r for $s in doc("s.xml")/d/s'
        " where $r left outer bestmatch join $s on (abs($r/t - $s/t)) min 5 return <m>{ $r/t }</m>"
    ).explain())  # fmt: skip
    assert "holds $s in an index, made once, and one $r at a time" in text
