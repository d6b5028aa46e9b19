"""Runs of a project: started, stopped and found again; their results, displays, dead letters and figures."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import xylem

pytest.importorskip("starlette")
pytest.importorskip("httpx2")

from xylem.console.app import console_app
from xylem.console.registry import Asked
from xylem.console.run_arguments import arguments
from xylem.console.run_log import ResultLog, display_at, letters, lines, replay, thinned
from xylem.console.runs import RUNS_AT_ONCE
from xylem.console.safety import PAGE_TOKEN, Access
from xylem.console.stream_figures import of_batch, over_time

UPDATES = """<u:stream xmlns:u='urn:xylem:update'><a><b u:id='i'>1</b><b u:id='j'>2</b></a>
<u:replace of='i' t='5'><b>7</b></u:replace><u:remove of='j' t='6'/></u:stream>"""
BROKEN = "<a><b>1</b>\n<b><c>2</b>\n<b>3</b></a>"


class Console:
    """A console over a project, and a browser that may do what its pages may."""

    def __init__(self, project: Path) -> None:
        from starlette.testclient import TestClient

        access = Access()
        self._client = TestClient(console_app(access, project), base_url="http://127.0.0.1:8480")
        self._headers = {PAGE_TOKEN: access.page_token}

    def get(self, path: str, **headers: str) -> Any:
        return self._client.get(path, headers=headers)

    def post(self, path: str, **asked: str) -> Any:
        return self._client.post(path, json=asked, headers=self._headers)

    def ended(self, number: str) -> dict[str, Any]:
        for _ in range(600):
            run: dict[str, Any] = self.get(f"/api/runs/{number}").json()
            if run["state"] != "running":
                return run
            time.sleep(0.05)
        raise AssertionError(run)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "b.xq").write_text("//b")
    (tmp_path / "updates.xml").write_text(UPDATES)
    (tmp_path / "broken.xml").write_text(BROKEN)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "c.xq").write_text("count(//b)")
    return tmp_path


def events(text: str) -> list[tuple[int, str, Any]]:
    found = []
    for event in text.strip().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in event.splitlines())
        found.append((int(fields["id"]), fields["event"], json.loads(fields["data"])))
    return found


def test_a_run_with_dead_letters(project: Path) -> None:
    console = Console(project)
    number = console.post("/api/runs", query="b.xq", input="broken.xml", malformed="dead-letter").json()["id"]
    run = console.ended(number)
    assert (run["state"], run["figures"]["malformed"], run["figures"]["results"]) == ("done", 1, 2)
    (letter,) = console.get(f"/api/runs/{number}/letters").json()
    assert (letter["error_line"], letter["path"], letter["text"]) == (2, "/a/b/c", "<b><c>2</b>")
    (shown, end) = events(console.get(f"/api/runs/{number}/events").text)
    assert shown == (2, "display", {"regions": [[1, "<b>1</b>"], [2, "<b>3</b>"]], "commit": 2})
    assert end[1] == "end"
    page = console.get(f"/?run={number}&letter=0")
    assert "&lt;b&gt;&lt;c&gt;2&lt;/b&gt;" in page.text
    operators = console.get(f"/api/runs/{number}/plan").json()
    assert operators[-1]["operator"] == "scan"
    assert operators[-1]["items_out"] == 2


def test_a_run_over_updates_can_be_seen_as_of_each_commit(project: Path) -> None:
    console = Console(project)
    number = console.post("/api/runs", query="b.xq", input="updates.xml", updates="native").json()["id"]
    run = console.ended(number)
    query = xylem.api.history_query("//b")
    wanted = [(answer.commit.number, answer.display.text) for answer in query.answers(UPDATES.encode())]
    shown = [
        (each["commit"], console.get(f"/api/runs/{number}/display?commit={each['commit']}").json()["display"])
        for each in run["commits"]
    ]
    assert shown == wanted
    (display, _) = events(console.get(f"/api/runs/{number}/events").text)
    assert "".join(text for _, text in display[2]["regions"]) == wanted[-1][1]


def test_who_comes_back_gets_the_rows_that_are_missing(project: Path) -> None:
    console = Console(project)
    number = console.post("/api/runs", query="b.xq", input="updates.xml", updates="native").json()["id"]
    console.ended(number)
    log = project / ".xylem" / "runs" / number / "result"
    rows = [json.loads(line) for line in log.read_text().splitlines()]
    for seen in range(1, len(rows) + 1):
        regions: list[tuple[int, str]] = []
        for row in rows[:seen]:
            replay(regions, row)
        told = events(console.get(f"/api/runs/{number}/events", **{"last-event-id": str(seen)}).text)
        for _, name, data in told:
            assert name in ("rows", "end")
            for row in data.get("rows", ()):
                replay(regions, row)
        assert "".join(text for _, text in regions) == display_at(log, rows[-1]["commit"])


def endless(project: Path) -> str:
    """A query that does not come to its end."""
    (project / "endless.xq").write_text("for $b in //b, $i in 1 to 1000000000 where $i mod 100000 = 0 return $i")
    return "endless.xq"


def test_stopped_by_another_console(project: Path) -> None:
    first, second = Console(project), Console(project)
    number = first.post("/api/runs", query=endless(project), input="updates.xml").json()["id"]
    assert [run["state"] for run in second.get("/api/runs").json()] == ["running"]
    assert second.post(f"/api/runs/{number}/stop").json() == {}
    assert second.ended(number)["state"] == first.ended(number)["state"] == "stopped"
    again = second.post(f"/api/runs/{number}/restart").json()["id"]
    assert again != number
    second.post(f"/api/runs/{again}/stop")
    assert second.ended(again)["state"] == "stopped"


def test_only_so_many_at_once(project: Path) -> None:
    console, name = Console(project), endless(project)
    started = [console.post("/api/runs", query=name, input="updates.xml").json()["id"] for _ in range(RUNS_AT_ONCE)]
    refused = console.post("/api/runs", query=name, input="updates.xml")
    assert refused.status_code == 409
    assert "XYIN0004" in refused.json()["error"]
    for number in started:
        console.post(f"/api/runs/{number}/stop")
    assert {console.ended(number)["state"] for number in started} == {"stopped"}


def test_an_error_of_the_query_is_shown(project: Path) -> None:
    (project / "wrong.xq").write_text("//b[")
    console = Console(project)
    run = console.ended(console.post("/api/runs", query="wrong.xq", input="updates.xml").json()["id"])
    assert run["state"] == "failed"
    assert "XPST0003" in run["told"]


@pytest.mark.parametrize("name", ["../b.xq", "/etc/passwd", "", ".", "..", "missing.xq", "link.xq", "b.xq\0"])
def test_no_file_outside_the_project(project: Path, name: str) -> None:
    (project.parent / "outside.xq").write_text("1")
    (project / "link.xq").symlink_to(project.parent / "outside.xq")
    console = Console(project)
    for asked in ({"query": name, "input": "updates.xml"}, {"query": "b.xq", "input": name}):
        refused = console.post("/api/runs", **asked)
        assert refused.status_code == 404, asked
    assert console.get("/api/runs").json() == []
    page = console.get("/runs").text
    assert "sub/c.xq" in page
    assert "<option>sub</option>" in page
    assert "link.xq" not in page


def test_a_directory_is_an_input_and_no_query(project: Path) -> None:
    (project / "sub" / "one.xml").write_text("<a><b/></a>")
    (project / "sub" / "c.xq").unlink()
    console = Console(project)
    assert console.post("/api/runs", query="sub", input="updates.xml").status_code == 404
    run = console.ended(console.post("/api/runs", query="b.xq", input="sub").json()["id"])
    assert (run["state"], run["figures"]["results"]) == ("done", 1)


def test_a_run_of_the_command_line_is_listed(project: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "xylem", "run", "b.xq", "-i", "broken.xml", "--project", "."]
    figures = tmp_path / "figures.jsonl"
    failed = subprocess.run(command, cwd=project, capture_output=True, timeout=60)
    subprocess.run([*command, "--on-malformed", "skip", "--metrics", str(figures)], cwd=project, check=True, timeout=60)
    assert failed.returncode == 3
    console = Console(project)
    done, failure = console.get("/api/runs").json()
    assert (done["state"], failure["state"]) == ("done", "failed")
    assert done["figures"]["malformed"] == json.loads(figures.read_text().splitlines()[-1])["malformed"] == 1
    assert done["command"].endswith("run b.xq -i broken.xml --project . --on-malformed skip --metrics " + str(figures))
    assert "Started on the command line" in console.get(f"/runs/{done['id']}").text
    refused = console.post(f"/api/runs/{done['id']}/restart")
    assert "start it where you started it before" in refused.json()["error"]


def test_a_killed_run_has_failed(project: Path) -> None:
    first, second = Console(project), Console(project)
    number = first.post("/api/runs", query=endless(project), input="updates.xml").json()["id"]
    with sqlite3.connect(project / ".xylem" / "runs.sqlite") as table:
        (pid,) = table.execute("select pid from runs").fetchone()
    os.kill(pid, signal.SIGKILL)
    assert first.ended(number)["state"] == second.ended(number)["state"] == "failed"


def test_a_registry_of_an_earlier_version_is_read(project: Path) -> None:
    (project / ".xylem").mkdir()
    with sqlite3.connect(project / ".xylem" / "runs.sqlite") as table:
        table.execute(
            "create table runs (id text primary key, query text not null, input text not null, updates text not null, "
            "malformed text not null, started real not null, pid integer not null, started_ticks text not null, "
            "stopped integer not null default 0)"
        )
        table.execute("insert into runs values ('x', 'b.xq', 'updates.xml', '', 'stop', 1.0, 1, 'other', 1)")
    (run,) = Console(project).get("/api/runs").json()
    assert (run["state"], run["runner"]) == ("stopped", "process")


def test_figures_of_batches_in_the_words_of_the_screens() -> None:
    line = {"batch": 1, "time": 1002.5, "items": 10, "bytes": 500, "seconds": 0.5, "megabytes_per_second": 0.001}
    line |= {"latency_seconds": 0.7, "state_bytes": 64, "held_items": 3, "late": 1, "results": 4, "total_items": 30}
    line |= {"total_bytes": 1500, "total_malformed": 2}
    first, second = over_time([line, {**line, "time": 1003.5}], 1000.0)
    assert (first["seconds"], second["seconds"]) == (2.5, 3.5)
    assert (second["results"], second["late"], second["input_bytes"], second["held_bytes"]) == (8, 2, 1500, 64)
    assert (of_batch(line, 1000.0)["items_per_second"], of_batch(line, 1000.0)["latency_seconds"]) == (20.0, 0.7)


def test_letters_of_batches(tmp_path: Path) -> None:
    (tmp_path / "letters").mkdir()
    letter = {"source": "b.xml", "code": "XYIN0001", "message": "the XML …", "line": 3, "record": "<b>"}
    (tmp_path / "letters" / "part-1.jsonl").write_text(json.dumps(letter) + "\n")
    (found,) = letters(tmp_path)
    assert (found["reason"], found["text"], found["line"]) == ("the XML …", "<b>", 3)


@pytest.mark.parametrize(
    ("asked", "told"),
    [({"runner": "elsewhere"}, "way to run"), ({"runner": "spark", "updates": "native"}, "no update streams")],
)
def test_what_no_page_offers(project: Path, asked: dict[str, str], told: str) -> None:
    refused = Console(project).post("/api/runs", query="b.xq", input="updates.xml", **asked)
    assert told in refused.json()["error"]


def test_the_commands_of_runs_on_spark(tmp_path: Path) -> None:
    query, place = tmp_path / "q.xq", tmp_path / "run"
    once = arguments(Asked("q.xq", "in", runner="spark"), query, tmp_path, place)
    assert once[:4] == ["run", str(query), "-i", str(tmp_path)]
    assert {"--on", "spark", "item-separator=\n"} < set(once)
    assert not {"--metrics", "--format", "--on-malformed"} & set(once)
    (tmp_path / "grows.xml").touch()
    over_file = arguments(Asked("q.xq", "grows.xml", runner="stream"), query, tmp_path / "grows.xml", place)
    assert over_file[:4] == ["stream", str(query), "--input", f"file:{tmp_path / 'grows.xml'}"]
    assert over_file[over_file.index("--output") + 1] == "console"
    updates = arguments(Asked("q.xq", "in", updates="native", runner="stream"), query, tmp_path, place)
    assert updates[3] == f"dir:{tmp_path}"
    assert updates[-1] == f"file:{place / 'result'}"


def test_a_run_that_is_not_there(project: Path) -> None:
    console = Console(project)
    for path in ("/runs/x", "/api/runs/x", "/api/runs/x/events", "/api/runs/..%2F..%2Fx/letters", "/?run=x&letter=0"):
        assert console.get(path).status_code == 404, path


def test_changes_need_the_token_of_a_page(project: Path) -> None:
    from starlette.testclient import TestClient

    client = TestClient(console_app(Access(), project), base_url="http://127.0.0.1:8480")
    assert client.post("/api/runs", json={"query": "b.xq", "input": "updates.xml"}).status_code == 403


def test_a_row_that_is_being_written_waits(tmp_path: Path) -> None:
    path = tmp_path / "result"
    path.write_bytes(b"one\ntw")
    log = ResultLog(path, is_change_log=False)
    assert [row["new"] for row in log.rows()] == ["one"]
    path.write_bytes(b"one\ntwo\n")
    assert [row["new"] for row in log.rows()] == ["two"]
    assert log.regions == [(1, "one"), (2, "two")]


def test_figures_are_thinned_and_the_last_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "metrics"
    path.write_text("".join(json.dumps({"seconds": second}) + "\n" for second in range(2500)))
    found = thinned(lines(path), 100)
    assert len(found) <= 102
    assert found[-1] == {"seconds": 2499}
