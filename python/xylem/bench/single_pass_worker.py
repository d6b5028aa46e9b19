"""One query over one file in a process of its own; the answer goes to a file, what it took to standard output.

    python -m xylem.bench.single_pass_worker ENGINE QUERY DOCUMENT ANSWER [name=number …]

BaseX is a process again: the only one this one waits for, so that what the system counts of it is its own.
"""

from __future__ import annotations

import json
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

from .peak_memory import peak_rss_bytes


def main(arguments: list[str]) -> None:
    engine, query, document, answer, *given = arguments
    variables = {name: int(value) for name, value in (each.split("=") for each in given)}
    if engine == "BaseX":
        cpu_seconds, rss_bytes = _basex(query, document, answer, variables)
    else:
        text = Path(query).read_text(encoding="utf-8")
        run = _xylem if engine == "Xylem" else _saxon
        run(text, document, Path(answer), variables)
        cpu_seconds, rss_bytes = time.process_time(), peak_rss_bytes()
    print(json.dumps({"cpu_seconds": cpu_seconds, "peak_rss_bytes": rss_bytes}))


def _xylem(query: str, document: str, answer: Path, variables: dict[str, int]) -> None:
    from xylem import api

    with open(answer, "wb") as output:
        api.compile(query).stream(Path(document), variables).write_to(output.write)


def _saxon(query: str, document: str, answer: Path, variables: dict[str, int]) -> None:
    from saxonche import PySaxonProcessor

    processor = PySaxonProcessor(license=False)
    parsed = processor.new_document_builder().parse_xml(xml_file_name=document)
    runner = processor.new_xquery_processor()
    for name, value in variables.items():
        runner.set_parameter(name, processor.make_integer_value(value))
    runner.set_property("!omit-xml-declaration", "yes")
    runner.set_context(xdm_item=parsed)
    runner.set_query_content(query)
    answer.write_text(runner.run_query_to_string() or "", encoding="utf-8")


def _basex(query: str, document: str, answer: str, variables: dict[str, int]) -> tuple[float, int]:
    """CPU time and peak memory."""
    bound = [part for name, value in variables.items() for part in ("-b", f"{name}={value}")]
    ended = subprocess.run(["basex", "-i", document, "-o", answer, *bound, query], check=False)
    if ended.returncode < 0:
        signal.raise_signal(-ended.returncode)
    if ended.returncode:
        sys.exit(ended.returncode)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime, used.ru_maxrss * 1024


if __name__ == "__main__":
    main(sys.argv[1:])
