"""A site as a process: asked over HTTP, killed at any moment, and going on where it was."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import xylem
from typer.testing import CliRunner
from xylem.cli.network_command import app as network_app
from xylem.cli.site_options import app as site_app
from xylem.errors import InputError
from xylem.network.site_client import SiteClient

pytest.importorskip("sse_starlette", reason="sites over HTTP need: pip install 'xylem-xquery[network]'")

KILLS = 50 if os.environ.get("XYLEM_CAMPAIGN") else 2
DOCUMENT = "<s>" + "".join(f"<p><x>{n % 7}</x><n>{n}</n></p>" for n in range(3000)) + "</s>"
QUERIES = {
    "copies": "<all>{ for $p in /s/p where $p/x > 3 return $p }</all>",
    "counted": "count(/s/p[x = 2])",
    "windows": "for $w in /s/p[x > 4]|count 5 step 5| return <w>{ sum($w/n) }</w>",
}


class RunningSite:
    """A site in a process of its own."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> SiteClient:
        (self.directory / "site.json").unlink(missing_ok=True)
        command = [sys.executable, "-m", "xylem", "network", "start", "--site", str(self.directory)]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        until = time.monotonic() + 60
        while time.monotonic() < until and self.process.poll() is None:
            try:
                client = SiteClient(self.directory)
                client.sources()
                return client
            except InputError:
                time.sleep(0.05)
        raise AssertionError("the site did not start")

    def kill(self) -> None:
        if self.process is not None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()


@pytest.fixture
def site(tmp_path: Path) -> Iterator[RunningSite]:
    running = RunningSite(tmp_path / "site")
    yield running
    running.kill()


def expected(query: str, document: str = DOCUMENT) -> str:
    return xylem.compile(query).run(xylem.parse(document)).serialize()


@pytest.mark.timeout(600)
def test_a_site_that_is_killed_goes_on(site: RunningSite) -> None:
    client = site.start()
    # The document is cut within a record: that one is not in the stream, and the publisher is told.
    with pytest.raises(InputError, match=r"^XYIN0001: the XML is not well formed: the input ends inside a token: '<x'"):
        client.publish("s", [DOCUMENT[:100].encode()])
    assert client.sources()[0]["records"] == DOCUMENT[:100].count("</p>")
    for name, query in QUERIES.items():
        client.subscribe(name, query, "s", "earliest")
    whole = DOCUMENT.encode()
    size = len(whole) // (KILLS + 1) + 1
    given = client.sources()[0]["records"]
    for at in range(KILLS):
        text = b"<s>" + DOCUMENT.removeprefix("<s>").encode()
        # A publisher that starts again asks how far the stream is, and goes on there.
        records = text.removeprefix(b"<s>").removesuffix(b"</s>").split(b"</p>")
        upto = min(len(records) - 1, given + size // 20)
        client.publish("s", [b"<s>" + b"".join(one + b"</p>" for one in records[given:upto])])
        time.sleep(0.002 * at)
        site.kill()
        client = site.start()
        given = client.sources()[0]["records"]
        assert given == upto
    client.publish("s", [b"<s>" + b"".join(one + b"</p>" for one in records[given:-1]) + b"</s>"])
    for name, query in QUERIES.items():
        client.unsubscribe(name)
        pieces = list(client.results(name))
        assert "".join(piece for _, piece in pieces) == expected(query), name
        # A reader that comes back goes on behind what it has.
        middle = pieces[0][0]
        rest = "".join(piece for _, piece in client.results(name, middle))
        assert pieces[0][1] + rest == expected(query)


def test_who_may_ask_and_what_is_refused(site: RunningSite, tmp_path: Path) -> None:
    client = site.start()
    place = json.loads((site.directory / "site.json").read_text())
    assert (site.directory / "site.json").stat().st_mode & 0o077 == 0
    connection = http.client.HTTPConnection(place["url"].removeprefix("http://"))
    connection.request("GET", "/sources")
    assert connection.getresponse().status == 401
    connection.close()
    client._headers = {"Authorization": "Bearer wrong"}
    with pytest.raises(InputError, match=r"XYRT0055.*token"):
        client.sources()
    client = SiteClient(site.directory)
    with pytest.raises(InputError, match=r"XYRT0053.*there is no stream"):
        client.subscribe("q", "/s/p", "nothing", "now")
    with pytest.raises(InputError, match=r"XYRT0055.*XPST0003"):
        client.subscribe("q", "/s/p[", "s", "now")
    with pytest.raises(InputError, match=r"XYRT0053: [^:]*: there is no subscription 'none'") as told:
        client.unsubscribe("none")
    assert "xylem subscriptions" in (told.value.hint or "")
    the_commands(site, tmp_path)


def test_a_subscription_that_fails_says_so(site: RunningSite) -> None:
    client = site.start()
    client.publish("s", [b"<s><p>1</p><p>x</p></s>"])
    client.subscribe("fails", "/s/p[. > 0]", "s", "earliest")
    with pytest.raises(InputError, match=r"XYRT0066: .*ended with an error: FORG0001"):
        list(client.results("fails"))


def the_commands(site: RunningSite, tmp_path: Path) -> None:
    """With the same process: to start one takes longer than all the rest."""
    where = ["--site", str(site.directory)]
    (tmp_path / "s.xml").write_text(DOCUMENT)
    runner = CliRunner()

    def called(*arguments: str) -> str:
        ended = runner.invoke(site_app, [*arguments, *where])
        assert ended.exit_code == 0, ended.output
        return ended.output

    called("publish", "s", "--input", str(tmp_path / "s.xml"))
    called("subscribe", "-q", QUERIES["counted"], "--name", "n", "--source", "s", "--from", "earliest")
    called("unsubscribe", "n")
    out = str(tmp_path / "n.txt")
    called("subscribe", "-q", "/s/p[n = 2999]/x", "--name", "last", "--source", "s", "--from", "2000")
    called("unsubscribe", "last")
    listed = called("subscriptions").splitlines()
    assert listed[0].split() == ["NAME", "SOURCE", "FROM", "TO", "STATE", "AT", "BYTES", "ERROR"]
    assert listed[1].split()[:4] == ["n", "s", "0", "3000"]
    assert json.loads(called("sources", "--format", "json"))[0]["records"] == 3000
    client = SiteClient(site.directory)
    from xylem.cli.site_commands import follow

    follow(client, "last", out)
    assert Path(out).read_text() == "<x>3</x>"
    ended = runner.invoke(network_app, ["stop", *where])
    assert ended.exit_code == 0, ended.output
    assert runner.invoke(site_app, ["sources", *where]).exit_code != 0
    with pytest.raises(InputError, match="XYRT0050"):
        SiteClient(site.directory)
