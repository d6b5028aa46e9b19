"""Answers that go on from a saved state: the same bytes as those of the query, and nothing is read again."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest
import xylem
from xylem.errors import XylemError
from xylem.network.log_store import LogLimits
from xylem.network.site import Site
from xylem.network.site_limits import SiteLimits

SAVED = [
    "<all>{ for $p in /s/p where $p/x > 2 return <r n='{ $p/n }'>{ $p/x, string($p/y) }</r> }</all>",
    "for $p in /s/p where $p/x > 2 return $p/n",
    "/s/p[x = 3]/n/text()",
    "for $p in /s/p return $p/x + 1",
    "<t>{ count(/s/p), sum(/s/p/xs:integer(n)), max(/s/p/x) }</t>",
    "<t a='1'>{ /s/p[y > 3] }<n>{ count(/s/p[x > 1]) }</n></t>",
    "avg(/s/p/n)",
    "<g>{ for $p in /s/p group by $x := string($p/x) return <k x='{ $x }'>{ count($p) }</k> }</g>",
    "declare namespace a = 'u'; <a:all xmlns:b='v'>{ for $p in /s/p where $p/@k = '1' return $p }</a:all>",
    "<all>{ for $p in /s/p return if ($p/x > 3) then <high/> else concat('low', $p/n) }</all>",
    "some $p in /s/p satisfies $p/x > 90",
    "count(/s/p), count(//n)",
]
AGAIN = [
    "for $w in /s/p|n diff 10 step 5| return <w>{ count($w), sum($w/xs:integer(x)) }</w>",
    "for $w in /s/p|count 4 step 4| return <w>{ sum($w/n) }</w>",
    "/s/p[7]/n",
]


def records(start: int, end: int) -> bytes:
    return b"".join(
        f"<p k='{n % 3}'><x>{n * 7 % 10}</x><y>{n % 11}</y><n>{n}</n></p>".encode() for n in range(start, end)
    )


def site_in(directory: Path, state_bytes: int = 1 << 30, log: LogLimits | None = None) -> Site:
    return Site(directory, limits=SiteLimits(state_bytes=state_bytes, log=log or LogLimits()))


def publish(site: Site, start: int, end: int) -> None:
    site.publication("s").feed(b"<s>" + records(start, end))


def expected(query: str, start: int, end: int) -> bytes:
    document = b"<s>" + records(start, end) + b"</s>"
    return xylem.compile(query).run(xylem.parse(document)).serialize().encode()


@pytest.mark.parametrize("query", SAVED)
def test_a_site_that_starts_again_reads_nothing_again(query: str, tmp_path: Path) -> None:
    site = site_in(tmp_path)
    publish(site, 0, 50)
    made = site.subscribe("q", query, "s", 3)
    site.work_all()
    site.close()
    again = site_in(tmp_path)
    publish(again, 50, 60)
    again.work_all()
    assert again.streams["s"].evaluated_bytes == len(records(50, 60))
    again.close()
    last = site_in(tmp_path)
    last.unsubscribe("q")
    last.work_all()
    assert last.streams["s"].evaluated_bytes == 0
    assert last.subscription("q").state == "complete"
    assert last.answer(made, 0)[0] == expected(query, 3, 60)
    last.close()


@pytest.mark.parametrize("query", AGAIN)
def test_what_cannot_be_saved_is_computed_again(query: str, tmp_path: Path) -> None:
    site = site_in(tmp_path)
    publish(site, 0, 50)
    made = site.subscribe("q", query, "s", "earliest")
    site.work_all()
    site.close()
    again = site_in(tmp_path)
    publish(again, 50, 60)
    again.unsubscribe("q")
    again.work_all()
    assert again.answer(made, 0)[0] == expected(query, 0, 60)
    again.close()


def test_copies_taken_at_any_moment_go_on(tmp_path: Path) -> None:
    """What a crash leaves is what is in the directory at some moment: answers may have more than the states say."""
    draw = random.Random(5)
    site = site_in(tmp_path / "first", state_bytes=600)
    publish(site, 0, 1)
    starts = {}
    at = 1
    copies = []
    queries = SAVED + AGAIN
    for number, query in enumerate(queries):
        starts[f"q{number}"] = site.subscribe(f"q{number}", query, "s", draw.choice([0, "now"]))
    for step in range(40):
        more = draw.randrange(1, 12)
        publish(site, at, at + more)
        at += more
        for _ in range(draw.randrange(4)):
            site._piece()
        if step % 8 == 5:
            place = tmp_path / f"copy{step}"
            shutil.copytree(tmp_path / "first", place)
            copies.append((place, at))
    site.close()
    for place, reached in copies:
        again = site_in(place, state_bytes=600)
        publish(again, reached, 300)
        for name in starts:
            again.unsubscribe(name)
        again.work_all()
        for number, query in enumerate(queries):
            made = starts[f"q{number}"]
            assert again.answer(made, 0)[0] == expected(query, made.start, 300), query
        again.close()


def test_an_answer_goes_on_where_the_log_has_forgotten_its_first_records(tmp_path: Path) -> None:
    site = site_in(tmp_path, log=LogLimits(bytes=2000))
    publish(site, 0, 10)
    made = {
        name: site.subscribe(name, query, "s", "earliest") for name, query in (("kept", SAVED[4]), ("gone", AGAIN[0]))
    }
    for at in range(10, 400, 10):
        publish(site, at, at + 10)
        site.work_all()
    assert site.streams["s"].log.base > 100
    # As if it were killed.
    shutil.copytree(tmp_path, tmp_path.with_name("killed"))
    site.close()
    again = site_in(tmp_path.with_name("killed"), log=LogLimits(bytes=2000))
    publish(again, 400, 420)
    again.unsubscribe("kept")
    again.work_all()
    assert again.answer(made["kept"], 0)[0] == expected(SAVED[4], 0, 420)
    assert "XYRT0060" in again.subscription("gone").error
    again.close()


def test_a_file_of_states_that_was_changed_is_refused_and_one_of_another_version_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = site_in(tmp_path)
    publish(site, 0, 50)
    made = site.subscribe("q", SAVED[0], "s", "earliest")
    site.work_all()
    site.close()
    (file,) = (tmp_path / "states").iterdir()
    content = file.read_bytes()
    file.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    with pytest.raises(XylemError, match="XYRT0033"):
        site_in(tmp_path)
    file.write_bytes(content)
    monkeypatch.setattr("xylem.network.answer_states.VERSION", "0.0")
    again = site_in(tmp_path)
    again.work_all()
    assert again.streams["s"].evaluated_bytes == len(records(0, 50))
    again.unsubscribe("q")
    again.work_all()
    assert again.answer(made, 0)[0] == expected(SAVED[0], 0, 50)
    again.close()


def test_a_state_of_another_query_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = site_in(tmp_path)
    publish(site, 0, 50)
    one = site.subscribe("one", SAVED[4], "s", "earliest")
    other = site.subscribe("other", SAVED[0], "s", "earliest")
    site.work_all()
    site.close()
    again = site_in(tmp_path)
    states = again.streams["s"]._states.found
    states[one.answer_name], states[other.answer_name] = (
        type(states[one.answer_name])(states[one.answer_name].position, 0, states[other.answer_name].run),
        states[other.answer_name],
    )
    again.unsubscribe("one")
    again.work_all()
    assert again.answer(one, 0)[0] == expected(SAVED[4], 0, 50)
    again.close()
