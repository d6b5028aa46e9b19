"""`xylem run --checkpoint` of queries with state: interrupted, they go on with what they had counted and set."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result
from xylem.cli import stateful_checkpoint
from xylem.cli.app import app
from xylem.run.background_save import BackgroundSave
from xylem.values.state_codec import CannotSave

QUERY = """declare execution sequential; declare variable $m as map(xs:string, xs:integer) := map { };
<a>{ for $r in /log/r let $k := string($r/@k)
     return { set $m := map:put($m, $k, ($m($k), 0)[1] + 1); <n k="{ $k }">{ $m($k) }</n> } }</a>"""


class Killed(BaseException):
    pass


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(stateful_checkpoint, "EVERY_BYTES", 2_000)
    monkeypatch.setattr(stateful_checkpoint, "_READ_BYTES", 500)
    (tmp_path / "q.xq").write_text(QUERY)
    rows = "".join(f'<r k="{number % 5}"/>' for number in range(2_000))
    (tmp_path / "in.xml").write_text(f"<log>{rows}</log>")
    return tmp_path


def run(folder: Path, output: str, query: str = "q.xq") -> Result:
    files = ["-i", str(folder / "in.xml"), "-o", str(folder / output), "--checkpoint", str(folder / "state")]
    return CliRunner().invoke(app, ["run", str(folder / query), *files])


def killed_after(times: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The process ends after so many checkpoints."""
    left = [times]

    def start(self: BackgroundSave, write: Callable[[], object]) -> None:
        write()
        left[0] -= 1
        if left[0] == 0:
            raise Killed

    monkeypatch.setattr(BackgroundSave, "start", start)


@pytest.mark.parametrize(
    "query",
    [
        QUERY,
        "for $r at $i in /log/r return <n>{ $i }</n>",
        "for $r in /log/r group by $k := $r/@k return <n k='{ $k }'>{ count($r) }</n>",
        "sum(/log/r/@k)",
    ],
)
@pytest.mark.parametrize("times", [1, 4])
def test_it_goes_on(files: Path, monkeypatch: pytest.MonkeyPatch, times: int, query: str) -> None:
    (files / "q.xq").write_text(query)
    assert run(files, "whole.xml").exit_code == 0
    assert not (files / "state").exists()
    with monkeypatch.context() as patched:
        killed_after(times, patched)
        with pytest.raises(Killed):
            run(files, "part.xml")
    assert (files / "state").exists()
    with (files / "part.xml").open("ab") as file:
        file.write(b"what was written after the checkpoint")
    outcome = run(files, "part.xml")
    assert outcome.exit_code == 0
    assert "going on from byte" in outcome.stderr
    assert (files / "part.xml").read_bytes() == (files / "whole.xml").read_bytes()
    assert not (files / "state").exists()


def test_what_cannot_be_saved_is_refused(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def start(self: BackgroundSave, write: Callable[[], object]) -> None:
        with pytest.raises(CannotSave):
            write()
        self.is_impossible = True

    monkeypatch.setattr(BackgroundSave, "start", start)
    (files / "q.xq").write_text("fold-left(/log/r, (), function($a, $r) { ($a, $r)[last()] })/@k")
    assert "XYRT0010" in run(files, "whole.xml").stderr


def test_what_does_not_fit_is_refused(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        killed_after(2, patched)
        with pytest.raises(Killed):
            run(files, "part.xml")
    (files / "other.xq").write_text(QUERY.replace("+ 1", "+ 2"))
    assert "XYRT0020" in run(files, "part.xml", query="other.xq").stderr
    (files / "part.xml").write_bytes(b"<a>")
    assert "XYRT0030" in run(files, "part.xml").stderr
    with (files / "in.xml").open("a") as file:
        file.write(" ")
    assert "XYRT0030" in run(files, "part.xml").stderr
    data = (files / "state").read_bytes()
    (files / "state").write_bytes(data[:-1])
    assert "XYRT0033" in run(files, "part.xml").stderr


def test_children_write_and_are_waited_for(tmp_path: Path) -> None:
    saver = BackgroundSave("state")
    saver.start(lambda: (tmp_path / "written").write_text("x"))
    saver.finish()
    assert (tmp_path / "written").read_text() == "x"
    saver.start(lambda: (tmp_path / "nowhere" / "written").write_text("x"))
    with pytest.raises(Exception, match="state: No such file"):
        saver.finish()
    assert not saver.is_busy
