"""Sorts of which only the first items are asked for, or the last, keep as many tuples as they can choose from."""

from __future__ import annotations

from typing import Any

import pytest
import xylem
from xylem.errors import XylemError
from xylem.run.runtime.tuples import OrderColumn
from xylem.run.stream.first_tuples import FirstSpec, FirstTuples

RECORDS = "".join(
    f"<p id='{i}'><v>{i * 37 % 61}</v>{f'<n>n{i}</n>' if i % 3 else ''}<q>{i % 4}</q><q>{i % 7}</q></p>"
    for i in range(300)
)
DOCUMENTS = {
    "many": f"<s>{RECORDS}</s>",
    "ascending": f"<s>{''.join(f'<p><v>{i}</v><n>n{i}</n></p>' for i in range(300))}</s>",
    "none": "<s/>",
    "few": "<s><p><v>2</v><n>b</n></p><p><n>none</n></p><p><v>NaN</v><n>nan</n></p><p><v>1</v><n>a</n></p></s>",
    "two values": "<s><p><v>2</v><n>b</n></p><p><v>1</v><v>4</v><n>a</n></p></s>",
    "no number": "<s><p><v>2</v><n>b</n></p><p><v>x</v><n>a</n></p></s>",
}


def answer(compiled: xylem.Query, document: str, variables: dict[str, Any] | None, streams: bool) -> str:
    pieces: list[bytes] = []
    try:
        if streams:
            compiled.stream(document.encode(), variables).write_to(pieces.append)
        else:
            compiled.run(xylem.parse(document), variables).write_to(pieces.append)
    except XylemError as error:
        return error.code
    return b"".join(pieces).decode()


LOOP = "for $x in /s/p order by number($x/v) descending return $x/n"
FIRST = [
    f"({LOOP})[position() le 3]",
    f"({LOOP})[3]",
    f"head({LOOP})",
    f"subsequence({LOOP}, 2, 3)",
    f"({LOOP})[position() = 2 to 4]",
    f"({LOOP})[position() = (1, 3)]",
    f"({LOOP})[4 gt position() and position() gt 1]",
    f"({LOOP})[position() le 5 and . != 'n3']",
    f"({LOOP})[last()]",
    f"({LOOP})[position() > last() - 3]",
    f"let $t := {LOOP} return ($t[1]/text(), count(/s/p))",
    f"for $z in subsequence({LOOP}, 1, 3) return <z>{{ $z/text() }}</z>",
    f"<r n='{{ count(({LOOP})[position() le 4]) }}'/>",
    "(for $x in /s/p order by $x/v, $x/@id descending return $x)[position() le 4]/n",
    "(for $x in /s/p order by $x/v empty greatest return <r>{ $x/v }</r>)[position() le 2]",
    "(for $x in /s/p where $x/q = 3 let $k := $x/v where $k order by $k descending return $x/q)[position() le 5]",
    "(for $x in /s/p for $y at $i in $x/q order by number($y), $i return ($x/@id/data(), $y))[position() le 6]",
    "for $x in /s/p order by number($x/v[1]) count $c where $c le 3 return <r n='{ $c }'>{ $x/n }</r>",
    "for $x in /s/p order by number($x/v[1]) count $c where $c = (1, 3) and $x/n return ($c, $x/n/text())",
    "sort(/s/p, (), function($p) { number($p/v[1]) })[1]",
    "head(sort(/s/p/v))",
    "sort(/s/p/number(v[1]), (), function($x) { -$x })[position() le 3]",
    "sort(/s/p, (), function($p) { string($p/n) })[last()]",
    # Keys that cannot be computed, or have no order with others, also those of tuples that are left out.
    "(for $x in /s/p order by xs:integer($x/v) return $x/n)[1]",
    "(for $x in /s/p order by (if ($x/@id = '299') then 'a' else 1) return $x/n)[1]",
    "(for $x in /s/p order by (if ($x/@id = '7') then 1 else 'a'), 1 idiv count($x/v) return $x/n)[1]",
    "(for $x in /s/p order by xs:duration('P1D') return $x/n)[1]",
    # What the first tuples give is evaluated when they are asked for.
    "head(for $x in /s/p order by number($x/v[1]) return 1 idiv count($x/n))",
    "declare variable $k := 2; (for $x in /s/p order by number($x/v[1]) return $x/n)[position() le $k]",
    "for $x in /s/p return <p>{ (for $q in $x/q order by number($q) return $q)[1] }</p>",
]


@pytest.mark.parametrize("query", FIRST)
def test_as_from_the_tree(query: str) -> None:
    compiled = xylem.compile(query)
    assert compiled.explain().streamability.is_single_pass
    for name, document in DOCUMENTS.items():
        assert answer(compiled, document, None, True) == answer(compiled, document, None, False), name


@pytest.mark.parametrize("number", [0, 2, 2.5, -1, 1000, "2", "x", [1, 3], []])
@pytest.mark.parametrize("form", ["({})[position() <= $k]", "({})[position() le $k]", "subsequence({}, 1, $k)"])
def test_as_many_as_a_variable_says(form: str, number: Any) -> None:
    compiled = xylem.compile(f"declare variable $k external; {form.format(LOOP)}")
    given = {"k": number}
    for document in DOCUMENTS.values():
        assert answer(compiled, document, given, True) == answer(compiled, document, given, False)


@pytest.mark.parametrize(
    "query",
    [
        # Which nodes they are, and what is around them.
        "(for $x in /s/p order by number($x/v[1]) return $x)[1] is /s/p[1]",
        "(for $x in /s/p order by number($x/v[1]) return $x)[position() le 3] | /s/p[1]",
        "(for $x in /s/p order by number($x/v[1]) return $x) intersect /s/p[2]",
        "(for $x in /s/p order by number($x/v[1]) return $x)[position() le 2]/..",
        "(for $x in /s/p order by number($x/v[1]) return $x)/../name()",
        "(for $x in /s/p order by number($x/v[1]) return $x)[1]/following-sibling::p[1]",
        # How many there were before the sort; keys of several values.
        "(for $x in /s/p count $c order by number($x/v[1]) return $c)[position() le 3]",
        "sort(/s/p, (), function($p) { $p/v })[2]",
        "(for $x in /s/p order by $x/n return $x/n)[position() != 3]",
        "(for $x in /s/p order by $x/n return $x/n)[position() le 3 or position() = last()]",
        "for $i in 1 to 2 return (for $x in /s/p where $x/q = $i order by $x/n return $x/n)[position() le 2]",
    ],
)
def test_what_needs_them_all(query: str) -> None:
    compiled = xylem.compile(query)
    assert not compiled.explain().streamability.is_single_pass
    for name, document in DOCUMENTS.items():
        assert answer(compiled, document, None, True) == answer(compiled, document, None, False), name


def test_explained() -> None:
    told = xylem.compile("(for $x in /s/p order by number($x/v) descending return $x/n)[position() le 10]").explain()
    (held,) = told.holds
    assert (held.construct, held.text) == ("order by", "10 tuples, the first in this order")
    (buffer,) = told.to_dict()["buffers"]
    assert buffer["bound"] == "10 tuples"
    last = xylem.compile("declare variable $k external; (for $x in /s/p order by $x/v return $x)[position() le $k]")
    assert [buffer["bound"] for buffer in last.explain().to_dict()["buffers"]] == ["$k tuples"]
    assert xylem.compile("sort(/s/p/v)[last()]").explain().holds[0].text == "1 tuple, the last in this order"


@pytest.mark.parametrize("order", ["ascending", "descending"])
def test_keeps_as_many(order: str) -> None:
    """Whatever order they come in: also where each one is before all others so far."""
    document = f"<s>{''.join(f'<p><v>{i}</v><n>{i}</n></p>' for i in range(20_000))}</s>".encode()
    query = f"(for $x in /s/p order by number($x/v) {order} return $x/n/text())[position() le 5]"
    result = xylem.compile(query).stream(document)
    found = [node.string_value for node in result.xdm()]
    assert found == [str(i) for i in (range(5) if order == "ascending" else range(19_999, 19_994, -1))]
    assert result.statistics.peak_buffered_bytes < 80 * 300


def test_tuples_without_items_are_not_kept() -> None:
    spec = FirstSpec(2, "2 tuples", (OrderColumn(False, False, None),))
    tuples = FirstTuples(spec, 2, 0)
    for number in range(10_000):
        tuples.start(str(number))
        assert tuples.takes((number,))
        tuples.keep((number,), int(number > 9_000 and number % 100 == 0))
    assert list(tuples.result()) == ["9100", "9200"]
    assert tuples.held_bytes < 1000
