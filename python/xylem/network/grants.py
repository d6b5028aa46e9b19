"""Tokens for users other than the owner of a site: each lists the actions and streams that it allows.

        xylem network token alice --subscribe photons --publish alarms

The site shows a token once and keeps a digest of it. Access lists are inherited: a stream made from others, by a filter
or as a virtual stream, is open to users who may read all of these.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from xylem.errors import InputError

from .network_state import NetworkState


@dataclass(frozen=True)
class Grant:
    """The rights of a token holder. Streams are given by name or by pattern: `alarms-*`."""

    name: str
    digest: str
    publish: tuple[str, ...] = ()
    subscribe: tuple[str, ...] = ()
    operate: bool = False
    """Whether the holder may join sites, see the map, and end subscriptions of others."""

    def to_dict(self) -> dict[str, Any]:
        """The grant for people and for the catalogue, without the token."""
        streams = {"publish": list(self.publish), "subscribe": list(self.subscribe)}
        return {"digest": self.digest, **streams, "operate": self.operate}

    @classmethod
    def from_dict(cls, name: str, told: dict[str, Any]) -> Grant:
        return cls(name, told["digest"], tuple(told["publish"]), tuple(told["subscribe"]), told["operate"])


def new_token() -> tuple[str, str]:
    """A token and its digest."""
    token = secrets.token_urlsafe(32)
    return token, digest_of(token)


def digest_of(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


@dataclass(frozen=True)
class Caller:
    """The sender of a request: the owner of the site (without a grant), or the holder of a token."""

    grant: Grant | None = None

    @property
    def name(self) -> str:
        return "" if self.grant is None else self.grant.name

    @property
    def may_operate(self) -> bool:
        return self.grant is None or self.grant.operate

    def must_operate(self) -> None:
        if not self.may_operate:
            raise self._refused("operate the site")

    def may_publish(self, stream: str) -> bool:
        return self.grant is None or _is_one_of(stream, self.grant.publish)

    def must_publish(self, stream: str) -> None:
        if not self.may_publish(stream):
            raise self._refused(f"publish '{stream}'")

    def may_subscribe(self, streams: Iterable[str]) -> bool:
        """Whether the caller may read streams, including all base streams of derived ones."""
        grant = self.grant
        return grant is None or all(_is_one_of(stream, grant.subscribe) for stream in streams)

    def must_subscribe(self, stream: str, bases: Collection[str]) -> None:
        if self.may_subscribe(bases):
            return
        told = f"subscribe to '{stream}'"
        if self.grant is not None and _is_one_of(stream, self.grant.subscribe):
            others = [base for base in sorted(set(bases)) if not _is_one_of(base, self.grant.subscribe)]
            told += f", which is made from {' and '.join(map(repr, others))}: it must name these as well"
        raise self._refused(told)

    def owns(self, subscription: str, asked_by: Callable[[str], str]) -> bool:
        """Whether a subscription is the caller's own, or the caller may manage those of others."""
        return self.may_operate or asked_by(subscription) == self.name

    def must_own(self, subscription: str, asked_by: Callable[[str], str]) -> None:
        if not self.owns(subscription, asked_by):
            # The same error as for an unknown name, so it does not reveal whether the name exists.
            raise InputError("XYRT0053", f"there is no subscription '{subscription}'")

    def _refused(self, what: str) -> InputError:
        return InputError("XYRT0059", f"the token '{self.name}' does not let its holder {what}")


def _is_one_of(stream: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(stream, pattern) for pattern in patterns)


def base_streams(state: NetworkState, stream: str) -> list[str]:
    """The published streams that a stream of the site is derived from; the stream itself if it is published."""
    if stream in state.virtual:
        return [base for part in state.virtual[stream] for base in base_streams(state, part)]
    kept = state.streams.get(stream)
    if kept is None:
        return [stream]
    source = kept.plan.get("source")
    if source:
        return [str(source)]
    feed = kept.feeds[-1][1]
    # A stream from a neighbour under its own name is a copy of one published there.
    return [feed.stream] if feed.peer else base_streams(state, feed.stream)
