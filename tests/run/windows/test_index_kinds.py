"""An index on open windows finds what the comparison itself would find: NaN, and values that cannot be compared."""

from __future__ import annotations

import pytest
import xylem
from xylem.pipeline import StaticEnvironment, compile_query
from xylem.result import Result
from xylem.source.resources import FileResources

ITEMS = "<s><i k='1' v='2'/><i k='a' v='1'/><i v='NaN' k='2'/><i k='1' v='NaN'/></s>"
SLIDING = "for sliding window $w in /s/i start $s when true() {} end $e at $p when {} return concat($s/@k, ':', $p)"


def answers(query: str) -> list[str]:
    """With the rule and without it: the text, or the code of the error."""
    found = []
    for without in ((), ("index_windows",)):
        program = compile_query(query, StaticEnvironment(without_rules=frozenset(without)))
        try:
            items = program.run(FileResources(), context=[xylem.parse(ITEMS)])
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
