"""Whether other processes use the machine during a measurement."""

from __future__ import annotations

MOST_OTHERS = 0.5
"""The load of a machine that is quiet enough for times to be compared."""


def busy_machine(others: float) -> str | None:
    """What must be said where so many processes of others wanted a core when a run began."""
    if others < MOST_OTHERS:
        return None
    return f"Others used the machine (load {others:.1f} when the run began): elapsed times say little."
