"""Where the suite and its runner are, and how a set of cases is run.

The suite is not part of this repository. It is looked for in `$XYLEM_SHARED/qt3`, then in `../shared/qt3` beside the
checkout; its runner `run.py` is started as a separate program, so that a crash or a hang affects only one case.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

ADAPTER = "xylem.conformance.qt3:evaluate"
_CHECKOUT = Path(__file__).resolve().parents[3]


class SuiteMissing(Exception):
    """The suite was not found; the message lists the places."""


@dataclass(frozen=True)
class Verdict:
    """How one case ended: `status` is one of the runner's words, only `pass` is good."""

    case: str
    status: str
    detail: str = ""
    ms: float = 0.0

    @property
    def passed(self) -> bool:
        return self.status == "pass"

    @property
    def group(self) -> str:
        """The part of the suite a case belongs to, as the runner groups them."""
        name = self.case.partition("/")[0]
        if name.startswith("app-UseCase"):
            return "app-UseCase"
        return "ser" if name.startswith("method-") else name.partition("-")[0]


def find_suite() -> Path:
    """The directory that holds `run.py` and `suite/`."""
    places = [_CHECKOUT.parent / "shared" / "qt3"]
    if shared := os.environ.get("XYLEM_SHARED"):
        places.insert(0, Path(shared) / "qt3")
    for place in places:
        if (place / "run.py").is_file() and (place / "suite" / "catalog.xml").is_file():
            return place
    raise SuiteMissing("the QT3 suite is not here; put it beside the checkout as ../shared/qt3 or set XYLEM_SHARED")


def all_cases(suite: Path) -> list[str]:
    """The ids of all cases that apply, `testset/testcase`."""
    return (suite / "dev.txt").read_text(encoding="utf-8").split()


def run_cases(suite: Path, cases: Iterable[str], *, processes: int, timeout_s: float = 60) -> Iterator[Verdict]:
    """Run cases and return their verdicts, in the order in which they end."""
    with tempfile.TemporaryDirectory(prefix="xylem-qt3-") as folder:
        chosen, out = Path(folder, "cases.txt"), Path(folder, "verdicts.jsonl")
        chosen.write_text("\n".join(cases), encoding="utf-8")
        command = [sys.executable, str(suite / "run.py"), "--adapter", ADAPTER, "--list", str(chosen), "-o", str(out)]
        command += ["-j", str(processes), "--timeout", str(timeout_s), "--min-pass", "0"]
        ended = subprocess.run(command, capture_output=True, text=True, check=False, env=_environment())
        if ended.returncode != 0:
            raise RuntimeError(f"the runner of the suite failed:\n{ended.stdout}{ended.stderr}")
        for line in out.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            yield Verdict(row["id"], row["status"], row.get("detail", ""), row["ms"])


def _environment() -> dict[str, str]:
    # The runner is no part of this package: it finds the package by the path, installed or not.
    package_root = str(Path(__file__).resolve().parents[2])
    inherited = os.environ.get("PYTHONPATH")
    return {**os.environ, "PYTHONPATH": f"{package_root}{os.pathsep}{inherited}" if inherited else package_root}
