"""fn:random-number-generator (F&O 3.1 §4.8): a chain of random numbers as a value.

A generator is one 64-bit state; the next one adds a constant to it, and the number is a mix of its bits
(G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators", 2014: SplitMix64). That makes `next`
a constant-time function of a value, and the same seed gives the same numbers everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xylem.values import atomic_type as at
from xylem.values.atomic import type_of
from xylem.values.casting import string_of
from xylem.values.function_item import FunctionItem
from xylem.values.map import XMap
from xylem.values.sequence_type import ANY_ITEM, ANY_SEQUENCE, AtomicItem, MapItem, SequenceType

from .context import Context
from .registry import function

_MASK = (1 << 64) - 1
_STEP = 0x9E3779B97F4A7C15
_PERMUTING = 0xD1B54A32D192ED03
_GENERATOR_TYPE = SequenceType(MapItem(AtomicItem(at.STRING), SequenceType(ANY_ITEM)))


@function("fn:random-number-generator", "xs:anyAtomicType?", "map(xs:string, item())", context=True)
def random_number_generator(ctx: Context, seed: Any = None) -> XMap:
    # Without a seed it must still return the same numbers within one run, like every function.
    return _generator(_state(ctx.run.now if seed is None else seed))


def _state(seed: Any) -> int:
    from hashlib import blake2b

    text = f"{type_of(seed)!r} {string_of(seed)}"
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")


def _generator(state: int) -> XMap:
    number = (_mixed(state) >> 11) * 2.0**-53
    follow = FunctionItem(None, (), _GENERATOR_TYPE, lambda: _generator((state + _STEP) & _MASK))
    shuffle = FunctionItem(None, (ANY_SEQUENCE,), ANY_SEQUENCE, lambda sequence: _permuted(sequence, state))
    return XMap.of((("number", (number,)), ("next", (follow,)), ("permute", (shuffle,))))


def _mixed(state: int) -> int:
    state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & _MASK
    return state ^ (state >> 31)


def _permuted(sequence: Sequence[Any], state: int) -> list[Any]:
    """Fisher-Yates shuffle, with a stream of numbers separate from that of `next`."""
    items = list(sequence)
    state = _mixed(state ^ _PERMUTING)
    for last in range(len(items) - 1, 0, -1):
        state = (state + _STEP) & _MASK
        # The high bits scaled down: less biased than a remainder, and the bias is below 2**-32 for any real sequence.
        chosen = (_mixed(state) * (last + 1)) >> 64
        items[last], items[chosen] = items[chosen], items[last]
    return items
