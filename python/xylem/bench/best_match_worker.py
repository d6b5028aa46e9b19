"""One way of finding best matches, in a process of its own; the figures go to standard output as JSON.

python -m xylem.bench.best_match_worker TASK ENGINE FOLDER
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
import tempfile
import time
from array import array
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

from . import photons
from .best_match_engines import (
    ASOF,
    COUNTED,
    CROWDED,
    DEGREES,
    NEAREST,
    PARETO,
    SECONDS,
    UNORDERED,
    by_scipy,
    extracted,
    written,
    xylem_text,
)
from .file_to_answer import on_one_core
from .peak_memory import peak_rss_bytes

SPARK = ("local[2]",)
_TIMES = 3
_STARTING = 4_000
"""How many photons are joined while everything starts."""
_FILES = ("first.xml", "second.xml")


def main(arguments: list[str]) -> None:
    """Run what the arguments name and print the figures."""
    task, engine, folder = arguments
    if engine not in SPARK:
        on_one_core()
    try:
        if engine not in SPARK:
            _warm(engine)
        figures = TASKS[task](engine, Path(folder))
    except ImportError as missing:
        figures = {"missing": f"{missing} (pip install 'xylem-xquery[bench]')"}
    print(json.dumps(figures))


def _warm(engine: str) -> None:
    """What is imported is not measured; what is compiled is."""
    with tempfile.TemporaryDirectory(prefix="xylem-best-match-") as name:
        folder = Path(name)
        photon = "<photon><ra>1</ra><dec>1</dec><en>1</en><det_time>1</det_time></photon>"
        for file in _FILES:
            (folder / file).write_text(f"<photons>{photon}</photons>", encoding="ascii")
        if engine in ("xylem", "spilled"):
            # The second file is long enough to be scanned.
            (folder / _FILES[1]).write_text(f"<photons>{photon * 20_000}</photons>", encoding="ascii")
            xylem_text(NEAREST, folder)
        elif engine == "scipy":
            by_scipy(*(extracted(folder / file, "ra", "dec") for file in _FILES))
        else:
            ASOF[engine](*(extracted(folder / file, "det_time", "en") for file in _FILES))


def _nearest(engine: str, folder: Path) -> dict[str, Any]:
    def run() -> str:
        if engine == "xylem":
            return xylem_text(NEAREST, folder)
        return written(ASOF[engine](*(extracted(folder / name, "det_time", "en") for name in _FILES)))

    figures, text = _timed(run)
    told = re.findall(r't="([^"]*)" e="[^"]*" u="([^"]*)"', text)
    # Of two that are equally near, a table has one.
    return {**figures, "answer": _mark((float(t), abs(float(t) - float(u))) for t, u in told)}


def _counted(engine: str, folder: Path) -> dict[str, Any]:
    """How many pairs there are; of photons that are equally near, a table has one."""

    def run() -> int:
        if engine == "xylem":
            return int(xylem_text(COUNTED, folder))
        return len(ASOF[engine](*(extracted(folder / name, "det_time", "en") for name in _FILES))[0])

    return _timed(run)[0]


def _pareto(engine: str, folder: Path) -> dict[str, Any]:
    if engine == "xylem":
        figures, text = _timed(lambda: xylem_text(PARETO, folder))
        told = re.findall(r'd="([^"]*)" e="([^"]*)"', text)
        return {**figures, "answer": _mark((float(d), float(e)) for d, e in told)}

    def run() -> Any:
        return by_scipy(*(extracted(folder / name, "ra", "dec") for name in _FILES))

    figures, found = _timed(run)
    return {**figures, "answer": _mark((float(d), float(e)) for _, d, e in found)}


def _core_pareto(engine: str, folder: Path) -> dict[str, Any]:
    """The same from columns: pairs are found, none is written."""
    first, second = (extracted(folder / name, "ra", "dec") for name in _FILES)
    if engine == "scipy":
        return _best(lambda: by_scipy(first, second))
    from xylem.source.kernel import kernel_pairs

    orders = [(("abs", ("-", ("left", n), ("right", n))), False, DEGREES) for n in range(2)]
    sizes = len(first[0]), len(second[0])
    return _best(lambda: kernel_pairs("left", 1, orders, [], first, sizes[0], second, sizes[1], None))


def _core(engine: str, folder: Path) -> dict[str, Any]:
    first, second = (extracted(folder / name, "det_time", "en") for name in _FILES)
    if engine != "xylem":
        ASOF[engine](first, second)
        return _best(lambda: ASOF[engine](first, second))
    from xylem.source.kernel import kernel_pairs

    order = ("abs", ("-", ("left", 0), ("right", 0))), False, SECONDS

    def run() -> Any:
        return kernel_pairs("left", 1, [order], [], [first[0]], len(first[0]), [second[0]], len(second[0]), None)

    return _best(run)


def _best(run: Callable[[], Any]) -> dict[str, Any]:
    return min((_timed(run)[0] for _ in range(_TIMES)), key=lambda figures: float(figures["cpu_seconds"]))


def _timed(run: Callable[[], Any]) -> tuple[dict[str, Any], Any]:
    start = time.process_time()
    found = run()
    return {"cpu_seconds": time.process_time() - start, "peak_bytes": peak_rss_bytes()}, found


def _mark(pairs: Iterable[tuple[float, float]]) -> str:
    """A form in which answers are comparable, however often they repeat equal distances."""
    rows = sorted({(round(one, 6), round(other, 6)) for one, other in pairs})
    flat = array("d", (number for row in rows for number in row))
    return f"{len(rows)} {hashlib.sha256(flat.tobytes()).hexdigest()[:12]}"


def _unordered(engine: str, folder: Path) -> dict[str, Any]:
    """Items in the order of no value: kept whole, or in a file of which a tenth fits into memory."""
    kept = sum((folder / name).stat().st_size for name in _FILES) * KEPT_SHARE
    limits: dict[str, Any] = {"spill": folder, "window_bytes": int(kept / 10)} if engine == "spilled" else {}

    def run() -> str:
        return xylem_text(UNORDERED, folder, **limits)

    figures, text = _timed(run)
    return {**figures, "answer": hashlib.sha256(text.encode()).hexdigest()[:12]}


def _crowded(engine: str, folder: Path) -> dict[str, Any]:
    """By the clock, once everything has started: one process, or a local Spark. CPU time is that of all tasks."""
    run = partial(_alone, CROWDED) if engine == "xylem" else _on_spark(engine, CROWDED)
    with tempfile.TemporaryDirectory(prefix="xylem-best-match-") as name:
        for number, file in enumerate(_FILES):
            photons.write(Path(name) / file, _STARTING, number)
        run(Path(name))
    start = time.monotonic()
    answer, cpu_seconds = run(folder)
    return {"seconds": time.monotonic() - start, "cpu_seconds": cpu_seconds, "answer": answer}


def _alone(query: str, folder: Path) -> tuple[str, float]:
    start = time.process_time()
    return xylem_text(query, folder), time.process_time() - start


def _on_spark(master: str, query: str) -> Callable[[Path], tuple[str, float]]:
    from xylem.spark.batch import BatchRun
    from xylem.spark.named_input import with_named_input
    from xylem.spark.session import without_sql
    from xylem.spark.shipped_query import shipped_query

    spark = without_sql(master)

    def run(folder: Path) -> tuple[str, float]:
        start = time.process_time()
        shipped, files = with_named_input(shipped_query(query, base_uri=f"{folder.as_uri()}/", allow=[folder]), [])
        batch = BatchRun(lambda: spark, shipped, files)
        answer = "".join(batch.pieces())
        return answer, time.process_time() - start + batch.measured.task_cpu_seconds

    return run


KEPT_SHARE = 0.8
"""Of a photon, what the query keeps takes about this part of its bytes: seven nodes and their characters."""


def _thesis(engine: str, folder: Path) -> dict[str, Any]:
    from .best_match_thesis import delivered, materialised, table

    figures, rows = _timed(table)
    return {**figures, "rows": rows, "delivered": delivered(), "materialised": materialised()}


TASKS = {
    "nearest": _nearest,
    "counted": _counted,
    "pareto": _pareto,
    "core": _core,
    "core-pareto": _core_pareto,
    "unordered": _unordered,
    "crowded": _crowded,
    "thesis": _thesis,
}

if __name__ == "__main__":
    main(sys.argv[1:])
