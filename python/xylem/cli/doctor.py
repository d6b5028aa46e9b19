"""`xylem doctor`: what is installed, what is in use, what is missing and what that means."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from importlib import metadata

from xylem.source.kernel import kernel_build
from xylem.version import VERSION

REQUIRED = ("typer", "rich", "regex")
OPTIONAL = {
    "lxml": "the W3C suite's runner and the project's own tests",
    "xmlschema": "XML Schemas: xylem schema show s.xsd, --schema s.xsd",
    "saxonche": "comparisons with an independent processor in tests and benchmarks",
}
SAFE_EXPAT = (2, 6, 0)


def report() -> Iterator[str]:
    """The findings, a line each."""
    yield f"xylem      {VERSION}"
    yield f"python     {platform.python_version()} ({platform.python_implementation()}, {platform.machine()})"
    yield _kernel()
    yield from _expat()
    for name in REQUIRED:
        yield f"{name:<10} {_version_of(name) or 'MISSING: reinstall xylem'}"
    for name, purpose in OPTIONAL.items():
        yield f"{name:<10} {_version_of(name) or f'not installed (optional: {purpose})'}"


def _kernel() -> str:
    build = kernel_build()
    if build is None:
        return "kernel     not built: the Python fallback is in use (install Rust, then reinstall xylem)"
    warning = "" if build.profile == "release" else "; WARNING: a debug build is many times slower"
    if build.version != VERSION:
        warning += f"; WARNING: it belongs to xylem {build.version}, reinstall xylem"
    return f"kernel     {build.version} ({build.profile}){warning}"


def _expat() -> Iterator[str]:
    import pyexpat

    yield f"expat      {'.'.join(map(str, pyexpat.version_info))}"
    if pyexpat.version_info < SAFE_EXPAT:
        yield "           WARNING: expat before 2.6.0 can be slowed down by hostile documents; update Python or expat"


def _version_of(distribution: str) -> str | None:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None
