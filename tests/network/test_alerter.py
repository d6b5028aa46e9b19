"""Alerts: an overload that lasts has the network optimised again, and a burst or a swinging load does not."""

from __future__ import annotations

from xylem.network.alerter import IN_A_ROW, QUIET_SECONDS, SECONDS, Alerter, Measurement


class Watched:
    """A site whose load is told."""

    def __init__(self) -> None:
        self.seconds = self.cpu = 0.0
        self.came = 0
        self.optimised = 0
        self.alerter = Alerter(self.measured, lambda: 2.0, lambda: {"SP3": 1000.0}, self.optimise)

    def measured(self) -> Measurement:
        return Measurement(self.seconds, self.cpu, {"SP3": self.came})

    def optimise(self) -> None:
        self.optimised += 1

    def passes(self, times: int, processors: float = 0.0, link: float = 0.0) -> None:
        for _ in range(times):
            self.seconds += SECONDS
            self.cpu += SECONDS * 2.0 * processors
            self.came += int(SECONDS * 1000 * link)
            self.alerter.look()


def test_an_overload_that_lasts_is_an_alert() -> None:
    site = Watched()
    site.passes(IN_A_ROW - 1, processors=0.95)
    assert (site.optimised, site.alerter.alerts) == (0, {})
    site.passes(1, processors=0.95)
    assert (site.optimised, site.alerter.alerts) == (1, {"processors": 0.95})
    site.passes(1, processors=0.7)
    assert site.alerter.alerts == {"processors": 0.7}
    site.passes(1, processors=0.5)
    assert site.alerter.alerts == {}
    assert site.alerter.loads == {"processors": 0.5, "link to SP3": 0.0}


def test_a_link_is_watched_too() -> None:
    site = Watched()
    site.passes(IN_A_ROW, link=0.9)
    assert site.alerter.alerts == {"link to SP3": 0.9}


def test_bursts_are_no_alert() -> None:
    site = Watched()
    for _ in range(10):
        site.passes(IN_A_ROW - 1, processors=1.0, link=1.0)
        site.passes(1, processors=0.1, link=0.1)
    assert site.optimised == 0


def test_what_does_not_get_better_is_tried_again_after_a_while_only() -> None:
    site = Watched()
    site.passes(IN_A_ROW + int(QUIET_SECONDS / SECONDS) - 1, processors=0.9)
    assert site.optimised == 1
    site.passes(1, processors=0.9)
    assert site.optimised == 2
