"""`xylem doctor`: which packages are installed, used or missing, and the consequences."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from importlib import metadata

import typer

from xylem.version import VERSION

from .command_app import command_app
from .failures import reported

app = command_app()

REQUIRED = ("typer", "rich", "regex")
OPTIONAL = {
    "lxml": "xylem.to_lxml, the W3C test suite",
    "xmlschema": "XML Schemas: xylem schema show s.xsd, --schema s.xsd",
    "saxonche": "comparisons with Saxon in tests and benchmarks",
    "pyspark": "runs on Spark: xylem run --on spark, xylem stream",
    "pyarrow": "query.to_arrow, --format parquet, DataFrames of Spark",
    "zstandard": "inputs in Zstandard",
    "fsspec": "inputs at URLs",
    "prompt-toolkit": "xylem shell",
    "pygls": "xylem language-server",
    "starlette": "xylem console",
}
SAFE_EXPAT = (2, 6, 0)


@app.command()
@reported()
def doctor() -> None:
    """Show versions, and which optional parts are installed or missing.

    The exit code is 1 if a required package is missing.
    """
    for line in report():
        typer.echo(line)
    if missing_packages():
        raise typer.Exit(1)


def report() -> Iterator[str]:
    """The findings, a line each."""
    yield f"xylem          {VERSION}"
    yield f"python         {platform.python_version()} ({platform.python_implementation()}, {platform.machine()})"
    yield _kernel()
    yield from _expat()
    for name in REQUIRED:
        yield f"{name:<14} {_version_of(name) or 'MISSING: reinstall xylem'}"
    for name, purpose in OPTIONAL.items():
        yield f"{name:<14} {_version_of(name) or f'not installed (optional: {purpose})'}"
    if _version_of("pyspark") is not None:
        yield _java()
    missing = missing_packages()
    yield f"not ready: {', '.join(missing)} missing" if missing else "ready: all required packages are installed"


def missing_packages() -> list[str]:
    """The required packages that are not installed."""
    return [name for name in REQUIRED if _version_of(name) is None]


def _kernel() -> str:
    from xylem.source.kernel import kernel_build

    build = kernel_build()
    if build is None:
        return (
            "kernel         not built: Python reads inputs, several times slower (install Rust, then reinstall xylem)"
        )
    warning = "" if build.profile == "release" else "; WARNING: a debug build is many times slower"
    if build.version != VERSION:
        warning += f"; WARNING: it belongs to xylem {build.version}, reinstall xylem"
    return f"kernel         {build.version} ({build.profile}){warning}"


def _java() -> str:
    from xylem.errors import XylemError
    from xylem.spark.class_archive import archive_of
    from xylem.spark.java import java_home, java_version

    try:
        home = java_home()
    except XylemError as error:
        return f"java           MISSING for Spark: {error.why}; {error.hint}"
    told = "" if archive_of(home).exists() else "; it starts faster after: python -m xylem.spark.class_archive"
    return f"java           {java_version(home) or 'of unknown version'} ({home}){told}"


def _expat() -> Iterator[str]:
    import pyexpat

    yield f"expat          {'.'.join(map(str, pyexpat.version_info))}"
    if pyexpat.version_info < SAFE_EXPAT:
        yield "               WARNING: hostile documents can slow down expat before 2.6.0; update Python or expat"


def _version_of(distribution: str) -> str | None:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None
