"""One query over one file in a process of its own; the answer goes to a file, what it took to standard output.

    python -m xylem.bench.single_pass_worker ENGINE QUERY DOCUMENT ANSWER [name=number …]
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from .peak_memory import peak_rss_bytes


def main(arguments: list[str]) -> None:
    engine, query, document, answer, *given = arguments
    variables = {name: int(value) for name, value in (each.split("=") for each in given)}
    text = Path(query).read_text(encoding="utf-8")
    run = _xylem if engine == "Xylem" else _saxon
    run(text, document, Path(answer), variables)
    print(json.dumps({"cpu_seconds": time.process_time(), "peak_rss_bytes": peak_rss_bytes()}))


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


if __name__ == "__main__":
    main(sys.argv[1:])
