"""kill -9 at random moments: the answer is, byte for byte, that of a run nobody disturbed, here and on Spark."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from pathlib import Path

import pytest
from xylem import compile, parse
from xylem.bench import photons
from xylem.result import Result

from .killed_runs import (
    FUNCTIONS,
    IS_CAMPAIGN,
    QUERIES,
    TIMEOUT,
    Feeder,
    answer,
    kill_at_random,
    kills_wanted,
    run_to_end,
    user_functions,
    write_queries,
)

pytestmark = [pytest.mark.usefixtures("needs_spark"), pytest.mark.timeout(TIMEOUT), pytest.mark.turns("kills")]
EACH = {"bright": "for $p in /photons/photon[en > 1.9] return <bright>{ $p/en/text() }</bright>"}
WINDOWS = {"minutes": "for $w in INPUT/photon|det_time diff 60 step 60| return <m n='{ count($w) }'>{ avg($w/en) }</m>"}
IN_ORDER = {
    "numbered": "for $p at $i in INPUT/photon where $p/en > 1 return <p n='{ $i }'>{ $p/en/text() }</p>",
    "folded": "fold-left(INPUT/photon/field_id, 0, function($a, $f) { ($a * 3 + xs:integer($f)) mod 10007 })",
}
PROGRAMS = {
    "seen": "declare execution sequential; declare variable $seen as map(xs:integer, xs:integer) := map { }; "
    "<seen>{ for $p in INPUT/photon let $field := xs:integer($p/field_id) idiv 100 return "
    "{ set $seen := map:put($seen, $field, ($seen($field), 0)[1] + 1); <s f='{ $field }' n='{ $seen($field) }'/> } }"
    "</seen>"
}
OF_USERS = {
    "spread": "<s n='{ udf:spread(INPUT/photon/en) }'>{ for $p in INPUT/photon group by $f := $p/field_id "
    "order by number($f) return <f>{ udf:spread($p/det_time) }</f> }</s>",
    "turns": "udf:turns(INPUT/photon[en > 1.5]/en)",
}
SMALL_BATCHES = ["--batch-size", "40kB", "--trigger", "100ms"]


def photon_feeder(add: Callable[[int, str], None], metrics: Path) -> Feeder:
    """Adds ten photons at a time."""
    events = photons.events(1_000_000)
    return Feeder(lambda number: add(number, "".join(islice(events, 10))), metrics)


def test_documents_of_a_directory(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()

    def add(number: int, events: str) -> None:
        pending = folder / f".{number}"
        pending.write_text(f"<photons>{events}</photons>")
        pending.rename(folder / f"{number:05}.xml")

    queries = write_queries(tmp_path / "q", QUERIES | EACH | OF_USERS, "collection()/photons")
    common = [*queries, "--input", f"dir:{folder}", "--functions", str(FUNCTIONS)]
    disturbed = [*common, "--output", f"dir:{tmp_path}/out", "--checkpoint", f"{tmp_path}/state"]
    metrics = tmp_path / "metrics.jsonl"
    feeder = photon_feeder(add, metrics)
    feeder.start()
    seen = kill_at_random(
        [*disturbed, *SMALL_BATCHES, "--metrics", str(metrics)], tmp_path / "log", metrics, kills_wanted()
    )
    feeder.stop()
    run_to_end([*disturbed, "--trigger", "available-now"], tmp_path / "log")
    assert len(seen) == kills_wanted()
    feed = [parse(place) for place in sorted(folder.glob("*.xml"))]
    for name, text in (QUERIES | OF_USERS).items():
        query = compile(text.replace("INPUT", "collection()/photons"), functions=user_functions())
        assert answer(tmp_path / "out" / name).decode() == query.run(collection=feed).serialize() + "\n", name
    for name, text in EACH.items():
        texts = [compile(text).run(document).serialize() for document in feed]
        assert answer(tmp_path / "out" / name).decode() == "".join(f"{text}\n" for text in texts if text), name
    if IS_CAMPAIGN:
        _compare_with_quiet_run(tmp_path, [*common, "--trigger", "available-now"], [*QUERIES, *EACH, *OF_USERS])


def test_one_document_that_grows(tmp_path: Path) -> None:
    feed = tmp_path / "feed.xml"
    feed.write_text("<photons>")

    def add(number: int, events: str) -> None:
        with feed.open("a") as file:
            file.write(events)

    queries = write_queries(tmp_path / "q", QUERIES | WINDOWS | IN_ORDER | PROGRAMS, "/photons")
    common = [*queries, "--input", f"file:{feed}"]
    routed = ["--route", f"s=dir:{tmp_path}/routed"]
    disturbed = [*common, *routed, "--output", f"dir:{tmp_path}/out", "--checkpoint", f"{tmp_path}/state"]
    metrics = tmp_path / "metrics.jsonl"
    feeder = photon_feeder(add, metrics)
    feeder.start()
    seen = kill_at_random(
        [*disturbed, *SMALL_BATCHES, "--metrics", str(metrics)], tmp_path / "log", metrics, kills_wanted()
    )
    feeder.stop()
    with feed.open("a") as file:
        file.write("</photons>\n")
    run_to_end(disturbed, tmp_path / "log")
    assert len(seen) == kills_wanted()
    for name in ("seen", *IN_ORDER):
        assert list((tmp_path / "state" / "variables" / name).iterdir()), f"the state of {name} was never saved"
    document = parse(feed)
    for name, text in (QUERIES | WINDOWS | IN_ORDER).items():
        expected = compile(text.replace("INPUT", "/photons")).run(document).serialize()
        assert answer(tmp_path / "out" / name).decode() == f"{expected}\n", name
    (program,) = PROGRAMS.values()
    expected = compile(program.replace("INPUT", "/photons")).run(document).serialize()
    assert answer(tmp_path / "out" / "seen").decode() == "<seen></seen>\n"
    assert answer(tmp_path / "routed" / "seen").decode().replace("\n", "") == expected[len("<seen>") : -len("</seen>")]
    if IS_CAMPAIGN:
        _compare_with_quiet_run(tmp_path, common, [*QUERIES, *WINDOWS, *IN_ORDER])


JOIN = """for $o in stream("orders")//order, $p in stream("payments")//payment
where $o/@id = $p/@order and $p/amount >= $o/total
return <paid id="{ $o/@id }" n="{ $p/@n }">{ $o/total, $p/amount }</paid>"""


def test_two_streams_joined(tmp_path: Path) -> None:
    """Orders that were there, and new ones; payments of the old ones, twice and too little, at last of the new ones.

    The later item of a pair is the payment, however the batches fall, so that the order of the answer is theirs.
    """
    for stream in ("orders", "payments"):
        (tmp_path / stream).mkdir()

    def put(stream: str, name: str, content: str) -> None:
        pending = tmp_path / stream / f".{name}"
        pending.write_text(f"<{stream}>{content}</{stream}>")
        pending.rename(tmp_path / stream / f"{name}.xml")

    def order(number: int) -> str:
        return f"<order id='{number}'><total>{number % 5}</total></order>"

    def payment(number: int, of: int) -> str:
        return f"<payment n='{number}' order='{of}'><amount>{number % 4}</amount></payment>"

    def add(number: int) -> None:
        put("orders", f"new-{number:05}", order(1000 + number))
        put("payments", f"{number:05}", payment(2 * number, number % 300) + payment(2 * number + 1, number * 7 % 400))
        count.append(number)

    count: list[int] = []
    put("orders", "old", "".join(map(order, range(300))))
    (query,) = write_queries(tmp_path / "q", {"paid": JOIN}, "")
    common = [query, "--input", f"orders=dir:{tmp_path}/orders", "--input", f"payments=dir:{tmp_path}/payments"]
    common += ["--within", "2h"]
    disturbed = [*common, "--output", f"dir:{tmp_path}/out", "--checkpoint", f"{tmp_path}/state"]
    metrics = tmp_path / "metrics.jsonl"
    feeder = Feeder(add, metrics)
    feeder.start()
    seen = kill_at_random(
        [*disturbed, *SMALL_BATCHES, "--metrics", str(metrics)], tmp_path / "log", metrics, kills_wanted()
    )
    feeder.stop()
    put("payments", "last", "".join(payment(n, 1000 + n) for n in count))
    run_to_end([*disturbed, "--trigger", "available-now"], tmp_path / "log")
    assert len(seen) == kills_wanted()
    orders = [parse(place) for place in (tmp_path / "orders").glob("*.xml")]
    payments = [parse(place) for place in sorted((tmp_path / "payments").glob("*.xml"))]
    one_process = compile(
        "declare variable $orders external; declare variable $payments external; "
        "for $p in $payments//payment for $o in $orders//order " + JOIN[JOIN.index("where") :]
    )
    items = one_process.run(variables={"orders": orders, "payments": payments}).xdm
    found = [Result([item], {}).serialize() for item in items]
    assert answer(tmp_path / "out").decode() == "".join(f"{text}\n" for text in found)
    if IS_CAMPAIGN:
        run_to_end(
            [
                *common,
                "--trigger",
                "available-now",
                "--output",
                f"dir:{tmp_path}/quiet",
                "--checkpoint",
                f"{tmp_path}/quiet-state",
            ],
            tmp_path / "quiet-log",
        )
        assert answer(tmp_path / "out") == answer(tmp_path / "quiet")


def _compare_with_quiet_run(place: Path, arguments: list[str], names: list[str]) -> None:
    """What the answers of one process say already; on Spark once more, for those who doubt it."""
    run_to_end(
        [*arguments, "--output", f"dir:{place}/quiet", "--checkpoint", f"{place}/quiet-state"], place / "quiet-log"
    )
    for name in names:
        expected = answer(place / "quiet" / name)
        assert expected
        assert answer(place / "out" / name) == expected, name
