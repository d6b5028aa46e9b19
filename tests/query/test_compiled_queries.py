"""Queries with the same text and context share their programs."""

from __future__ import annotations

from pathlib import Path

import pytest
import xylem
from xylem.functions.external import Functions
from xylem.pipeline import StaticEnvironment
from xylem.query.compiled_queries import MOST_CHARACTERS, CompiledQueries
from xylem.syntax.compilations import COMPILATIONS


def test_the_same_text_is_compiled_once() -> None:
    text = "count(//once) + 12345"
    document = xylem.parse("<a><once/></a>")
    assert xylem.compile(text).run(document).value == 12346
    before = COMPILATIONS.parsed
    assert xylem.compile(text).run(document).value == 12346
    assert COMPILATIONS.parsed == before


def test_what_differs_is_compiled_by_itself() -> None:
    document = xylem.parse("<a xmlns='urn:a'><b/></a>")
    assert xylem.compile("count(//b)").run(document).value == 0
    assert xylem.compile("count(//b)", namespaces={"": "urn:a"}).run(document).value == 1
    first, second = Functions(), Functions()
    first.function("udf:n", "", "xs:integer")(lambda: 1)
    second.function("udf:n", "", "xs:integer")(lambda: 2)
    found = [xylem.compile("udf:n()", functions=each, namespaces={"udf": "urn:xylem:udf"}) for each in (first, second)]
    assert [query.run().value for query in found] == [1, 2]
    with pytest.raises(xylem.XylemError) as raised:
        xylem.compile("1 +", name="mine")
    assert "mine" in str(raised.value)
    with pytest.raises(xylem.XylemError) as raised:
        xylem.compile("1 +", name="other")
    assert "other" in str(raised.value)


def test_modules_are_read_again(tmp_path: Path) -> None:
    module = tmp_path / "m.xqm"
    text = 'import module namespace m = "urn:m" at "m.xqm"; m:one()'
    for number in (1, 2):
        module.write_text(f'module namespace m = "urn:m"; declare function m:one() {{ {number} }};', encoding="utf-8")
        query = xylem.compile(text, module_folders=(each for each in [tmp_path]), base_uri=tmp_path.as_uri() + "/")
        assert query.run().value == number


def test_the_latest_are_kept() -> None:
    queries, environment = CompiledQueries(most=2), StaticEnvironment()
    one = queries.query("1", environment)
    assert queries.query("2", environment) is not one
    assert queries.query("1", environment) is one
    queries.query("3", environment)
    assert queries.query("1", environment) is one
    two = queries.query("2", environment)
    assert queries.query("2", environment) is two
    long = " " * MOST_CHARACTERS + "1"
    assert queries.query(long, environment) is not queries.query(long, environment)
