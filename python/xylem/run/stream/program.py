"""A query compiled for a stream, and its runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from xylem.errors import DynamicError, EngineBug, XylemError, no_memory_left
from xylem.functions.context import Resources, StaticPart
from xylem.plan.flux_plan import FluxPlan
from xylem.plan.flux_variables import expressions_of
from xylem.plan.result_template import Template
from xylem.plan.scan_plan import ScanPlan
from xylem.syntax import ast

from ..deep_stack import with_deep_stack
from ..program import Program
from .collector import Collector
from .document_runs import DocumentRuns
from .idle_scanners import IdleScanners
from .recursion import may_recurse
from .roles import Role
from .run import Statistics


@dataclass
class StreamProgram:
    """The result of compilation for a stream. It holds no state of a run."""

    handlers: Program
    """The generated handlers; the query's functions are separate."""
    roles: list[Role]
    slots: tuple[str, ...]
    """The variables of the environment that handlers see."""
    scan: ScanPlan
    static: StaticPart
    plan: FluxPlan
    """The FluX program, as `explain` prints it."""
    copy_namespaces: tuple[bool, bool] = (True, True)
    """Whether copies preserve and inherit namespaces, for readers of the answer."""
    feeds_windows: bool = False
    """Whether window clauses get their items while the input passes."""
    ends_with_windows: bool = False
    """Whether to stop reading once the windows are complete."""
    document_template: Template | None = None
    """A template that answers a whole small document, if all of the query can be written so."""
    by_code: tuple[tuple[str, str], ...] = ()
    """Expressions that prevent the kernel from writing a result or forming windows, and why."""
    kernel_windows: Mapping[ast.Expr, bool] = field(default_factory=dict)
    """The expressions whose windows the kernel forms, and whether it writes their results, too."""
    writes_rows: bool = False
    """Whether the scan writes rows of a table, and not XML."""
    document_rows: Template | None = None
    """A template that answers a whole document by rows of a table, if possible."""
    scanners: IdleScanners = field(default_factory=IdleScanners, repr=False, compare=False)
    """Of finished runs: making a scanner takes as long as scanning a small document."""

    def run(self, source: Any, resources: Resources, **options: Any) -> Iterator[Any]:
        """The items of the answer, each as soon as it is final; options as for `DocumentRuns`."""
        output = Collector(self.static.base_uri, *self.copy_namespaces)
        yield from output.drawn(self.write(source, resources, output, **options))

    def write(self, source: Any, resources: Resources, output: Any, **options: Any) -> Iterator[Statistics]:
        """Run over a source of bytes, writing to an output; yields after each batch."""
        yield from self.over_documents(resources, **options).write(source, output)

    def over_documents(self, resources: Resources, **options: Any) -> DocumentRuns:
        """Runs over consecutive documents, which share scanners and code; options as for `DocumentRuns`."""
        return DocumentRuns(self, resources, **options)

    @cached_property
    def _may_recurse(self) -> bool:
        if not self.handlers.may_recurse or self.feeds_windows:
            return self.handlers.may_recurse
        module = self.handlers.module
        if any(isinstance(declaration, ast.ModuleImport) for declaration in module.prolog):
            return True
        return may_recurse(expressions_of(self.plan.program), module.prolog)

    def guarded(self, action: Callable[[], None]) -> None:
        """Run generated code; its errors get their place in the query."""
        try:
            if self._may_recurse:
                with_deep_stack(action)
            else:
                action()
        except XylemError as error:
            raise error.at(self.handlers.locate(error)) from error.__cause__
        except RecursionError as error:
            raise DynamicError("XYDY0001").at(self.handlers.locate(error)) from None
        except MemoryError as error:
            place = self.handlers.locate(error)
            raise no_memory_left(error).at(place) from None
        except OSError:
            raise
        except Exception as error:
            raise EngineBug("XYBUG0001", f"{type(error).__name__}: {error}").at(self.handlers.locate(error)) from error
