"""Source archive → wheel → a fresh environment → a run: with Rust there is a kernel, without it there is a warning."""

from __future__ import annotations

import os
import shutil
import subprocess
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PARTS = ("python", "kernel", "docs", "examples")
FILES = ("pyproject.toml", "MANIFEST.in", "README.md", "CHANGELOG.md", "LICENSE", "Makefile")
BUILD = "import sys; from setuptools import build_meta; print(getattr(build_meta, sys.argv[1])(sys.argv[2]))"
# The same code, made in less time: what is tested is that there is a kernel, not its speed.
QUICK_RUST = {
    "CARGO_PROFILE_RELEASE_LTO": "off",
    "CARGO_PROFILE_RELEASE_OPT_LEVEL": "0",
    "CARGO_PROFILE_RELEASE_CODEGEN_UNITS": "16",
}
MUCH = "<r>" + "<e>12345678</e>" * 80_000 + "</r>"


def ran(*command: str | Path, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE")}
    words = [str(part) for part in command]
    return subprocess.run(words, cwd=cwd, env={**kept, **environment}, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def builder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment with the build system that pyproject.toml names."""
    place = tmp_path_factory.mktemp("builder")
    venv.create(place, with_pip=True)
    python = place / "bin" / "python"
    told = ran(python, "-m", "pip", "install", "-q", "setuptools>=77", "setuptools-rust>=1.10", "wheel", cwd=place)
    if told.returncode != 0:
        pytest.skip(f"the build system cannot be installed here: {told.stderr.splitlines()[-1]}")
    return python


@pytest.fixture(scope="module")
def archive(builder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("source")
    for name in PARTS:
        left_out = shutil.ignore_patterns("__pycache__", "*.so", "target", "*.egg-info")
        shutil.copytree(ROOT / name, place / "tree" / name, ignore=left_out)
    for name in FILES:
        shutil.copy(ROOT / name, place / "tree" / name)
    told = ran(builder, "-c", BUILD, "build_sdist", place, cwd=place / "tree")
    assert told.returncode == 0, told.stderr[-2000:]
    return place / told.stdout.splitlines()[-1]


def wheel_of(builder: Path, archive: Path, place: Path, path: str) -> Path:
    with tarfile.open(archive) as packed:
        packed.extractall(place, filter="data")
    (tree,) = place.iterdir()
    told = ran(builder, "-c", BUILD, "build_wheel", place, cwd=tree, PATH=path, **QUICK_RUST)
    assert told.returncode == 0, told.stderr[-2000:]
    return place / told.stdout.splitlines()[-1]


def installed(wheel: Path, place: Path) -> Path:
    """The `xylem` of a fresh environment."""
    venv.create(place, with_pip=True)
    told = ran(place / "bin" / "python", "-m", "pip", "install", "-q", wheel, cwd=place)
    assert told.returncode == 0, told.stderr[-2000:]
    (place / "much.xml").write_text(MUCH)
    return place / "bin" / "xylem"


@pytest.mark.timeout(600)
@pytest.mark.turns("slow")
def test_with_rust_the_wheel_has_a_kernel(builder: Path, archive: Path, tmp_path: Path) -> None:
    if shutil.which("cargo") is None:
        pytest.skip("cargo is not installed")
    for folder in ("wheel", "fresh"):
        (tmp_path / folder).mkdir()
    wheel = wheel_of(builder, archive, tmp_path / "wheel", os.environ["PATH"])
    assert "abi3" in wheel.name
    xylem = installed(wheel, tmp_path / "fresh")
    told = ran(xylem, "run", "-q", "count(//e)", "-i", "much.xml", cwd=tmp_path / "fresh")
    assert (told.returncode, told.stdout, told.stderr) == (0, "80000\n", "")
    assert "kernel         0" in ran(xylem, "doctor", cwd=tmp_path).stdout


@pytest.mark.timeout(600)
@pytest.mark.turns("slow")
def test_without_rust_a_run_warns(builder: Path, archive: Path, tmp_path: Path) -> None:
    for folder in ("wheel", "fresh"):
        (tmp_path / folder).mkdir()
    wheel = wheel_of(builder, archive, tmp_path / "wheel", "/usr/bin:/bin")
    if any("_kernel." in name and not name.endswith(".pyi") for name in zipfile.ZipFile(wheel).namelist()):
        pytest.skip("Rust is installed for all users here")
    xylem = installed(wheel, tmp_path / "fresh")
    told = ran(xylem, "run", "-q", "count(//e)", "-i", "much.xml", cwd=tmp_path / "fresh")
    assert (told.returncode, told.stdout) == (0, "80000\n")
    assert told.stderr.count("the scan kernel is not installed") == 1
    assert "not built" in ran(xylem, "doctor", cwd=tmp_path).stdout
