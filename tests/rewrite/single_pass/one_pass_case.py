"""Cases of the rules that make one pass of many, and what becomes of their queries.

python -m tests.rewrite.single_pass.one_pass_case      writes the rewritten queries into the golden files again
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from xylem.analysis.readable_names import with_readable_names
from xylem.analysis.resolve_names import resolve_names
from xylem.analysis.static_context import StaticContext, build_static_context
from xylem.rewrite.normalise import normalise
from xylem.rewrite.query_rule import Change
from xylem.rewrite.single_pass import make_one_pass
from xylem.syntax import ast, parse, print_query

from ..golden_case import GOLDEN, Case, cases_in

FOLDER = GOLDEN / "single-pass"
CASES = [case for path in sorted(FOLDER.glob("*.txt")) for case in cases_in(path)]


def rewritten(query: str, without: Collection[str] = ()) -> tuple[str, tuple[Change, ...]]:
    """The body of a query after the rules, as text, and the rules that changed it."""
    module = parse(query)
    assert isinstance(module, ast.MainModule)
    resolved = resolve_names(module, build_static_context(module, StaticContext()))
    spelled, changes = normalise(resolved.body, resolved.prolog, without)
    body, fusions = make_one_pass(spelled, resolved.prolog, without)
    return print_query(with_readable_names(body)), (*changes, *fusions)


def _regenerated(path: Path) -> str:
    return "====\n".join(map(_text, cases_in(path)))


def _text(case: Case) -> str:
    case.sections["rewritten"] = rewritten(case.sections["query"])[0]
    lines = [f"# {name}: {value}" for name, value in case.properties.items()]
    for name in ("query", "document", "rewritten"):
        if name in case.sections:
            lines += [f"--- {name}", case.sections[name]]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    for golden in sorted(FOLDER.glob("*.txt")):
        golden.write_text(_regenerated(golden), encoding="utf-8")
