"""The subscriptions of one stream of a site: those that follow its end, and those that still catch up.

Each evaluator has a position in the log. One follows the end; a subscription from an earlier position starts with its
own evaluator, and when the two meet they merge. So all subscriptions that have caught up share one scan.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from pathlib import Path

from xylem.errors import InputError, XylemError

from .answer_file import AnswerFile
from .answer_states import IDLE_SECONDS, AnswerState, AnswerStates
from .catalogue import Catalogue, Subscription
from .log_topic import LogTopics
from .member import Member, SubscribedQuery
from .pane_form import why_no_panes
from .pane_groups import Compile, PaneGroup
from .record_log import RecordLog
from .shared_evaluator import SharedEvaluator, met
from .site_limits import SiteLimits


class StreamSite:
    """One stream with its subscriptions. One thread makes all calls; only the log grows concurrently."""

    def __init__(
        self,
        name: str,
        directory: Path,
        catalogue: Catalogue,
        answers: Callable[[str], AnswerFile],
        limits: SiteLimits | None = None,
        base: int = 0,
        compiled: Compile = SubscribedQuery,
        topics: LogTopics | None = None,
    ) -> None:
        self._limits = limits or SiteLimits()
        self._compiled = compiled
        self._alone: set[str] = set()
        """Subscriptions over windows that panes cannot represent."""
        self.name = name
        store = None if topics is None else topics.store(directory.name, self._limits.log)
        self.log = RecordLog(directory, base, self._limits.log, store=store)
        self._states = AnswerStates(directory.parent.parent / "states" / directory.name)
        self._saved_bytes, self._saved_at = 0, time.monotonic()
        self._not_before = 0.0
        """When states may be saved again: saving takes at most a twentieth of the time."""
        self._catalogue = catalogue
        self._answers = answers
        self._waiting: list[tuple[Subscription, SubscribedQuery]] = []
        """Subscriptions that begin where no evaluator is yet."""
        self._evaluators: list[SharedEvaluator] = []
        self._touched: set[str] = set()
        self._ending: set[str] = set()
        """Ended subscriptions that may lack earlier records."""
        self.evaluated_bytes = 0
        self.arrivals: deque[tuple[float, int]] = deque(maxlen=1000)
        """The times of records, with the log bytes after them."""

    def add(self, subscription: Subscription, query: SubscribedQuery) -> None:
        """Start answering a subscription."""
        self._waiting.append((subscription, query))
        if subscription.end is not None:
            self._ending.add(subscription.name)

    def end(self, name: str) -> None:
        """End a subscription."""
        self._ending.add(name)

    def _start(self, one: Subscription, query: SubscribedQuery) -> int:
        """The position at which a subscription continues: that of its saved state, or its first record."""
        state = self._state(one, query)
        return one.start if state is None else state.position

    def _state(self, one: Subscription, query: SubscribedQuery) -> AnswerState | None:
        """The state from which an answer resumes, if one fits log and answer."""
        state = self._states.found.get(one.answer_name)
        if state is None or not self.log.base <= state.position <= self.log.end:
            return None
        is_before = one.end is not None and one.end < state.position
        is_there = self._answers(one.answer_name).size >= state.size
        return state if is_there and not is_before and query.is_merged and query.can_be_saved else None

    def save_states(self, *, is_last: bool = False) -> None:
        """Save the states of answers if much was computed since the last save, or nothing arrives for a while."""
        new_bytes, now = self.evaluated_bytes - self._saved_bytes, time.monotonic()
        limit = self._limits.log.bytes
        if limit is not None:
            # Records that a limited log drops must not be needed again.
            is_due = new_bytes >= min(self._limits.state_bytes, limit // 8)
        else:
            is_due = new_bytes >= self._limits.state_bytes and now >= self._not_before
        if not new_bytes or not (is_due or is_last or now - self._saved_at >= IDLE_SECONDS):
            return
        states: dict[str, AnswerState] = {}
        for evaluator in self._evaluators:
            for name, run in evaluator.states().items():
                answer = self._catalogue.subscriptions[name].answer_name
                states[answer] = AnswerState(evaluator.position, self._answers(answer).written, run)
        self.sync()
        self._states.write(states)
        self._saved_bytes, self._saved_at = self.evaluated_bytes, time.monotonic()
        self._not_before = self._saved_at + 20 * (self._saved_at - now)

    @property
    def position(self) -> int:
        """How far all subscriptions have their answers."""
        places = [one.position for one in self._evaluators]
        places += [self._start(one, query) for one, query in self._waiting]
        return min(places, default=self.log.end)

    def work(self) -> bool:
        """Do the next piece of work; False if there is none."""
        self._begin_waiting()
        behind = min(self._evaluators, key=lambda one: one.position, default=None)
        if behind is None:
            return False
        end = self.log.end
        changed = self._leave(behind)
        starts = [self._start(one, query) for one, query in self._waiting]
        stops = [end, *(start for start in starts if start > behind.position)]
        stops += [one.position for one in self._evaluators if one.position > behind.position]
        stops += [to for to in self._ends(behind) if to > behind.position]
        before, scanned = behind.position, behind.scanned_bytes
        if min(stops) > before:
            behind.advance(min(stops))
            self.evaluated_bytes += behind.scanned_bytes - scanned
            self._leave(behind)
        self._evaluators = met(self._evaluators)
        return changed or behind.position > before

    def forget(self, before: int) -> None:
        """Remove records before a position that exceed the limits of the log; suspends readers that still need them."""
        if not self.log.forget(before):
            return
        for evaluator in self._evaluators:
            if evaluator.position < self.log.base:
                for name in evaluator.names():
                    evaluator.drop(name)
                    self._fell_behind(name)
        self._evaluators = met(self._evaluators)

    def _fell_behind(self, name: str) -> None:
        self._sync_one(name)
        self._ending.discard(name)
        start = self._catalogue.subscriptions[name].start
        told = f"it begins with record {self.log.base:,}, and the answer needs those from {start:,} on"
        self._catalogue.suspend(name, str(InputError("XYRT0060", told)))

    def _begin_waiting(self) -> None:
        for one in list(self._waiting):
            subscription, query = one
            state = self._state(subscription, query)
            start = subscription.start if state is None else state.position
            if start < self.log.base:
                self._waiting.remove(one)
                self._fell_behind(subscription.name)
                continue
            if start > self.log.end:
                continue
            here = next((each for each in self._evaluators if each.position == start), None)
            if here is None:
                if any(each.position < start for each in self._evaluators):
                    # One is on its way there.
                    continue
                here = SharedEvaluator(self.log, start, self._failed, apart=self._answer_alone)
                self._evaluators.append(here)
            self._waiting.remove(one)
            if state is None and self._join_windows(here, subscription, query):
                continue
            write = self._writer(subscription, 0 if state is None else state.size)
            member = Member(subscription.name, query, subscription.made_ms, write)
            if state is not None:
                member.resume(state.run)
            try:
                here.join(member)
            except XylemError as error:
                self._failed(member, error)

    def _join_windows(self, here: SharedEvaluator, subscription: Subscription, query: SubscribedQuery) -> bool:
        """Let a subscription over windows share panes; False if it is answered separately."""
        form = None if subscription.answer_name in self._alone else query.panes
        if form is None:
            return False
        try:
            rest = self._compiled(form.windows, subscription.name)
            member = Member(subscription.name, rest, subscription.made_ms, self._writer(subscription))
            groups = (group for one in self._evaluators for group in one.groups)
            like = next((group for group in groups if group.suits(form, subscription.start)), None)
            here.join_windows(form, member, like, self._compiled)
        except XylemError:
            # Report errors in terms of the query as written.
            return False
        return True

    def _answer_alone(self, names: list[str]) -> None:
        """Restart subscriptions over windows, each with its query as written; skips the part already answered."""
        for name in names:
            subscription = self._catalogue.subscriptions[name]
            self._alone.add(subscription.answer_name)
            self.add(subscription, self._compiled(subscription.query, name))

    def windows_of(self, subscription: Subscription) -> str:
        """A text about the panes that a subscription shares; empty if it has no windows by values."""
        for group in self.pane_groups:
            if subscription.name in group:
                others = len(group.names()) - 1
                return f"panes of {float(group.length):g}, shared with {others} other{'' if others == 1 else 's'}"
        if subscription.answer_name in self._alone:
            return "its own: a value came that panes do not answer for"
        return f"its own: {why}" if (why := why_no_panes(subscription.query)) else ""

    @property
    def pane_groups(self) -> list[PaneGroup]:
        """The subscriptions over windows that share panes."""
        return [group for one in self._evaluators for group in one.groups]

    def _writer(self, subscription: Subscription, start: int = 0) -> Callable[[bytes], None]:
        """Appends the output of a run, which begins at the answer's byte `start`."""
        answer = self._answers(subscription.answer_name)
        answer.begin(start)
        unread_bytes = self._limits.unread_bytes

        def write(data: bytes) -> None:
            if not answer.has_room(data, unread_bytes):
                unread = answer.size - answer.read_to
                raise InputError(
                    "XYRT0058", f"{unread:,} bytes of its answer are unread, and {unread_bytes:,} are allowed"
                )
            answer.write(data)
            self._touched.add(subscription.answer_name)

        return write

    def _leave(self, evaluator: SharedEvaluator) -> bool:
        """Remove ended subscriptions whose input is complete."""
        changed = False
        for name in self._ending_in(evaluator):
            subscription = self._catalogue.subscriptions[name]
            if subscription.end is not None and subscription.end <= evaluator.position:
                evaluator.leave(name)
                changed = True
                if any(one.name == name for one, _ in self._waiting):
                    # Panes could not represent it: it starts again.
                    continue
                self._ending.discard(name)
                self._sync_one(name)
                if self._catalogue.subscriptions[name].is_live:
                    self._catalogue.complete(name, subscription.end)
        for name in evaluator.take_done():
            self._sync_one(name)
            if self._catalogue.subscriptions[name].is_live:
                self._catalogue.complete(name, evaluator.position)
            changed = True
        return changed

    def _ends(self, evaluator: SharedEvaluator) -> list[int]:
        found = [self._catalogue.subscriptions[name].end for name in self._ending_in(evaluator)]
        return [end for end in found if end is not None]

    def _ending_in(self, evaluator: SharedEvaluator) -> list[str]:
        return [name for name in list(self._ending) if name in evaluator]

    def _failed(self, member: Member, error: XylemError) -> None:
        self._sync_one(member.name)
        subscription = self._catalogue.subscriptions[member.name]
        if error.code == "XYRT0033" and self._states.found.pop(subscription.answer_name, None) is not None:
            # The state belongs to another compilation of the query: the answer is recomputed from its records.
            self.add(subscription, member.query)
            return
        if error.code == "XYRT0058":
            self._catalogue.suspend(member.name, str(error))
        else:
            self._catalogue.fail(member.name, self.position, str(error))

    def _sync_one(self, name: str) -> None:
        """Flush the answer of one subscription before the catalogue records its end; the others go on."""
        answer = self._catalogue.subscriptions[name].answer_name
        if answer in self._touched:
            self._touched.discard(answer)
            self._answers(answer).sync()

    def sync(self) -> None:
        """Flush answers to disk, so that they survive a crash of the machine."""
        for name in self._touched:
            self._answers(name).sync()
        self._touched.clear()

    def close(self) -> None:
        self.log.close()

    def destroy(self) -> None:
        """Remove its log, and the states of its answers."""
        self.log.destroy()
        self._states.remove()
