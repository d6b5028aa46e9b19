"""The Dockerfile: what it copies is there, what it runs is a command; its steps, one after another, without Docker."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import tomllib
from fnmatch import fnmatch
from pathlib import Path

import pytest

from .test_source_archive import QUICK_RUST, ran

ROOT = Path(__file__).parents[2]
IGNORED = (ROOT / ".dockerignore").read_text().split()


def steps() -> list[tuple[str, str]]:
    """Each instruction with its argument."""
    text = re.sub(r"\\\n", " ", (ROOT / "Dockerfile").read_text())
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [(line.split(maxsplit=1)[0], line.split(maxsplit=1)[1]) for line in lines]


def copies(stage: str) -> list[tuple[list[str], str]]:
    """What comes from this directory into a stage, and where it goes."""
    found, current = [], ""
    for kind, argument in steps():
        if kind == "FROM":
            current = argument.partition(" AS ")[2] or "last"
        elif kind == "COPY" and not argument.startswith("--from=") and current == stage:
            *sources, target = argument.split()
            found.append((sources, target))
    return found


def runs() -> list[str]:
    return [argument for kind, argument in steps() if kind == "RUN"]


def test_every_instruction_is_one() -> None:
    assert {kind for kind, _ in steps()} <= {"FROM", "RUN", "WORKDIR", "COPY", "USER", "CMD"}
    for command in runs():
        checked = subprocess.run(["sh", "-n", "-c", command], capture_output=True, text=True)
        assert checked.returncode == 0, (command, checked.stderr)


def test_what_is_copied_is_there() -> None:
    sources = [source for stage in ("build", "last") for some, _ in copies(stage) for source in some]
    assert {"kernel", "python", "examples"} <= set(sources)
    for source in sources:
        assert (ROOT / source).exists(), source
        assert not any(fnmatch(source, pattern) for pattern in IGNORED), source


def test_the_extras_are_those_of_the_package() -> None:
    about = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    (named,) = re.findall(r"\$\{wheel\}\[([\w,]+)\]", "\n".join(runs()))
    assert set(named.split(",")) <= set(about)


def test_the_image_runs_the_demo() -> None:
    (command,) = (argument for kind, argument in steps() if kind == "CMD")
    shell, script = re.findall(r'"([^"]*)"', command)
    assert script.split("/")[0] in [source for some, _ in copies("last") for source in some]
    assert subprocess.run([shell, "-n", ROOT / script]).returncode == 0


@pytest.mark.timeout(900)
@pytest.mark.share(30)  # it compiles the kernel once more, as the test of the source archive does
def test_its_steps_without_docker(tmp_path: Path) -> None:
    """All but packages of the system, and without the extras: their downloads are large."""
    if shutil.which("cargo") is None:
        pytest.skip("cargo is not installed")
    left_out = shutil.ignore_patterns("__pycache__", "*.so", "target", "*.egg-info")
    for stage in ("build", "last"):
        for sources, target in copies(stage):
            for source in sources:
                place = tmp_path / stage / target / (source if target == "./" else "")
                if (ROOT / source).is_dir():
                    shutil.copytree(ROOT / source, place, ignore=left_out)
                else:
                    place.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(ROOT / source, place)
    made, installed = (command for command in runs() if "pip " in command)
    (checked,) = (command for command in runs() if "zipfile" in command)
    for command in (made, checked):
        # A build by hand may use what was downloaded before, as one with Docker may not.
        here = re.sub(r"(?<=[\s=])/(?=build|wheels)", f"{shlex.quote(str(tmp_path))}/", command)
        told = ran("sh", "-c", here.replace("--no-cache-dir ", ""), cwd=tmp_path / "build", **QUICK_RUST)
        assert told.returncode == 0, (here, told.stderr[-2000:])
    assert ran("python3", "-m", "venv", tmp_path / "image", cwd=tmp_path).returncode == 0
    here = re.sub(r"\[[\w,]+\]", "", installed).replace("/wheels", f"{tmp_path}/wheels").replace("--no-cache-dir ", "")
    path = f"{tmp_path}/image/bin:{os.environ['PATH']}"
    told = ran("sh", "-c", here, cwd=tmp_path, PATH=path)
    assert told.returncode == 0, (here, told.stderr[-2000:])
    delays = ("xylem", "run", "delays.xq", "-i", "departures.xml", "--var-file", "lines=lines.xml")
    told = ran("sh", "-c", shlex.join(delays), cwd=tmp_path / "last" / "examples", PATH=path)
    assert (told.returncode, told.stderr) == (0, "")
    assert "<" in told.stdout
