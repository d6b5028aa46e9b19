"""Documents cannot describe code that is gone: their snippets are executed, their links followed."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.warm_command import xylem

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r"^```(python|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")


def snippets(language: str) -> Iterator[object]:
    for path in DOCUMENTS:
        text = path.read_text(encoding="utf-8")
        for found in FENCE.finditer(text):
            if found[1] == language:
                line = text.count("\n", 0, found.start()) + 2
                yield pytest.param(found[2], id=f"{path.name}:{line}")


def commands(session: str) -> Iterator[tuple[str, str]]:
    """The commands of a console session with what they print."""
    for part in re.split(r"^\$ ", session, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        yield command, output


@pytest.mark.parametrize("code", list(snippets("python")))
def test_python_snippets_run(code: str) -> None:
    exec(compile(code, "snippet", "exec"), {"__name__": "snippet"})


@pytest.mark.parametrize("session", list(snippets("console")))
@pytest.mark.share(2)
def test_console_sessions_print_what_they_show(session: str) -> None:
    for command, expected in commands(session):
        words = shlex.split(command)
        assert words[0] == "xylem", command
        assert xylem(*words[1:], cwd=ROOT, merged=True).stdout.decode() == expected, command


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    missing = [target for target in LINK.findall(text) if not (path.parent / target).exists()]
    assert not missing


def test_the_commands_of_the_readme_are_in_the_makefile() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"make (\w+)", (ROOT / "README.md").read_text(encoding="utf-8")):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_no_table_is_cut_in_two(path: Path) -> None:
    """A blank line between two rows ends a table, and the rows after it are shown as text."""
    text = FENCE.sub("", path.read_text(encoding="utf-8"))
    for rows in re.findall(r"\|\n\n(\|.*\n.*)", text):
        assert rows.split("\n")[1].startswith("|---"), rows
