"""Subnets: each plans for itself, streams of one are used in the other, and they divide and join while streams run."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import pytest
import xylem
from xylem.errors import InputError
from xylem.network.http_site import ServedSite
from xylem.network.subnet_limits import SubnetLimits

from .running_network import RunningNetwork, until

pytest.importorskip("sse_starlette", reason="sites over HTTP need: pip install 'xylem-xquery[network]'")

LINE = (("P1", "SP1"), ("SP1", "SP2"), ("SP2", "SP3"), ("SP3", "SP4"), ("SP4", "P4"))
WEST, EAST = ("P1", "SP1", "SP2"), ("SP3", "SP4", "P4")
AS_THEY_ARE = SubnetLimits(most=99, least=0)

RECORDS = [f"<photon><ra>{n % 90}</ra><en>{n % 7}</en><dec>{n}</dec></photon>".encode() for n in range(300)]
DOCUMENT = b"<photons>" + b"".join(RECORDS) + b"</photons>"
WIDE = "<w>{ for $p in /photons/photon where $p/ra > 10 return <v>{ $p/ra, $p/en }</v> }</w>"
NARROW = "<n>{ for $p in /photons/photon where $p/ra > 20 and $p/en > 3 return <v>{ $p/ra }</v> }</n>"
OTHER = "<o>{ for $p in /photons/photon where $p/dec < 40 return <v>{ $p/dec }</v> }</o>"
OPAQUE = "<all>{ /photons/photon ! <r>{ count(*), count(preceding-sibling::*) }</r> }</all>"


def reference(query: str, document: bytes = DOCUMENT) -> str:
    return xylem.compile(query).run(xylem.parse(document)).serialize()


@pytest.fixture
def network(tmp_path: Path) -> Iterator[RunningNetwork]:
    made = RunningNetwork(tmp_path, LINE, subnets=AS_THEY_ARE)
    made.divide({"east": EAST})
    until(lambda: _knows(made.site("SP2"), "SP3", "east"), "the neighbour is in another subnet")
    yield made
    made.close()


def _knows(site: ServedSite, neighbour: str, subnet: str) -> bool:
    return site.peer.state.neighbours[neighbour].subnet == subnet


def publish(network: RunningNetwork, first: int, last: int, at: str = "P1", name: str = "photons") -> None:
    network[at].publish(name, [b"<photons>", *RECORDS[first:last]])


def no_streams(network: RunningNetwork) -> bool:
    return all(not site.peer.state.streams for site in map(network.site, network.subnets()))


def test_a_stream_of_another_subnet_is_found_filtered_there_and_ended(network: RunningNetwork) -> None:
    publish(network, 0, 100)
    told = network["P4"].subscribe("wide", WIDE, "photons", "earliest")["told"]
    assert told[0] == "wide: reads the source at SP2"
    assert told[1].startswith("  in subnet main: wide: reads the source at SP1"), told
    # The filter is near the source, in the other subnet: only its stream crosses the border.
    assert set(network.site("SP1").peer.state.streams) == {"photons", "wide-filter"}
    assert set(network.site("SP2").peer.state.streams) == {"wide-filter"}
    assert set(network.site("SP3").peer.state.streams) == {"wide-filter"}
    publish(network, 100, 300)
    network["P4"].unsubscribe("wide")
    assert network.answer("wide", "P4") == reference(WIDE)
    until(lambda: no_streams(network), "streams are dropped in both subnets")


def test_streams_are_shared_in_both_subnets(network: RunningNetwork) -> None:
    publish(network, 0, 100)
    network["P4"].subscribe("wide", WIDE, "photons", "earliest")
    # What was exported serves others where it was made, and where it came to.
    there = network["SP2"].subscribe("there", NARROW, "photons", "earliest")["told"]
    here = network["P4"].subscribe("here", NARROW, "photons", "earliest")["told"]
    assert there[0].startswith("there: reuses wide at SP"), there
    assert here[0].startswith("here: reuses wide at SP"), here
    told = network["P4"].ask("POST", "/explain", {"query": NARROW, "source": "photons", "at": "P4"})["told"]
    assert told[0].startswith(("query: reuses wide at", "query: reuses here at")), told
    publish(network, 100, 300)
    for name, at, query in (("wide", "P4", WIDE), ("there", "SP2", NARROW), ("here", "P4", NARROW)):
        network[at].unsubscribe(name)
        assert network.answer(name, at) == reference(query), name
    until(lambda: no_streams(network), "streams are dropped")


def test_the_other_subnet_uses_what_it_has(network: RunningNetwork) -> None:
    publish(network, 0, 50)
    network["SP2"].subscribe("wide", WIDE, "photons", "earliest")
    told = network["P4"].subscribe("far", NARROW, "photons", "earliest")["told"]
    assert told[1].startswith("  in subnet main: far: reuses wide at SP"), told
    explained = network["SP4"].ask("POST", "/explain", {"query": NARROW, "source": "photons", "at": "SP4"})["told"]
    assert "reuses far" in explained[0] or "in subnet main: query: reuses" in explained[1], explained
    publish(network, 50, 300)
    network["SP2"].unsubscribe("wide")
    network["P4"].unsubscribe("far")
    assert network.answer("far", "P4") == reference(NARROW)
    assert network.answer("wide", "SP2") == reference(WIDE)


def test_what_is_asked_in_another_subnet_is_forwarded(network: RunningNetwork) -> None:
    publish(network, 0, 300)
    # Asked at one end for a peer at the other, and given up from there.
    assert network["P1"].subscribe("far", NARROW, "photons", "earliest", "P4")["at"] == "P4"
    told = network["P1"].ask("POST", "/explain", {"query": WIDE, "source": "photons", "at": "P4"})["told"]
    assert told[0] == "query: reads the source at SP2"
    with pytest.raises(InputError, match="there is a subscription 'far' already"):
        network["SP1"].subscribe("far", WIDE, "photons", "earliest")
    with pytest.raises(InputError, match="is not published; there are photons"):
        network["P4"].subscribe("none", WIDE, "nothing", "earliest")
    network["P1"].unsubscribe("far")
    assert network.answer("far", "P4") == reference(NARROW)
    with pytest.raises(InputError, match="there is no subscription"):
        network["P1"].unsubscribe("nobody")


def test_a_query_that_shares_nothing_has_the_whole_source(network: RunningNetwork) -> None:
    publish(network, 0, 150)
    told = network["P4"].subscribe("all", OPAQUE, "photons", "earliest")["told"]
    assert any("photons comes over SP2, from subnet main" in line for line in told), told
    network["SP4"].subscribe("wide", WIDE, "photons", "earliest")
    publish(network, 150, 300)
    for name, at, query in (("all", "P4", OPAQUE), ("wide", "SP4", WIDE)):
        network[at].unsubscribe(name)
        assert network.answer(name, at) == reference(query), name
    until(lambda: no_streams(network), "streams are dropped")


def test_three_subnets_in_a_row(tmp_path: Path) -> None:
    network = RunningNetwork(tmp_path, LINE, subnets=AS_THEY_ARE)
    try:
        network.divide({"middle": ("SP2", "SP3"), "east": ("SP4", "P4")})
        until(lambda: _knows(network.site("SP3"), "SP4", "east"), "subnets are known")
        until(lambda: _knows(network.site("SP1"), "SP2", "middle"), "subnets are known")
        publish(network, 0, 100)
        told = network["P4"].subscribe("far", WIDE, "photons", "earliest")["told"]
        assert [line.strip().partition(" far")[0] for line in told[1:3]] == ["in subnet middle:", "in subnet main:"]
        publish(network, 100, 300)
        # A later one begins before the stream that is there.
        network["SP3"].subscribe("late", NARROW, "photons", "150")
        network["P4"].subscribe("early", OTHER, "photons", "20")
        network["P4"].unsubscribe("far")
        assert network.answer("far", "P4") == reference(WIDE)
        network["P4"].unsubscribe("early")
        network["SP3"].unsubscribe("late")
        parts = [b"<photons>" + b"".join(RECORDS[first:]) + b"</photons>" for first in (20, 150)]
        assert network.answer("early", "P4") == reference(OTHER, parts[0])
        assert network.answer("late", "SP3") == reference(NARROW, parts[1])
        until(lambda: no_streams(network), "streams are dropped")
    finally:
        network.close()


@pytest.mark.turns("subnets")
def test_both_subnets_ask_each_other_at_once(network: RunningNetwork) -> None:
    publish(network, 0, 300)
    publish(network, 0, 300, "P4", "others")
    asked = [("a", "P4", "photons"), ("b", "P1", "others"), ("c", "SP4", "photons"), ("d", "SP1", "others")]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda one: network[one[1]].subscribe(one[0], WIDE, one[2], "earliest"), asked))
    for name, at, _ in asked:
        network[at].unsubscribe(name)
        assert network.answer(name, at) == reference(WIDE), name
    until(lambda: no_streams(network), "streams are dropped")


def test_running_streams_outlive_a_division_and_are_shared_in_both_parts(tmp_path: Path) -> None:
    network = RunningNetwork(tmp_path, LINE, subnets=AS_THEY_ARE)
    try:
        publish(network, 0, 100)
        network["P4"].subscribe("wide", WIDE, "photons", "earliest")
        network["SP4"].subscribe("other", OTHER, "photons", "earliest")
        network.divide({"east": EAST})
        until(lambda: _knows(network.site("SP2"), "SP3", "east"), "the neighbour is in another subnet")
        for name, at in (("here", "P4"), ("there", "SP2")):
            told = network[at].subscribe(name, NARROW, "photons", "earliest")["told"]
            assert told[0].startswith(f"{name}: reuses wide at SP"), told
        network["SP4"].ask("POST", "/optimize")
        network["SP1"].ask("POST", "/optimize")
        publish(network, 100, 200)
        # And a union: the parts are one again.
        network.divide({"main": EAST})
        until(lambda: _knows(network.site("SP2"), "SP3", "main"), "the neighbour is here again")
        told = network["P1"].subscribe("again", NARROW, "photons", "earliest")["told"]
        assert "reuses" in told[0], told
        network["SP2"].ask("POST", "/optimize")
        publish(network, 200, 300)
        for name, at, query in (
            ("wide", "P4", WIDE), ("other", "SP4", OTHER), ("here", "P4", NARROW), ("there", "SP2", NARROW),
            ("again", "P1", NARROW),
        ):  # fmt: skip
            network["SP1"].unsubscribe(name)
            assert network.answer(name, at) == reference(query), name
        until(lambda: no_streams(network), "streams are dropped")
    finally:
        network.close()


def test_what_was_exported_is_one_stream_after_a_union(network: RunningNetwork) -> None:
    publish(network, 0, 100)
    network["P4"].subscribe("wide", WIDE, "photons", "earliest")
    network["P4"].subscribe("all", OPAQUE, "photons", "earliest")
    network.divide({"main": EAST})
    until(lambda: _knows(network.site("SP2"), "SP3", "main"), "the neighbour is here again")
    told = network["SP3"].subscribe("after", NARROW, "photons", "earliest")["told"]
    assert told[0].startswith("after: reuses wide at SP"), told
    network["SP3"].subscribe("new", OTHER, "photons", "earliest")
    network["SP3"].ask("POST", "/optimize")
    publish(network, 100, 300)
    asked = (("wide", "P4", WIDE), ("all", "P4", OPAQUE), ("after", "SP3", NARROW), ("new", "SP3", OTHER))
    for name, at, query in asked:
        network[at].unsubscribe(name)
        assert network.answer(name, at) == reference(query), name
    until(lambda: no_streams(network), "streams are dropped")


def test_a_border_that_is_away_is_waited_for(network: RunningNetwork) -> None:
    publish(network, 0, 100)
    network["P4"].subscribe("first", WIDE, "photons", "earliest")
    network.stop("SP2")
    publish(network, 100, 200)
    # What runs waits; nobody can say where the source is, for something new.
    with pytest.raises(InputError, match="'photons' is not published"):
        network["P4"].subscribe("second", NARROW, "photons", "earliest")
    network.start("SP2")
    publish(network, 200, 300)
    told = network["P4"].subscribe("second", NARROW, "photons", "earliest")["told"]
    assert told[0].startswith("second: reuses first"), told
    for name, query in (("first", WIDE), ("second", NARROW)):
        network["P4"].unsubscribe(name)
        assert network.answer(name, "P4") == reference(query), name


@pytest.mark.turns("subnets")
@pytest.mark.timeout(300)
def test_a_subnet_divides_when_it_grows_and_joins_another_when_it_shrinks(tmp_path: Path) -> None:
    names = [f"SP{n}" for n in range(7)]
    links = [("P1", "SP0"), *pairwise(names)]
    network = RunningNetwork(tmp_path, links[:6], subnets=SubnetLimits(most=6, least=2))
    try:
        publish(network, 0, 100)
        network["SP3"].subscribe("wide", WIDE, "photons", "earliest")
        assert set(network.subnets().values()) == {"main"}
        for one, other in links[6:]:
            network.start(other)
            network.join(one, other)
        until(lambda: len(set(network.subnets().values())) == 2, "it is divided")
        # Peers are moved one after another, by a speaker that does nothing else meanwhile.
        until(lambda: not any(network.site(name).peer.planning.locked() for name in names), "all have moved")
        until(lambda: not any(network.site(name).peer.state.outbox for name in network.subnets()), "all know")
        network["SP6"].subscribe("far", NARROW, "photons", "earliest")
        network["SP1"].subscribe("near", OTHER, "photons", "earliest")
        # Each part has elected its own.
        speakers = [name for name in names if network.site(name).peer.election.holds()]
        assert {network.subnets()[name] for name in speakers} == set(network.subnets().values())
        assert len(speakers) == 2
        publish(network, 100, 300)
        told = network["SP0"].ask("GET", "/map")
        assert {one["subnet"] for one in told["peers"]} == set(network.subnets().values())
        for name, at, query in (("wide", "SP3", WIDE), ("far", "SP6", NARROW), ("near", "SP1", OTHER)):
            network["SP0"].unsubscribe(name)
            assert network.answer(name, at) == reference(query), name
        until(lambda: no_streams(network), "streams are dropped")
        # Peers leave until one part is too small for itself, and the other has room.
        until(lambda: network["SP6"].ask("GET", "/network")["plans"] == [], "plans")
        for name in ("P1", "SP6", "SP0", "SP5", "SP1"):
            subnets = list(network.subnets().values())
            if subnets.count(network.subnets()[name]) > 1 and len(set(subnets)) > 1:
                network[name].ask("POST", "/leave")
                network.stop(name)
                time.sleep(2)
        until(lambda: len(set(network.subnets().values())) == 1, "they are one again")
    finally:
        network.close()
