"""`xylem run --updates`: the examples as a user runs them, reports, policies, and what the options refuse."""

from __future__ import annotations

import json
import socket
import threading
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result
from xylem.cli.app import app
from xylem.sink.changelog import ChangeRow, replayed

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "history"
COMMANDS = [line.split() for line in (EXAMPLES / "expected" / "commands.txt").read_text().splitlines()]
OPEN = '<u:stream xmlns:u="urn:xylem:update" t="0">'
STREAM = f"""{OPEN}<r><a u:id="i">1</a><u:mutable id="end"/></r>
<u:insert-before of="end" t="1"><a>2</a></u:insert-before>
<u:replace of="nobody" t="2"><a/></u:replace>
<u:remove of="i" t="3.50"/></u:stream>"""


def run(*arguments: str, stdin: str = "") -> Result:
    return CliRunner().invoke(app, ["run", *arguments], input=stdin)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_examples(command: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLES)
    result = run(*command[1:])
    assert result.exit_code == 0, result.stderr
    assert result.stdout == (EXAMPLES / "expected" / f"{command[0]}.jsonl").read_text(encoding="utf-8")


def test_all_examples_have_commands() -> None:
    asked = {argument for command in COMMANDS for argument in command if argument.endswith(".xq")}
    assert asked == {path.name for path in EXAMPLES.glob("*.xq")}


def test_reports(tmp_path: Path) -> None:
    place = tmp_path / "s.xml"
    place.write_text(STREAM)
    given = ["-q", "/r/a", "-i", str(place), "--updates", "native", "--on-malformed", "skip"]
    commits = [json.loads(line) for line in run(*given).stdout.splitlines()]
    assert commits == [
        {"commit": 1, "t": 0, "display": "<a>1</a>"},
        {"commit": 2, "t": 1, "display": "<a>1</a><a>2</a>"},
        {"commit": 3, "t": 3.5, "display": "<a>2</a>"},
    ]
    # Every display can be replayed from the log.
    parts: list[str] = []
    shown: dict[int, str] = {}
    for line in run(*given, "--report", "log").stdout.splitlines():
        row = json.loads(line)
        row["time"] = row.pop("t")
        replayed(parts, ChangeRow(**row))
        shown[row["commit"]] = "".join(parts)
    assert shown == {commit["commit"]: commit["display"] for commit in commits}
    assert run(*given, "--report", "final").stdout == "<a>2</a>\n"
    assert run(*given, "--as-of", "2", "--report", "final").stdout == "<a>1</a><a>2</a>\n"
    live = run(*given, "--report", "live").stdout
    assert live.count("-- commit") == 3
    assert live.endswith("\x1b[2K-- commit 3, t = 3.5\n")


@pytest.mark.parametrize(
    ("envelope", "last"),
    [
        ("upsert", {"seq": 3, "commit": 3, "t": 3.5, "region": 1, "place": 0, "value": None}),
        ("retract", {"op": "-D", "seq": 3, "commit": 3, "t": 3.5, "region": 1, "place": 0, "value": "<a>1</a>"}),
    ],
)
def test_envelopes(envelope: str, last: dict[str, object]) -> None:
    given = ["-q", "/r/a", "-i", "-", "--updates", "native", "--on-malformed", "skip", "--report", "log"]
    lines = run(*given, "--changes", envelope, stdin=STREAM).stdout.splitlines()
    assert json.loads(lines[-1]) == last


def test_debezium_envelope() -> None:
    given = ["-q", "/r/a", "-i", "-", "--updates", "native", "--on-malformed", "skip", "--report", "log"]
    lines = run(*given, "--changes", "debezium", stdin=STREAM).stdout.splitlines()
    told = [json.loads(line) for line in lines]
    assert [row["op"] for row in told] == ["c", "c", "d"]
    assert told[-1]["before"] == "<a>1</a>"
    assert told[-1]["ts_ms"] == 3500


def test_what_is_final_is_appended() -> None:
    given = ["-q", "/r/a", "-i", "-", "--updates", "native", "--on-malformed", "skip", "--report", "log"]
    result = run(*given, "--changes", "append", stdin=STREAM)
    assert result.exit_code == 0
    final = run(*given[:-2], "--report", "final", stdin=STREAM)
    assert "".join(json.loads(line)["new"] for line in result.stdout.splitlines()) == final.stdout.rstrip("\n")


def test_bad_updates_stop_the_run_or_go_to_dead_letters(tmp_path: Path) -> None:
    given = ["-q", "count(/r/a)", "-i", "-", "--updates", "native"]
    stopped = run(*given, stdin=STREAM)
    assert stopped.exit_code == 3
    assert "XYIN0040" in stopped.stderr
    assert "line 3" in stopped.stderr
    assert len(stopped.stdout.splitlines()) == 2
    letters = tmp_path / "letters.jsonl"
    result = run(*given, "--on-malformed", f"dead-letter={letters}", stdin=STREAM)
    assert result.exit_code == 0
    (letter,) = [json.loads(line) for line in letters.read_text().splitlines()]
    assert letter["code"] == "XYIN0040"
    assert letter["kind"] == "update"
    assert "nobody" in json.dumps(letter)


def test_a_time_before_the_first_commit_names_the_earliest() -> None:
    stream = '<u:stream xmlns:u="urn:xylem:update" t="10"><a/></u:stream>'
    result = run("-q", "/a", "-i", "-", "--updates", "native", "--as-of", "9", stdin=stream)
    assert "XYDY0021" in result.stderr
    assert "the earliest time is 10" in result.stderr


def test_streams_that_are_not_there_and_streams_of_one_name() -> None:
    given = ["--updates", "native", "-i", "x=-"]
    assert "XYIN0030" in run("-q", 'stream("y")', *given, stdin=STREAM).stderr
    assert run("-q", "1", *given, "-i", "x=-").exit_code == 2


@pytest.mark.parametrize(
    "options",
    [
        ["--report", "log"],
        ["--as-of", "1"],
        ["--key", "@id"],
        ["--updates", "native", "--changes", "upsert"],
        ["--updates", "native", "--as-of", "soon", "-i", "-"],
        ["--updates", "native", "--late", "never", "-i", "-"],
        ["--updates", "native"],
        ["--updates", "native", "--serve", ":0", "-i", "-"],
        ["--updates", "native", "--report", "live", "--serve", "nowhere", "-i", "-"],
    ],
)
def test_options_that_do_not_go_together(options: list[str]) -> None:
    assert run("-q", "1", *options).exit_code == 2


def test_a_socket() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def publish() -> None:
            connection, _ = server.accept()
            with connection:
                for at in range(0, len(STREAM), 50):
                    connection.sendall(STREAM[at : at + 50].encode())

        publisher = threading.Thread(target=publish)
        publisher.start()
        place = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        result = run("-q", "count(/r/a)", "-i", place, "--updates", "native", "--on-malformed", "skip")
        publisher.join()
    assert [json.loads(line)["display"] for line in result.stdout.splitlines()] == ["1", "2", "1"]


def test_an_answer_is_served_until_the_input_ends() -> None:
    given = ["-q", "count(/r/a)", "-i", "-", "--updates", "native", "--on-malformed", "skip", "--report", "live"]
    result = run(*given, "--serve", "127.0.0.1:0", stdin=STREAM)
    assert result.exit_code == 0
    assert result.stdout == ""
    assert "http://127.0.0.1:" in result.stderr


def test_figures() -> None:
    given = ["-q", "count(/r/a)", "-i", "-", "--updates", "native", "--on-malformed", "skip", "--stats", "json"]
    told = json.loads(run(*given, stdin=STREAM).stderr.splitlines()[-1])
    assert (told["updates"], told["commits"], told["changes"]) == (3, 3, 3)
    assert told["malformed"]["codes"] == {"XYIN0040": 1}


REPLACED = f"""{OPEN}<r><a u:id="i">0</a><b u:id="k">0</b></r>{
    "".join(
        f'<u:replace of="{id}" t="{time}"><{name}>{time}</{name}></u:replace>'
        for time in range(1, 11)
        for id, name in (("i", "a"), ("k", "b"))
    )
}</u:stream>"""


@pytest.mark.parametrize(
    ("query", "keep", "time", "told"),
    [
        ("/r/a", ["--keep-time", "3"], "7", "<a>7</a>"),
        ("/r/a", ["--keep-time", "3"], "5.9", "the earliest time kept is 6"),
        ("/r/*", ["--keep-versions", "2"], "9", "<a>9</a><b>9</b>"),
        ("/r/*", ["--keep-versions", "2"], "7.5", "the earliest time kept is 8"),
        ("/r/a#1", ["--keep-time", "3"], "7", "<a>6</a>"),
        ("/r/a#1", ["--keep-versions", "4"], "6.5", "<a>5</a>"),
        ("/r/a?2", ["--keep-time", "4"], "6", "<a>4</a>"),
        ("/r/a?2", ["--keep-time", "4"], "4", "the earliest time kept is 5"),
        ("/r/a", ["--keep-time", "100"], "0", "<a>0</a>"),
    ],
)
def test_what_is_kept_can_be_asked_for_and_nothing_earlier(query: str, keep: list[str], time: str, told: str) -> None:
    result = run("-q", query, "-i", "-", "--updates", "native", "--as-of", time, *keep, stdin=REPLACED)
    if told.startswith("<"):
        assert json.loads(result.stdout)["display"] == told
    else:
        assert "XYDY0021" in result.stderr
        assert told in result.stderr


@pytest.mark.parametrize(
    ("limit", "code"), [("regions=1", "XYIN0048"), ("history-bytes=100", "XYIN0049"), ("regions=2", "")]
)
def test_limits_of_update_streams(limit: str, code: str) -> None:
    result = run("-q", "count(/r/a#[5])", "-i", "-", "--updates", "native", "--limit", limit, stdin=REPLACED)
    assert (code in result.stderr) if code else result.exit_code == 0


def test_frozen_regions_do_not_count() -> None:
    rounds = "".join(
        f'<u:insert-before of="end" id="n{n}"><a>{n}</a></u:insert-before><u:freeze of="n{n}"/>' for n in range(20)
    )
    stream = f'{OPEN}<r><u:mutable id="end"/></r>{rounds}</u:stream>'
    given = ["-q", "count(/r/a)", "-i", "-", "--updates", "native", "--report", "final", "--limit", "regions=3"]
    assert run(*given, stdin=stream).stdout == "20\n"
    late = stream.replace("</u:stream>", '<u:remove of="n3"/></u:stream>')
    assert "XYIN0042" in run(*given, stdin=late).stderr
