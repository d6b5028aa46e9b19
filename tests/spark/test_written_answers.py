"""Answers to messages that the scan writes: those of the program, message by message, whatever the messages are."""

from __future__ import annotations

import pickle
from random import Random
from typing import Any

import pyarrow as pa
import pytest
from xylem.errors import XylemError
from xylem.pipeline import StaticEnvironment
from xylem.query.compiled_query import CompiledQuery
from xylem.source.kernel import is_kernel_built
from xylem.source.limits import DEFAULT_LIMITS
from xylem.spark.column import MessageQuery

pytestmark = pytest.mark.skipif(not is_kernel_built(), reason="the kernel was not built here")

WRITTEN = (
    "/order/line[@quantity > 5]/@sku/string()",
    "serialize(for $o in /order return <receipt id='{ $o/@id }'>{ $o/line[@quantity > 5]/price }</receipt>)",
    "for $o in /order return sum($o/line/(@quantity * price))",
    "count(/order/line)",
    "/order/line/xs:integer(@quantity)",
    "xs:decimal(/order/total)",
    "string(/order/@id)",
    "/order/line/string(price)",
    "exists(/order/line)",
    "/order/line[1]/price/string()",
    "serialize(/order/line)",
    "/order ! upper-case(@id)",
)
LEFT = ("//line ! map { 'n': string(@sku) }", "/order/line", "xs:date(/order/@day)", "serialize(/order, map { })")
VALUES = ("1", "7", "12.5", "", "NaN", "-0", "abc", "9223372036854775808", " 8 ", "&lt;&amp;", "é", "INF", "1e3")


def message(random: Random) -> str | None:
    match random.randrange(20):
        case 0:
            return None
        case 1:
            return random.choice(("<order><total>1</order>", "", "<order/>", "<other/>"))
    pick = random.choice if random.random() < 0.4 else lambda some: some[random.randrange(2)]
    lines = ""
    for _ in range(random.randrange(4)):
        prices = f"<price>{pick(VALUES)}</price>" * random.choice((1, 1, 2, 0))
        lines += f"<line sku='{pick(VALUES)}' quantity='{pick(VALUES)}'>{prices}</line>"
    return f"<order id='{pick(VALUES)}' day='2024-02-29'>{lines}<total>{pick(VALUES)}</total></order>"


def evaluated(query: MessageQuery, messages: list[str | None]) -> Any:
    try:
        return query(pa.array(messages, pa.string()))
    except XylemError as error:
        return error.code


def made(text: str, on_error: Any, *, writes: bool = True) -> MessageQuery:
    query = MessageQuery(CompiledQuery(text, StaticEnvironment()), {}, DEFAULT_LIMITS, on_error)
    if not writes:
        query._written = None
    found: MessageQuery = pickle.loads(pickle.dumps(query))
    return found


@pytest.mark.parametrize("text", WRITTEN)
def test_random_messages(text: str) -> None:
    random = Random(text)
    for on_error in ("error", "null", "column"):
        written, computed = made(text, on_error), made(text, on_error, writes=False)
        assert written._written is not None
        for size in (0, 1, 3, 40):
            messages = [message(random) for _ in range(size)]
            found, expected = evaluated(written, messages), evaluated(computed, messages)
            assert type(found) is type(expected), (messages, found, expected)
            if isinstance(found, pa.Array):
                assert found.type == expected.type
                assert str(found.to_pylist()) == str(expected.to_pylist()), messages
            else:
                assert found == expected, messages


@pytest.mark.parametrize("text", LEFT)
def test_what_has_no_column_of_text_is_left_to_code(text: str) -> None:
    assert made(text, "null")._written is None


def test_declared_parameters_are_not_those_of_serialize() -> None:
    text = "declare option output:method 'text'; serialize(/order)"
    assert made(text, "null")._written is None


def test_an_array_of_good_messages_is_written() -> None:
    """No tree is made for any of them."""
    query = made("/order/line/@sku/string()", "error")
    query._outcome = None  # type: ignore[assignment,method-assign]
    found = query(pa.array(["<order><line sku='a'/><line sku='b'/></order>", "<order/>"] * 2, pa.string()))
    assert found.to_pylist() == [["a", "b"], [], ["a", "b"], []]
