"""Notice a kernel that was not built from the sources beside it: after an update of a checkout, it may answer wrongly.

Plans that Python describes and the kernel that reads them belong together. An installed package brings both; in a
checkout, the sources of the kernel can change without a new build. File times show that at little cost, but a new clone
or a checkout of another branch gives unchanged files new times. So if times leave doubt, a checksum of the sources
decides, which the build puts into the kernel (kernel/build.rs).
"""

from __future__ import annotations

import warnings
from pathlib import Path
from zlib import crc32

WARNING = (
    "the scan kernel was not built from its present sources, and its answers may be wrong: build it again with"
    " `make install`"
)


def warn_of_stale_kernel(library: Path, built_from: str) -> None:
    """Warn if the kernel of a checkout must be rebuilt.

    `library` is its file, in the package, and `built_from` the checksum of its sources.
    """
    sources = library.parents[2] / "kernel" / "src"
    if is_older(library, sources) and built_from != checksum(sources):
        warnings.warn(WARNING, RuntimeWarning, stacklevel=3)


def is_older(library: Path, sources: Path) -> bool:
    """Whether a source was changed after the library was built; False without sources."""
    built = library.stat().st_mtime
    return any(source.stat().st_mtime > built for source in sources.rglob("*.rs"))


def checksum(sources: Path) -> str:
    """The CRC-32 of all Rust files below a folder, each preceded by its name and a zero byte."""
    files = sorted((path.relative_to(sources).as_posix().encode(), path) for path in sources.rglob("*.rs"))
    found = 0
    for name, path in files:
        found = crc32(path.read_bytes(), crc32(name + b"\0", found))
    return f"{found:08x}"
