"""Subscriptions that come and go while a stream runs: each answer is that of the query over its records alone."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
import xylem
from xylem.errors import InputError, StaticError
from xylem.network.catalogue import State, Subscription
from xylem.network.site import Site
from xylem.network.site_limits import SiteLimits

from tests.reference import reference

CHANGES = 1000 if os.environ.get("XYLEM_CAMPAIGN") else 80
QUERIES = [
    "for $p in /s/p where $p/x > 3 return <big>{ $p/x, $p/n }</big>",
    "<all>{ for $p in /s/p where $p/x > 1 and $p/x < 8 return $p }</all>",
    "/s/p[x = 5]/n",
    "count(/s/p[x > 2])",
    "<a>{ sum(/s/p/x) }</a>",
    "for $w in /s/p|count 4 step 2| return <w>{ max($w/x) }</w>",
    "for $w in /s/p[x > 2]|n diff 10 step 5| return <w n='{ count($w) }'>{ $w/n }</w>",
    "for $p at $n in /s/p[x > 4] return <x n='{ $n }'>{ $p/n }</x>",
    "(/s/p)[7]",
    "/s/p[3]/n",
    "for $p in /s/p group by $x := $p/x order by $x return <g x='{ $x }'>{ count($p) }</g>",
    "for $p in /s/p return if ($p/x > 6) then <high/> else if ($p/x < 1) then <low>{ $p/n/text() }</low> else ()",
    "for tumbling window $w in /s/p start when true() only end $e when $e/x > 7 return <w>{ count($w) }</w>",
    "/s/p/string(@k)",
]
REFERENCES = {query: reference(query) for query in QUERIES}


def records(number: int, draw: random.Random) -> bytes:
    return b"".join(
        f"<p{' k=' + chr(34) + 'é' + chr(34) if at % 3 else ''}><x>{draw.randrange(10)}</x><n>{at}</n></p>".encode()
        for at in range(number)
    )


def expected(site: Site, one: Subscription) -> str:
    log = site.streams[one.source].log
    assert one.end is not None
    data = log.read(one.start, one.end, 1 << 30)[0] if one.end > one.start else b""
    return REFERENCES[one.query].run(xylem.parse(log.opening + data + b"</s>")).serialize()


def answer(site: Site, one: Subscription) -> str:
    return site.answer(one, 0)[0].decode() + site.answer(one, len(site.answer(one, 0)[0]))[0].decode()


@pytest.mark.timeout(600)
def test_answers_of_subscriptions_that_come_and_go(tmp_path: Path) -> None:
    draw = random.Random("changes")
    data = b"<s>" + records(360, draw) + b"</s>"
    site = Site(tmp_path / "site")
    publication = site.publication("s")
    made: list[str] = []
    live: list[str] = []
    at = changes = 0
    publication.feed(data[:40])
    while changes < CHANGES:
        if at < len(data):
            size = draw.randrange(20, 2 * len(data) // CHANGES + 40)
            publication.feed(data[max(at, 40) : max(at + size, 40)])
            at += size
        name, end = f"q{changes}", site.streams["s"].log.end
        site.subscribe(name, draw.choice(QUERIES), "s", draw.choice(["now", "earliest", draw.randrange(end + 1)]))
        made.append(name)
        live.append(name)
        changes += 1
        while live and draw.random() < 0.45:
            site.unsubscribe(live.pop(draw.randrange(len(live))))
            changes += 1
        for _ in range(draw.randrange(4)):
            site._piece()
        if draw.random() < 8 / CHANGES:
            # Stopped anywhere, it goes on from what is in its directory. The document goes on with the rest of it.
            site.close()
            site = Site(tmp_path / "site")
            publication._site, publication._stream = site, site.streams["s"]
    for name in live:
        site.unsubscribe(name)
    site.work_all()
    for name in made:
        one = site.subscription(name)
        assert one.state is State.COMPLETE, one
        assert answer(site, one) == expected(site, one), one
    assert site.catalogue.version >= 2 * len(made)
    site.close()


def test_a_query_that_fails_leaves_the_others_alone(tmp_path: Path) -> None:
    site = Site(tmp_path)
    publication = site.publication("s")
    publication.feed(b"<s>")
    site.subscribe("good", "/s/p/x", "s")
    site.subscribe("bad", "for $p in /s/p where $p/x > 1 return <y>{ $p/x + 1 }</y>", "s")
    site.subscribe("key", "/s/p[@k > 3]/x", "s")
    site.subscribe("start", "(xs:integer(string-join(('a', 'b'))), /s/p/x)", "s")
    publication.feed(b"<p k='4'><x>2</x></p><p k='?'><x>two</x></p><p k='5'><x>3</x></p></s>")
    site.work_all()
    site.unsubscribe("good")
    site.work_all()
    assert site.subscription("good").state is State.COMPLETE
    assert answer(site, site.subscription("good")) == "<x>2</x><x>two</x><x>3</x>"
    for name in ("bad", "key", "start"):
        assert site.subscription(name).state is State.FAILED
        assert "FORG0001" in site.subscription(name).error
    assert answer(site, site.subscription("key")).startswith("<x>2</x>")
    site.close()


def test_one_who_does_not_read_is_suspended_and_goes_on_without_a_gap(tmp_path: Path) -> None:
    site = Site(tmp_path, limits=SiteLimits(unread_bytes=400))
    publication = site.publication("s")
    publication.feed(b"<s>")
    query = "<all>{ for $p in /s/p where $p/n >= 0 return <r>{ $p/n }</r> }</all>"
    for name in ("reader", "sleeper"):
        site.subscribe(name, query, "s")
    site.subscribe("other", "count(/s/p)", "s")
    data = records(60, random.Random("unread")).replace(b"</p>", b"</p>|").split(b"|")
    read = {"reader": b"", "sleeper": b""}

    def follow(name: str) -> None:
        while piece := site.answer(site.subscription(name), len(read[name]))[0]:
            read[name] += piece

    for first in range(0, 60, 6):
        publication.feed(b"".join(data[first : first + 6]))
        site.work_all()
        follow("reader")
    assert site.subscription("reader").state is site.subscription("other").state is State.ACTIVE
    assert site.subscription("sleeper").state is State.SUSPENDED
    assert "XYRT0058" in site.subscription("sleeper").error
    site.close()
    site = Site(tmp_path, limits=SiteLimits(unread_bytes=400))
    while True:
        # What is there can be read; subscribed again, the rest comes as far as there is room.
        follow("sleeper")
        if site.subscribe("sleeper", query, "s").state is State.ACTIVE:
            site.work_all()
        if site.subscription("sleeper").state is State.ACTIVE:
            break
    follow("sleeper")
    for name in ("reader", "sleeper", "other"):
        site.unsubscribe(name)
    site.work_all()
    follow("reader")
    follow("sleeper")
    assert read["sleeper"] == read["reader"] == expected_text(site, "reader").encode()
    assert answer(site, site.subscription("other")) == "60"
    site.close()


def expected_text(site: Site, name: str) -> str:
    one = site.subscription(name)
    log = site.streams[one.source].log
    data = log.read(one.start, one.end or 0, 1 << 30)[0]
    return reference(one.query).run(xylem.parse(log.opening + data + b"</s>")).serialize()


def test_a_site_has_room_for_so_many(tmp_path: Path) -> None:
    site = Site(tmp_path, limits=SiteLimits(subscriptions=2))
    site.publication("s").feed(b"<s><p/></s>")
    site.subscribe("a", "/s/p", "s")
    site.subscribe("b", "/s/p", "s")
    with pytest.raises(InputError, match=r"XYRT0053.*2 subscriptions"):
        site.subscribe("c", "/s/p", "s")
    assert site.subscribe("a", "/s/p", "s").name == "a"
    site.unsubscribe("a")
    site.work_all()
    site.subscribe("c", "/s/p", "s")
    site.close()


def test_one_that_fails_costs_the_others_no_scan(tmp_path: Path) -> None:
    site = Site(tmp_path)
    publication = site.publication("s")
    publication.feed(b"<s>")
    for number in range(30):
        site.subscribe(f"q{number}", f"for $p in /s/p where $p/x > {number % 10} return <r>{{ $p/n }}</r>", "s")
    for number in range(5):
        site.subscribe(f"bad{number}", f"for $p in /s/p where $p/n >= {number} return <r>{{ 1 div 0 }}</r>", "s")
    for _ in range(4):
        publication.feed(records(50, random.Random("fails")))
        site.work_all()
    stream = site.streams["s"]
    assert stream.evaluated_bytes == stream.log.bytes
    for number in range(30):
        site.unsubscribe(f"q{number}")
    site.work_all()
    for one in site.catalogue.subscriptions.values():
        if one.name.startswith("bad"):
            assert one.state is State.FAILED
            assert "FOAR0001" in one.error
        else:
            assert answer(site, one) == expected_text(site, one.name)
    site.close()


def test_the_stream_is_scanned_once_for_all(tmp_path: Path) -> None:
    site = Site(tmp_path)
    publication = site.publication("s")
    publication.feed(b"<s><p><x>0</x><n>0</n></p>")
    for number in range(20):
        site.subscribe(f"q{number}", QUERIES[number % 7], "s", "earliest")
    publication.feed(records(200, random.Random(1)) + b"</s>")
    site.work_all()
    stream = site.streams["s"]
    assert stream.evaluated_bytes == stream.log.bytes
    site.close()


def test_subscribers_of_one_query_share_its_steps_and_end_where_they_like(tmp_path: Path) -> None:
    draw = random.Random("same")
    site = Site(tmp_path)
    publication = site.publication("s")
    publication.feed(b"<s>")
    for number in range(12):
        site.subscribe(f"q{number}", QUERIES[number % 2 * 5], "s")
        publication.feed(records(5, draw))
        site.work_all()
        if number % 3 == 2:
            site.unsubscribe(f"q{number - 2}")
    publication.feed(b"</s>")
    for name in list(site.catalogue.subscriptions):
        site.unsubscribe(name)
    site.work_all()
    for one in site.catalogue.subscriptions.values():
        assert answer(site, one) == expected(site, one), one
    site.close()


def test_a_document_that_breaks_keeps_what_came_before(tmp_path: Path) -> None:
    site = Site(tmp_path)
    with pytest.raises(InputError, match="XYIN0001"):
        site.publication("s").feed(b"<s><p><x>1</x></p><p><x>2</p></s>")
    assert site.streams["s"].log.end == 1
    site.publication("s").feed(b"<s><p><x>2</x></p></s>")
    assert site.streams["s"].log.end == 2
    site.close()


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("for $p in /s/p order by $p/x return $p", "would grow with the stream"),
        ("declare variable $v external; /s/p[x = $v]", r"external variable \$v"),
        ("declare option output:method 'json'; /s/p/x", "needs the complete answer"),
    ],
)
def test_queries_that_cannot_be_subscribed(query: str, why: str, tmp_path: Path) -> None:
    site = Site(tmp_path)
    site.publication("s")
    with pytest.raises(StaticError, match=f"XYRT0051.*{why}"):
        site.subscribe("q", query, "s")
    site.close()


def test_what_is_asked_wrongly(tmp_path: Path) -> None:
    site = Site(tmp_path)
    site.publication("s").feed(b"<s><p/></s>")
    site.subscribe("q", "/s/p", "s")
    assert site.subscribe("q", "/s/p", "s").version == site.subscription("q").version
    for ask in (
        lambda: site.subscribe("q", "/s/p/x", "s"),
        lambda: site.subscribe("r", "/s/p", "t"),
        lambda: site.subscribe("r", "/s/p"),
        lambda: site.subscribe("r", "/s/p", "s", 7),
        lambda: site.subscribe("../r", "/s/p", "s"),
        lambda: site.unsubscribe("nobody"),
        lambda: site.publication("a/b"),
    ):
        with pytest.raises(InputError, match="XYRT0053"):
            ask()
    with pytest.raises(InputError, match="XYRT0054"):
        Site(tmp_path)
    assert site.subscribe("named", "stream('s')/s/p").source == "s"
    site.close()
