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
    """Number of active subscriptions; one more is refused (XYRT0053)."""
    unread_bytes: int = UNREAD_BYTES
    """Bytes of an answer beyond its subscriber's position; with more, the subscription is suspended (XYRT0058)."""
    log: LogLimits = field(default_factory=LogLimits)
    """Retention of each stream; a subscription that needs earlier records is suspended (XYRT0060)."""
    brokers: str = ""
    """Kafka brokers, if streams are kept there instead of in files."""
    catalogue: str = ""
    """The database of the catalogue, if it is not a file of the site."""
    state_bytes: int = STATE_BYTES
    """Bytes of a stream after which the states of its answers are saved: a restarted site reads at most this much."""
