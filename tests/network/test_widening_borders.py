"""Streams that cross the border of a subnet become wider, and those that became wider twice end with their readers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import xylem
from xylem.network.subnet_limits import SubnetLimits

from .running_network import RunningNetwork, until

pytest.importorskip("sse_starlette", reason="sites over HTTP need: pip install 'xylem-xquery[network]'")

LINE = [("P1", "SP1"), ("SP1", "SP2"), ("SP2", "SP3"), ("SP3", "P2"), ("SP3", "P3"), ("SP2", "P4")]


def records(start: int, end: int) -> str:
    return "".join(f"<p k='{n % 3}'><x>{n % 100}</x><y>{n % 11}</y><n>{n}</n></p>" for n in range(start, end))


def box(low: int, high: int) -> str:
    return f"<all>{{ for $p in /s/p where $p/x >= {low} and $p/x < {high} return <r>{{ $p/n, $p/x, $p/y }}</r> }}</all>"


@pytest.fixture
def network(tmp_path: Path) -> Iterator[RunningNetwork]:
    # Links are what is scarce: else a second stream would cost less than filtering one stream twice.
    made = RunningNetwork(tmp_path, LINE, 5000, SubnetLimits(most=99, least=0))
    yield made
    made.close()


def publish(network: RunningNetwork, start: int, end: int) -> None:
    network["P1"].publish("s", [f"<s>{records(start, end)}</s>".encode()])


def no_streams(network: RunningNetwork) -> bool:
    return all(not site.peer.state.streams for site in map(network.site, network.subnets()))


def check(network: RunningNetwork, asked: dict[str, tuple[str, str, int]], end: int) -> None:
    """End all; their answers are those of the query over their records, and no stream is left."""
    for name, (at, query, start) in asked.items():
        network[at].unsubscribe(name)
        document = f"<s>{records(start, end)}</s>"
        assert network.answer(name, at) == xylem.compile(query).run(xylem.parse(document)).serialize(), name
    until(lambda: no_streams(network), "streams are dropped")


@pytest.mark.timeout(300)
def test_a_stream_that_became_wider_twice_ends_with_its_readers(network: RunningNetwork) -> None:
    publish(network, 0, 300)
    asked = {"a": ("P2", box(10, 60), 0), "b": ("P3", box(20, 70), 0), "c": ("P3", box(30, 80), 0)}
    for name, (at, query, _) in asked.items():
        told = network[at].subscribe(name, query, "s", "earliest")["told"]
        publish(network, 300, 300)
    assert told[0].startswith("c: reuses wide-a-b-c at"), told
    publish(network, 300, 600)
    check(network, asked, 600)


@pytest.mark.timeout(300)
def test_a_stream_from_another_subnet_becomes_wider(network: RunningNetwork) -> None:
    network.divide({"east": ("SP3", "P2", "P3")})
    until(lambda: network.site("SP2").peer.state.neighbours["SP3"].subnet == "east", "the subnet is known")
    publish(network, 0, 300)
    network["P2"].subscribe("a", box(10, 60), "s", "earliest")
    publish(network, 300, 400)
    told = network["P3"].subscribe("b", box(20, 70), "s", "earliest")["told"]
    assert told[0].startswith("b: reuses wide-a-b at"), told
    assert "  a reads wide-a-b now" in told
    # One stream crosses the border instead of two.
    until(lambda: set(network.site("SP3").peer.state.streams) >= {"wide-a-b-filter"}, "it is there")
    publish(network, 400, 700)
    asked = {"a": ("P2", box(10, 60), 0), "b": ("P3", box(20, 70), 0)}
    check(network, asked, 700)


@pytest.mark.timeout(300)
def test_a_stream_that_another_subnet_reads_becomes_wider(network: RunningNetwork) -> None:
    network.divide({"east": ("SP3", "P2", "P3")})
    until(lambda: network.site("SP2").peer.state.neighbours["SP3"].subnet == "east", "the subnet is known")
    publish(network, 0, 300)
    network["P2"].subscribe("a", box(10, 60), "s", "earliest")
    publish(network, 300, 400)
    told = network["P4"].subscribe("b", box(20, 70), "s", "earliest")["told"]
    assert told[0].startswith("b: reuses wide-a-b at"), told
    publish(network, 400, 700)
    check(network, {"a": ("P2", box(10, 60), 0), "b": ("P4", box(20, 70), 0)}, 700)
