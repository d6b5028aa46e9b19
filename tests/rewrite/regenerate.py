"""Write the `rewritten` sections of tests/golden/rewrite anew: `python -m tests.rewrite.regenerate`. Read the diff."""

from __future__ import annotations

import re

from xylem.plan.flux_printer import print_flux
from xylem.schema.loading import load_schema

from .golden_case import GOLDEN, cases_in
from .planned import planned


def main() -> None:
    for path in sorted((GOLDEN / "rewrite").glob("*.txt")):
        made = []
        texts = re.split(r"(?m)^={4,}$\n", path.read_text(encoding="utf-8"))
        for case, text in zip(cases_in(path), texts, strict=True):
            schema = load_schema(case.sections["dtd"]) if "dtd" in case.sections else None
            plan = planned(case.sections["query"], schema)
            kept = text.split("--- rewritten\n")[0]
            made.append(f"{kept.rstrip()}\n--- rewritten\n{print_flux(plan.normal_form)}\n")
        path.write_text("====\n".join(made), encoding="utf-8")


if __name__ == "__main__":
    main()
