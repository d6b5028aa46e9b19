"""One XMark query over one document by one engine, in a process of its own: time from file to answer, peak memory.

    python -m xylem.bench.xmark_stream_worker streamed 8 auction.xml
    python -m xylem.bench.xmark_stream_worker "on Spark" 11 auction.xml local[2]

Starting is not counted: imports are loaded, and Spark's workers are at work, before the clock starts.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

from .file_to_answer import Answer, OverTree, measured, on_one_core, streamed
from .peers import Saxon, Xylem
from .scan_engines import PACKAGES
from .xmark_queries import query

STREAMED, TREE, SAXON, BY_HAND, ON_SPARK = "streamed", "tree", "Saxon", "by hand", "on Spark"
ENGINES = (STREAMED, TREE, SAXON, BY_HAND)
"""In one process."""
_WARM_SCALE = 0.01


def main(arguments: list[str]) -> None:
    """Run what the arguments name and print the figures as JSON."""
    engine, number, document, *master = arguments
    try:
        figures = _on_spark(int(number), Path(document), *master) if master else _here(engine, int(number), document)
    except ImportError as missing:
        figures = {"missing": f"{missing} (pip install {PACKAGES.get(engine, 'lxml')})"}
    print(json.dumps(figures))


def _here(engine: str, number: int, document: str) -> dict[str, Any]:
    on_one_core()
    answer = _prepared(engine, number, Path(document))
    figures = measured(answer)
    if isinstance(answer, OverTree):
        figures["parse_cpu_seconds"] = answer.parse_cpu_seconds
    return figures


def _prepared(engine: str, number: int, document: Path) -> Answer:
    if engine == SAXON:
        return OverTree(Saxon(), query(number), document)
    if engine == BY_HAND:
        import lxml.etree  # noqa: F401  # loaded before the clock starts

        from .xmark_by_hand import BY_HAND as LOOPS

        loop = LOOPS[number]
        return lambda: loop(document)
    from xylem.run.garbage_collection import collect_seldom

    # As the command line does.
    collect_seldom()
    if engine == STREAMED:
        return streamed(query(number), document, f"q{number}")
    import xylem

    # Loads what is loaded on first use.
    str(xylem.compile("<a>{ for $b in /b[c > 1] return count($b/c) }</a>").run(xylem.parse("<b><c>2</c></b>")))
    return OverTree(Xylem(), query(number), document)


def _on_spark(number: int, document: Path, master: str) -> dict[str, Any]:
    """Time is elapsed time: several processes work. The memory is that of the largest worker."""
    from . import xmark
    from .spark_worker import spread

    run, told = spread(master), {}
    answer, warm = document.with_suffix(f".q{number}.spark"), document.with_suffix(f".q{number}.warm")
    xmark.write(warm, _WARM_SCALE)
    run(query(number), warm, answer)
    warm.unlink()

    def answered() -> Path:
        told.update(run(query(number), document, answer))
        return answer

    started = time.process_time()
    figures = measured(answered)
    figures["cpu_seconds"] = time.process_time() - started + told["task_cpu_seconds"]
    figures["peak_rss_bytes"] = told["worker_rss_bytes"]
    return {**figures, "tasks": told["tasks"]}


if __name__ == "__main__":
    main(sys.argv[1:])
