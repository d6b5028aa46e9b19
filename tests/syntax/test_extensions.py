"""The extensions are read where the standard has nothing, and take nothing away from it."""

from __future__ import annotations

from decimal import Decimal

import pytest
from xylem.errors import StaticError
from xylem.syntax import ast, parse, print_query

A = ast.AxisStep("child", ast.NameTest(ast.Name("a")))
B = ast.AxisStep("child", ast.NameTest(ast.Name("b")))
X = ast.VarRef(ast.Name("x"))
ONE, TWO = ast.IntegerLiteral(1), ast.IntegerLiteral(2)
MINUTE = ast.FunctionCall(ast.Name("dayTimeDuration", "xs"), (ast.StringLiteral("PT1M"),))


@pytest.mark.parametrize(
    ("text", "node"),
    [
        ("$x#1", ast.VersionProjection(X, ONE)),
        ("child::a#1", ast.VersionProjection(A, ONE)),
        ("$x#[2]", ast.VersionWindow(X, TWO)),
        ("a#[2]", ast.VersionWindow(A, TWO)),
        ("a?60", ast.TimeProjection(A, ast.IntegerLiteral(60))),
        ("a?[60]", ast.TimeWindow(A, ast.IntegerLiteral(60))),
        ("$x?[60]", ast.TimeWindow(X, ast.IntegerLiteral(60))),
        ("a/b?[1]", ast.Path(A, ast.TimeWindow(B, ast.IntegerLiteral(1)))),
        ("a#[1]/b", ast.Path(ast.VersionWindow(A, ONE), B)),
        ("a/child::b#1", ast.Path(A, ast.VersionProjection(B, ONE))),
        ("(a/b)#1", ast.VersionProjection(ast.Path(A, B), ONE)),
        ("$x?60.5", ast.TimeProjection(X, ast.DecimalLiteral(Decimal("60.5")))),
        ("(a, b)?.5", ast.TimeProjection(ast.SequenceExpr((A, B)), ast.DecimalLiteral(Decimal("0.5")))),
        ("$x#$v", ast.VersionProjection(X, ast.VarRef(ast.Name("v")))),
        ("$x?[$v]", ast.TimeWindow(X, ast.VarRef(ast.Name("v")))),
        ("a?[xs:dayTimeDuration('PT1M')]", ast.TimeWindow(A, MINUTE)),
    ],
)
def test_history(text: str, node: ast.Expr) -> None:
    assert parse(text).body == node
    assert parse(print_query(node)).body == node


@pytest.mark.parametrize(
    ("text", "node"),
    [
        ("$x?60", ast.Lookup(X, ast.IntegerLiteral(60))),
        ("$x?key", ast.Lookup(X, ast.StringLiteral("key"))),
        ("$x?*", ast.Lookup(X, None)),
        ("a#1", ast.NamedFunctionRef(ast.Name("a"), 1)),
        ("$x/a#1", ast.Path(X, ast.NamedFunctionRef(ast.Name("a"), 1))),
        ("forseq", ast.AxisStep("child", ast.NameTest(ast.Name("forseq")))),
        ("a|count", ast.SetOperation("union", A, ast.AxisStep("child", ast.NameTest(ast.Name("count"))))),
        ("a|count(b)", ast.SetOperation("union", A, ast.FunctionCall(ast.Name("count"), (B,)))),
        ("a|diff", ast.SetOperation("union", A, ast.AxisStep("child", ast.NameTest(ast.Name("diff"))))),
        ("1 treat as b* *2", ast.Arithmetic("*", parse("1 treat as b*").body, ast.IntegerLiteral(2))),
    ],
)
def test_the_standard_comes_first(text: str, node: ast.Expr) -> None:
    assert parse(text).body == node


def test_forseq() -> None:
    flwor = parse(
        "forseq $v in $s, $w as item()+ in $x sliding window "
        "start position $i, curItem $c as item() when 1 force end when newstart return 1"
    ).body
    assert isinstance(flwor, ast.Flwor)
    start = ast.ForseqCondition(
        (
            ast.ForseqVariable("position", ast.Name("i")),
            ast.ForseqVariable("curItem", ast.Name("c"), ast.SequenceTypeNode(ast.AnyItemType())),
        ),
        ast.IntegerLiteral(1),
    )
    window = ast.ForseqWindow("sliding", start, ast.ForseqCondition((), None, True))
    many = ast.SequenceTypeNode(ast.AnyItemType(), "+")
    assert flwor.clauses == (
        ast.ForseqClause(ast.Name("v"), None, ast.VarRef(ast.Name("s"))),
        ast.ForseqClause(ast.Name("w"), many, X, window),
    )


def test_data_windows() -> None:
    four, two = ast.IntegerLiteral(4), ast.IntegerLiteral(2)
    assert parse("a|count 4 step 2|").body == ast.DataWindow(A, "count", None, four, two)
    assert parse("a | count 4 |").body == ast.DataWindow(A, "count", None, four)
    assert parse("a|diff 4|").body == ast.DataWindow(A, "diff", None, four)
    assert parse("a|b diff 4 step 2|").body == ast.DataWindow(A, "diff", B, four, two)
    named = ast.AxisStep("child", ast.NameTest(ast.Name("b", None, "")))
    assert parse("a|Q{}b diff 4|").body == ast.DataWindow(A, "diff", named, four)
    assert parse("a|count 4| | b").body == ast.SetOperation("union", ast.DataWindow(A, "count", None, four), B)


def test_best_match() -> None:
    flwor = parse(
        "for $a in 1 for $b in 2 where $a full outer bestmatch join $b "
        "on (1) max, (1, 2) udf:near 0.5, (2) min $x where 3 return 4"
    ).body
    assert isinstance(flwor, ast.Flwor)
    clause = flwor.clauses[2]
    assert isinstance(clause, ast.BestMatchClause)
    assert (clause.kind, clause.left.name, clause.right.name) == ("full", ast.Name("a"), ast.Name("b"))
    assert [order.direction for order in clause.orders] == ["max", "", "min"]
    assert clause.orders[1].function == ast.Name("near", "udf")
    assert clause.orders[2].limit == X
    assert clause.best == 1


def test_several_best_matches() -> None:
    flwor = parse("for $a in 1 for $b in 2 where $a left outer 3 bestmatch join $b on (1) max return 4").body
    assert isinstance(flwor, ast.Flwor)
    clause = flwor.clauses[2]
    assert isinstance(clause, ast.BestMatchClause)
    assert clause.best == 3
    with pytest.raises(StaticError, match="from 1 on"):
        parse("for $a in 1 for $b in 2 where $a 0 bestmatch join $b on (1) max return 4")
    with pytest.raises(StaticError) as error:
        parse("for $a in 1 for $b in 2 where $a constrained left outer bestmatch join $b on (1) max return 4")
    assert "limits behind the orders" in error.value.hint


def test_sequential() -> None:
    module = parse("declare execution sequential; set $x := 1; for $y in 2 return { set $x := $y; $x };")
    assert isinstance(module, ast.MainModule)
    assert isinstance(module.body, ast.Block)
    assert parse(print_query(module)) == module
    with pytest.raises(StaticError):
        parse("set $x := 1")
    assert parse("declare execution sequential; set/x")


def test_commas_that_are_missed_between_variables_are_told() -> None:
    with pytest.raises(StaticError) as told:
        parse("forseq $w in 1 tumbling window start curItem $c position $i when 1 end when newstart return 1")
    assert "expected `,` or `when`, found `position`" in str(told.value)
    assert "separated by commas" in told.value.hint
