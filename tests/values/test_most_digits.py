"""Numbers of very many digits: an error with a code, at once, wherever they come from."""

from __future__ import annotations

from decimal import Decimal

import pytest
import xylem
from xylem.errors import XylemError
from xylem.values.numbers import MOST_DIGITS

TEXT = "9" * 900_000
SQUARES = "fold-left(1 to 60, {start}, function($a, $i) {{ {body} }})"


def code_of(query: str, **variables: object) -> str:
    declared = "".join(f"declare variable ${name} external; " for name in variables)
    try:
        list(xylem.compile(declared + query).run(variables=variables))
    except XylemError as error:
        return error.code if len(str(error)) < 1_000 else "a long message"
    return ""


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("xs:integer($d)", "FOCA0003"),
        ("xs:integer('-' || $d)", "FOCA0003"),
        ("xs:integer(<a b='{$d}'/>/@b)", "FOCA0003"),
        ("xs:long($d)", "FOCA0003"),
        ("xs:decimal($d)", "FOCA0006"),
        ("xs:decimal('0.' || $d)", "FOCA0006"),
        ("xs:gYear($d)", "FODT0001"),
        ("xs:date($d || '-01-01')", "FODT0001"),
        ("xs:dateTime('2000-01-01T00:00:00.' || $d)", "FODT0001"),
        ("xs:time('00:00:00.' || $d)", "FODT0001"),
        ("xs:dayTimeDuration('P' || $d || 'D')", "FODT0002"),
        ("xs:dayTimeDuration('PT0.' || $d || 'S')", "FODT0002"),
        ("xs:yearMonthDuration('P' || $d || 'Y')", "FODT0002"),
        ("format-date(xs:date('2000-01-01'), '[Y,' || $d || ']')", "FOFD1340"),
    ],
)
def test_casts(query: str, code: str) -> None:
    assert code_of(query, d=TEXT) == code


@pytest.mark.parametrize(
    "query",
    [
        "xs:double($d)",
        "number($d)",
        "xs:untypedAtomic($d) = 1",
        "xs:untypedAtomic($d) * 2",
        "$d castable as xs:integer",
        "xs:integer(translate($d, '9', '0') || '1')",
        "matches('aa', 'a{1,' || $d || '}')",
    ],
)
def test_what_needs_no_digits_has_an_answer(query: str) -> None:
    assert code_of(query, d=TEXT) == ""


@pytest.mark.parametrize("sign", ["", "-"])
def test_at_the_limit_and_one_past_it(sign: str) -> None:
    most = sign + "9" * MOST_DIGITS
    for kind, code in (("integer", "FOCA0003"), ("decimal", "FOCA0006")):
        assert xylem.compile(f"string(xs:{kind}('{most}'))").run().one() == most
        assert code_of(f"xs:{kind}('{most}9')") == code


@pytest.mark.parametrize(
    ("start", "body"),
    [
        ("3", "$a * $a"),
        ("-3", "$a * $a * $a"),
        ("3.5", "$a * $a"),
        ("xs:long(3)", "$a * $a"),
        ("0.5", "$a div ($a * $a * $a)"),
        ("3", "let $f := function($x as xs:integer) as xs:integer { $x * $x } return $f($a)"),
    ],
)
def test_products_that_grow(start: str, body: str) -> None:
    assert code_of(SQUARES.format(start=start, body=body)) == "FOAR0002"


def test_literals() -> None:
    assert code_of("9" * 4_001) == code_of("0." + "9" * 4_001) == "FOAR0002"
    assert xylem.compile("0." + "9" * 3_000).run().one() == Decimal("0." + "9" * 3_000)
