"""Streams that may not go everywhere: neither they nor what is made from them reaches a site that is not listed."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
import xylem
from typer.testing import CliRunner
from xylem.cli.site_options import app
from xylem.errors import InputError
from xylem.network.network_state import Feed, KeptStream, NetworkState
from xylem.network.pulling import found
from xylem.network.stream_sites import admits, lists_of
from xylem.network.subnet_limits import SubnetLimits

from .running_network import RunningNetwork, until

pytest.importorskip("sse_starlette", reason="sites over HTTP need: pip install 'xylem-xquery[network]'")

# Two ways lead from SP1 to SP4: the short one over SP2, the long one over SP3 and SP5.
LINKS = (("P1", "SP1"), ("SP1", "SP2"), ("SP2", "SP4"), ("SP1", "SP3"), ("SP3", "SP5"), ("SP5", "SP4"), ("SP4", "P4"))
RECORDS = b"".join(f"<p><x>{n % 9}</x><y>{n}</y></p>".encode() for n in range(100))
QUERY = "<r>{ for $p in /s/p where $p/x > 2 return <v>{ $p/x, $p/y }</v> }</r>"
INSIDE = "<r>{ for $p in /s/p where $p/x > 4 return <v>{ $p/y }</v> }</r>"


def reference(query: str) -> str:
    return xylem.compile(query).run(xylem.parse(b"<s>" + RECORDS + b"</s>")).serialize()


def test_a_site_must_be_on_every_list() -> None:
    assert admits((), "anybody")
    assert admits([["SP*", "P1"], ["*2"]], "SP2")
    assert not admits([["SP*", "P1"], ["*2"]], "SP1")
    assert not admits([[]], "SP1")


def test_what_is_made_from_streams_has_their_lists() -> None:
    state = NetworkState()
    state.sites = {"a": ["SP1", "SP2"], "b": ["SP2"]}
    state.streams["a-filter"] = KeptStream("a-filter", 0, [(0, Feed("", "a"))], sites=[["SP1", "SP2"]])
    state.virtual = {"both": ["a-filter", "b"]}
    assert lists_of(state, "both") == [["SP1", "SP2"], ["SP2"]]
    assert lists_of(state, "other") == []
    # A part that has ended left its records, and its list.
    state.apply(1, "part ends", "both", {"part": "a-filter", "to": 7, "sites": [["SP1", "SP2"]]})
    del state.streams["a-filter"]
    assert lists_of(state, "both") == [["SP2"], ["SP1", "SP2"]]


@pytest.mark.timeout(300)
def test_streams_go_around_sites_that_may_not_have_them(tmp_path: Path) -> None:
    network = RunningNetwork(tmp_path, LINKS, subnets=SubnetLimits(99, 0))
    try:
        document = tmp_path / "s.xml"
        document.write_bytes(b"<s>" + RECORDS + b"</s>")
        options = ["--site", str(tmp_path / "P1"), "--sites", "SP1, SP3,SP4,SP5,P4"]
        done = CliRunner().invoke(app, ["publish", "s", "--input", str(document), *options])
        assert done.exit_code == 0, done.output
        for at in ("SP2", "SP4"):
            # Asked anywhere, also where it may not go.
            told = network[at].ask("POST", "/explain", {"query": QUERY, "source": "s", "at": "P4"})["told"]
            assert "SP2" not in "".join(told), told
        network["SP2"].subscribe("far", QUERY, "s", "earliest", "P4")
        with pytest.raises(InputError, match=r"XYRT0062.*'s' may not go to 'SP2'"):
            network["SP2"].subscribe("here", INSIDE, "s", "earliest")
        told = network["SP5"].subscribe("inside", INSIDE, "s", "earliest")["told"]
        assert "reuses far" in told[0], told
        network["SP2"].unsubscribe("far")
        network["SP5"].unsubscribe("inside")
        assert network.answer("far", "P4") == reference(QUERY)
        assert network.answer("inside", "SP5") == reference(INSIDE)
        until(lambda: not network.site("SP1").peer.state.streams, "streams are dropped")
        assert all(size == 0 for link, size in network.traffic().items() if "SP2" in link)
    finally:
        network.close()


@pytest.mark.timeout(300)
def test_a_site_hands_on_nothing_to_who_is_not_listed(tmp_path: Path) -> None:
    network = RunningNetwork(tmp_path, LINKS[:3])
    try:
        network["P1"].ask("PUT", "/sources/s/sites", {"sites": ["SP1", "SP2"]})
        network["P1"].publish("s", [b"<s>" + RECORDS])
        network["SP2"].subscribe("q", QUERY, "s", "earliest")
        site = network.site("SP1").peer.site
        asked = {"streams": {"x": {"name": "q-filter", "from": 0}}, "answers": {}}
        until(lambda: site.streams["q-filter"].log.end == 100, "it came")
        for by, sees in (("SP2", True), ("SP4", False), ("", False)):
            data = found(site, asked, by)
            assert data is not None
            assert (b"<y>3</y>" in data) == sees, by
        # A sample is records, too; and who is refused knows why.
        with closing(network.site("SP4").peer.client("SP2")) as asking:
            with pytest.raises(InputError, match="there is no stream 's'"):
                asking.ask("GET", "/streams/s/sample")
            assert asking.ask("GET", "/streams/q-filter/sample")["sample"] == ""
        # A virtual stream may go where all its parts may.
        network["P1"].ask("POST", "/virtual/both", {"stream": "s"})
        with pytest.raises(InputError, match="XYRT0062"):
            network["SP4"].subscribe("no", QUERY, "both", "earliest")
        network["SP2"].subscribe("yes", QUERY, "both", "earliest")
        # The publisher changes its mind: what has not gone yet does not go.
        network["P1"].ask("PUT", "/sources/s/sites", {"sites": []})
        network["P1"].publish("s", [b"<s><p><x>5</x><y>late</y></p>"])
        data = found(network.site("P1").peer.site, {"streams": {"s": {"name": "s", "from": 100}}, "answers": {}}, "SP1")
        assert data is not None
        assert b"late" not in data
    finally:
        network.close()
