"""A query is parsed once, and each of its programs is made once, however often and from wherever it is asked for."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
import xylem
from xylem.errors import StaticError
from xylem.pipeline import StaticEnvironment
from xylem.query.compiled_query import CompiledQuery
from xylem.query.spreading import Spreading
from xylem.syntax.compilations import COMPILATIONS, Compilations

DOCUMENT = b"<a><b>1</b><b>22</b></a>"


@contextmanager
def counted() -> Iterator[Compilations]:
    """What is parsed and lowered meanwhile; complete at the end."""
    before, found = replace(COMPILATIONS), Compilations()
    yield found
    found.parsed = COMPILATIONS.parsed - before.parsed
    found.lowered = COMPILATIONS.lowered - before.lowered


def test_a_run_parses_once_and_lowers_once() -> None:
    with counted() as found:
        query = xylem.compile("sum(//b)")
        document = xylem.parse(DOCUMENT)
        assert [query.run(document).one(), query.run(document).one()] == [23, 23]
    assert found == Compilations(1, 1)


def test_what_has_streamed_streams_again_with_nothing_compiled() -> None:
    query = xylem.compile("for $b in /a/b return $b + 1")
    assert list(query.stream(DOCUMENT)) == [2, 23]
    with counted() as found:
        assert list(query.stream(DOCUMENT)) == [2, 23]
        assert list(query.stream(b"<a><b>3</b></a>")) == [4]
    assert found == Compilations()


def test_all_that_can_be_asked_of_a_query_parses_it_once() -> None:
    with counted() as found:
        query = xylem.compile("for $b in /a/b where $b > avg(/a/b) return $b")
        list(query.stream(DOCUMENT))
        query.explain()
        query.data_flow()
        query.distribution()
        query.stream_windows()
        query.record_scopes()
        list(query.stream(b"<a><b>1</b><b>2<x></b></a>", on_malformed="skip"))
    assert found.parsed == 1
    with counted() as again:
        query.explain()
        query.distribution()
        query.stream_windows()
        list(query.stream(DOCUMENT))
    assert again == Compilations()


def test_a_query_that_must_have_a_tree_is_not_parsed_again_for_the_reason() -> None:
    query = xylem.compile("/a/b[last() - 1]/preceding::c")
    with counted() as found, pytest.raises(StaticError, match="XYST0004"):
        query.stream(DOCUMENT)
    assert found.parsed == 0


def test_library_modules_are_parsed_once_for_all_programs(tmp_path: Path) -> None:
    (tmp_path / "m.xqm").write_text('module namespace m = "urn:m"; declare function m:f($x) { $x + 1 };')
    text = f'import module namespace m = "urn:m" at "{(tmp_path / "m.xqm").as_uri()}"; for $b in /a/b return m:f($b)'
    with counted() as found:
        query = xylem.compile(text, module_folders=[tmp_path])
        assert list(query.stream(DOCUMENT)) == query.run(xylem.parse(DOCUMENT)).items == [2, 23]
        query.distribution()
    assert found.parsed == 2


def test_a_program_for_a_kind_of_run_is_made_once() -> None:
    query = CompiledQuery("count(//b)", StaticEnvironment())
    assert query.distributed(Spreading()) is query.distributed(Spreading())
    assert query.distributed(Spreading(several_documents=True)) is not query.distributed(Spreading())


def test_a_schema_has_passes_of_its_own() -> None:
    from xylem.schema import load_schema

    schema = load_schema("<!ELEMENT a (b*)><!ELEMENT b (#PCDATA)>")
    query = CompiledQuery("/a/b", StaticEnvironment())
    with_schema = query.stream_passes(schema)
    assert with_schema is query.stream_passes(schema)
    assert with_schema is not query.stream_passes()


def test_threads_that_ask_at_once_get_one_program() -> None:
    query = xylem.compile("for $b in /a/b return ($b + 1)", check=False)
    together = threading.Barrier(8)
    answers: list[list[object]] = []

    def ask() -> None:
        together.wait(60)
        for _ in range(20):
            answers.append(list(query.stream(DOCUMENT)))

    with counted() as found:
        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert answers == [[2, 23]] * 160
    assert found.parsed == 1


def test_the_clock_and_values_from_outside_are_of_a_run() -> None:
    query = xylem.compile("declare variable $n external; count(/a/b) + $n")
    assert [list(query.stream(DOCUMENT, {"n": n})) for n in (1, 2)] == [[3], [4]]
