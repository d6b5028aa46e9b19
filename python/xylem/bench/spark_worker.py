"""One engine of `xylem bench spark` in a process of its own: it measures what the command line names.

    python -m xylem.bench.spark_worker ENGINE FOLDER MASTER REPEAT [TASK]

answers with lines of JSON: the seconds the engine took to start, until it had its first answer, over a small document,
and until all its workers had something to do; then the figures of every task, and of what only this engine is asked.
Answers are written to FOLDER, so that they can be compared. Where Spark is compared with one process, the two are run
in turn, more often: what else the machine does falls on both.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from .spark_tasks import TASKS, SparkTask

ONE_PROCESS, ON_SPARK, SPARK_XML = "Xylem, one process", "Xylem on Spark", "Spark's XML source"
Run = Callable[[SparkTask, Path, Path], dict[str, Any]]
SMALL = ("small", "joined.xml")
"""Many small files, and the same records in one."""
FIRST = "first.xml"
"""What the first answer is about: a few kilobytes."""
WARM = "warm.xml"
"""Enough for every worker: an engine has started when all of them have."""
RANGE_BYTES = 16 << 20
"""How far apart cut points are looked for: what `spark/inputs.py` takes for large documents."""


def one_process(master: str) -> Run:
    from xylem import api
    from xylem.run.garbage_collection import collect_seldom

    # As the command line does.
    collect_seldom()

    def run(task: SparkTask, document: Path, output: Path) -> dict[str, Any]:
        with output.open("wb") as file:
            result = api.compile(task.query).stream(document)
            result.write_to(file.write)
        return {"input_bytes": result.statistics.input_bytes}

    return run


def on_spark(master: str) -> Run:
    run = spread(master)
    return lambda task, document, output: run(task.query, document, output)


def spread(master: str) -> Callable[[str, Path, Path], dict[str, Any]]:
    """A Spark that runs the text of a query over a document, or a folder of them, into a file."""
    from xylem.spark.batch import BatchRun
    from xylem.spark.inputs import input_files
    from xylem.spark.session import without_sql
    from xylem.spark.shipped_query import shipped_query

    spark = without_sql(master)

    def run(query: str, document: Path, output: Path) -> dict[str, Any]:
        files = input_files(document)
        batch = BatchRun(lambda: spark, shipped_query(query, several_documents=len(files) > 1), files)
        with output.open("w", encoding="utf-8") as file:
            file.writelines(batch.pieces())
        return {
            "cut_seconds": batch.plan.cut_seconds,
            "tasks": len(batch.plan.tasks),
            "task_cpu_seconds": batch.measured.task_cpu_seconds,
            "worker_rss_bytes": batch.measured.peak_worker_rss_bytes,
        }

    return run


def spark_xml(master: str) -> Run:
    import os

    from pyspark.sql import SparkSession

    from xylem.spark.java import LOGGING

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    # As anybody starts it, but for what is printed; the reports need more than the usual memory.
    builder = SparkSession.builder.master(master).config("spark.driver.memory", "4g")
    builder = builder.config("spark.driver.extraJavaOptions", f"-Dlog4j2.configurationFile={LOGGING.as_uri()}")
    quiet = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.sql.session.timeZone": "UTC"}
    for name, value in {**quiet, "spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1"}.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")

    def run(task: SparkTask, document: Path, output: Path) -> dict[str, Any]:
        rows = spark.read.format("xml").option("rowTag", task.row_tag).schema(task.columns).load(str(document))
        with output.open("w", encoding="utf-8") as file:
            file.writelines(task.answer(rows))
        return {"tasks": rows.rdd.getNumPartitions()}

    return run


ENGINES: dict[str, Callable[[str], Run]] = {ONE_PROCESS: one_process, ON_SPARK: on_spark, SPARK_XML: spark_xml}


def measure(engine: str, folder: Path, master: str, repeat: int, tasks: Iterable[SparkTask]) -> None:
    """Run the tasks with one engine and print what was measured."""
    begun = time.monotonic()
    run = ENGINES[engine](master)
    _say({"started": time.monotonic() - begun})
    scan = next(task for task in TASKS if task.name == "photons, scan")
    run(scan, folder / FIRST, folder / "first.txt")
    _say({"first_answer": time.monotonic() - begun})
    run(scan, folder / WARM, folder / "warm.txt")
    _say({"warm": time.monotonic() - begun})
    for task in tasks:
        output = folder / f"{task.name}-{engine}.txt".replace(" ", "-")
        seconds: list[float] = []
        figures: dict[str, Any] = {}
        beside: list[float] = []
        is_beside = engine == ON_SPARK and task.is_heavy
        for _ in range(2 * repeat - 1 if is_beside else repeat):
            started = time.monotonic()
            figures = run(task, folder / f"{task.document}.xml", output)
            seconds.append(time.monotonic() - started)
            if is_beside:
                beside.append(_by_one_process(folder, task))
        _say({"task": task.name, "seconds": seconds, "output": output.name, **figures})
        if beside:
            _say({"in_turn": task.name, ON_SPARK: seconds, ONE_PROCESS: beside})
    if engine == ON_SPARK:
        _small_files(run, scan, folder, repeat)


def _by_one_process(folder: Path, task: SparkTask) -> float:
    """The seconds of a task in a process of its own, once that is warm."""
    import subprocess

    command = [sys.executable, "-m", "xylem.bench.spark_worker", ONE_PROCESS, str(folder), "none", "2", task.name]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found = [json.loads(line) for line in told.splitlines()]
    return next(float(min(line["seconds"])) for line in found if line.get("task") == task.name)


def _small_files(run: Run, scan: SparkTask, folder: Path, repeat: int) -> None:
    """In turn, so that what else the machine does falls on both."""
    seconds: dict[str, list[float]] = {source: [] for source in SMALL}
    for source in SMALL * repeat:
        started = time.monotonic()
        run(scan, folder / source, folder / f"{source}.txt")
        seconds[source].append(time.monotonic() - started)
    for source, found in seconds.items():
        _say({"small": source, "seconds": found, "answer": (folder / f"{source}.txt").read_text(encoding="utf-8")})


def cut_points(folder: Path, repeat: int) -> None:
    """The index pass alone: by one thread, and by as many as there are cores."""
    import os

    from xylem.source.cut_points import find_cuts
    from xylem.spark.shipped_query import shipped_query

    cores = len(os.sched_getaffinity(0))
    for task in {task.document: task for task in TASKS}.values():
        scopes = shipped_query(task.query).program().scopes
        best = {1: float("inf"), cores: float("inf")}
        for threads in list(best) * (repeat + 1):
            started = time.monotonic()
            find_cuts(folder / f"{task.document}.xml", scopes, RANGE_BYTES, threads=threads)
            best[threads] = min(best[threads], time.monotonic() - started)
        _say({"cuts": task.document, "one_thread": best[1], "all_threads": best[cores], "threads": cores})


def _say(figures: dict[str, Any]) -> None:
    print(json.dumps(figures), flush=True)


if __name__ == "__main__":
    wanted = [task for task in TASKS if task.name in (sys.argv[5:] or [task.name])]
    measure(sys.argv[1], Path(sys.argv[2]), sys.argv[3], int(sys.argv[4]), wanted)
    if sys.argv[1] == ONE_PROCESS and len(wanted) == len(TASKS):
        cut_points(Path(sys.argv[2]), int(sys.argv[4]))
