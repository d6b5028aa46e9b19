"""Windows that share panes: each answer is that of the query alone over its records."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
import xylem
from xylem.errors import XylemError
from xylem.network.pane_form import pane_form, why_no_panes
from xylem.network.site import Site

from tests.reference import reference

ROUNDS = 60 if os.environ.get("XYLEM_CAMPAIGN") else 3
ITEMS = ["/s/p", "/s/p[k > 1]"]
AGGREGATES = [
    "count($w)", "count($w/b)", "sum($w/a)", "avg($w/a)", "min($w/a)", "max($w/b)", "sum($w/xs:decimal(a))",
    "avg($w/xs:decimal(a))", "avg($w ! xs:integer(k))", "min($w/xs:decimal(a))",
    "sum(for $x in $w return xs:integer($x/k))",
]  # fmt: skip
SIZES = ["10", "20", "30", "60", "7.5", "12.5"]


def query(draw: random.Random) -> str:
    size, step = draw.choice(SIZES), draw.choice(["", *(f" step {one}" for one in SIZES)])
    first, second = draw.choice(AGGREGATES), draw.choice(AGGREGATES)
    having = draw.choice(["", "", "where count($w) > 1 ", f"where {first} > 3 "])
    result = draw.choice(["<w a='{{ {0} }}'>{{ {1} }}</w>", "({0}, {1})", "<w>{{ {0} + 1, {1} }}</w>"]).format(
        first, second
    )
    loop = f"for $w in {draw.choice(ITEMS)}|t diff {size}{step}| {having}return {result}"
    return draw.choice([loop, f"<all>{{ {loop} }}</all>"])


def records(draw: random.Random, number: int, odd: float) -> list[str]:
    made, time = [], draw.choice([0.0, 0.1, 1000.5])
    for _ in range(number):
        time += draw.choice([0, 0.1, 1, 2.5, 5, 30, 95])
        value = (
            draw.choice(["x", "NaN", "INF"]) if draw.random() < odd else draw.choice(["1", "2.5", "0.1", "-3", "1000"])
        )
        inside = f"<a>{value}</a>" * draw.choice([1, 1, 1, 0]) + "<b>4.25</b>" * draw.randrange(3)
        made.append(f"<p><t>{time!r}</t><k>{draw.randrange(4)}</k>{inside}</p>")
    return made


def expected(text: str, part: list[str]) -> str | None:
    try:
        return reference(text).run(xylem.parse(f"<s>{''.join(part)}</s>")).serialize()
    except XylemError:
        return None


@pytest.mark.timeout(3600)
@pytest.mark.turns("panes")
@pytest.mark.parametrize("odd", [0.0, 0.03])
def test_windows_that_share_panes_are_those_of_the_query_alone(odd: float, tmp_path: Path) -> None:
    draw = random.Random(f"panes {odd}")
    failures = shared = 0
    for number in range(ROUNDS):
        directory = tmp_path / str(number)
        site = Site(directory)
        stream = site.publication("s")
        made = records(draw, 60, odd)
        texts = [query(draw) for _ in range(8)]
        begun: dict[str, int] = {}
        ended: dict[str, int] = {}
        stream.feed(b"<s>")
        at = 0
        while at < len(made):
            for _ in range(draw.choice([0, 1, 3])):
                if len(begun) < 24:
                    name = f"q{len(begun)}"
                    start = draw.choice(["earliest", "earliest", "now"])
                    begun[name] = site.subscribe(name, texts[len(begun) % len(texts)], "s", start).start
            piece = draw.choice([1, 3, 10, 25])
            stream.feed("".join(made[at : at + piece]).encode())
            at = min(len(made), at + piece)
            if draw.random() < 0.7:
                site.work_all()
            if draw.random() < 0.2:
                site.close()
                site = Site(directory)
                stream = site.publication("s")
                stream.feed(b"<s>")
            running = [name for name in begun if name not in ended]
            if running and draw.random() < 0.4:
                name = draw.choice(running)
                site.unsubscribe(name)
                ended[name] = at
            groups = site.streams["s"].pane_groups
            shared += sum(len(group.names()) > 1 for group in groups)
        for name in begun:
            if name not in ended:
                site.unsubscribe(name)
                ended[name] = at
        site.work_all()
        for index, name in enumerate(begun):
            text = texts[index % len(texts)]
            subscription = site.subscription(name)
            answer = expected(text, made[begun[name] : ended[name]])
            if answer is None:
                assert subscription.state in ("failed", "complete"), (text, subscription)
                failures += subscription.state == "failed"
                continue
            assert site.answer(subscription, 0)[0].decode() == answer, (text, begun[name], ended[name], made)
        site.close()
    assert shared > 5
    assert odd == 0.0 or failures


def test_one_pass_over_the_items_for_all_windows(tmp_path: Path) -> None:
    site = Site(tmp_path)
    stream = site.publication("s")
    stream.feed(b"<s>")
    texts = [
        f"for $w in /s/p|t diff {size} step {step}| return sum($w/xs:decimal(a))"
        for size in (20, 40)
        for step in (10, 20)
    ]
    for number, text in enumerate(texts):
        site.subscribe(f"q{number}", text, "s", "earliest")
    made = [f"<p><t>{time}</t><a>1</a></p>" for time in range(200)]
    stream.feed("".join(made).encode())
    site.work_all()
    (group,) = site.streams["s"].pane_groups
    assert (group.length, sorted(group.names())) == (10, ["q0", "q1", "q2", "q3"])
    assert site.subscriptions()[0]["windows"] == "panes of 10, shared with 3 others"
    late = site.subscribe("late", "for $w in /s/p|t diff 60| return sum($w/xs:decimal(a))", "s", "earliest")
    site.work_all()
    assert len(site.streams["s"].pane_groups) == 1
    for name in ("q0", "q1", "q2", "q3", "late"):
        site.unsubscribe(name)
    site.work_all()
    assert site.answer(late, 0)[0] == b"60 60 60 20"
    for number, text in enumerate(texts):
        assert site.answer(site.subscription(f"q{number}"), 0)[0].decode() == expected(text, made)
    site.close()


def test_values_that_end_a_query_end_only_that_query(tmp_path: Path) -> None:
    site = Site(tmp_path)
    stream = site.publication("s")
    stream.feed(b"<s>")
    bad = site.subscribe("bad", "for $w in /s/p|t diff 20| return sum($w/a)", "s", "earliest")
    good = site.subscribe("good", "for $w in /s/p|t diff 20| return count($w)", "s", "earliest")
    stream.feed(b"<p><t>1</t><a>1</a></p><p><t>22</t><a>x</a></p><p><t>50</t><a>2</a></p>")
    site.work_all()
    for name in ("good", "bad"):
        site.unsubscribe(name)
    site.work_all()
    assert site.answer(good, 0)[0] == b"1 1 1"
    assert site.answer(bad, 0)[0] == b"1"
    failed = site.subscription("bad")
    assert failed.state == "failed"
    assert "FORG0001" in failed.error
    assert "/windows" not in failed.error
    site.close()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("for $w in /s/p|t diff 10| return $w/a", "reads more of its windows"),
        ("for $w in /s/p|t diff 0.1| return count($w)", "exactly"),
        ("for $w in /s/p|t diff 10| return sum($w/(a * 2))", "type of these values"),
        ("for $w in /s/p|t diff 10| return (count($w), count(/s/p))", "beside its windows"),
    ],
)
def test_queries_that_share_no_windows(text: str, why: str) -> None:
    assert pane_form(text) is None
    assert why in why_no_panes(text)
    assert pane_form("for $w in /s/p|count 10| return count($w)") is None
