"""Items travel as bytes and arrive as they were."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from typing import Any, NamedTuple

import pytest
import xylem
from xylem.errors import DynamicError
from xylem.functions.external import Functions
from xylem.run.packing import pack, pack_error, unpack, unpack_error
from xylem.run.user_classes import know_classes
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


# --- objects of users


@dataclass
class Bounds:
    least: float
    most: float


@dataclass(frozen=True, slots=True)
class Fixed:
    name: str
    bounds: Bounds


class Mood(Enum):
    GOOD = "good"


class Pair(NamedTuple):
    a: int
    b: str


class Bag(dict[str, int]):
    """A dict with something of its own."""


class Node:
    def __init__(self) -> None:
        self.next: Any = self


class Own:
    """Has a say in how it is saved."""

    def __init__(self) -> None:
        self.values, self.cache = [1], object()

    def __getstate__(self) -> list[int]:
        return self.values

    def __setstate__(self, state: list[int]) -> None:
        self.values, self.cache = state, object()


class Last:
    """An aggregate that any state will do for."""

    def init(self) -> Any:
        return [Bounds(0, 1), Fixed("f", Bounds(1, 2)), Mood.GOOD, Pair(1, "b"), Bag(x=1), Node(), Own()]

    def step(self, state: Any, value: Any) -> Any:
        return state

    def finish(self, state: Any) -> Any:
        return None


def known() -> None:
    functions = Functions()
    functions.aggregate("udf:last", "item()*", "item()*")(Last)
    know_classes(functions)


def test_objects_of_users() -> None:
    known()
    bag = Bag(x=1)
    bag.label = "own"  # type: ignore[attr-defined]
    shared = Bounds(0.5, 2)
    for value in (shared, Fixed("f", shared), Mood.GOOD, Pair(1, "b"), bag, Counter("aab"), [shared, (shared,)]):
        found = unpack(pack(value))
        assert (type(found), found) == (type(value), value)
    assert vars(unpack(pack(bag))) == {"label": "own"}
    first, (second,) = unpack(pack([shared, (shared,)]))
    assert first is second
    own = unpack(pack(Own()))
    assert own.values == [1]
    found = unpack(pack(Node()))
    assert found.next is found


def test_numbers_of_numpy() -> None:
    numpy = pytest.importorskip("numpy")
    arrays = numpy.arange(6).reshape(2, 3), numpy.array([], dtype="datetime64[s]")
    for value in (*arrays, numpy.float64(1.5), numpy.int32(7)):
        found = unpack(pack(value))
        assert (type(found), found.dtype, found.tolist()) == (type(value), value.dtype, value.tolist())
    with pytest.raises(DynamicError, match="XYRT0010"):
        pack(numpy.array([object()]))


def test_only_classes_of_this_run_are_made() -> None:
    known()
    data = pack(Bounds(0, 1))
    name = f"{__name__}:Bounds".encode()
    assert name in data
    for other in ("subprocess:Popen", "builtins:eval", f"{__name__}:Absent"):
        text = other.encode()
        changed = data.replace(bytes((len(name),)) + name, bytes((len(text),)) + text)
        with pytest.raises(DynamicError, match=rf"XYRT0033.*{other}"):
            unpack(changed)


class Unknown:
    pass


def test_classes_that_no_function_refers_to() -> None:
    Unknown.__module__ = "elsewhere"
    for value in (Unknown(), lambda: 1, Unknown):
        with pytest.raises(DynamicError, match="XYRT0010"):
            pack(value)
