"""The soak's own parts: what it is fed with, what it measures, what it concludes. The soak itself is run by hand."""

from __future__ import annotations

import os
import xml.etree.ElementTree as ElementTree

from xylem.bench.process_memory import resident_bytes
from xylem.bench.soak_feed import HELD, IN_DOCUMENT, QUERIES, document
from xylem.bench.soak_report import SoakReport
from xylem.bench.soak_run import MemorySample, Soak
from xylem.pipeline import StaticEnvironment, compile_distributed
from xylem.plan.distribution import PartKind
from xylem.run.windows.resumed import WindowState


def soak(growth: float) -> Soak:
    """One whose state and memory grow so much in each second."""
    made = Soak(1.0)
    for second in range(60):
        size = int(200e6 + growth * second * 1e6)
        made.memory.append(MemorySample(float(second), size, 500_000_000, size))
        made.batches.append(
            {
                "seconds_since": float(second),
                "time": float(second),
                "items": 2,
                "total_items": 2 * second,
                "held_items": int(20_000 + growth * second * 10),
                "state_bytes": int(1e6 + growth * second * 1e4),
                "latency_seconds": 0.5,
            }
        )
    return made


def test_what_stays_as_it_is_holds() -> None:
    report = SoakReport(soak(0.0))
    assert all(holds for holds, _ in report.verdicts())
    assert report.as_json()["entries_per_second"] == 2 * IN_DOCUMENT


def test_what_grows_falls_short() -> None:
    verdicts = {what: holds for holds, what in SoakReport(soak(30.0)).verdicts()}
    assert not verdicts["the number of entries held does not grow after warm-up"]
    assert not verdicts["the size of the state does not grow after warm-up"]
    assert not verdicts["the memory of the driver does not grow after warm-up"]
    assert verdicts["the memory of the JVM does not grow after warm-up"]


def test_what_goes_up_and_down_does_not_grow() -> None:
    made = soak(0.0)
    for second, batch in enumerate(made.batches):
        batch["held_items"] += second % 7 * 1_500
    assert all(holds for holds, _ in SoakReport(made).verdicts())


def test_few_batches_say_nothing() -> None:
    made = soak(0.0)
    del made.batches[5:]
    told = [what for holds, what in SoakReport(made).verdicts() if not holds]
    assert len(told) == 2
    assert all("too few batches" in what for what in told)


def test_the_figure_is_a_picture() -> None:
    root = ElementTree.fromstring(SoakReport(soak(1.0)).figure())
    assert len(root.findall("{http://www.w3.org/2000/svg}polyline")) == 6


def test_its_queries_hold_no_more_than_their_windows_may() -> None:
    held = 0
    for query in QUERIES.values():
        program = compile_distributed(query, StaticEnvironment(), keeps_windows=True, several_documents=True)
        assert [part.kind for part in program.distribution.parts] == [PartKind.WINDOWS]
        state = WindowState()
        rows = sorted(program.task(0, document(0).encode(), 0, {}), key=lambda row: row.ordinal)
        list(program.completed_windows(1, state, rows, 0, is_end=False, each_item=False))
        held += len(state.items.packed)
    assert 10_000 < held <= HELD


def test_memory_of_this_process() -> None:
    found = resident_bytes(os.getpid())
    assert found["driver"] > 10_000_000
