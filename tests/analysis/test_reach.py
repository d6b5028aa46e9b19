"""How far functions look around an item: what a recursive function needs is found each time it is asked."""

from __future__ import annotations

import pytest
from xylem.analysis.reach import BeyondReach, Reach, ReachAnalysis
from xylem.analysis.resolved_module import resolved_query
from xylem.syntax import ast

ITEM = {("", "p"): Reach.ITEM}


def analysed(declarations: str) -> tuple[ReachAnalysis, ast.Expr]:
    module = resolved_query(f"{declarations} declare variable $p external; local:f($p)", "query")
    assert isinstance(module, ast.MainModule)
    functions = [one for one in module.prolog if isinstance(one, ast.FunctionDecl)]
    return ReachAnalysis(functions, Reach.ITEM), module.body


@pytest.mark.parametrize(
    "declarations",
    [
        "declare function local:f($n) { if ($n/@up) then 1 + sum($n/../p[@id = $n/@up]/local:f(.)) else 0 };",
        "declare function local:f($n) { if ($n/a) then local:f($n/a) else count($n/../p) };",
        "declare function local:g($n) { ($n/a, local:f($n/a)) };"
        " declare function local:f($n) { if ($n/a) then local:g($n) else $n/following-sibling::p };",
    ],
)
def test_a_function_that_looks_around_is_refused_each_time(declarations: str) -> None:
    analysis, call = analysed(declarations)
    for _ in range(3):
        with pytest.raises(BeyondReach):
            analysis.of(call, ITEM)


def test_functions_that_call_each_other_give_all_their_places() -> None:
    declarations = (
        "declare function local:f($n) { if ($n/a) then (local:g($n), $n) else $n/@id };"
        " declare function local:g($n) { if ($n/b) then local:f($n) else () };"
    )
    analysis, call = analysed(declarations)
    expected = Reach.ITEM | Reach.INSIDE
    assert analysis.of(call, ITEM) == expected
    (through,) = [node for node in call.walk() if isinstance(node, ast.FunctionCall)]
    other = ast.FunctionCall(ast.Name("g", "local", through.name.uri), through.arguments)
    assert analysis.of(other, ITEM) == expected
