"""Normalise: queries with the same meaning get the same spelling.

Lowering for streams and for tasks begins with `normalise`, so each later rule has to match one spelling only. It
changes how a query is written, never its items, their order, or the errors that it may raise.
"""

from __future__ import annotations

from .normalise import RULES, normalise

__all__ = ["RULES", "normalise"]
