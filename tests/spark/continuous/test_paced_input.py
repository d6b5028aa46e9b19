"""`xylem stream --replay-speed`: what is recorded comes when it is due, and the clock shows the same at every speed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import typer
from xylem.cli.stream_command import StreamArguments, continuous_query
from xylem.errors import DynamicError, InputError
from xylem.source.replay import AS_FAST_AS_POSSIBLE, Replay, ReplayClock
from xylem.spark.continuous.document_answers import DocumentAnswers
from xylem.spark.continuous.modes import mode_of
from xylem.spark.continuous.paced_input import PacedFiles, paced
from xylem.spark.continuous.subscription import Mode
from xylem.spark.shipped_query import shipped_query

LOG = b"<log><e t='10'/><e t='12'/><e t='11'/><e t='40'/></log>"
STAMPS = "for $e in xylem:add-timestamp(/log/e) return string($e/@tstamp)"


class Hands:
    """A clock whose time passes while somebody waits, and no other time."""

    def __init__(self) -> None:
        self.now = 100.0

    def clock(self, speed: float) -> ReplayClock:
        return ReplayClock(speed, monotonic=lambda: self.now)

    def wait(self, seconds: float) -> bool:
        self.now += seconds
        return False


def arrivals(pieces: Iterator[bytes | None], hands: Hands) -> Iterator[tuple[float, bytes]]:
    for piece in pieces:
        if piece:
            yield round(hands.now - 100.0, 3), piece


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_records_come_when_they_are_due(size: int) -> None:
    hands = Hands()
    chunks = [LOG[at : at + size] for at in range(0, len(LOG), size)]
    replay = Replay("/log/e/@t", 10.0)
    came = list(arrivals(paced(chunks, replay, hands.clock(10.0), hands.wait), hands))
    assert b"".join(piece for _, piece in came) == LOG
    # The piece with the end of a record's tag is the one that waits.
    last = next(when for when, piece in reversed(came) if b">" in piece)
    assert last == 3.0
    assert {when for when, _ in came} == {0.0, 0.2, 3.0}


def test_what_came_before_counts_while_the_next_one_waits() -> None:
    hands = Hands()
    found = list(paced([LOG], Replay("/log/e/@t", 1.0), hands.clock(1.0), hands.wait))
    assert found.index(None) < found.index(b"<e t='12'/>")


def test_it_gives_up_when_told_to() -> None:
    hands = Hands()
    found = list(paced([LOG], Replay("/log/e/@t", 1.0), hands.clock(1.0), lambda seconds: True))
    assert b"".join(piece for piece in found if piece) == b"<log><e t='10'/>"


def test_messages_are_documents_of_their_own() -> None:
    hands = Hands()
    lines = [b"<e t='1'/>\n<e t='3'/>\n<e", b" t='4'/>"]
    came = list(arrivals(paced(lines, Replay("/e/@t", 1.0), hands.clock(1.0), hands.wait, b"\n"), hands))
    assert b"".join(piece for _, piece in came) == b"".join(lines)
    assert {when for when, _ in came} == {0.0, 2.0, 3.0}


def test_no_times_are_an_error() -> None:
    with pytest.raises(InputError, match="XYIN0031"):
        list(paced([LOG], Replay("/log/x/@t"), ReplayClock(), lambda seconds: False))


def test_files_are_due_with_their_first_records(tmp_path: Path) -> None:
    hands = Hands()
    paths = []
    for number, time in enumerate((10, 12, 11, 40)):
        paths.append(str(tmp_path / f"{number}.xml"))
        (tmp_path / f"{number}.xml").write_text(f"<log><e t='{time}'/><e t='99'/></log>", encoding="utf-8")
    files = PacedFiles(Replay("/log/e/@t", 1.0), hands.clock(1.0))
    assert files.due(paths) == 1
    hands.wait(2.0)
    assert files.due(paths[1:]) == 2
    assert files.due(paths[3:]) == 0
    hands.wait(28.0)
    assert files.due(paths[3:]) == 1
    (tmp_path / "x.xml").write_text("<x/>", encoding="utf-8")
    with pytest.raises(InputError, match=r"x\.xml"):
        files.due([str(tmp_path / "x.xml")])


def test_the_clock_is_that_of_the_records() -> None:
    query = shipped_query(STAMPS, replay=Replay("/log/e/@t", 1.0))
    answers = DocumentAnswers(query)
    told = answers.answer([LOG[:20], LOG[20:]], 0).decode().split()
    # One that is late does not turn the clock back, as in one process.
    assert [stamp[17:19] for stamp in told] == ["10", "12", "12", "40"]


def test_who_asks_the_clock_sees_the_stream_in_order() -> None:
    replay = Replay("/log/e/@t", AS_FAST_AS_POSSIBLE)
    asked = shipped_query("for $e in /log/e return xylem:add-timestamp($e)", replay=replay)
    assert mode_of(asked, is_one_document=True) is Mode.IN_ORDER
    assert mode_of(shipped_query(STAMPS, replay=replay), is_one_document=False) is Mode.EACH
    plain = shipped_query("for $e in /log/e return <x>{ $e }</x>", replay=replay)
    assert mode_of(plain, is_one_document=True) is Mode.SPREAD
    everything = shipped_query("collection()/log/e ! xylem:add-timestamp(.)", replay=replay, several_documents=True)
    with pytest.raises(DynamicError, match="clock of a replay"):
        mode_of(everything, is_one_document=False)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"inputs": ["kafka://host:9092/topic"]}, "topic"),
        ({"inputs": ["file:log.xml"]}, "--input - < FILE"),
        ({"inputs": ["a=dir:a", "b=dir:b"], "within": "1s"}, "no common clock"),
        ({"replay_time": None}, "needs --replay-time"),
        ({"replay_speed": None}, "needs --replay-speed"),
        ({"replay_speed": "fast"}, "is not a speed"),
        ({"trigger": "available-now"}, "--replay-speed max"),
    ],
)
def test_where_it_makes_no_sense(
    tmp_path: Path, arguments: dict[str, object], told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    given: dict[str, object] = {"inputs": ["-"], "replay_speed": "10x", "replay_time": "/log/e/@t"}
    with pytest.raises(typer.BadParameter, match=told):
        continuous_query(stream_arguments(tmp_path, **(given | arguments)))


def test_a_path_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="XYIN0031"):
        continuous_query(stream_arguments(tmp_path, inputs=["-"], replay_speed="max", replay_time="a b"))


def stream_arguments(place: Path, **given: object) -> StreamArguments:
    make: Callable[..., StreamArguments] = StreamArguments
    inputs = given.pop("inputs")
    return make([], "//e", inputs, "console", place / "state", **given)
