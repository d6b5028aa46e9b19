"""Files of a checkpoint that were changed, cut short, removed or crafted: told by their paths, or without effect."""

from __future__ import annotations

import os
import pickle
import random
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from xylem.errors import XylemError
from xylem.pipeline import StaticEnvironment, compile_distributed
from xylem.run.durable_files import Journal
from xylem.run.windows.resumed import WindowState
from xylem.spark.continuous.checkpoint import Checkpoint, Commit
from xylem.spark.continuous.continuous_run import ContinuousQuery, Trigger, run_continuous
from xylem.spark.continuous.places import input_place, output_place
from xylem.spark.continuous.spark_files import check_spark_files, offsets_digest, remove_unfinished
from xylem.spark.continuous.spool import Position, Segment, SpoolLog, cuts_path, data_path
from xylem.spark.continuous.spool_writer import ItemFinder, SpoolWriter
from xylem.spark.continuous.told_query import QueryText, told_queries
from xylem.spark.continuous.window_state import StatePlace, restored, saved

from tests import turns

from .test_spool import DOCUMENT, ITEM

CODES = ("XYRT0020", "XYRT0033")
WINDOWS = (
    "for $k in distinct-values(/s/i/@k) for sliding window $w in /s/i[@k eq $k] start at $a when true() "
    "end at $b when $b - $a eq 3 return <w k='{ $k }'>{ sum($w/@v), string($w[2]/@v) }</w>"
)


def items(keys: int, factor: int, count: int) -> str:
    inside = "".join(f"<i k='{n % keys}' v='{n * factor}'/>" for n in range(count))
    return f"<s>{inside}</s>"


def changed(data: bytes, chance: random.Random, most: int) -> Iterator[bytes]:
    """A file with one bit changed, at each byte or a sample of them; cut short, and with more at its end."""
    places = range(len(data)) if len(data) <= most else sorted(chance.sample(range(len(data)), most))
    for place in places:
        yield data[:place] + bytes((data[place] ^ 1 << chance.randrange(8),)) + data[place + 1 :]
    for place in places[:: max(1, len(places) // 20)]:
        yield data[:place]
    yield data + b"\n"


def refused(path: Path, read: Callable[[], Any], *, named: Path | None = None) -> None:
    with pytest.raises(XylemError) as raised:
        read()
    assert raised.value.code in CODES
    assert str(named or path) in str(raised.value)


class Crafted:
    """What runs code when it is unpickled."""

    def __init__(self, place: Path) -> None:
        self._place = place

    def __reduce__(self) -> Any:
        return os.mkdir, (str(self._place),)


@contextmanager
def umask(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


# --- without Spark


def window_state(folder: Path) -> tuple[StatePlace, list[str]]:
    """Open windows of several keys on disk: a whole state, and what a batch changed."""
    program = compile_distributed(WINDOWS, StaticEnvironment(), keeps_windows=True)
    state, place, chain = WindowState(), StatePlace(str(folder), "w"), list[str]()
    for batch in range(2):
        document = items(5, batch, 23).encode()
        rows = sorted(program.task(0, document, 0, {}), key=lambda row: (row.range, row.ordinal))
        list(program.completed_windows(1, state, rows, batch, is_end=False, each_item=False))
        chain = place.save(batch, chain, state)
    return place, chain


def test_state_files(tmp_path: Path) -> None:
    place, chain = window_state(tmp_path / "state")
    chance = random.Random(1)

    def read() -> WindowState:
        return StatePlace(place.folder, "of another process").load(chain)

    whole = saved(read(), is_whole=True)
    for name in chain:
        path = tmp_path / "state" / name
        data = path.read_bytes()
        for content in changed(data, chance, 400):
            path.write_bytes(content)
            refused(path, read)
        path.unlink()
        refused(path, read)
        for crafted in (pickle.dumps(Crafted(tmp_path / "run")), pickle.dumps([1])):
            path.write_bytes(crafted)
            refused(path, read)
        path.write_bytes(data)
    assert saved(read(), is_whole=True) == whole
    assert not (tmp_path / "run").exists()


def test_states_in_the_place_of_each_other(tmp_path: Path) -> None:
    place, (name,) = window_state(tmp_path / "state")
    path = tmp_path / "state" / name
    other = path.with_name(name.replace("-w", "-x"))
    shutil.copy(path, other)
    refused(other, lambda: StatePlace(place.folder, "x").load([other.name]))


def test_a_state_of_another_kind_of_cursor_is_refused() -> None:
    state = WindowState()
    program = compile_distributed(WINDOWS, StaticEnvironment(), keeps_windows=True)
    rows = list(program.task(0, b"<s><i k='1' v='1'/></s>", 0, {}))
    list(program.completed_windows(1, state, rows, 0, is_end=False, each_item=False))
    other = restored([saved(state, is_whole=True)])
    other.layout = other.layout.replace("sliding.1", "sliding.99")
    with pytest.raises(XylemError, match=r"XYRT0020.*sliding\.99.*sliding\.1"):
        list(program.completed_windows(1, other, rows, 1, is_end=False, each_item=False))


def test_what_was_committed(tmp_path: Path) -> None:
    owner = {"queries": {"q": "1"}, "input": ["dir:in"], "output": "console"}
    with closing(Checkpoint(tmp_path)) as made:
        made.claim(owner)
        made.commit(Commit(3, totals={"items": 7}, reached={"0": [1, 20]}))

    def read() -> Any:
        with closing(Checkpoint(tmp_path)) as again:
            return again.claim(owner), again.last_commit()

    for name in ("query", "commit"):
        path = tmp_path / name
        data = path.read_bytes()
        for content in [*changed(data, random.Random(2), 1000), pickle.dumps(Crafted(tmp_path / "run"))]:
            path.write_bytes(content)
            refused(path, read)
        path.unlink()
        refused(path, read)
        path.write_bytes(data)
    assert read()[1].totals == {"items": 7}


def test_a_journal(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "files.journal")
    entries = [[f"{number}.xml", number, 5] for number in range(9)]
    journal.append(entries[:4])
    journal.append(entries[4:])
    assert list(journal.unread()) == entries
    reached, data = journal.reached, journal.path.read_bytes()
    for content in changed(data, random.Random(3), 1000):
        journal.path.write_bytes(content)
        if content.startswith(data):
            continue
        refused(journal.path, lambda: journal.check(reached))
    journal.path.unlink()
    refused(journal.path, lambda: journal.check(reached))
    # Half a line is what a crash leaves: whoever goes on writes it again.
    journal.path.write_bytes(data[:-3])
    again = Journal(journal.path)
    again.append(entries[8:])
    assert journal.path.read_bytes() == data
    again.check(reached)


def spooled(spool: Path) -> Position:
    writer = SpoolWriter(spool, ItemFinder([ITEM]), has_context=True, segment_bytes=700)
    for start in range(0, len(DOCUMENT), 90):
        writer.take(DOCUMENT[start : start + 90])
        writer.commit()
    writer.end(is_complete=True)
    writer.close()
    log = SpoolLog(spool)
    log.refresh()
    return log.end


def test_received_bytes(tmp_path: Path) -> None:
    spool = tmp_path / "source"
    end = spooled(spool)
    assert end.segment >= 2

    def read() -> None:
        log = SpoolLog(spool)
        log.refresh()
        log.check(Position(), end)

    read()
    for number in range(end.segment + 1):
        segment = Segment(spool, number)
        segment.refresh()
        counted = segment.marks[-1].position.byte_offset
        for path in (data_path(spool, number), cuts_path(spool, number)):
            data = path.read_bytes()
            for content in changed(data, random.Random(number), 60):
                path.write_bytes(content)
                if path.suffix == ".data" and content[:counted] == data[:counted]:
                    # What comes after the last mark does not count.
                    read()
                else:
                    refused(path, read)
            path.unlink()
            refused(path, read)
            path.write_bytes(data)
    read()


@pytest.mark.parametrize("mask", [0, 0o22, 0o77])
def test_only_the_owner_can_read_it(tmp_path: Path, mask: int) -> None:
    with umask(mask), closing(Checkpoint(tmp_path / "check")) as made:
        made.claim({})
        assert made.spark
        window_state(tmp_path / "check" / "state")
        spooled(made.source())
        Journal(made.source(1) / "files.journal").append([1])
    private(tmp_path / "check")


def private(folder: Path) -> None:
    for path in (folder, *folder.rglob("*")):
        if folder / "spark" not in path.parents:
            assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600), path


def test_files_of_spark(tmp_path: Path) -> None:
    head = '{"batchWatermarkMs":0,"batchTimestampMs":17,"conf":{"spark.sql.shuffle.partitions":"2"}}'
    for name, content in {
        "metadata": '{"id":"847b991f-d64b-4377-b71e-b3d123f3dfdb"}',
        "offsets/4": f'v1\n{head}\n{{"files":4}}',
        "offsets/5": f'v1\n{head.replace("17", "18")}\n{{"files":5}}',
        "commits/4": 'v1\n{"nextBatchWatermarkMs":0}',
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content)
    known = offsets_digest(tmp_path, 4)
    check_spark_files(tmp_path, 4, known)
    path = tmp_path / "offsets" / "4"
    data = path.read_bytes()
    for content in changed(data, random.Random(7), 500):
        path.write_bytes(content)
        refused(path, lambda: check_spark_files(tmp_path, 4, known))
    path.write_bytes(data)
    for name, content in (
        ("metadata", '{"id":"5b2c'),
        # Spark would say: Error at index 0 in "w47b991f", without the file.
        ("metadata", '{"id":"w47b991f-d64b-4377-b71e-b3d123f3dfdb"}'),
        ("offsets/5", "v1\n"),
        ("offsets/5", f'v1\n{head.replace("partitions", "partition3")}\n{{"files":5}}'),
        ("commits/4", 'v3\n{"nextBatchWatermarkMs":0}'),
        ("commits/4", ""),
    ):
        before = (tmp_path / name).read_text()
        (tmp_path / name).write_text(content)
        refused(tmp_path / name, lambda: check_spark_files(tmp_path, 4, known))
        (tmp_path / name).write_text(before)
    for name in ("metadata", "offsets/4"):
        before = (tmp_path / name).read_text()
        (tmp_path / name).unlink()
        refused(tmp_path / name, lambda: check_spark_files(tmp_path, 4, known))
        (tmp_path / name).write_text(before)
    (tmp_path / "offsets" / ".6.crc").write_bytes(b"")
    refused(tmp_path / "offsets" / "6", lambda: check_spark_files(tmp_path, 4, known))


FLIPS = 1_000 if turns.is_campaign() else 4
"""Random damages of a checkpoint as a whole, each before a start."""
UNFINISHED = ".0.847b991f-d64b-4377-b71e-b3d123f3dfdb.tmp"
"""What Spark calls a file of batch 0 until it is complete."""


def test_what_spark_had_begun_to_write_is_removed(tmp_path: Path) -> None:
    remove_unfinished(tmp_path / "spark")
    kept = ["metadata", ".metadata.crc", "offsets/0", "offsets/.0.crc", "commits/0", "commits/.0.crc", "offsets/.x.tmp"]
    begun = [f"{place}/{name}" for place in ("offsets", "commits") for name in (UNFINISHED, f".{UNFINISHED}.crc")]
    for name in (*kept, *begun, UNFINISHED.replace("0", "metadata", 1)):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    remove_unfinished(tmp_path)
    left = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    assert left == set(kept)


# --- a query that was interrupted, and goes on


def continuous(place: Path) -> ContinuousQuery:
    here = Path.cwd()
    windows = WINDOWS.replace("/s/i", "collection()/s/i")
    count = "<s n='{ count(collection()/s/i) }'>{ sum(collection()/s/i/@v) }</s>"
    texts = [QueryText(name, text, name, f"{here.as_uri()}/", here) for name, text in (("w", windows), ("s", count))]
    told = told_queries(texts, variables={}, several_documents=True)
    read, written = input_place(f"dir:{place}/in"), output_place(f"dir:{place}/out")
    return ContinuousQuery(
        told, [read], written, place / "state", trigger=Trigger(None), is_quiet=True, batch_bytes=1, partitions=2
    )


def answers(place: Path) -> dict[str, str]:
    return {path.parent.name + path.name: path.read_text() for path in sorted((place / "out").rglob("part-*"))}


@pytest.mark.usefixtures("spark")
@pytest.mark.timeout(600)
@pytest.mark.turns("kills")
def test_a_real_checkpoint(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for number in range(4):
        path = tmp_path / "in" / f"{number}.xml"
        path.write_text(items(3, number, 7))
        os.utime(path, (number, number))
    path.write_text("<s>")
    os.utime(path, (9, 9))
    with umask(0), pytest.raises(XylemError, match="XYIN0001"):
        run_continuous(continuous(tmp_path))
    path.write_text("<s><i k='1' v='5'/></s>")
    private(tmp_path / "state")
    base = tmp_path / "base"
    for name in ("state", "out"):
        shutil.copytree(tmp_path / name, base / name)
    run_continuous(continuous(tmp_path))
    wanted = answers(tmp_path)
    chance = random.Random(11)
    found = sorted(one.relative_to(base) for one in (base / "state").rglob("*") if one.is_file())
    ours = [one for one in found if "spark" not in one.parts and one.name != "lock"]
    assert len(ours) >= 5
    for name in ours:
        data = (base / name).read_bytes()
        flipped = list(changed(data, chance, 3))
        for content in (None, pickle.dumps(Crafted(tmp_path / "run")), *flipped[:2], data[: len(data) // 2]):
            for folder in ("state", "out"):
                shutil.rmtree(tmp_path / folder)
                shutil.copytree(base / folder, tmp_path / folder)
            if content is None:
                (tmp_path / name).unlink()
            else:
                (tmp_path / name).write_bytes(content)
            refused(tmp_path / name, lambda: run_continuous(continuous(tmp_path)))
    assert not (tmp_path / "run").exists()
    for folder in ("state", "out"):
        shutil.rmtree(tmp_path / folder)
        shutil.copytree(base / folder, tmp_path / folder)
    run_continuous(continuous(tmp_path))
    assert answers(tmp_path) == wanted


def _error_of(query: ContinuousQuery) -> XylemError | None:
    try:
        run_continuous(query)
    except XylemError as error:
        return error
    return None


@pytest.mark.usefixtures("spark")
@pytest.mark.timeout(7200 if turns.is_campaign() else 600)
@pytest.mark.turns("kills")
def test_any_damage_of_any_file(tmp_path: Path) -> None:
    """One bit of one file, or its end, anywhere: the run ends with the file's name, or its output is the right one."""
    (tmp_path / "in").mkdir()
    for number in range(3):
        path = tmp_path / "in" / f"{number}.xml"
        path.write_text(items(3, number, 7))
        os.utime(path, (number, number))
    path.write_text("<s>")
    with pytest.raises(XylemError, match="XYIN0001"):
        run_continuous(continuous(tmp_path))
    path.write_text("<s><i k='1' v='5'/></s>")
    base = tmp_path / "base"
    for name in ("state", "out"):
        shutil.copytree(tmp_path / name, base / name)
    run_continuous(continuous(tmp_path))
    wanted = answers(tmp_path)
    chance = random.Random(turns.today())
    found = sorted(one.relative_to(base) for one in (base / "state").rglob("*") if one.is_file() and one.stat().st_size)
    refusals = 0
    for damage in range(FLIPS):
        for folder in ("state", "out"):
            shutil.rmtree(tmp_path / folder)
            shutil.copytree(base / folder, tmp_path / folder)
        damaged = chance.choice(found)
        data = bytearray((base / damaged).read_bytes())
        place = chance.randrange(len(data))
        if chance.random() < 0.7:
            data[place] ^= 1 << chance.randrange(8)
        else:
            del data[place:]
        (tmp_path / damaged).write_bytes(data)
        told = (turns.today(), damage, str(damaged), place)
        error = _error_of(continuous(tmp_path))
        if error is None:
            assert answers(tmp_path) == wanted, told
        else:
            assert error.code in CODES, (told, error)
            assert str((tmp_path / damaged).parent) in str(error), (told, error)
            refusals += 1
    assert refusals >= FLIPS // 5


@pytest.mark.usefixtures("spark")
@pytest.mark.timeout(600)
@pytest.mark.turns("kills")
def test_a_disk_that_was_full_when_spark_began_the_first_batch(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    path = tmp_path / "in" / "0.xml"
    path.write_text("<s>")
    with pytest.raises(XylemError, match="XYIN0001"):
        run_continuous(continuous(tmp_path))
    path.write_text("<s><i k='1' v='5'/></s>")
    offsets = tmp_path / "state" / "spark" / "offsets"
    for place in offsets.iterdir():
        place.unlink()
    for name in (UNFINISHED, f".{UNFINISHED}.crc"):
        (offsets / name).touch()
    run_continuous(continuous(tmp_path))
    assert '<s n="1">5</s>\n' in answers(tmp_path).values()
