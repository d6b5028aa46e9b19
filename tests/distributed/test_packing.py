"""Items travel as bytes and arrive as they were."""

from __future__ import annotations

from decimal import Decimal

import pytest
import xylem
from xylem.errors import DynamicError
from xylem.run.tasks.packing import pack, pack_error, unpack, unpack_error
from xylem.sink import SerializationParameters, serialize

ADAPTIVE = SerializationParameters(method="adaptive")


@pytest.mark.parametrize(
    "query",
    [
        "1, 1.5, 1e0, xs:float(2), 'a', true(), xs:date('2024-01-01Z'), xs:QName('xs:a'), xs:untypedAtomic('u'), ()",
        "<a b='1' xmlns:p='urn:p' p:c='2'>x<p:d/><!--c--><?p i?>y&#xD;</a>",
        "<a xmlns='urn:d'><b xmlns=''/></a>/*",
        "text { '' }, text { ' x ' }, comment { 'c' }, processing-instruction p { 'd' }, attribute a { 'v' }",
        "document { 'text', <a/>, 'more' }, namespace p { 'urn:p' }",
        "map { 1: <a/>, 'k': [1, (2, <b/>)] }, [ ]",
        "xs:duration('P1Y2M3DT4H'), xs:hexBinary('ff'), xs:gYear('2000')",
    ],
)
def test_what_arrives_is_what_was_sent(query: str) -> None:
    items = xylem.compile(query).run().xdm
    found = unpack(pack(items))
    assert serialize(found, ADAPTIVE) == serialize(items, ADAPTIVE)
    assert list(map(type, found)) == list(map(type, items))


def test_nodes_have_no_parents_and_keep_their_order() -> None:
    document = xylem.parse("<r xml:base='http://a/'><x>1</x><x>2</x></r>")
    items = xylem.compile("//x").run(document).xdm
    first, second = unpack(pack(items))
    assert first.parent is None
    assert first.order_key < second.order_key
    assert first.base_uri == "http://a/"


def test_functions_cannot_travel() -> None:
    with pytest.raises(DynamicError) as raised:
        pack(xylem.compile("[ function($x) { $x } ]").run().xdm)
    assert raised.value.code == "XYRT0010"


def test_errors_travel_with_their_place() -> None:
    with pytest.raises(DynamicError) as raised:
        list(xylem.compile("1,\n 1 div 0").run())
    found = unpack_error(pack_error(raised.value))
    assert (found.code, found.why, str(found)) == (raised.value.code, raised.value.why, str(raised.value))
    assert Decimal(1) == unpack(pack(Decimal(1)))
