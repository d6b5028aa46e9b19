"""Notice a kernel that is older than its sources: after an update of a checkout, it may answer wrongly.

Plans that Python describes and the kernel that reads them belong together. An installed package brings both; in a
checkout, the sources of the kernel can change without a new build.
"""

from __future__ import annotations

import warnings
from pathlib import Path

WARNING = "the scan kernel is older than its sources, and its answers may be wrong: build it again with `make install`"


def warn_of_stale_kernel(library: Path) -> None:
    """Warn if the kernel of a checkout has to be built again. `library` is its file, in the package."""
    if is_older(library, library.parents[2] / "kernel" / "src"):
        warnings.warn(WARNING, RuntimeWarning, stacklevel=3)


def is_older(library: Path, sources: Path) -> bool:
    """Whether a source was changed after the library was built; never where there are no sources."""
    built = library.stat().st_mtime
    return any(source.stat().st_mtime > built for source in sources.rglob("*.rs"))
