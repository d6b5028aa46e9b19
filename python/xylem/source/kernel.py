"""The only door to the native kernel: what it is, or that there is none.

The kernel is optional. Where it could not be built, everything works on the Python fallback, only slower.
"""

from __future__ import annotations

from typing import NamedTuple


class KernelBuild(NamedTuple):
    """The kernel in use: its version, and whether it was built with optimisations."""

    version: str
    profile: str


def kernel_build() -> KernelBuild | None:
    """What the loaded kernel says of itself; None where the Python fallback is in use."""
    try:
        from xylem import _kernel
    except ImportError:
        return None
    return KernelBuild(_kernel.VERSION, _kernel.PROFILE)
