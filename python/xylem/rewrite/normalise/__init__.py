"""Queries that mean the same are written the same: what comes out has one spelling, whatever came in.

The stream and the tasks both begin with `normalise`; the rules behind it match one spelling each. It changes how a
query is written, never what it gives, in which order, or which errors it may raise.
"""

from __future__ import annotations

from .normalise import RULES, normalise

__all__ = ["RULES", "normalise"]
