"""Python functions called from queries."""

from __future__ import annotations

from typing import Any

import pytest
import xylem


@pytest.fixture
def functions() -> xylem.Functions:
    made = xylem.Functions()

    @made.function("udf:add", "xs:integer, xs:integer?", "xs:integer")
    def add(left: int, right: int | None = None) -> int:
        return left + (right or 0)

    @made.function("udf:words", "xs:string", "xs:string*")
    def words(text: str) -> list[str]:
        return text.split()

    @made.function("udf:kinds", "item()*", "xs:string*")
    def kinds(items: list[Any]) -> list[str]:
        return [type(item).__name__ for item in items]

    @made.function("Q{urn:other}half", "xs:double", "xs:double")
    def half(number: float) -> float:
        return number / 2

    @made.function("udf:wrong", "", "xs:integer")
    def wrong() -> str:
        return "not a number"

    @made.function("udf:fails", "", "item()*")
    def fails() -> None:
        raise LookupError("no such thing")

    return made


def run(query: str, functions: xylem.Functions) -> Any:
    return xylem.compile(query, functions=functions).run().value


def test_it_is_called_like_any_function(functions: xylem.Functions) -> None:
    assert run("udf:add(1, 2)", functions) == 3
    assert run("udf:add(1)", functions) == 1
    assert run("udf:add(1, ())", functions) == 1
    assert run("udf:words('a b')", functions) == ["a", "b"]


def test_it_may_be_declared_external(functions: xylem.Functions) -> None:
    query = "declare function udf:words($t as xs:string) as xs:string* external; udf:words('a b')"
    assert run(query, functions) == ["a", "b"]


def test_it_is_a_value_too(functions: xylem.Functions) -> None:
    assert run("for-each(1 to 3, udf:add(?, 10))", functions) == [11, 12, 13]
    assert run("fold-left(1 to 4, 0, udf:add#2)", functions) == 10
    assert run("function-lookup(xs:QName('udf:add'), 2)(2, 3)", functions) == 5


def test_names_may_be_in_any_namespace(functions: xylem.Functions) -> None:
    assert run("Q{urn:other}half(3)", functions) == 1.5
    assert run("declare namespace o = 'urn:other'; o:half(3)", functions) == 1.5


def test_arguments_are_converted_then_become_python_values(functions: xylem.Functions) -> None:
    assert run("udf:add(<a>4</a>, 1)", functions) == 5
    assert run("udf:kinds((1, 'a', 1.5, <a/>, map { }, [1], xs:untypedAtomic('x')))", functions) == [
        "int",
        "str",
        "Decimal",
        "Node",
        "dict",
        "list",
        "str",
    ]


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("udf:add('x')", "XPTY0004"),
        ("udf:add(1, 2, 3)", "XPST0017"),
        ("udf:nothing()", "XPST0017"),
        ("udf:wrong()", "XPTY0004"),
        ("udf:fails()", "XYDY0002"),
    ],
)
def test_mistakes_have_codes(functions: xylem.Functions, query: str, code: str) -> None:
    with pytest.raises(xylem.XylemError) as caught:
        run(query, functions)
    assert caught.value.code == code


def test_the_cause_is_kept(functions: xylem.Functions) -> None:
    with pytest.raises(xylem.XylemError, match="no such thing") as caught:
        run("1 + udf:fails()", functions)
    assert isinstance(caught.value.__cause__, LookupError)
    assert caught.value.span is not None


def test_the_decorated_function_stays_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    known = xylem.functions.external.DEFAULT_FUNCTIONS
    monkeypatch.setattr(known, "_by_name", dict(known._by_name))

    @xylem.function("udf:thrice", "xs:integer", "xs:integer")
    def thrice(number: int) -> int:
        return 3 * number

    assert thrice(2) == 6
    assert xylem.compile("udf:thrice(2)").run().value == 6


@pytest.mark.parametrize("name", ["noprefix", "unknown:name", "Q{}x", "udf:", ""])
def test_bad_names_are_refused(name: str) -> None:
    with pytest.raises(ValueError):
        xylem.Functions().function(name, "", "item()*")


def test_signatures_must_agree() -> None:
    with pytest.raises(TypeError):

        @xylem.Functions().function("udf:f", "xs:integer", "xs:integer")
        def two(a: int, b: int) -> int:
            return a + b

    with pytest.raises(TypeError):

        @xylem.Functions().function("udf:f", "xs:integer", "xs:integer")
        def keyword(*, a: int) -> int:
            return a
