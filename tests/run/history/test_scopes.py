"""What no operator maintains is evaluated again by itself; the rest of the query is kept up to date."""

from __future__ import annotations

import pytest
from xylem.pipeline import StaticEnvironment, compile_history
from xylem.plan.history_text import history_text
from xylem.query.history_query import HistoryQuery
from xylem.run.history.engine import Engine
from xylem.run.history.run import UpdateInput, UpdateRun
from xylem.source.resources import FileResources
from xylem.source.update_stream.wire import read_wire

from tests.run.history.feeding import OPEN

ITEMS = "".join(f'<a><b u:id="b{n}">{n}</b></a>' for n in range(50))
STREAM = f"""{OPEN}<r>{ITEMS}</r><u:replace of="b7" t="1"><b>70</b></u:replace>
<u:replace of="b8" t="2"><b>80</b></u:replace><u:clock t="9"/></u:stream>""".encode()


def run_of(query: str) -> UpdateRun:
    return HistoryQuery(query, StaticEnvironment()).run([UpdateInput("", "", read_wire([STREAM]))], FileResources(), {})


@pytest.mark.parametrize(
    ("query", "scopes"),
    [
        ("<r>{ //a[b > 60] }{ count(//b/following::b) }</r>", 1),
        ("for $x in //a where $x/b > count(//b/following::b) div 1000 return $x/b", 1),
        ("(count(//b/following::b), for $x in //a return count($x/b), //b/following::b)", 2),
        ("if (count(//b/following::b) > 5) then //a[b > 60] else ()", 1),
    ],
)
def test_only_a_part_is_evaluated_from_the_beginning(query: str, scopes: int) -> None:
    program = compile_history(query, StaticEnvironment())
    assert not program.plan.whole
    assert len(program.scopes) == scopes
    run = run_of(query)
    for _ in run.commits():
        pass
    assert isinstance(run.run, Engine)
    assert not run.run.why_whole
    # Each element once, and the two that changed.
    assert run.run.evaluated == 52


def test_what_stands_in_braces_is_replaced_but_not_the_braces() -> None:
    run = run_of("<r n='{ count(//a) }'>{ //b/following::b[last()] }</r>")
    shown = [answer.display.text for answer in run.answers() if answer.is_changed]
    assert shown[0] == '<r n="50"><b>49</b></r>'
    assert isinstance(run.run, Engine)
    assert not run.run.why_whole


def test_all_of_it_where_one_variable_is_read_everywhere() -> None:
    assert compile_history("for $x in //a return $x/following::b", StaticEnvironment()).plan.whole


def test_parts_read_the_same_nodes() -> None:
    query = "generate-id((//b)[1]) = generate-id((//b)[1]), count(//a)"
    assert len(compile_history(query, StaticEnvironment()).scopes) == 2
    assert [answer.display.text for answer in run_of(query).answers() if answer.is_changed] == ["true 50"]


def test_explained() -> None:
    program = compile_history("<r>{ count(//a) }{ //b/following::b#1 }</r>", StaticEnvironment())
    from xylem.analysis.history.demand import demand_of

    text = history_text(program.plan, demand_of([one.module for one in program.scopes]))
    assert "(1:20): evaluated again after each commit, over all there is: it follows the axis following" in text
    assert "2 versions, of each region" in text


@pytest.mark.parametrize(
    ("query", "versions"),
    [
        ("<r>{ //a/b }{ //b/following::b#1 }</r>", 2),
        ("<r>{ //a/b#1 }{ //b/following::b }</r>", 2),
        ("<r>{ //a/b }{ //b/following::b }</r>", 1),
    ],
)
def test_no_more_is_kept_than_is_asked_for(query: str, versions: int) -> None:
    more = b"".join(b'<u:replace of="b9" t="%d"><b>%d</b></u:replace>' % (t, t) for t in range(3, 9))
    data = STREAM.replace(b'<u:clock t="9"/>', more)
    run = HistoryQuery(query, StaticEnvironment()).run([UpdateInput("", "", read_wire([data]))], FileResources(), {})
    for _ in run.commits():
        pass
    assert isinstance(run.run, Engine)
    assert not run.run.why_whole
    (stream,) = run.history.streams.values()
    assert max(len(slot.versions) for slot in stream.slots.values()) == versions


@pytest.mark.parametrize(
    "asked", ["xylem:begin(//b[1][. = 3])", "(xylem:begin#1)(//a[4]/b)", "//b[. = 3] ! xylem:begin(.)"]
)
def test_a_part_may_ask_when_something_began(asked: str) -> None:
    """The other parts need no earlier commits, but their times are kept."""
    query = f"count(//a), {asked}"
    stream = STREAM.replace(b't="9"', b't="9"/><u:replace of="b9" t="10"><b>1</b></u:replace><u:clock t="12"')
    made = HistoryQuery(query, StaticEnvironment())
    run = made.run([UpdateInput("", "", read_wire([stream]))], FileResources(), {})
    assert run.final().text == "50 0"
