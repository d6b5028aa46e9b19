"""Updates that the kernel reads in runs are those that the reader of the whole format reads, each at the same place."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest
from xylem.errors import XylemError
from xylem.source.kernel import is_kernel_built
from xylem.source.limits import DEFAULT_LIMITS
from xylem.source.update_stream import wire
from xylem.source.update_stream.formats import UpdateFormat, message_operations, message_run
from xylem.source.update_stream.operations import (
    BeginUpdate,
    End,
    EndUpdate,
    Event,
    Operation,
    Start,
    Text,
    WrittenContent,
    WrittenNames,
)
from xylem.source.update_stream.simple_run import SimpleRun

from tests.run.history.random_wire import random_stream

pytestmark = pytest.mark.skipif(not is_kernel_built(), reason="runs are read by the kernel")
OPEN = '<u:stream xmlns:u="urn:xylem:update" xmlns:p="urn:p" t="0">'
CASES = [
    f"""{OPEN}<r><a u:id="i">1</a></r>
    <u:replace of="i" t="1"><a k="&lt;&#65;" p:k='2'>x &amp; y<p:b u:id="j"/></a> tail</u:replace>
  <u:replace of='i' id="n" t = "2" ></u:replace ><u:clock t="3"/> <u:commit/><u:remove of="i" t="4"></u:remove>
<u:replace of="i" t="5"><!-- c --><a/></u:replace><u:replace of="i" t="6"><a/></u:replace><u:freeze of="n"/>
<u:insert-before of="i" t="soon"><a/></u:insert-before><u:insert-after of="i"><b>é\u4e00</b></u:insert-after>
<u:batch t="9"><u:remove of="i"/><u:replace of="i"><a/></u:replace></u:batch><u:replace of="i" t="10"><a/></u:replace>
<c>more base</c><u:replace of="i" t="11"><a>]</a></u:replace>text<u:replace of="i" t="12"/></u:stream>""",
    '<v:stream xmlns:v="urn:xylem:update" xmlns="urn:d"><a v:id="i"/><v:replace of="i"><a xmlns="">1</a></v:replace>'
    '<v:replace of="i"><a>1<b/></a></v:replace></v:stream>',
    '<stream xmlns="urn:xylem:update"><a xmlns="" u:id="i" xmlns:u="urn:xylem:update"/><replace of="i"/></stream>',
    """<r xmlns:u="urn:xylem:update"><a u:id="i"/></r>
<u:replace xmlns:u="urn:xylem:update" of="i" t="1"><a>2</a></u:replace>
<w:remove xmlns:w="urn:xylem:update" of="i" t="2"/><x:remove xmlns:x="urn:other" of="i"/>
<?xml version="1.0"?><u:replace xmlns:u="urn:xylem:update" of="i"><a/></u:replace>""",
    f'<!DOCTYPE r [<!ENTITY e "z">]>{OPEN}<r u:id="i"/><u:replace of="i">&e;</u:replace></u:stream>',
    f'<?xml version="1.0" encoding="iso-8859-1"?>{OPEN}<r u:id="i"/><u:replace of="i">\xe9</u:replace></u:stream>',
    f'{OPEN}<r u:id="i"/><u:replace of="i"><a></u:replace></u:stream>',
    f'{OPEN}<r u:id="i"/><u:replace of="i">1</u:replace><u:replace of="i"><q:a/></u:replace></u:stream>',
    f'{OPEN}<r u:id="i"/><u:replace of="i"><a k="1" k="1"/></u:replace></u:stream>',
    f'{OPEN}<r u:id="i"/><u:replace of="i" t="1">1</u:replace>\n <u:replace t="2">1</u:replace><u:nothing/></u:stream>',
    # Columns count characters, also behind updates that another reader has read.
    f'{OPEN}<r u:id="\xe9"/><u:replace of="\xe9">\u4e00</u:replace> <u:remove of="i"/>\xe9<!--\xe9-->'
    '<u:remove of="\xe9"/><u:replace of="\xe9">\xe9</u:replace> \n \xe9 <u:replace'
    ' of="\xe9"><!-- \U0001f600 -->\u4e00</u:replace><u:clock t="soon"/></u:stream>',
    """<r xmlns:u="urn:xylem:update"><a u:id="\xe9"/></r><u:remove xmlns:u="urn:xylem:update" of="\xe9"/><u:remove
    xmlns:u="urn:xylem:update" of="\xe9" t="\xe9"/><u:replace
    xmlns:u="urn:xylem:update" of="\xe9">\xe9<a></u:replace>""",
]


def events_of(operation: Operation) -> list[Event]:
    """The events of an operation, whichever way it was read."""
    update = operation.update
    if update is None:
        return operation.events
    begin = BeginUpdate(update.kind, update.of, update.id, operation.where)
    return [begin, *content_events(update.content, update.names, update.names.declared), EndUpdate()]


def content_events(content: WrittenContent, names: WrittenNames, declared: Any) -> Iterator[Event]:
    for item in content:
        if isinstance(item, str):
            yield Text(item)
            continue
        name, attributes, id, inner = item
        named = tuple((names.attributes[key], value) for key, value in attributes)
        yield Start(names.elements[name], named, declared, id)
        yield from content_events(inner, names, None)
        yield End()


def told(data: bytes, chunk: int) -> list[Any]:
    """What is read, without where the base is cut into parts."""
    found: list[Any] = []
    base: list[Event] = []
    try:
        for one in wire.read_wire([data[at : at + chunk] for at in range(0, len(data), chunk)]):
            if one.kind == "base":
                base += one.events
                if not one.commits:
                    continue
            if base:
                # Characters come in as many pieces as they are read in.
                found.append(("base", _merged(base)))
                base = []
            if one.kind != "base":
                code = None if one.error is None else (one.error.code, one.error.place)
                found.append((one.kind, _merged(events_of(one)), one.time, one.where, one.data, code))
    except XylemError as error:
        found.append((error.code, error.place))
    return [*found, _merged(base)]


def _merged(events: list[Event]) -> list[Event]:
    made: list[Event] = []
    for event in events:
        if isinstance(event, Text) and made and isinstance(made[-1], Text):
            event = Text(made.pop().value + event.value)  # type: ignore[union-attr]
        made.append(event)
    return made


def compared(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    data = text.encode("iso-8859-1" if "8859" in text else "utf-8")
    with monkeypatch.context() as without:
        without.setattr(wire, "is_kernel_built", lambda: False)
        expected = told(data, 1 << 20)
    for chunk in (1 << 20, 1, 7, 200):
        assert told(data, chunk) == expected, f"in chunks of {chunk}"


@pytest.mark.parametrize("number", range(len(CASES)))
def test_each_case(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    compared(CASES[number], monkeypatch)


def test_random_streams(monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(60):
        compared(random_stream(random.Random(f"runs {seed}")), monkeypatch)


def test_runs_are_read_at_once() -> None:
    updates = "".join(f'<u:replace of="i" t="{time}"><a>{time}</a></u:replace>\n' for time in range(2_000))
    stream = f'{OPEN}<r><a u:id="i">0</a></r>{updates}</u:stream>'.encode()
    read = list(wire.read_wire([stream]))
    assert sum(one.update is not None for one in read) > 1_500
    assert len(read) == 2_001


@pytest.mark.parametrize(
    "message",
    [
        '<u:replace xmlns:u="urn:xylem:update" of="i" t="5"><a k="1">x &amp; y<b/></a></u:replace>',
        ' \n<w:remove xmlns:w="urn:xylem:update" of="i" id="k"/>\r\n ',
        '<u:clock xmlns:u="urn:xylem:update" t="7"/>',
        '<u:replace xmlns:u="urn:xylem:update" of="i" t="soon"><a/></u:replace>',
        '<u:replace xmlns:u="urn:xylem:update" of="i"><a/></u:replace><!-- c -->',
        '<u:replace xmlns:u="urn:xylem:update" of="i"><a/></u:replace> more',
        '<u:replace xmlns:u="urn:xylem:update" of="i"><a/></u:replace><u:clock xmlns:u="urn:xylem:update" t="1"/>',
        '<u:replace xmlns:u="urn:xylem:update" of="i"><a></u:replace>',
        '<u:batch xmlns:u="urn:xylem:update" t="1"><u:remove of="i"/></u:batch>',
        '<r xmlns:u="urn:xylem:update"><a u:id="i"/></r>',
    ],
)
def test_a_message_that_is_a_simple_update(message: str) -> None:
    def read(simple: SimpleRun | None) -> list[Any]:
        found: list[Any] = []
        try:
            for one in message_operations(
                message.encode(), UpdateFormat(), None, DEFAULT_LIMITS, is_first=False, simple=simple
            ):
                code = None if one.error is None else (one.error.code, one.error.place)
                found.append((one.kind, _merged(events_of(one)), one.time, one.commits, one.where, one.data, code))
        except XylemError as error:
            found.append((error.code, error.place))
        return found

    assert read(message_run(UpdateFormat(), DEFAULT_LIMITS)) == read(None)


def test_only_the_begin_of_an_update_waits_for_the_next_chunk() -> None:
    base = f'{OPEN}<r><a u:id="i">0</a></r>'
    complete = [
        '<u:replace of="i" t="1"><a>1</a></u:replace>',
        '<u:replace of="i" t="2"><!-- c --><a>2</a></u:replace>',
        '<u:batch t="3"><u:remove of="i"/></u:batch>',
        '<u:clock t="4"/>',
        '<u:freeze of="i"/>',
    ]
    for leaves_runs in (False, True):
        reader = wire.WireReader(DEFAULT_LIMITS, commits_items=False, encoding=None, is_first=True)
        reader.leaves_runs = leaves_runs
        reader.take(base.encode())
        list(reader.given())
        for update in complete:
            for size in (len(update) - 1, len(update) // 2, 9):
                cut = update[:size].encode()
                reader.take(cut)
                assert not [one for one in reader.given() if one.kind != "base"]
                reader.take(update[size:].encode())
                (found,) = [one for one in reader.given() if one.kind != "base"]
                # Only the updates that the parser has read have their events.
                is_simple = update in (complete[0], complete[3])
                assert bool(found.simple or found.update or not found.events) == is_simple
        reader.take(b'<u:replace of="i"><a>')
        assert not list(reader.given())
        with pytest.raises(Exception, match="no element found"):
            reader.finish()
