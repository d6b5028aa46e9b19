"""A package that is missing is told with the command that installs it, wherever it is imported."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from xylem.errors.optional_package import EXTRAS, missing_package, optional_package

ROOT = Path(__file__).parents[2]
MODULES = {"ipython": "IPython"}
"""Modules whose package has another name than theirs with `-` for `_`."""


def packages() -> dict[str, list[str]]:
    """By extra, the modules that it installs."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    found = {}
    for extra, wanted in extras.items():
        names = [re.split(r"[\[<>=]", one)[0] for one in wanted]
        found[extra] = [MODULES.get(name, name.replace("-", "_")) for name in names]
    return found


def test_every_module_names_an_extra_that_installs_it() -> None:
    of = packages()
    installed_with_others = {"lsprotocol"}
    for module, extra in EXTRAS.items():
        assert module in of[extra] or module in installed_with_others, module
    for extra, modules in of.items():
        assert extra == "dev" or set(modules) <= set(EXTRAS), extra


def test_other_imports_are_not_about_packages() -> None:
    assert missing_package(ModuleNotFoundError(name="xylem.nothing")) is None
    assert missing_package(ModuleNotFoundError("no name")) is None
    known = missing_package(ModuleNotFoundError(name="prompt_toolkit.shortcuts"))
    assert known is not None
    assert "prompt-toolkit" in str(known)
    assert optional_package("xml.dom", "none").__name__ == "xml.dom"


@pytest.mark.parametrize(
    ("arguments", "module", "extra"),
    [
        (["stream", "-q", "//a", "--checkpoint", "c"], "pyspark", "spark"),
        (["network", "start", "--site", "s"], "sse_starlette", "network"),
        (["network", "start", "--site", "s", "--background"], "sse_starlette", "network"),
        (["bench", "linear-road", "--minutes", "1", "--speed", "max"], "numpy", "bench"),
        (["run", "-q", "map { 'a': 1 }", "--format", "parquet", "-o", "o"], "pyarrow", "frames"),
        (["console"], "starlette", "console"),
        (["language-server"], "pygls", "lsp"),
    ],
)
def test_commands_say_what_to_install(arguments: list[str], module: str, extra: str, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(f"import sys; sys.modules[{module!r}] = None")
    told = subprocess.run(
        [sys.executable, "-m", "xylem", *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={"PYTHONPATH": f"{tmp_path}:{ROOT / 'python'}", "PATH": "/usr/bin:/bin"},
        check=False,
    )
    assert told.returncode == 3
    assert told.stderr.startswith("XYIN0011: this needs a package that is not installed: ")
    assert f"hint: pip install 'xylem-xquery[{extra}]'" in told.stderr
