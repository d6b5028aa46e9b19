"""An index on open windows finds what the comparison itself would find: NaN, and values that cannot be compared."""

from __future__ import annotations

import pytest
import xylem
from xylem.pipeline import StaticEnvironment, compile_query
from xylem.result import Result
from xylem.source.resources import FileResources

ITEMS = "<s><i k='1' v='2'/><i k='a' v='1'/><i v='NaN' k='2'/><i k='1' v='NaN'/></s>"
SLIDING = "for sliding window $w in /s/i start $s when true() {} end $e at $p when {} return concat($s/@k, ':', $p)"


def answers(query: str, document: str = ITEMS) -> list[str]:
    """With the rule and without it: the text, or the code of the error."""
    found = []
    for without in ((), ("index_windows",)):
        program = compile_query(query, StaticEnvironment(without_rules=frozenset(without)))
        try:
            items = program.run(FileResources(), context=[xylem.parse(document)])
            found.append(Result(items, program.output).serialize())
        except xylem.DynamicError as error:
            found.append(error.code)
    return found


@pytest.mark.parametrize("only", ["", "only"])
@pytest.mark.parametrize(
    "test",
    [
        "number($s/@k) = number($e/@v)",
        "number($s/@k) eq number($e/@none)",
        "number($s/@none) eq number($e/@none)",
        "number($e/@none) ge number($s/@v)",
        "$s/@k eq $e/@v",
        "$s/@k = $e/number(@v)",
        "string($s/@k) eq string($e/@v)",
    ],
)
def test_nan_is_equal_to_nothing(test: str, only: str) -> None:
    with_index, without = answers(SLIDING.format(only, test))
    assert with_index == without


@pytest.mark.parametrize(
    "test",
    [
        "$s/@k eq number($e/@v)",
        "number($e/@v) eq $s/@k",
        "string($s/@k) eq 1 + count($e)",
        "count($e) eq string($s/@k)",
        "$s/@k lt number($e/@none)",
        "xs:date('2020-01-01') + xs:dayTimeDuration('P1D') * count($s) = count($e)",
        "(if ($s/@k = 'a') then 1 else 'x') eq (if ($e/@k = 'a') then 'x' else 1)",
    ],
)
def test_what_cannot_be_compared_is_an_error(test: str) -> None:
    assert answers(SLIDING.format("only", test)) == ["XPTY0004", "XPTY0004"]


UNTYPED = [
    "$s/@v >= $e/@v - 3",
    "$s/@v < $e/@v - 3",
    "$e/@v + 1 > $s/@v",
    "$s/@v <= number($e/@v)",
    "$s/@v >= count($e/preceding-sibling::i)",
    "$s/@v >= (if ($e/@n) then $e/@v else number($e/@v))",
    "$s/@v < (if ($e/@n) then string($e/@v) else $e/@v - 2)",
    "(if ($s/@n) then number($s/@v) else $s/@v) > $e/@v - 2",
    "$s/@v >= (if ($e/@n) then xs:decimal(5) else $e/@v - 2)",
]


@pytest.mark.parametrize("values", ["9 10 100 2 33 9 -1", "9 10 NaN 2 INF 3 -INF 8", "9 10 x 7 8", "1e1 07 .5 0010 6"])
@pytest.mark.parametrize("test", UNTYPED)
def test_untyped_starts_are_numbers_to_a_number(test: str, values: str) -> None:
    """They are sorted as texts until a number asks, and an end may ask for either."""
    marks = ("", " n='1'", "")
    items = "".join(f"<i v='{value}'{marks[n % 3]}/>" for n, value in enumerate(2 * values.split()))
    for clause in (
        f"for sliding window $w in /s/i start $s when true() only end $e at $p when {test}",
        f"forseq $w in /s/i landmark window start curItem $s when true() force end curItem $e when {test}",
    ):
        query = f"{clause} return string-join($w/@v, ',')"
        with_index, without = answers(query, f"<s>{items}</s>")
        assert with_index == without
    assert len(without) > 20 or without == "FORG0001"
