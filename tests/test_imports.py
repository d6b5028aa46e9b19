"""The stages import in one direction only, and each package says in three sentences what it is for."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1] / "python" / "xylem"

# In the order data flows. A part imports from itself and from those above it, never from those below.
STAGES = (
    "version",
    "errors",
    "values",
    "syntax",
    "source",
    "schema",
    "sink",
    "functions",
    "analysis",
    # Descriptions first: rewriting makes them, and whatever runs reads them.
    "plan",
    "rewrite",
    "run",
    "lowering",
    "pipeline",
    "query",
    "tables",
    "result",
    "stream_result",
    "message_results",
    "api",
    "interactive",
    "spark",
    "network",
    "bench",
    "conformance",
    "console",
    "cli",
    "__main__",
)
# Plain data without imports of its own: what a plan and the scanners agree on.
CONTRACTS = {
    "xylem.plan.kernel_expression",
    "xylem.plan.kernel_picture",
    "xylem.plan.native_windows",
    "xylem.plan.result_template",
    "xylem.plan.scan_plan",
    "xylem.plan.scan_table",
}
PACKAGES = sorted(path.parent for path in ROOT.rglob("__init__.py"))
FILES = sorted(ROOT.rglob("*.py"))


def stage_of(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


@cache
def import_nodes(path: Path) -> tuple[ast.Import | ast.ImportFrom, ...]:
    """The imports of a file, wherever they stand."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return tuple(node for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom)))


def imported(path: Path) -> Iterator[tuple[str, int]]:
    """The stages a file imports, with the line."""
    package = ("xylem", *path.relative_to(ROOT).parent.parts)
    for node in import_nodes(path):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            base = package[: len(package) - node.level + 1] if node.level else ()
            full = ".".join((*base, *(node.module or "").split("."))).strip(".")
            # `from xylem import syntax` names the stage on the right.
            names = [f"{full}.{alias.name}" for alias in node.names] if full == "xylem" else [full]
        for name in names:
            if name in CONTRACTS:
                continue
            parts = name.split(".")
            if parts[0] == "xylem" and len(parts) > 1:
                yield parts[1], node.lineno


def test_every_part_is_in_the_order() -> None:
    parts = {stage_of(path) for path in FILES} - {"__init__"}
    assert parts <= set(STAGES)


@pytest.mark.parametrize("stage", STAGES)
def test_imports_point_upstream(stage: str) -> None:
    allowed = {*STAGES[: STAGES.index(stage) + 1], "_kernel"}
    files = [path for path in FILES if stage_of(path) == stage]
    assert files
    found = [(f"{path.relative_to(ROOT)}:{line}", other) for path in files for other, line in imported(path)]
    assert not [f"{place} imports {other}" for place, other in found if other not in allowed]


def parts_of(path: Path) -> tuple[str, str] | None:
    """The stage of a file and its part of that stage; None for one that stands in the stage itself."""
    parts = path.relative_to(ROOT).parts
    return (parts[0], parts[1]) if len(parts) > 2 else None


def imported_parts(path: Path) -> Iterator[tuple[str, str]]:
    """The parts of the same stage that a file imports from."""
    package = ("xylem", *path.relative_to(ROOT).parent.parts)
    for node in import_nodes(path):
        if isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            _, *full = (*base, *(node.module or "").split("."))
            if len(full) > 1 and full[1] and full[0] == package[1] and (ROOT / full[0] / full[1]).is_dir():
                yield full[0], full[1]


def test_parts_of_a_stage_import_in_one_direction() -> None:
    """No two sub-packages of a stage need each other; what both need stands in the stage itself, or in a third."""
    needs: dict[tuple[str, str], set[tuple[str, str]]] = {}
    for path in FILES:
        own = parts_of(path)
        if own is not None:
            needs.setdefault(own, set()).update(other for other in imported_parts(path) if other != own)
    settled: set[tuple[str, str]] = set()
    while ready := {part for part, others in needs.items() if part not in settled and others <= settled}:
        settled |= ready
    assert not needs.keys() - settled


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: path.relative_to(ROOT.parent).as_posix())
def test_a_package_opens_with_three_sentences(package: Path) -> None:
    docstring = ast.get_docstring(ast.parse((package / "__init__.py").read_text(encoding="utf-8"))) or ""
    prose = docstring.split("\n\n    ")[0]
    sentences = re.findall(r"[.!?](?=\s|$)", prose)
    assert len(sentences) >= 3, f"{package.name} has {len(sentences)} sentences"


def test_only_one_file_imports_the_kernel() -> None:
    assert {path.name for path in FILES for stage, _ in imported(path) if stage == "_kernel"} <= {"kernel.py"}


def test_no_file_is_named_for_its_shape() -> None:
    assert not {path.stem for path in FILES} & {"utils", "util", "helpers", "common", "misc"}


def test_importing_xylem_loads_no_engine() -> None:
    code = "import sys, xylem; print(sorted(m for m in sys.modules if m.startswith('xylem')))"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert ended.stdout.strip() == "['xylem', 'xylem.version']"
