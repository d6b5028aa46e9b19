"""A command that the console started: `python -m xylem.cli.registered_run ID run query.xq …`.

The current directory is that of the run, `.xylem/runs/ID` of the project.
"""

from __future__ import annotations

import sys
from pathlib import Path

from xylem.console.noted_end import noted_end
from xylem.console.registry import Registry


def run_registered() -> None:
    """Run the command, and note its exit code in the registry of the project."""
    number, *arguments = sys.argv[1:]
    with noted_end(Registry(Path.cwd().parents[2]), number):
        from . import main

        sys.argv = ["xylem", *arguments]
        main()


if __name__ == "__main__":
    run_registered()
