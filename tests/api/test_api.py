"""The public interface, used as a user uses it."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import xylem

DOCUMENT = "<books><book year='2001'><title>A</title></book><book year='1999'><title>B</title></book></books>"


def run(query: str, **arguments: Any) -> xylem.Result:
    return xylem.compile(query).run(**arguments)


def test_the_names_of_the_package_exist() -> None:
    assert all(getattr(xylem, name) is not None for name in xylem.__all__)
    assert set(xylem.__all__) <= set(dir(xylem))
    with pytest.raises(AttributeError):
        xylem.no_such_name


def test_a_document_is_the_context() -> None:
    assert list(run("//title/string()", context=xylem.parse(DOCUMENT))) == ["A", "B"]


def test_a_query_runs_again_and_again() -> None:
    query = xylem.compile("declare variable $n external; $n * 2")
    assert [query.run(variables={"n": n}).value for n in (1, 2, 3)] == [2, 4, 6]


@pytest.mark.parametrize(
    ("query", "value"),
    [
        ("()", None),
        ("1 + 1", 2),
        ("1.5", Decimal("1.5")),
        ("1e0", 1.0),
        ("'a', 'b'", ["a", "b"]),
        ("true()", True),
        ("xs:date('2024-05-17')", dt.date(2024, 5, 17)),
        ("xs:dateTime('2024-05-17T07:00:00Z')", dt.datetime(2024, 5, 17, 7, tzinfo=dt.UTC)),
        ("xs:dayTimeDuration('PT90S')", dt.timedelta(seconds=90)),
        ("map { 'a': 1, 'b': (1, 2), 'c': () }", {"a": 1, "b": [1, 2], "c": None}),
        ("[1, (2, 3), []]", [1, [2, 3], []]),
        ("xs:base64Binary('YWI=')", b"ab"),
    ],
)
def test_values_are_python_values(query: str, value: object) -> None:
    got = run(query).value
    assert got == value
    assert type(got) is type(value)


@pytest.mark.parametrize(
    ("value", "test"),
    [
        ("x", "$v instance of xs:string"),
        (1, "$v instance of xs:integer"),
        (1.0, "$v instance of xs:double"),
        (True, "$v instance of xs:boolean"),
        (dt.date(2024, 1, 2), "$v eq xs:date('2024-01-02')"),
        ({"a": [1, 2]}, "deep-equal($v, map { 'a': (1, 2) })"),
        ([1, "a"], "deep-equal($v, (1, 'a'))"),
        ([[1, 2]], "deep-equal($v, [1, 2])"),
        (None, "empty($v)"),
        (range(5), "count($v) = 5"),
    ],
)
def test_python_values_are_items(value: object, test: str) -> None:
    assert run(f"declare variable $v external; {test}", variables={"v": value}).one() is True


def test_variables_have_names_in_namespaces() -> None:
    query = xylem.compile("declare namespace p = 'urn:p'; declare variable $p:v external; $p:v")
    assert query.run(variables={"p:v": 1}).value == 1
    assert query.run(variables={"Q{urn:p}v": 2}).value == 2


def test_a_name_nobody_declares_is_refused_with_the_nearest() -> None:
    query = xylem.compile("declare variable $book external; $book")
    with pytest.raises(xylem.InputError) as caught:
        query.run(variables={"boook": 1})
    assert caught.value.code == "XYIN0006"
    assert "did you mean $book?" in caught.value.render()


def test_untyped_values_take_the_declared_type() -> None:
    query = "declare variable $n as xs:integer external; $n instance of xs:integer"
    assert run(query, variables={"n": xylem.compile("xs:untypedAtomic('3')").run().xdm}).one() is True


def test_results_are_read_as_they_are_computed() -> None:
    result = run("1, 2, error()")
    assert result[0] == 1
    assert result[1] == 2
    with pytest.raises(xylem.XylemError) as caught:
        result.items
    assert caught.value.code == "FOER0000"


def test_results_are_sequences() -> None:
    result = run("1 to 5")
    assert len(result) == 5
    assert result[-1] == 5
    assert result[1:3] == [2, 3]
    assert list(result) == list(result) == result.items
    assert bool(run("()"))
    with pytest.raises(IndexError):
        result[5]
    with pytest.raises(ValueError, match="5 items"):
        result.one()


def test_serialization_follows_the_query_and_the_caller() -> None:
    assert run("<a><b/></a>").serialize() == "<a><b/></a>"
    assert run("<a/>").serialize(omit_xml_declaration=False).startswith("<?xml")
    declared = "declare option output:method 'json'; map { 'a': 1 }"
    assert run(declared).serialize() == '{"a":1}'
    assert run(declared).serialize(method="adaptive") == 'map{"a":1}'
    assert str(run("map { 'a': 1 }")) == 'map{"a":1}'
    assert str(run("1, 2")) == "1 2"


def test_results_are_written_in_an_encoding() -> None:
    chunks: list[bytes] = []
    run("<a>é€</a>").write_to(chunks.append, encoding="iso-8859-1")
    assert b"".join(chunks) == "<a>é&#8364;</a>".encode("iso-8859-1")


def test_a_written_result_is_not_kept() -> None:
    chunks: list[bytes] = []
    result = run("1 to 3")
    assert result[0] == 1
    result.write_to(chunks.append)
    assert b"".join(chunks) == b"1 2 3"
    with pytest.raises(ValueError, match="not kept"):
        result.items


def test_an_unknown_parameter_is_refused() -> None:
    with pytest.raises(xylem.XylemError) as caught:
        run("1").serialize(colour="red")
    assert caught.value.code == "SEPM0016"


def test_files_are_read_where_allowed_only(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text("<a>1</a>", encoding="utf-8")
    query = xylem.compile("doc('a.xml')/a/string()", base_uri=tmp_path.as_uri() + "/")
    with pytest.raises(xylem.XylemError) as caught:
        query.run().items
    assert caught.value.code == "FODC0002"
    assert query.run(allow=[tmp_path]).value == "1"


def test_a_document_passed_in_is_known_by_its_uri(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_text("<a/>", encoding="utf-8")
    assert run("doc(document-uri(/)) is /", context=xylem.parse(path)).one() is True


def test_collections_are_given() -> None:
    documents = [xylem.parse("<a/>"), xylem.parse("<b/>")]
    assert run("collection()/*/name()", collection=documents).items == ["a", "b"]


def test_environment_variables_are_given() -> None:
    query = "environment-variable('HOME')"
    assert run(query).value is None
    assert run(query, environment={"HOME": "here"}).value == "here"


def test_modules_are_read_from_their_folders_only(tmp_path: Path) -> None:
    (tmp_path / "m.xqm").write_text("module namespace m = 'urn:m'; declare function m:f() { 7 };", encoding="utf-8")
    query = "import module namespace m = 'urn:m' at 'm.xqm'; m:f()"
    base = tmp_path.as_uri() + "/"
    assert xylem.compile(query, base_uri=base, module_folders=[tmp_path]).run().value == 7
    with pytest.raises(xylem.XylemError) as caught:
        xylem.compile(query, base_uri=base)
    assert caught.value.code == "XQST0059"


def test_a_missing_file_and_bad_xml_are_input_errors(tmp_path: Path) -> None:
    with pytest.raises(xylem.InputError):
        xylem.parse(tmp_path / "missing.xml")
    with pytest.raises(xylem.InputError) as caught:
        xylem.parse("<a>")
    assert caught.value.code == "XYIN0001"


@pytest.mark.parametrize("text", ["1" + "+1" * 1500, "/a" + "/b" * 60, "//a[. = 'x']"])
def test_an_explanation_prints_as_text(text: str) -> None:
    explanation = xylem.compile(text).explain()
    assert str(explanation) == explanation.to_text()
    assert len(repr(explanation)) < 100


def test_explanations_name_the_joins() -> None:
    explanation = xylem.compile("for $a in 1 to 3 for $b in 1 to 3 where $a = $b return $a").explain()
    assert [step.effect for step in explanation.steps] == ["passes", "hash join"]
    assert "hash join" in explanation.to_text(with_code=True, with_ast=True)
    assert explanation.to_dict(with_code=True, with_ast=True)["steps"][0]["line"] == 1
