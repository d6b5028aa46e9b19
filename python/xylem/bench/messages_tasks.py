"""What `xylem bench messages` asks of every message: in XQuery, and as loops over lxml and the standard library."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final
from xml.etree import ElementTree

Loop = Callable[[bytes], str]
"""From a message to its answer as text."""
SMALL: Final = b'<order id="12"><line/></order>'
"""A document of 30 bytes."""


@dataclass(frozen=True)
class MessageTask:
    """One question."""

    name: str
    query: str
    separator: str
    """What stands between the answers to two messages where all of them are in one stream."""
    standard: Loop
    """By the ElementTree of the standard library: what all answers are compared with."""
    lxml: Callable[[], Loop]
    """Compiles what can be compiled."""
    spark_sql: str
    """Of a column `o` that `from_xml` has made by `SPARK_SCHEMA`."""

    @property
    def wrapped(self) -> str:
        """The same question where all messages stand in one document."""
        return self.query.replace("/order", "/orders/order", 1)

    @property
    def as_text(self) -> str:
        """The same question with text for an answer, which a column of text has room for."""
        return f"serialize({self.query})" if self.query.startswith("for $o in /order return <") else self.query

    def joined(self, answers: Iterable[str]) -> str:
        """The answer to all messages, in one stream."""
        return self.separator.join(filter(None, answers))


SPARK_SCHEMA: Final = "_id string, line array<struct<_sku: string, _quantity: int, price: int>>"


# --- a value with a filter


def _standard_value(message: bytes) -> str:
    order = ElementTree.fromstring(message)
    return " ".join(line.get("sku", "") for line in order.iterfind("line") if int(line.get("quantity", "0")) > 5)


def _lxml_value() -> Loop:
    from lxml import etree

    wanted = etree.XPath("/order/line[@quantity > 5]/@sku")
    return lambda message: " ".join(wanted(etree.fromstring(message)))


# --- a constructed element


def _receipt(order: Any, prices: Iterable[Any]) -> str:
    copies = "".join(f"<price>{price.text}</price>" for price in prices)
    return f'<receipt id="{order.get("id")}">{copies}<lines>{len(order.findall("line"))}</lines></receipt>'


def _standard_element(message: bytes) -> str:
    order = ElementTree.fromstring(message)
    lines = (line for line in order.iterfind("line") if int(line.get("quantity", "0")) > 5)
    return _receipt(order, (line.find("price") for line in lines))


def _lxml_element() -> Loop:
    from lxml import etree

    prices = etree.XPath("line[@quantity > 5]/price")

    def loop(message: bytes) -> str:
        order = etree.fromstring(message)
        return _receipt(order, prices(order))

    return loop


# --- a small aggregate


def _total(order: Any) -> str:
    amounts = (int(line.get("quantity", "0")) * int(line.findtext("price") or 0) for line in order.iterfind("line"))
    return str(sum(amounts))


def _standard_aggregate(message: bytes) -> str:
    return _total(ElementTree.fromstring(message))


def _lxml_aggregate() -> Loop:
    from lxml import etree

    return lambda message: _total(etree.fromstring(message))


TASKS: Final = (
    MessageTask(
        "value",
        "/order/line[@quantity > 5]/@sku/string()",
        " ",
        _standard_value,
        _lxml_value,
        "array_join(transform(filter(o.line, l -> l._quantity > 5), l -> l._sku), ' ')",
    ),
    MessageTask(
        "element",
        "for $o in /order return <receipt id='{ $o/@id }'>{ $o/line[@quantity > 5]/price, "
        "<lines>{ count($o/line) }</lines> }</receipt>",
        "",
        _standard_element,
        _lxml_element,
        "concat('<receipt id=\"', o._id, '\">', array_join(transform(filter(o.line, l -> l._quantity > 5), "
        "l -> concat('<price>', l.price, '</price>')), ''), '<lines>', size(o.line), '</lines></receipt>')",
    ),
    MessageTask(
        "aggregate",
        "for $o in /order return sum($o/line/(@quantity * price))",
        " ",
        _standard_aggregate,
        _lxml_aggregate,
        "cast(aggregate(o.line, 0, (sum, l) -> sum + l._quantity * l.price) as string)",
    ),
)
NAMED: Final = {task.name: task for task in TASKS}
