"""Errors and notes as data: the span is exactly what `check` underlines, and notes stand on the lines of `explain`."""

from __future__ import annotations

from xylem.interactive.diagnostics import Place, checked, line_notes


def test_the_span_of_an_error() -> None:
    found = checked("for $b in //b\nreturn $c", "q.xq")
    assert found is not None
    assert (found.code, found.place) == ("XPST0008", Place(2, 8, 2, 10))
    assert found.hint == "in scope: $b"
    # Behind `order by` the scope has only what is used there.
    found = checked("for $b in //book order by $b/title return $z")
    assert found is not None
    assert found.hint == "bound in this query: $b"


def test_a_query_without_errors() -> None:
    assert checked("1 + 1") is None
    assert checked("//w:a", namespaces={"w": "urn:w"}) is None
    assert checked("//w:a") is not None


def test_notes_stand_on_the_lines_they_are_about() -> None:
    notes = line_notes("for $p in //page\norder by $p/title\nreturn $p/title")
    assert [(note.place.line, note.effect) for note in notes] == [(1, "passes"), (2, "holds")]
    assert line_notes("for $p in") == []
