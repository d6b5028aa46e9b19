"""One program over documents one after another gives what a run for each of them gives."""

from __future__ import annotations

import pytest
from xylem.errors import DynamicError, InputError
from xylem.pipeline import StaticEnvironment, compile_stream
from xylem.run.stream.document_runs import DocumentRuns
from xylem.source.limits import Limits
from xylem.source.resources import FileResources

DOCUMENTS = (
    b"<r><a n='1'>one</a><b>two</b></r>",
    b"<r><b>B</b><a n='2'>A</a><c/></r>",
    b"<r/>",
    b"<r xmlns:p='urn:p'><p:a/><a n='3'>x<a n='4'>y</a></a></r>",
    b"<q:r xmlns:q='urn:q'><a>other root</a></q:r>",
    b"<r><d/><a n='5'><b>in</b></a><b>late</b></r>",
)
QUERIES = (
    "for $a in /r/a return <got>{ $a/@n, string($a) }</got>",
    "count(//a), sum(//a/@n)",
    "//a",
    "<all>{ //b }{ /r/a }</all>",
    "for $a in //a order by $a/@n descending return name($a)",
    "//a[1], //b[last()]",
    "exists(//b), name(/*)",
    "for $x in //*[a] return <p>{ $x/a/@n/string() }</p>",
)


def runs_of(query: str, **options: object) -> DocumentRuns:
    return compile_stream(query, StaticEnvironment()).over_documents(FileResources(), **options)


def alone(query: str, document: bytes) -> list[str]:
    return [str(getattr(item, "string_value", item)) for item in runs_of(query).items(document)]


@pytest.mark.parametrize("scanner", ["auto", "python"])
@pytest.mark.parametrize("query", QUERIES)
def test_as_if_alone(query: str, scanner: str) -> None:
    runs = runs_of(query, scanner=scanner)
    for document in (*DOCUMENTS, *reversed(DOCUMENTS)):
        found = [str(getattr(item, "string_value", item)) for item in runs.items(document)]
        assert found == alone(query, document)


def test_names_are_those_of_each_document() -> None:
    runs = runs_of("//*[@k]")
    first = [item.name for item in runs.items(b"<r xmlns:p='urn:1'><p:x k=''/><y k=''/></r>")]
    second = [item.name for item in runs.items(b"<r xmlns:p='urn:2'><y k=''/><p:x k=''/><z k=''/></r>")]
    assert [(name.prefix, name.uri, name.local) for name in first] == [("p", "urn:1", "x"), ("", "", "y")]
    assert [(name.prefix, name.uri, name.local) for name in second] == [
        ("", "", "y"),
        ("p", "urn:2", "x"),
        ("", "", "z"),
    ]


def test_after_a_run_that_did_not_end() -> None:
    runs = runs_of("<all>{ //b }</all>, count(//a)")
    with pytest.raises(InputError):
        list(runs.items(b"<r><a/><b>one</b><a></r>"))
    begun = runs.items(b"<r><a/><b>two</b></r>")
    next(begun)
    begun.close()  # type: ignore[attr-defined]
    found = runs.items(b"<r><a/><b>three</b></r>")
    assert [str(getattr(item, "string_value", item)) for item in found] == ["three", "1"]


def test_two_at_once() -> None:
    runs = runs_of("//a")
    one, two = runs.items(DOCUMENTS[0]), runs.items(DOCUMENTS[1])
    assert [next(two).string_value, next(one).string_value] == ["A", "one"]
    assert list(one) == []
    assert list(two) == []


def test_what_is_held_is_that_of_one_document() -> None:
    query = "for $r in /r return ($r/a/string(), $r/b/string())"
    document = b"<r>" + b"<b>bbbbbbbbbb</b>" * 20 + b"<a/></r>"
    needed = runs_of(query)
    list(needed.items(document))
    most = needed.statistics.peak_buffered_bytes
    assert most > 0
    runs = runs_of(query, limits=Limits(buffered_bytes=most))
    for _ in range(3):
        assert len(list(runs.items(document))) == 21
    with pytest.raises(DynamicError, match="XYDY0005"):
        list(runs_of(query, limits=Limits(buffered_bytes=most - 1)).items(document))
