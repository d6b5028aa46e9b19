"""`make conformance`: every case of the suite, the table by group, and the difference to the known failures.

    python -m xylem.conformance.whole_suite -j 2 --table docs/conformance.md [--accept] [PATTERN …]
"""

from __future__ import annotations

import argparse
import fnmatch
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path

from .ratchet import compare, read_known, write_known
from .suite import SuiteMissing, Verdict, all_cases, find_suite, run_cases

BEGIN, END = "<!-- table: begin -->", "<!-- table: end -->"
KNOWN = Path(__file__).resolve().parents[3] / "tests" / "conformance" / "known_failures.txt"


def main(arguments: list[str] | None = None) -> int:
    """Run the suite; 0 when nothing differs from the list of known failures."""
    options = _options().parse_args(arguments)
    try:
        suite = find_suite()
    except SuiteMissing as missing:
        print(missing, file=sys.stderr)
        return 2
    cases = [case for case in all_cases(suite) if _wanted(case, options.patterns)]
    verdicts = list(run_cases(suite, cases, processes=options.j, timeout_s=options.timeout))
    table = table_by_group(verdicts)
    print(table)
    if options.table and not options.patterns:
        _replace_table(options.table, table)
    known = read_known(KNOWN) if KNOWN.exists() else {}
    if options.accept and not options.patterns:
        without = write_known(KNOWN, verdicts, known)
        print(f"known failures written; {without} of them need a reason")
        return 0
    difference = compare(verdicts, known)
    print(difference.report() or "nothing differs from the known failures")
    return int(bool(difference))


def table_by_group(verdicts: Iterable[Verdict]) -> str:
    """The verdicts counted by group and status, as a Markdown table."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for verdict in verdicts:
        counts[verdict.group][verdict.status] += 1
    total = sum(counts.values(), Counter[str]())
    statuses = ["pass", *sorted(set(total) - {"pass"})]
    rows = [*((group, counts[group]) for group in sorted(counts)), ("**total**", total)]
    lines = [
        "| group | cases | " + " | ".join(statuses) + " | passed |",
        "|---|" + "---:|" * (len(statuses) + 2),
    ]
    for name, count in rows:
        cells = [str(count[status]) for status in statuses]
        passed = 100 * count["pass"] / count.total()
        lines.append(f"| {name} | {count.total()} | {' | '.join(cells)} | {passed:.2f} % |")
    return "\n".join(lines)


def _replace_table(path: Path, table: str) -> None:
    before, _, rest = path.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    path.write_text(f"{before}{BEGIN}\n{table}\n{END}{after}", encoding="utf-8")


def _wanted(case: str, patterns: list[str]) -> bool:
    return not patterns or any(fnmatch.fnmatchcase(case, p if "/" in p else p + "/*") for p in patterns)


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m xylem.conformance.whole_suite", description=__doc__)
    parser.add_argument("patterns", nargs="*", metavar="PATTERN", help="globs on test sets or testset/testcase")
    parser.add_argument("-j", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument("--timeout", type=float, default=60, help="seconds a case")
    parser.add_argument("--table", type=Path, help="a Markdown file whose table is replaced")
    parser.add_argument("--accept", action="store_true", help="rewrite the list of known failures")
    return parser


if __name__ == "__main__":
    sys.exit(main())
