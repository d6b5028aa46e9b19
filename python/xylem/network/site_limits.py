"""The limits of a site on its users: each has a generous default and its own error."""

from __future__ import annotations

from dataclasses import dataclass, field

from .answer_states import STATE_BYTES
from .log_store import LogLimits

MOST_SUBSCRIPTIONS = 100_000
UNREAD_BYTES = 1 << 30


@dataclass(frozen=True)
class SiteLimits:
    """The limits of one site."""

    subscriptions: int = MOST_SUBSCRIPTIONS
    """That are answered at the same time; one more is refused (XYRT0053)."""
    unread_bytes: int = UNREAD_BYTES
    """Of an answer, behind what its subscriber has read; with more the subscription is suspended (XYRT0058)."""
    log: LogLimits = field(default_factory=LogLimits)
    """What is kept of each stream; a subscription that needs records before that is suspended (XYRT0060)."""
    brokers: str = ""
    """Of Kafka, where streams are kept there instead of in files."""
    catalogue: str = ""
    """The database of the catalogue, where that is not a file of the site."""
    state_bytes: int = STATE_BYTES
    """Of a stream, after which the states of its answers are saved: what a site that starts again has to read."""
