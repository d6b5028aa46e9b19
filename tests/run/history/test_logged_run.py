"""A change log that is continued from saved states, at any message, is that of a run that nobody interrupted."""

from __future__ import annotations

import json
import random
import re

import pytest
from xylem.errors import DynamicError, XylemError
from xylem.pipeline import StaticEnvironment
from xylem.query.history_query import HistoryQuery
from xylem.run.history.evaluation import Surroundings
from xylem.run.history.logged_run import LoggedRun
from xylem.run.history.text_runs import TextRuns
from xylem.sink.changelog import Envelope
from xylem.source.kernel import is_kernel_built
from xylem.source.resources import FileResources
from xylem.source.update_stream.formats import UpdateFormat

from tests.run.history.adversarial_queries import AdversarialQuery
from tests.run.history.adversarial_streams import AdversarialStream
from tests.run.history.random_wire import random_query, random_stream
from tests.run.history.test_text_runs import ANSWERED, random_texts

NAMESPACE = 'xmlns:u="urn:xylem:update"'
NATIVE = UpdateFormat()
KEYED = UpdateFormat("keyed", key="@id", version="@v")


def run(
    query: HistoryQuery, how: UpdateFormat, saved: bytes | None = None, envelope: Envelope | None = None
) -> LoggedRun:
    around = Surroundings(FileResources(), {})
    return LoggedRun(query.program, query.operators, around, how, "q", saved=saved, envelope=envelope)


def logs(text: str, messages: list[bytes], how: UpdateFormat = NATIVE) -> tuple[list[str], list[str]]:
    """The log of one run, and that of a run for each message."""
    query = HistoryQuery(text, StaticEnvironment())
    whole = run(query, how)
    at_once = [line for message in messages for line in whole.take(message)]
    state: bytes | None = None
    continued: list[str] = []
    for message in messages:
        one = run(query, how, state)
        continued += one.take(message)
        state = one.save()
    return at_once, continued


def messages_of(stream: str) -> list[bytes]:
    """The base and the updates of a random stream, each a message of its own."""
    inside = re.sub(r"^<u:stream [^>]*>|</u:stream>$", "", stream)
    base, rest = inside.split("</r>", 1)
    depth, start, found = 0, 0, [f"{base}</r>"]
    for tag in re.finditer(r"<(/?)u:[a-z-]+[^>]*?(/?)>", rest):
        depth += -1 if tag[1] else not tag[2]
        if depth == 0:
            found.append(rest[start : tag.end()])
            start = tag.end()
    return [re.sub(r"^<([\w:-]+)", rf"<\1 {NAMESPACE}", one, count=1).encode() for one in found]


def test_random_streams_are_continued_at_every_message() -> None:
    lines = 0
    for seed in range(60):
        rng = random.Random(f"continued {seed}")
        messages = messages_of(random_stream(rng))
        query = random_query(rng).replace('stream("t")', 'stream("s")')
        try:
            at_once, continued = logs(query, messages)
        except XylemError:
            # Not every random text is a query.
            continue
        assert continued == at_once, f"seed {seed}: {query}"
        lines += len(at_once)
    assert lines > 200


@pytest.mark.parametrize("text", ANSWERED)
def test_texts_that_the_kernel_answers_give_the_same_log(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    answered = TextRuns._answered
    monkeypatch.setattr(
        TextRuns, "_answered", lambda self, found: [*answered(self, found), seen.append(len(found))][:-1]
    )
    for seed in range(4):
        rng = random.Random(f"texts {seed} {text}")
        messages = messages_of(random_texts(rng, 60).replace("\n", ""))
        query = HistoryQuery(text, StaticEnvironment())
        with monkeypatch.context() as by_code:
            by_code.setattr(LoggedRun, "_answered", lambda self, message: None)
            expected = lines_of(query, messages)
        assert lines_of(query, messages, rng) == expected, f"seed {seed}"
        together = [messages[0], *(b"\n".join(messages[at : at + 7]) for at in range(1, len(messages), 7))]
        assert lines_of(query, together, rng) == expected, f"seed {seed}"
        streams = [b"<u:stream %s>%s</u:stream>" % (NAMESPACE.encode(), some) for some in together[1:]]
        # In a stream, what stands before an update needs no namespace of its own.
        assert expected[-1] == "XYIN0001" or lines_of(query, [messages[0], *streams], rng) == expected, f"seed {seed}"
    # Where numbers are asked for, random texts end the run early.
    assert seen or not is_kernel_built() or "xs:integer" in text


def lines_of(query: HistoryQuery, messages: list[bytes], saves: random.Random | None = None) -> list[str]:
    """The log up to the first error, and its code; with `saves`, of runs that continue one another."""
    one, found = run(query, NATIVE), []
    try:
        for message in messages:
            found += one.take(message)
            if saves is not None and saves.random() < 0.05:
                one = run(query, NATIVE, one.save())
    except XylemError as error:
        found.append(error.code)
    return found


def test_the_keys_of_a_feed_are_known_again() -> None:
    messages = [b'<l><r id="1" v="1">a</r></l>', b'<l><r id="2" v="1">b</r></l>', b'<l><r id="1" v="1">old</r></l>']
    messages.append(b'<l><r id="1" v="2">c</r></l>')
    at_once, continued = logs("for $r in /l/r order by string($r) return $r/text()", messages, KEYED)
    assert continued == at_once
    assert '"new": "c"' in at_once[-1]


def test_what_a_polled_feed_showed_last_is_known_again() -> None:
    polls = [b'<l><r id="1">a</r><r id="2">b</r></l>', b'<l><r id="3">c</r><r id="2">b</r></l>']
    polls += [b'<l><r id="3">c</r><r id="2">b</r></l>', b'<l><r id="2">d</r></l>']
    at_once, continued = logs("/l/r", polls, UpdateFormat("snapshot"))
    assert continued == at_once
    assert [line.split('"op": ')[1].split(",")[0] for line in at_once] == [
        '"insert"', '"insert"', '"replace"', '"remove"', '"replace"'
    ]  # fmt: skip


def test_a_frozen_region_stays_frozen_and_an_unseen_one_stays_known() -> None:
    query = HistoryQuery("//a", StaticEnvironment())
    first = run(query, NATIVE)
    base = f'<r {NAMESPACE}><a u:id="i"/><b u:id="k"><a u:id="inner"/></b></r>'
    for message in (base, f'<u:freeze {NAMESPACE} of="i"/>', f'<u:replace {NAMESPACE} of="k"><b/></u:replace>'):
        list(first.take(message.encode()))
    again = run(query, NATIVE, first.save())
    assert list(again.take(f'<u:replace {NAMESPACE} of="inner"><a>seen by nobody</a></u:replace>'.encode())) == []
    with pytest.raises(XylemError) as refused:
        list(again.take(f'<u:remove {NAMESPACE} of="i"/>'.encode()))
    assert refused.value.code == "XYIN0042"


def test_what_was_not_saved_by_us_is_refused() -> None:
    with pytest.raises(DynamicError) as refused:
        run(HistoryQuery("1", StaticEnvironment()), NATIVE, b"something else")
    assert refused.value.code == "XYRT0033"


def test_what_is_final_is_appended_once_wherever_the_run_is_divided() -> None:
    messages = [f'<r {NAMESPACE}><a u:id="i"/><a u:id="j">1</a></r>', '<u:remove of="i"/>', '<u:freeze of="i"/>',
                '<u:replace of="j"><a>2</a></u:replace>', '<u:freeze of="j"/>', '<u:clock t="9"/>']  # fmt: skip
    written = [one.replace("<u:", "<u:", 1).replace(" of=", f" {NAMESPACE} of=").encode() for one in messages]
    written[-1] = f'<u:clock {NAMESPACE} t="9"/>'.encode()
    query = HistoryQuery("//a", StaticEnvironment())
    for cut in range(len(written)):
        one = run(query, NATIVE, envelope="append")
        lines = [line for message in written[:cut] for line in one.take(message)]
        one = run(query, NATIVE, one.save(), envelope="append")
        lines += [line for message in written[cut:] for line in one.take(message)]
        assert [json.loads(line)["new"] for line in lines] == ["<a>2</a>"]


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        # What shows nothing, or only tags, has been told as well.
        ("<out>{ //c[@k = 0]#[2] }</out>", 4),
        ("<out>{ count(//c) }</out>, for $x in //b return <e/>", 4),
        ("if (//c) then 'some' else 'none'", 2),
    ],
)
def test_an_answer_without_units_is_not_told_again(query: str, rows: int) -> None:
    base = f'<r {NAMESPACE}><a u:id="i"/></r>'
    clock = f'<u:clock {NAMESPACE} t="1"/>'
    update = f'<u:insert-after {NAMESPACE} of="i" t="2"><c k="0"/></u:insert-after>'
    at_once, continued = logs(query, [one.encode() for one in (base, clock, update)])
    assert continued == at_once
    assert len(at_once) == rows


def test_adversarial_streams_are_continued_at_every_message() -> None:
    compared = 0
    for seed in range(16):
        rng = random.Random(f"continued {seed}")
        messages = AdversarialStream(rng).messages()
        for _ in range(4):
            text = AdversarialQuery(rng).text().replace("stream('t')", "/").replace('stream("t")', "/")
            text = text.replace('stream("s")', "/").replace("//r", "/r").replace("///", "//")
            try:
                at_once, continued = logs(text, messages)
            except XylemError:
                continue
            assert continued == at_once, f"seed {seed}: {text}"
            compared += 1
    assert compared > 30
