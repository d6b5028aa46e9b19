"""Streams that become wider and narrower while they run: answers go on, byte by byte."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
import xylem
from xylem.network.matching import match
from xylem.network.properties import properties_of
from xylem.network.widening import widened_query
from xylem.syntax import parse

from .running_network import RunningNetwork, until

QUERIES = [
    "for $r in /s/p where $r/x > 2 and $r/x < 5 return $r/n",
    "for $r in /s/p where $r/x >= 4 return <r>{ $r/y, $r/@k }</r>",
    "/s/p[not(y)]/n",
    "count(/s/p[x = 2 or y = 3])",
    "for $r in /s/p where contains($r/n, '7') return $r",
    "for $w in /s/p[x > 4]|count 5 step 5| return <w>{ sum($w/n) }</w>",
]


@pytest.mark.parametrize(("first", "second"), list(product(QUERIES[:-1], QUERIES[:-1])))
def test_a_wider_stream_serves_both(first: str, second: str) -> None:
    own, wanted = (properties_of(parse(text)) for text in (first, second))
    text = widened_query(own, wanted)
    assert text is not None
    wide = properties_of(parse(text))
    assert match(wide, own).reuse, text
    assert match(wide, wanted).reuse, text


def records(start: int, end: int) -> str:
    return "".join(f"<p k='{n % 3}'><x>{n % 100}</x><y>{n % 11}</y><n>{n}</n></p>" for n in range(start, end))


def box(low: int, high: int) -> str:
    return f"<all>{{ for $p in /s/p where $p/x >= {low} and $p/x < {high} return <r>{{ $p/n, $p/x, $p/y }}</r> }}</all>"


@pytest.fixture
def network(tmp_path: Path) -> Iterator[RunningNetwork]:
    pytest.importorskip("sse_starlette", reason="sites over HTTP need: pip install 'xylem-xquery[network]'")
    # Links are what is scarce: else a second stream would cost less than filtering one stream twice.
    made = RunningNetwork(tmp_path, [("P1", "SP1"), ("SP1", "SP2"), ("SP2", "P2"), ("SP2", "P3")], 5000)
    yield made
    made.close()


@pytest.mark.timeout(600)
def test_a_stream_becomes_wider_and_narrower_while_it_runs(network: RunningNetwork) -> None:
    asked = {"a": ("P2", box(10, 60)), "b": ("P3", box(20, 70)), "c": ("P3", box(30, 40))}

    def publish(start: int, end: int) -> None:
        network["P1"].publish("s", [f"<s>{records(start, end)}</s>".encode()])

    publish(0, 300)
    network["P2"].subscribe("a", asked["a"][1], "s", "earliest")
    publish(300, 500)
    # Most of what b asks for is sent already: one stream for both takes the place of a's.
    told = network["P3"].subscribe("b", asked["b"][1], "s", "200")["told"]
    assert told[0].startswith("b: reuses wide-a-b at"), told
    assert "  a reads wide-a-b now" in told
    publish(500, 700)
    assert network["P3"].subscribe("c", asked["c"][1], "s", "earliest")["told"][0].startswith("c: reuses")
    publish(700, 800)
    network["P2"].unsubscribe("a")
    publish(800, 900)
    until(lambda: network["P2"].ask("GET", "/network")["plans"] == [], "a is over")
    # What a asked for is sent no more.
    (found,) = network["SP1"].ask("POST", "/optimize")["sources"]
    assert "b" in found["switched"]
    assert found["bytes"] < found["bytes before"]
    publish(900, 1200)
    for name in ("b", "c"):
        network["P3"].unsubscribe(name)
    ranges = {"a": (0, 800), "b": (200, 1200), "c": (0, 1200)}
    for name, (at, query) in asked.items():
        document = f"<s>{records(*ranges[name])}</s>"
        assert network.answer(name, at) == xylem.compile(query).run(xylem.parse(document)).serialize(), name
