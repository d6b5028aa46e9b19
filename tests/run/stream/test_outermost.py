"""outermost(//a) over a stream: the elements that stand in no other of them, each once, and what is below them."""

from __future__ import annotations

import pytest

from .compare import SCANNERS, from_stream, from_tree, stream_program, written_as_events

DOCUMENTS = (
    b"<r><t k='1'>a<t>x<t>y</t></t>z<u/></t><t>2</t><u><t k='1'>no<t/></t></u><t>last</t></r>",
    b"<t>no<t>y</t><t><t>y</t></t></t>",
    b"<u><t><u><t/></u></t></u>",
    b"<r/>",
)
STREAMED = (
    "outermost(//t)",
    "outermost(//t)/t",
    "outermost(//t)/t[1]",
    "outermost(//t)//t",
    "outermost(//t)/@k/string()",
    "outermost(//*)",
    "outermost(//u/t)",
    "outermost(//t//u)",
    "outermost(//t)/string()",
    "<o>{ outermost(//t) }</o>",
    "outermost(//t), //u",
)


@pytest.mark.parametrize("scanner", SCANNERS)
@pytest.mark.parametrize("query", STREAMED)
def test_as_over_the_tree(query: str, scanner: str) -> None:
    program = stream_program(query)
    assert program is not None
    for document in DOCUMENTS:
        for pieces in ([document], [document[place : place + 5] for place in range(0, len(document), 5)]):
            assert from_stream(program, pieces, scanner) == from_tree(query, document)
            assert written_as_events(program, pieces, scanner) == from_tree(query, document, as_xml=True)


@pytest.mark.parametrize("query", ["outermost(//t[u])", "outermost(//t)/..", "outermost((//t, //u))"])
def test_others_are_left_to_the_tree(query: str) -> None:
    assert stream_program(query) is None
