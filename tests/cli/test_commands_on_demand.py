"""Each command is loaded by its name, listed with its help, and completed in the shell with its options."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator

import pytest
from typer.testing import CliRunner
from xylem.cli.app import app
from xylem.cli.commands_on_demand import FILES


@pytest.mark.parametrize("name", FILES)
def test_every_command_has_help_under_its_own_name(name: str) -> None:
    told = CliRunner().invoke(app, [name, "--help"])
    assert told.exit_code == 0
    assert f"Usage: xylem {name} " in told.output.replace("root", "xylem")


def helps(words: list[str]) -> Iterator[tuple[list[str], str]]:
    """The help of a command and of all below it."""
    told = CliRunner().invoke(app, [*words, "--help"], env={"COLUMNS": "200"}).output
    yield words, told
    _, _, listed = told.partition("─ Commands ─")
    for name in re.findall(r"^│ ([a-z][a-z-]*) ", listed, re.MULTILINE):
        yield from helps([*words, name])


def test_values_of_options_have_plain_names() -> None:
    """`--seed NUMBER` and `--site PATH`, not `<int>` and `<path>`."""
    all_of_them = [pair for name in ("network", "bench", "subscribe", "console") for pair in helps([name])]
    assert len(all_of_them) > 30
    for words, told in all_of_them:
        options = [line for line in told.splitlines() if re.search(r" --[a-z]", line)]
        assert not re.search(r"<(str|int|float|path|file)( range)?>", "\n".join(options)), words
    assert re.search(r"--seed +NUMBER", {" ".join(words): told for words, told in all_of_them}["bench xmark"])


def test_all_are_listed_in_order() -> None:
    told = CliRunner().invoke(app, ["--help"]).output
    places = [told.index(f"│ {name} ") for name in FILES]
    assert places == sorted(places)


def test_a_wrong_name_has_a_suggestion() -> None:
    told = CliRunner().invoke(app, ["rnu"])
    assert told.exit_code == 2
    assert "Did you mean 'run'?" in told.output


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("xylem sub", ["subscribe", "subscriptions"]),
        ("xylem run --buffer", ["--buffer-limit"]),
        ("xylem stream --ch", ["--checkpoint", "--changes"]),
        ("xylem bench data ph", ["photons"]),
        ("xylem run --on ", ["local", "spark"]),
    ],
)
def test_completion_knows_commands_options_and_values(words: str, found: list[str]) -> None:
    environment = {"_XYLEM_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    code = "import sys; sys.argv = ['xylem']; from xylem.cli import main; main()"
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, **environment}, timeout=60
    )
    assert ended.stdout.split() == found


def test_a_run_loads_no_other_command() -> None:
    code = (
        "import sys; sys.argv = ['xylem', 'run', '-q', '1']\n"
        "from xylem.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print(sorted(name for name in sys.modules if name.startswith('xylem.cli') and name.endswith('_options')))"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert "run_options" in ended.stdout
    assert not any(other in ended.stdout for other in ("stream_options", "explain_options", "site_options"))


def test_a_query_without_comparisons_loads_no_rewriting() -> None:
    code = (
        "import sys; sys.argv = ['xylem', 'run', '-q', '1']\n"
        "from xylem.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "parts = ('xylem.schema', 'xylem.rewrite.single_pass', 'xylem.rewrite.normalise', 'xylem.rewrite.to_flux')\n"
        "print([name for name in sys.modules if name.startswith(parts)])"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert ended.stdout.splitlines() == ["1", "[]"]
