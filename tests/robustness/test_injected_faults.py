"""Files that must last, with a fault at every call that makes them last: a run goes on as if there had been none.

Each loop begins with the first call and ends when a run meets no fault; how many there were is asserted, so that a loop
that stops meeting them is noticed.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path

import pytest
from xylem.cli import checkpoint_run, main
from xylem.errors import XylemError
from xylem.run.sealed_file import write_sealed
from xylem.spark.continuous.checkpoint import Checkpoint, Commit
from xylem.spark.continuous.directory_log import DirectoryLog
from xylem.spark.continuous.sinks import DirectorySink, FileSink, Output, Turn

from .injected_faults import Crash, Fault, fault_at

BATCHES = 3


def batches(folder: Path) -> None:
    """What the driver of a continuous query does, batch by batch, from wherever the checkpoint is."""
    log = DirectoryLog(str(folder / "in"), folder / "check" / "source" / "files.journal")
    log.discover()
    checkpoint = Checkpoint(folder / "check")
    try:
        checkpoint.claim({"queries": {"q": "1"}})
        sinks = {
            "file": FileSink(str(folder / "out" / "all.txt")),
            "directory": DirectorySink(str(folder / "out" / "parts"), {"q": ".txt"}),
        }
        commit = checkpoint.last_commit()
        while commit.batch + 1 < BATCHES:
            batch = commit.batch + 1
            before = checkpoint.states.load(commit.states.get("q", []))
            total = (json.loads(before[-1]) if before else 0) + batch
            state = json.dumps(total).encode()
            chain = checkpoint.states.save(batch, "q", [], lambda whole, state=state: state)  # type: ignore[misc]
            names = " ".join(Path(file.path).name for file in log.between(batch, batch + 1))
            outputs = [Output("q", (f"{names} {total}",), True)]
            known = {name: sink.write(Turn(batch), outputs, commit.sink.get(name, {})) for name, sink in sinks.items()}
            commit = Commit(batch, sink=known, states={"q": chain})
            checkpoint.commit(commit)
    finally:
        checkpoint.close()


def results(folder: Path) -> dict[str, bytes]:
    """All that is there for others to read: the sums in it come from the states, the names from the log."""
    places = [place for place in folder.glob("out/**/*") if place.is_file() and not place.name.endswith(".pending")]
    return {str(place.relative_to(folder)): place.read_bytes() for place in places}


def inputs(folder: Path) -> None:
    (folder / "in").mkdir(parents=True)
    for number in range(BATCHES):
        (folder / "in" / f"{number}.xml").write_text("<a/>")


def resumed(folder: Path) -> None:
    """`xylem run --checkpoint`, with a checkpoint after every few records."""
    query = "<all>{ for $i in /list/item return $i/n }</all>"
    options = ["-o", str(folder / "out" / "answer.xml"), "--checkpoint", str(folder / "check.json"), "--quiet"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["xylem", "run", "-q", query, "-i", str(folder / "in" / "list.xml"), *options])
        try:
            main()
        except SystemExit as end:
            if end.code:
                raise


def list_of_items(folder: Path) -> None:
    (folder / "in").mkdir(parents=True)
    (folder / "out").mkdir()
    items = "".join(f"<item><n>{number}</n></item>" for number in range(60))
    (folder / "in" / "list.xml").write_text(f"<list>{items}</list>")


def interrupted(work: Callable[[Path], None], folder: Path, number: int, fault: Fault) -> str | None:
    """Work with a fault, then once more without; the call that failed."""
    with fault_at(number, fault, folder) as point:
        try:
            work(folder)
        except (Crash, XylemError, OSError, MemoryError, SystemExit):
            assert point.met is not None
    # A process that ends closes what it had open, and with it the lock.
    work(folder)
    return point.met


@pytest.mark.parametrize("fault", Fault)
@pytest.mark.parametrize(("work", "prepare", "least"), [(batches, inputs, 60), (resumed, list_of_items, 20)])
def test_behind_any_fault_it_goes_on_as_if_there_had_been_none(
    work: Callable[[Path], None],
    prepare: Callable[[Path], None],
    least: int,
    fault: Fault,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(checkpoint_run, "EVERY_BYTES", 800)
    undisturbed = tmp_path / "undisturbed"
    prepare(undisturbed)
    work(undisturbed)
    expected = results(undisturbed)
    assert expected
    kinds: set[str] = set()
    for number in count(1):
        folder = tmp_path / str(number)
        prepare(folder)
        met = interrupted(work, folder, number, fault)
        assert results(folder) == expected, (fault, number, met)
        if met is None:
            break
        kinds.add(met)
    assert number > least, number
    assert kinds >= {"open", "write", "flush", "fsync", "replace"}


def test_a_sealed_file_is_the_old_one_or_the_new_one(tmp_path: Path) -> None:
    place = tmp_path / "state"
    for number in count(1):
        write_sealed(place, "state", b"old")
        old = place.read_bytes()
        with fault_at(number, Fault.CRASH, tmp_path) as point, suppress(Crash):
            write_sealed(place, "state", b"new")
        write_sealed(tmp_path / "other", "state", b"new")
        if point.met is None:
            break
        assert place.read_bytes() in (old, _sealed(tmp_path))
    assert number > 5


def _sealed(folder: Path) -> bytes:
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir(exist_ok=True)
    write_sealed(elsewhere / "state", "state", b"new")
    return (elsewhere / "state").read_bytes()


def test_any_allocation_of_a_sealed_file_may_fail(tmp_path: Path) -> None:
    """In a process of its own: the allocations of other threads would fail as well."""
    pytest.importorskip("_testcapi", reason="Python was built without the module of its own tests")
    code = f"from tests.robustness import {Path(__file__).stem} as here; here.refuse_each_allocation({str(tmp_path)!r})"
    command, root = [sys.executable, "-W", "ignore", "-c", code], Path(__file__).parents[2]
    ended = subprocess.run(command, cwd=root, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr


def refuse_each_allocation(place_of_files: str) -> None:
    """Every allocation of Python itself fails, one after another, as in its own tests."""
    import _testcapi as allocator

    folder, last_refused = Path(place_of_files), 0
    place = folder / "state"
    write_sealed(place, "state", b"old")
    old, new = place.read_bytes(), _sealed(folder)
    for number in count(1):
        allocator.set_nomemory(number, number + 1)
        try:
            write_sealed(place, "state", b"new")
        except Exception:  # a MemoryError, or what Python makes of one
            last_refused = number
        finally:
            allocator.remove_mem_hooks()
        assert place.read_bytes() in (old, new), number
        if number > 2 * last_refused + 50:
            break
        write_sealed(place, "state", b"old")
    assert last_refused > 20
