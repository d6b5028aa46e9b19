"""Sequence types, as built-in signatures use them too."""

from __future__ import annotations

import pytest
from xylem.errors import StaticError
from xylem.syntax import ast, parse_sequence_type, print_query


@pytest.mark.parametrize(
    "text",
    [
        "item()*",
        "xs:numeric?",
        "empty-sequence()",
        "function(item()*, xs:anyAtomicType?) as item()*",
        "function() as xs:boolean",
        "function(*)",
        "map(*)",
        "map(xs:string, item()*)",
        "array(map(xs:string, array(*))?)+",
        "(function(xs:int) as item())?",
        "%p:a(1) function(*)",
        "element()",
        "element(*, xs:int)",
        "element(a, xs:int?)+",
        "attribute(p:a)",
        "document-node(element(a))",
        "document-node(schema-element(a))",
        "schema-attribute(a)",
        'processing-instruction("x")',
        "namespace-node()",
        "Q{urn:x}t",
        "element(temp)**",
    ],
)
def test_round_trip(text: str) -> None:
    node = parse_sequence_type(text)
    assert print_query(node) == text


def test_shape() -> None:
    assert parse_sequence_type("(xs:int)**") == ast.SequenceTypeNode(ast.AtomicType(ast.Name("int", "xs")), "**")
    assert parse_sequence_type("processing-instruction(x)") == ast.SequenceTypeNode(ast.PITest("x"))
    assert parse_sequence_type("item ( ) *") == ast.SequenceTypeNode(ast.AnyItemType(), "*")


@pytest.mark.parametrize("text", ["", "item(1)", "map(a)", "function(a)", "xs:int??", "item()*+", "element(a,b,c)"])
def test_faults(text: str) -> None:
    with pytest.raises(StaticError) as caught:
        parse_sequence_type(text)
    assert caught.value.code == "XPST0003"
