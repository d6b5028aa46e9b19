"""Continuous queries in this process, on the session that all tests share."""

from __future__ import annotations

import json
import os
import signal
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from xylem.errors import DynamicError, InputError
from xylem.spark.continuous.continuous_run import ContinuousQuery, Trigger, run_continuous
from xylem.spark.continuous.places import input_place, output_place
from xylem.spark.continuous.subscription import Malformed
from xylem.spark.continuous.told_query import QueryText, told_queries

from .killed_runs import answer

# Longer than others: a batch of Spark's may wait for the machine.
pytestmark = [pytest.mark.usefixtures("spark"), pytest.mark.timeout(300)]
NOW = Trigger(None)
OFTEN = Trigger(0.1)


def continuous(place: Path, query: str, source: str, *, output: str | None = None, **options: Any) -> ContinuousQuery:
    """A query with its checkpoint and its output in a directory."""
    read = input_place(source)
    texts = [QueryText("query", query, "query", Path.cwd().as_uri() + "/", Path.cwd())]
    given = {name: options.pop(name) for name in ("allow", "functions") if name in options}
    told = told_queries(texts, variables={}, several_documents=not read.is_one_document, **given)
    written = output_place(output or f"dir:{place}/out")
    return ContinuousQuery(told, [read], written, place / "state", **{"trigger": NOW, "is_quiet": True, **options})


def documents(folder: Path, first: int, last: int) -> str:
    folder.mkdir(exist_ok=True)
    for number in range(first, last):
        place = folder / f"{number:03}.xml"
        place.write_text(f"<order id='{number}'><total>{number % 7}</total></order>")
        os.utime(place, (number, number))
    return f"dir:{folder}"


def served(*pieces: str, pause: float = 0.0) -> str:
    """The address of a server that sends pieces to whoever connects first, and closes."""
    server = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with server, server.accept()[0] as connection:
            for piece in pieces:
                connection.sendall(piece.encode())
                time.sleep(pause)

    threading.Thread(target=serve, daemon=True).start()
    return f"tcp://127.0.0.1:{server.getsockname()[1]}"


@pytest.mark.turns("on Spark")
def test_each_run_over_what_is_new_has_an_answer_of_its_own(tmp_path: Path) -> None:
    query = "<sum n='{ count(collection()/order) }'>{ sum(collection()/order/total) }</sum>"
    source = documents(tmp_path / "in", 0, 10)
    file = f"file:{tmp_path}/out.xml"
    run_continuous(continuous(tmp_path, query, source, output=file))
    assert (tmp_path / "out.xml").read_text() == '<sum n="10">24</sum>\n'
    # Nothing new: nothing to say.
    run_continuous(continuous(tmp_path, query, source, output=file))
    documents(tmp_path / "in", 10, 13)
    run_continuous(continuous(tmp_path, query, source, output=file))
    assert (tmp_path / "out.xml").read_text() == '<sum n="10">24</sum>\n<sum n="3">12</sum>\n'


def test_a_changed_query_is_refused(tmp_path: Path) -> None:
    source = documents(tmp_path / "in", 0, 2)
    run_continuous(continuous(tmp_path, "/order/total", source))
    # Blanks and comments do not change a query.
    run_continuous(continuous(tmp_path, "/order / total (: of it :)", source))
    with pytest.raises(DynamicError) as caught:
        run_continuous(continuous(tmp_path, "/order/total + 1", source))
    assert caught.value.code == "XYRT0020"
    assert "other queries" in str(caught.value)
    assert "another checkpoint" in caught.value.hint
    with pytest.raises(DynamicError) as caught:
        run_continuous(continuous(tmp_path, "/order/total", documents(tmp_path / "in2", 0, 1)))
    assert "other input" in str(caught.value)


def test_what_cannot_be_read_stops_the_query_and_is_named(tmp_path: Path) -> None:
    source = documents(tmp_path / "in", 0, 3)
    (tmp_path / "in" / "bad.xml").write_text("<order>")
    with pytest.raises(InputError) as caught:
        run_continuous(continuous(tmp_path, "/order/total", source))
    assert caught.value.code == "XYIN0001"
    assert "bad.xml" in str(caught.value)
    # Once it is repaired, the query goes on.
    (tmp_path / "in" / "bad.xml").write_text("<order><total>9</total></order>")
    run_continuous(continuous(tmp_path, "/order/total", source))
    assert answer(tmp_path / "out").decode().split() == [f"<total>{n}</total>" for n in (0, 1, 2, 9)]


@pytest.mark.parametrize("query", ["/order/total", "collection()/order/total"])
def test_what_cannot_be_read_is_counted_and_kept(tmp_path: Path, query: str) -> None:
    source = documents(tmp_path / "in", 0, 3)
    (tmp_path / "in" / "bad.xml").write_text("<order><total>1</order>")
    options = {"malformed": Malformed.DEAD_LETTER, "dead_letters": tmp_path / "dead"}
    run_continuous(continuous(tmp_path, query, source, metrics=tmp_path / "metrics", **options))
    assert answer(tmp_path / "out").decode().replace("\n", "").count("<total>") == 3
    [letter] = [json.loads(line) for line in answer(tmp_path / "dead").splitlines()]
    assert letter["record"] == "<order><total>1</order>"
    assert letter["source"].endswith("bad.xml")
    assert letter["code"] == "XYIN0001"
    [told] = [json.loads(line) for line in (tmp_path / "metrics").read_text().splitlines()]
    assert (told["items"], told["malformed"], told["total_malformed"]) == (4, 1, 1)
    assert told["latency_seconds"] > 0
    assert {"batch", "bytes", "megabytes_per_second", "state_bytes", "results", "seconds"} <= told.keys()


def test_errors_of_the_query_are_errors_of_the_record(tmp_path: Path) -> None:
    source = documents(tmp_path / "in", 0, 3)
    (tmp_path / "in" / "odd.xml").write_text("<order id='x'><total>five</total></order>")
    query = "for $o in /order return <t>{ xs:integer($o/total) + 1 }</t>"
    run_continuous(continuous(tmp_path, query, source, malformed=Malformed.SKIP))
    assert answer(tmp_path / "out").decode().split() == ["<t>1</t>", "<t>2</t>", "<t>3</t>"]


def test_items_of_one_document_that_cannot_be_evaluated(tmp_path: Path) -> None:
    feed = "".join(f"<item n='{n}'>{'x' if n == 7 else n}</item>" for n in range(20))
    query = "<all>{ for $i in /feed/item return <i>{ xs:integer($i) * 2 }</i> }</all>"
    source = served(f"<feed>{feed}</feed>")
    options = {"malformed": Malformed.DEAD_LETTER, "dead_letters": tmp_path / "dead"}
    run_continuous(continuous(tmp_path, query, source, **options))
    expected = "".join(f"<i>{n * 2}</i>" for n in range(20) if n != 7)
    assert answer(tmp_path / "out").decode() == f"<all>{expected}</all>\n"
    [letter] = [json.loads(line) for line in answer(tmp_path / "dead").splitlines()]
    assert "<item n='7'>x</item>" in letter["record"]


def test_an_endless_document_from_a_socket_is_answered_as_it_comes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    items = [f"<item k='{'ab'[n % 2]}'>{n}</item>" for n in range(12)]
    source = served("<feed>", *items, "</feed>", pause=0.25)
    query = "for $i in /feed/item group by $k := $i/@k return <g k='{ $k }'>{ count($i) }</g>"
    run_continuous(continuous(tmp_path, query, source, output="console", trigger=OFTEN))
    lines = capsys.readouterr().out.split()
    # Several states of the answer were seen, and the last one is right.
    assert len(lines) > 2
    assert "".join(lines).endswith('<gk="a">6</g><gk="b">6</g>')


def test_messages_in_lines(tmp_path: Path) -> None:
    source = served(*(f"<m n='{n}'/>\n" for n in range(5)), "<m n='last'/>")
    run_continuous(continuous(tmp_path, "<seen>{ string(/m/@n) }</seen>", f"{source}?frames=lines", trigger=OFTEN))
    assert answer(tmp_path / "out").decode().split() == [f"<seen>{n}</seen>" for n in (0, 1, 2, 3, 4, "last")]


def test_a_document_that_is_named_is_joined(tmp_path: Path) -> None:
    (tmp_path / "names.xml").write_text("<names><n id='1'>one</n><n id='2'>two</n></names>")
    query = f"for $o in /order return doc('{(tmp_path / 'names.xml').as_uri()}')//n[@id = $o/@id]/string()"
    source = documents(tmp_path / "in", 0, 4)
    run_continuous(continuous(tmp_path, query, source, allow=[tmp_path]))
    assert answer(tmp_path / "out").decode().split() == ["one", "two"]


def test_a_query_that_keeps_too_much_is_stopped(tmp_path: Path) -> None:
    query = "for $o in collection()/order order by $o/total return $o"
    with pytest.raises(DynamicError) as caught:
        run_continuous(continuous(tmp_path, query, documents(tmp_path / "in", 0, 20), state_limit_bytes=1000))
    assert caught.value.code == "XYRT0023"


def test_a_request_to_stop_lets_the_batch_finish(tmp_path: Path) -> None:
    metrics = tmp_path / "metrics"
    source = documents(tmp_path / "in", 0, 5)
    _when(lambda: metrics.exists() and metrics.read_text() != "", lambda: os.kill(os.getpid(), signal.SIGTERM))
    said = run_continuous(continuous(tmp_path, "/order/total", source, trigger=OFTEN, metrics=metrics))
    assert said.startswith("stopped after")
    assert "5 items" in said
    # It goes on where it stopped.
    documents(tmp_path / "in", 5, 7)
    run_continuous(continuous(tmp_path, "/order/total", source))
    assert answer(tmp_path / "out").decode().split() == [f"<total>{n}</total>" for n in range(7)]


def test_one_process_at_a_time(tmp_path: Path) -> None:
    from xylem.spark.continuous.checkpoint import Checkpoint

    held = Checkpoint(tmp_path / "state")
    with pytest.raises(DynamicError) as caught:
        run_continuous(continuous(tmp_path, "/order", documents(tmp_path / "in", 0, 1)))
    held.close()
    assert caught.value.code == "XYRT0024"


def _when(condition: Callable[[], bool], act: Callable[[], object]) -> None:
    def wait() -> None:
        until = time.monotonic() + 200
        while time.monotonic() < until:
            if condition():
                act()
                return
            time.sleep(0.02)

    threading.Thread(target=wait, daemon=True).start()


def test_what_keeps_spark_from_beginning_is_told_in_one_line(tmp_path: Path) -> None:
    """A full disk, a checkpoint that cannot be written: no fault of ours, and no stack of Java's."""
    query = continuous(tmp_path, "count(/order)", documents(tmp_path / "in", 1, 3))
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "spark").write_text("in the way")
    with pytest.raises(DynamicError, match="XYRT0026") as raised:
        run_continuous(query)
    assert "\n" not in str(raised.value)


def test_a_request_to_stop_while_spark_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from xylem.spark.continuous.continuous_run import _Run

    session = _Run._session

    def told_meanwhile(self: _Run) -> Any:
        self._stop()
        return session(self)

    monkeypatch.setattr(_Run, "_session", told_meanwhile)
    said = run_continuous(continuous(tmp_path, "/order", documents(tmp_path / "in", 0, 2), trigger=OFTEN))
    assert said.startswith("stopped after")
    assert "0 batches" in said


@pytest.mark.parametrize(
    ("output", "letters", "code"),
    [
        ("file:{0}/old.xml", "dead", "XYRT0031"),
        ("dir:{0}/in", "dead", "XYRT0032"),
        ("dir:{0}/out", "in", "XYRT0032"),
        ("dir:{0}/out", "old", "XYRT0031"),
    ],
)
def test_places_that_would_lose_something(tmp_path: Path, output: str, letters: str, code: str) -> None:
    """Told before anything is done: the checkpoint is still new."""
    (tmp_path / "old.xml").write_text("of another run")
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "part-000000000001-0.jsonl").write_text("{}")
    source = documents(tmp_path / "in", 0, 2)
    options = {"malformed": Malformed.DEAD_LETTER, "dead_letters": tmp_path / letters}
    with pytest.raises(InputError) as caught:
        run_continuous(continuous(tmp_path, "/order", source, output=output.format(tmp_path), **options))
    assert caught.value.code == code
    assert not (tmp_path / "state" / "query").exists()
    assert (tmp_path / "old.xml").read_text() == "of another run"


def test_a_variable_without_a_value_is_no_fault_of_the_records(tmp_path: Path) -> None:
    with pytest.raises(DynamicError, match=r"XPDY0002.*\$least has no value"):
        continuous(tmp_path, "declare variable $least external; /order[total > $least]", f"dir:{tmp_path}")


def test_an_input_that_is_broken_from_the_start_needs_no_batch(tmp_path: Path) -> None:
    (tmp_path / "in.xml").write_text("no XML at all")
    with pytest.raises(InputError, match=r"in\.xml: text outside the root element.*byte 0"):
        run_continuous(continuous(tmp_path, "count(//a)", f"file:{tmp_path}/in.xml"))
