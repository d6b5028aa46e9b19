"""Sites that are killed while streams become wider and narrower: each subscriber has every byte of its answer once.

A request that dies with its site is given again, as a user would do.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest
import xylem
from xylem.errors import InputError

from .test_killed_network import Processes
from .test_widening import box, records

pytest.importorskip("sse_starlette", reason="sites over HTTP need: pip install 'xylem-xquery[network]'")

ROUNDS = 12 if os.environ.get("XYLEM_CAMPAIGN") else 1
NAMES = ("P1", "SP1", "SP2", "P2", "P3")
LINKS = (("P1", "SP1"), ("SP1", "SP2"), ("SP2", "P2"), ("SP2", "P3"))


@pytest.fixture
def sites(tmp_path: Path) -> Iterator[Processes]:
    made = Processes(tmp_path)
    yield made
    made.close()


def killed_meanwhile(sites: Processes, name: str, seconds: float, ask: Callable[[], object]) -> None:
    """Ask for something, kill a site while it is done, start it again, and ask until it is done."""
    is_done = threading.Event()

    def asking() -> None:
        until = time.monotonic() + 120
        while time.monotonic() < until:
            with suppress(InputError, OSError, KeyError):
                ask()
                is_done.set()
                return
            time.sleep(0.1)

    thread = threading.Thread(target=asking)
    thread.start()
    time.sleep(seconds)
    sites.kill(name)
    sites.start(name)
    thread.join()
    assert is_done.is_set(), f"{name} was killed after {seconds:.3f} s"


@pytest.mark.turns("kills")
@pytest.mark.timeout(3600)
def test_sites_killed_while_streams_change_lose_and_double_nothing(sites: Processes) -> None:
    draw = Random("widening")
    sites.start(*NAMES)
    for one, other in LINKS:
        sites.answering(one).ask("POST", "/join", {**sites.answering(other).address, "bandwidth": 5000})
    given = 0

    def publish(number: int) -> None:
        nonlocal given
        data = f"<s>{records(given, given + number)}</s>".encode()
        sites.answering("P1").publish("s", [data])
        given += number

    publish(300)
    live: dict[str, tuple[str, str, int]] = {}
    over: list[tuple[str, str, str, int, int]] = []
    for round_ in range(ROUNDS):
        low = draw.randrange(0, 40)
        for at, name, query in (
            ("P2", f"a{round_}", box(low, low + 50)),
            ("P3", f"b{round_}", box(low + 10, low + 60)),
        ):
            start = given
            killed_meanwhile(
                sites, draw.choice(NAMES), draw.random() * 0.4,
                lambda at=at, name=name, query=query, start=start: sites.answering(at).subscribe(  # type: ignore[misc]
                    name, query, "s", str(start)
                ),
            )  # fmt: skip
            live[name] = at, query, start
            publish(150)
        killed_meanwhile(
            sites, draw.choice(NAMES), draw.random() * 0.4, lambda: sites.answering("SP1").ask("POST", "/optimize")
        )
        publish(100)
        gone = f"a{round_}"
        at, query, start = live.pop(gone)
        sites.answering(at).unsubscribe(gone)
        over.append((at, gone, query, start, given))
        publish(50)
    for name, (at, query, start) in live.items():
        sites.answering(at).unsubscribe(name)
        over.append((at, name, query, start, given))
    for at, name, query, start, end in over:
        answer = "".join(piece for _, piece in sites.answering(at).results(name))
        expected = xylem.compile(query).run(xylem.parse(f"<s>{records(start, end)}</s>")).serialize()
        assert answer == expected, name
