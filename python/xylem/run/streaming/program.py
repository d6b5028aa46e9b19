"""A query compiled for a stream, and its runs."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from xylem.errors import DynamicError, EngineBug, XylemError
from xylem.functions.context import Context, Resources, RunPart, StaticPart
from xylem.plan.flux_plan import FluxPlan
from xylem.plan.scan_plan import ScanPlan
from xylem.source.limits import DEFAULT_LIMITS, Limits
from xylem.source.scan import ScannedBatch, scan
from xylem.values.datetimes import DateTime
from xylem.values.node import Node

from ..deep_stack import with_deep_stack
from ..evaluator.program import Program, current_time
from .collector import Collector
from .roles import Role
from .run import Statistics, StreamRun


@dataclass
class StreamProgram:
    """What compilation for a stream gives. It holds no state of a run."""

    handlers: Program
    """The generated handlers, beside the functions of the query."""
    roles: list[Role]
    slots: tuple[str, ...]
    """The variables of the environment that handlers see."""
    scan: ScanPlan
    static: StaticPart
    plan: FluxPlan
    """The FluX program, as `explain` prints it."""
    copy_namespaces: tuple[bool, bool] = (True, True)
    """Whether copies preserve and inherit namespaces, for whatever takes the answer."""

    def run(
        self,
        source: Any,
        resources: Resources,
        *,
        variables: Mapping[tuple[str, str], Any] | None = None,
        environment: Mapping[str, str] | None = None,
        now: DateTime | None = None,
        limits: Limits = DEFAULT_LIMITS,
        scanner: str = "auto",
        statistics: Statistics | None = None,
    ) -> Iterator[Any]:
        """The items of the answer, each as soon as it is final."""
        output = Collector(self.static.base_uri, *self.copy_namespaces)
        batches = self.write(
            source,
            resources,
            output,
            variables=variables,
            environment=environment,
            now=now,
            limits=limits,
            scanner=scanner,
            statistics=statistics,
        )
        yield from output.drawn(batches)

    def write(
        self,
        source: Any,
        resources: Resources,
        output: Any,
        *,
        variables: Mapping[tuple[str, str], Any] | None = None,
        environment: Mapping[str, str] | None = None,
        now: DateTime | None = None,
        limits: Limits = DEFAULT_LIMITS,
        scanner: str = "auto",
        statistics: Statistics | None = None,
    ) -> Iterator[Statistics]:
        """Run over a source of bytes, writing to an output; gives control back after each batch."""
        measured = statistics or Statistics()
        measured.limit_bytes = limits.buffered_bytes
        part = RunPart(resources, now or current_time(), environment, dict(variables or {}))
        space = self.handlers.namespace(part, None)
        run = StreamRun(self.roles, len(self.slots), space, Context(self.static, part), output, measured)

        def may_write() -> bool:
            return getattr(output, "takes_markup", False)

        scanned = scan(source, self.scan, limits=limits, scanner=scanner, may_write=may_write)
        batches = cast("Generator[ScannedBatch, None, None]", scanned)
        started = False
        for batch in batches:
            measured.input_bytes = batch.input_bytes
            self._guarded(_taking(run, batch, started))
            started = True
            yield measured
            if run.is_done:
                batches.close()
                break
        self._guarded(run.finish)
        yield measured

    def _guarded(self, action: Callable[[], None]) -> None:
        """Run generated code; its errors get their place in the query."""
        try:
            if self.handlers.may_recurse:
                with_deep_stack(action)
            else:
                action()
        except XylemError as error:
            raise error.at(self.handlers.locate(error)) from error.__cause__
        except RecursionError as error:
            raise DynamicError("XYDY0001").at(self.handlers.locate(error)) from None
        except (MemoryError, OSError):
            raise
        except Exception as error:
            raise EngineBug("XYBUG0001", f"{type(error).__name__}: {error}").at(self.handlers.locate(error)) from error


def _taking(run: StreamRun, batch: ScannedBatch, started: bool) -> Callable[[], None]:
    def take() -> None:
        if not started:
            run.start(Node(batch.tree, 0))
        run.push(batch.tree, batch.kinds, batch.steps, batch.rows, batch.counts, batch.written)

    return take
