"""Tokens for others than the owner of a site: what they open, and what they keep closed."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner
from xylem.cli.network_command import app as network_app
from xylem.errors import InputError
from xylem.network.grants import Caller, Grant, base_streams
from xylem.network.network_state import Feed, KeptStream, NetworkState
from xylem.network.site_client import SiteClient

pytest.importorskip("sse_starlette", reason="sites over HTTP need: pip install 'xylem-xquery[network]'")

COMMAND = [sys.executable, "-m", "xylem"]
HOT = "<hot>{ /s/p[x > 1]/x }</hot>"


@pytest.fixture
def site(tmp_path: Path) -> Iterator[SiteClient]:
    """A site in a thread, as its owner reaches it."""
    from xylem.network.http_site import ServedSite

    served = ServedSite(tmp_path / "site")
    thread = threading.Thread(target=served.run)
    thread.start()
    try:
        while True:
            try:
                client = SiteClient(tmp_path / "site")
                client.sources()
                break
            except InputError:
                thread.join(0.02)
                assert thread.is_alive()
        client.publish("photons", [b"<s><p><x>1</x></p><p><x>2</x></p>"])
        client.publish("alarms", [b"<s><p><x>9</x></p>"])
        yield client
    finally:
        served.stop()
        thread.join()


def holder(site: SiteClient, name: str, **allowed: object) -> SiteClient:
    token = site.ask("POST", "/tokens", {"name": name, **allowed})["token"]
    return SiteClient(site.url, token)


def refused(code: str, ask: object) -> str:
    with pytest.raises(InputError) as caught:
        ask()  # type: ignore[operator]
    assert code in str(caught.value)
    return str(caught.value)


def test_a_token_opens_the_streams_it_names(site: SiteClient) -> None:
    alice = holder(site, "alice", subscribe=["photons"])
    assert [one["name"] for one in alice.sources()] == ["photons"]
    alice.subscribe("hot", HOT, "photons", "earliest")
    refused("XYRT0059", lambda: alice.subscribe("all", HOT, "alarms", "earliest"))
    refused("XYRT0059", lambda: alice.subscribe("named", 'stream("alarms")/s/p', None, "earliest"))
    refused("XYRT0059", lambda: alice.publish("photons", [b"<s><p/>"]))
    refused("XYRT0059", lambda: alice.ask("GET", "/map"))
    refused("XYRT0055", lambda: alice.ask("GET", "/tokens"))
    feed = holder(site, "feed", publish=["alarms-*"])
    assert feed.publish("alarms-north", [b"<s><p/>"])["records"] == 1
    refused("XYRT0059", lambda: feed.publish("alarms", [b"<s><p/>"]))
    refused("XYRT0059", lambda: feed.subscribe("x", HOT, "alarms-north", "earliest"))


def test_a_stream_that_is_put_together_needs_its_parts(site: SiteClient) -> None:
    site.ask("POST", "/virtual/both", {"stream": "photons"})
    site.ask("POST", "/virtual/both", {"stream": "alarms"})
    alice = holder(site, "alice", subscribe=["both", "photons"])
    told = refused("XYRT0059", lambda: alice.subscribe("all", HOT, "both", "earliest"))
    assert "'both', which is made from 'alarms': it must name these as well" in told
    carol = holder(site, "carol", subscribe=["photons", "alarms"])
    carol.subscribe("all", HOT, "both", "earliest")


def test_whoever_has_a_token_sees_its_own_subscriptions(site: SiteClient) -> None:
    site.subscribe("mine", HOT, "photons", "earliest")
    alice, bob = (holder(site, name, subscribe=["*"]) for name in ("alice", "bob"))
    alice.subscribe("hers", HOT, "photons", "earliest")
    assert [one["name"] for one in alice.subscriptions()] == ["hers"]
    assert bob.subscriptions() == []
    assert [one["name"] for one in site.subscriptions()] == ["mine", "hers"]
    for name in ("mine", "hers", "nobody"):
        # Whether there is one is not told.
        assert "there is no subscription" in refused("XYRT0053", lambda name=name: bob.unsubscribe(name))
        refused("XYRT0053", lambda name=name: next(bob.results(name)))
    refused("XYRT0053", lambda: bob.subscribe("hers", HOT, "photons", "earliest"))
    operator = holder(site, "operator", operate=True)
    assert [one["name"] for one in operator.subscriptions()] == ["mine", "hers"]
    alice.unsubscribe("hers")
    assert "".join(piece for _, piece in alice.results("hers")) == "<hot><x>2</x></hot>"
    # The name is free again, and its new owner has it for itself.
    bob.subscribe("hers", HOT, "alarms", "earliest")
    refused("XYRT0053", lambda: next(alice.results("hers")))


def test_a_token_that_was_withdrawn_opens_nothing(site: SiteClient, tmp_path: Path) -> None:
    run = CliRunner()
    made = run.invoke(network_app, ["token", "carol", "--subscribe", "photons", "--site", str(tmp_path / "site")])
    assert made.exit_code == 0, made.output
    carol = SiteClient(site.url, made.stdout.strip())
    assert len(carol.sources()) == 1
    assert "carol" in run.invoke(network_app, ["tokens", "--site", str(tmp_path / "site")]).stdout
    assert made.stdout.strip() not in (tmp_path / "site" / "catalogue.db").read_bytes().decode("latin-1")
    assert run.invoke(network_app, ["revoke", "carol", "--site", str(tmp_path / "site")]).exit_code == 0
    refused("XYRT0055", carol.sources)


def test_a_user_is_told_what_a_query_would_share(site: SiteClient, tmp_path: Path) -> None:
    place = f"{tmp_path / 'site'}@site"
    command = [*COMMAND, "explain", "-q", HOT, "--network", place]
    told = subprocess.run([*command, "--source", "photons"], capture_output=True, text=True, check=True).stdout
    assert told.startswith("query: reads the source at site")
    unsaid = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "XYRT0053" in unsaid.stderr
    alone = subprocess.run([*command[:-2], "--source", "photons"], capture_output=True, text=True, check=False)
    assert alone.returncode == 2
    assert "--network" in alone.stderr


def test_an_explanation_says_nothing_of_the_queries_of_others(site: SiteClient) -> None:
    alice = holder(site, "alice", subscribe=["photons"])
    told = alice.ask("POST", "/explain", {"query": HOT, "source": "photons"})["told"]
    assert told
    refused("XYRT0059", lambda: alice.ask("POST", "/explain", {"query": HOT, "source": "alarms"}))


def test_streams_made_from_others_are_as_open_as_these() -> None:
    state = NetworkState(virtual={"all": ["north", "south"]})
    state.streams["north"] = KeptStream("north", 0, [(0, Feed(peer="P1", stream="north"))])
    state.streams["hot-filter"] = KeptStream("hot-filter", 0, [(0, Feed(stream="all", query="…"))])
    assert base_streams(state, "hot-filter") == ["north", "south"]
    caller = Caller(Grant("alice", "", subscribe=("north", "all", "hot-*")))
    assert not caller.may_subscribe(base_streams(state, "hot-filter"))
    assert Caller(Grant("alice", "", subscribe=("north", "south"))).may_subscribe(base_streams(state, "all"))
