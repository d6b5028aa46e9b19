"""What `explain` shows: few brackets, a line for each clause."""

from __future__ import annotations

import pytest
from xylem.syntax import ast, parse, print_query


def test_flwor_breaks_lines() -> None:
    text = (
        "<r>{for $p in doc('x')//person[@id='1'] let $a:=(for $t in $p/t where $t = 1 return $t) group by $k := 1 "
        "return if($a)then for $x in 1 return 2 else(3,4)}</r>"
    )
    assert print_query(parse(text)) == (
        """\
<r>{
  for $p in doc("x")//person[@id = "1"]
  let $a := (
    for $t in $p/t
    where $t = 1
    return $t
  )
  group by $k := 1
  return if ($a) then
    for $x in 1
    return 2
  else (3, 4)
}</r>"""
    )


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("((1+2)*3)", "(1 + 2) * 3"),
        ("(1+2)+3", "1 + 2 + 3"),
        ("1+(2+3)", "1 + (2 + 3)"),
        ("(1 instance of xs:int) * 2", "(1 instance of xs:int) * 2"),
        ("/descendant-or-self::node()/child::a/attribute::b/parent::node()", "//a/@b/.."),
        ("/", "(/)"),
        ("(a)[1]", "(a)[1]"),
        ("a[1]", "a[1]"),
        ("child::element", "child::element"),
        ("$m?('a')?('b c')", '$m?a?("b c")'),
        ("'a\"b'", "'a\"b'"),
        ('"a\'b""c"', '"a\'b""c"'),
        ("<a> <b> x </b> </a>", "<a><b> x </b></a>"),
        ("<a>&#x20;</a>", "<a>&#x20;</a>"),
        ("1e0, 1.0, 1.", "1.0e0, 1.0, 1.0"),
    ],
)
def test_text(text: str, printed: str) -> None:
    assert print_query(parse(text)) == printed


def test_parts_can_be_printed() -> None:
    module = parse("declare variable $x as xs:int := 1; for $y in $x where $y return $y")
    assert print_query(module.prolog[0]) == "declare variable $x as xs:int := 1"
    assert isinstance(module, ast.MainModule)
    assert isinstance(module.body, ast.Flwor)
    assert [print_query(clause) for clause in module.body.clauses] == ["for $y in $x", "where $y"]
    assert print_query(ast.Name("a", None, "urn:x")) == "Q{urn:x}a"
    assert print_query(ast.ElementTest()) == "element()"


def test_literals_that_only_a_rewrite_can_make() -> None:
    product = ast.Arithmetic("*", ast.IntegerLiteral(-2), ast.DoubleLiteral(float("-inf")))
    assert print_query(product) == "(-2) * (-1e999)"
