"""Several streams as one: every record of each part once and in its order, whenever the site stops."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from xylem.errors import InputError
from xylem.network.site import Site

from .running_network import RunningNetwork, until


def records(name: str, start: int, end: int) -> bytes:
    return f"<s>{''.join(f'<p><of>{name}</of><n>{n}</n></p>' for n in range(start, end))}</s>".encode()


def numbers(answer: str, name: str) -> list[int]:
    return [int(n) for n in re.findall(f"<of>{name}</of><n>(\\d+)</n>", answer)]


def test_the_order_is_decided_once(tmp_path: Path) -> None:
    answers = []
    for round_number in range(4):
        site = Site(tmp_path / "site")
        if round_number == 0:
            for name in ("a", "b"):
                site.publication(name)
                site.add_part("all", name)
        else:
            site.subscribe(f"q{round_number}", "/s/p", "all", "earliest")
        for name in ("a", "b"):
            site.publication(name).feed(records(name, 10 * round_number, 10 * round_number + 10))
            if round_number != 2:
                site.work_all()
        if round_number == 3:
            for number in (1, 2, 3):
                made = site.unsubscribe(f"q{number}")
                site.work_all()
                answers.append(site.answer(made, 0)[0].decode())
        site.close()
    assert answers[0] == answers[1] == answers[2]
    for name in ("a", "b"):
        assert numbers(answers[0], name) == list(range(40))


def test_what_cannot_be_a_part(tmp_path: Path) -> None:
    site = Site(tmp_path / "site")
    site.publication("a").feed(records("a", 0, 3))
    site.publication("b").feed(b"<t><p/></t>")
    site.add_part("all", "a")
    site.work_all()
    site.add_part("all", "b")
    site.work_all()
    (told,) = [one for one in site.sources() if one["name"] == "all"]
    assert told["records"] == 3
    assert "the records of b stand in other elements" in told["error"]
    assert told["origin"] == "put together from a, b"
    with pytest.raises(InputError, match="put together from others: publish one of these"):
        site.publication("all")
    with pytest.raises(InputError, match="'a' already"):
        site.add_part("a", "b")
    with pytest.raises(InputError, match="itself"):
        site.add_part("more", "all")
    site.close()


def test_a_part_that_has_ended(tmp_path: Path) -> None:
    site = Site(tmp_path / "site")
    for name in ("a", "b"):
        site.publication(name).feed(records(name, 0, 10))
        site.add_part("all", name)
    with pytest.raises(InputError, match="no part of a virtual stream 'more'"):
        site.end_part("more", "a", 10)
    # It ends before its records are taken, and goes on elsewhere.
    site.end_part("all", "a", 10)
    assert site.taken_parts() == []
    site.publication("a").feed(records("a", 10, 20))
    site.work_all()
    assert site.taken_parts() == [("all", "a")]
    site.close()
    site = Site(tmp_path / "site")
    site.publication("b").feed(records("b", 10, 20))
    site.subscribe("q", "/s/p", "all", "earliest")
    site.work_all()
    # As a part once more, it goes on where it ended.
    site.add_part("all", "a")
    site.publication("a").feed(records("a", 20, 30))
    assert site.taken_parts() == []
    site.work_all()
    made = site.unsubscribe("q")
    site.work_all()
    answer = site.answer(made, 0)[0].decode()
    assert numbers(answer, "a") == list(range(30))
    assert numbers(answer, "b") == list(range(20))
    assert answer.index("<of>b</of><n>19</n>") < answer.index("<of>a</of><n>10</n>")
    site.close()


@pytest.mark.timeout(600)
def test_parts_at_several_peers(tmp_path: Path) -> None:
    pytest.importorskip("sse_starlette", reason="sites over HTTP need: pip install 'xylem-xquery[network]'")
    network = RunningNetwork(tmp_path, [("P1", "SP1"), ("P2", "SP2"), ("SP1", "SP2"), ("SP2", "P3")])
    for name, peer in (("a", "P1"), ("b", "P2")):
        network[peer].publish(name, [records(name, 0, 50)])
        assert network[peer].ask("POST", "/virtual/all", {"stream": name})["at"] == "SP1"
    network["P3"].subscribe("q", "for $p in /s/p where $p/n < 90 return $p", "all", "earliest")
    for name, peer in (("a", "P1"), ("b", "P2")):
        network[peer].publish(name, [records(name, 50, 100)])
    until(lambda: {one["name"]: one["records"] for one in network["SP1"].sources()}["all"] == 200, "all records")
    network["P3"].unsubscribe("q")
    answer = network.answer("q", "P3")
    for name in ("a", "b"):
        assert numbers(answer, name) == list(range(90))
    # A publisher leaves once its part has ended, and the other one goes on.
    with pytest.raises(InputError, match=r"a would be cut off: .*network withdraw"):
        network["P1"].ask("POST", "/leave")
    network["P1"].publish("a", [records("a", 100, 120)])
    assert network["P1"].ask("DELETE", "/virtual/all", {"stream": "a"}) == {"at": "SP1", "to": 120}
    until(lambda: "a" not in {one["name"] for one in network["SP1"].sources()}, "the copy of a ends")
    assert network["P1"].ask("POST", "/leave")["left"] == ["SP1"]
    network["P2"].publish("b", [records("b", 100, 120)])
    until(lambda: {one["name"]: one["records"] for one in network["SP1"].sources()}["all"] == 240, "all records")
    network.close()
