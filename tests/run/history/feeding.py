"""A query over update streams in the wire format, and what its display shows after each commit that changed it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from xylem.errors import XylemError
from xylem.pipeline import StaticEnvironment, compile_query
from xylem.run.history.commits import History
from xylem.run.history.evaluation import Reevaluation, Surroundings
from xylem.run.history.feed import Feed
from xylem.source.resources import FileResources
from xylem.source.update_stream.wire import read_wire

OPEN = '<u:stream xmlns:u="urn:xylem:update" t="0">'
PAPER = f"""{OPEN}<u:mutable id="2"><a><b u:id="3">X</b></a></u:mutable>
    <u:replace of="3" id="4" t="2"><b>Y</b></u:replace>
    <u:replace of="3" id="4" t="3"><b>Z</b></u:replace>
    <u:replace of="2" id="5" t="4"><a><b>W</b></a></u:replace>
</u:stream>"""
"""The stream of section 3 of the paper, with its times t1 to t4 at 0, 2, 3 and 4."""


Shown = list[tuple[int, str, str]]
"""Commits with their times and displays."""


def told(answers: Iterable[tuple[int, str, str]]) -> tuple[Shown, str]:
    """The answers up to an error, and its code."""
    found: Shown = []
    try:
        for answer in answers:
            found.append(answer)
    except XylemError as error:
        return found, error.code
    return found, ""


def displays(
    query: str,
    stream: str,
    *,
    chunk: int = 7,
    variables: Mapping[str, Any] | None = None,
    shown: Shown | None = None,
    **feeding: Any,
) -> Shown:
    """(commit, time, display) of each commit that changed the display; in `shown`, those before an error too."""
    program = compile_query(query, StaticEnvironment(over_updates=True))
    history = History()
    feed = Feed(history.stream(""), **feeding)
    bound = {("", name): [value] for name, value in (variables or {}).items()}
    run = Reevaluation(program, history, Surroundings(FileResources(), bound))
    data = stream.encode()
    shown = [] if shown is None else shown
    for operation in read_wire([data[at : at + chunk] for at in range(0, len(data), chunk)]):
        commit = feed.apply(operation)
        if commit is not None:
            run.follow(commit)
            text = run.display.text
            if text != (shown[-1][2] if shown else ""):
                shown.append((commit.number, str(commit.time), text))
    return shown


def texts(query: str, stream: str, **given: Any) -> list[str]:
    return [text for _, _, text in displays(query, stream, **given)]
