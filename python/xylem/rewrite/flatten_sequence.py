"""Keep sequences flat, and free of empty parts.

    α (β ε) γ     →     α β γ

Gain:   every rule sees its neighbours.
Needs:  nothing.
Safe:   sequences have no structure of their own.
"""

from __future__ import annotations

from xylem.plan.flux import Flux, Sequence

from .rule import Facts, Rule


class FlattenSequence(Rule):
    name = "flatten_sequence"

    def apply(self, node: Flux, facts: Facts) -> Flux:
        if not isinstance(node, Sequence):
            return node
        if len(node.parts) == 1:
            return node.parts[0]
        if not any(isinstance(part, Sequence) for part in node.parts):
            return node
        flat: list[Flux] = []
        for part in node.parts:
            flat.extend(part.parts if isinstance(part, Sequence) else (part,))
        return flat[0] if len(flat) == 1 else Sequence(tuple(flat))
