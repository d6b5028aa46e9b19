"""`xylem explain --on spark`, for people and for programs."""

from __future__ import annotations

import json

from typer.testing import CliRunner
from xylem.cli.app import app

RUNNER = CliRunner()


def test_for_people() -> None:
    ended = RUNNER.invoke(app, ["explain", "--on", "spark", "-q", "count(//a)"])
    assert ended.exit_code == 0
    assert ended.stdout.startswith("split\n    before each //a\n")


def test_why_it_is_one_task() -> None:
    ended = RUNNER.invoke(app, ["explain", "--on", "spark", "-q", "for $a in //a\nreturn $a/preceding::b"])
    assert ended.stdout == (
        "one task, over the whole input\n    the axis preceding may be in another part of the document (2:11)\n"
        "    it keeps the tree of the whole input\n\n"
        "plan\n    1  one task    2 | step $a/preceding::b\n    2  one task    1 |   bind for $a\n"
        "    3  one task    1 |     scan //a\n"
    )


def test_for_programs() -> None:
    ended = RUNNER.invoke(app, ["explain", "--on", "spark", "-q", "sum(//a/@n)", "--format", "json"])
    facts = json.loads(ended.stdout)
    assert facts["parallel"]
    assert [part["kind"] for part in facts["parts"]] == ["aggregate"]
    assert facts["frame"] == "$part1"
    merged, partial, *_, scan = facts["operators"]
    assert [merged["runs"], partial["runs"], scan["runs"]] == ["merge", "task", "task"]
    assert merged["inputs"] == [partial["id"]]
    assert partial["properties"]["merge"] == "states are merged"


def test_options_of_one_process_are_refused() -> None:
    ended = RUNNER.invoke(app, ["explain", "--on", "spark", "-q", "1", "--code"])
    assert ended.exit_code == 2


def test_a_faulty_query_is_told_as_ever() -> None:
    ended = RUNNER.invoke(app, ["explain", "--on", "spark", "-q", "count(//a"])
    assert ended.exit_code != 0


def test_what_windows_keep_over_a_stream() -> None:
    query = (
        "for $u in distinct-values(/log/entry/user) forseq $w in /log/entry[user eq $u] tumbling window "
        "start curItem $a when true() end curItem $b when $b/@t - $a/@t ge 6 return <x u='{ $u }'>{ $w[3] }</x>"
    )
    told = RUNNER.invoke(app, ["explain", "--on", "spark", "-q", query]).stdout
    assert "shuffled by group, $u" in told
    assert "keyed state, by $u := user" in told
    assert "for each key the items of the open window" in told
    unkeyed = "for sliding window $w in /log/entry start $s when true() end $e when $e/@t > $s/@t + 5 return $w[2]"
    told = RUNNER.invoke(app, ["explain", "--on", "spark", "-q", unkeyed, "--format", "json"]).stdout
    (windows,) = json.loads(told)["stream_windows"]
    assert windows["state"].startswith("sequential state")
    assert windows["holds"] == ["the items since the oldest open window"]
    timed = "declare option xylem:event-time '@t'; declare option xylem:watermark '7s'; " + query
    told = RUNNER.invoke(app, ["explain", "--on", "spark", "-q", timed]).stdout
    assert "event time needs the items of the whole input in one place" in told
    assert "wait for their turn in event time, for 7s" in told
