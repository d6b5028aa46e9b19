"""Elements taken out of an answer by name: whatever the pieces in which it comes, and what else stands in it."""

from __future__ import annotations

import json

import pytest
from xylem import parse
from xylem.sink.routed_text import Piece, RoutedText

CASES: list[tuple[str, list[Piece]]] = [
    ("<a/><b/>", [("a", "<a/>"), (None, "<b/>")]),
    ("<r>x<a n='1'>y<a/></a>z</r>", [(None, "<r>x"), ("a", "<a n='1'>y<a/></a>"), (None, "z</r>")]),
    ("<r><q><a/></q></r>", [(None, "<r><q><a/></q></r>")]),
    ("<r><ab/><a-b/></r>", [(None, "<r><ab/><a-b/></r>")]),
    ("<r><!-- <a/> --><a/></r>", [(None, "<r><!-- <a/> -->"), ("a", "<a/>"), (None, "</r>")]),
    ("<r><![CDATA[<a/>]]><?p <a/>?></r>", [(None, "<r><![CDATA[<a/>]]><?p <a/>?></r>")]),
    ('<r><a t="/>"/><a t=">"></a></r>', [(None, "<r>"), ("a", '<a t="/>"/>'), ("a", '<a t=">"></a>'), (None, "</r>")]),
    ('<?xml version="1.0"?><a/>', [(None, '<?xml version="1.0"?>'), ("a", "<a/>")]),
    ("1 2 3", [(None, "1 2 3")]),
    ('<r xmlns="u"><a/></r>', [(None, '<r xmlns="u">'), ("a", '<a xmlns="u"/>'), (None, "</r>")]),
    (
        '<r xmlns:p="u" xmlns:q="v"><p:c xmlns:q="w">t</p:c></r>',
        [(None, '<r xmlns:p="u" xmlns:q="v">'), ("p:c", '<p:c xmlns:p="u" xmlns:q="w">t</p:c>'), (None, "</r>")],
    ),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_elements_come_out_complete(text: str, expected: list[Piece], size: int) -> None:
    found: list[Piece] = []
    state: list[object] = []
    for start in range(0, len(text), size):
        routed = RoutedText({"a", "p:c"}, state)
        for name, piece in routed.split(text[start : start + size]):
            if name is None and found and found[-1][0] is None:
                found[-1] = None, found[-1][1] + piece
            else:
                found.append((name, piece))
        # What one object knows goes through a file.
        state = json.loads(json.dumps(routed.state))
    assert found == expected
    for name, piece in found:
        if name is not None:
            assert parse(piece).string_value in piece
