"""`xylem run --updates …`: a query over update streams, and its report after each commit."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from .history_options import Changes, HistoryOptions, Report
from .malformed_option import facts_of, policy_of, tallied, words_of
from .query_source import QuerySource, output_parameters, variables
from .result_output import ResultOutput, result_output

if TYPE_CHECKING:
    from xylem.run.history.evaluation import Answer
    from xylem.run.history.run import UpdateInput, UpdateRun
    from xylem.sink.changelog import Envelope
    from xylem.source.malformed import MalformedTally

    from .run_metrics import RunMetrics
    from .run_query import RunOptions
    from .statistics import Facts

Write = Callable[[str], None]
_NAMED = re.compile(r"([A-Za-z_][\w.-]*)=(.+)", re.DOTALL).fullmatch


def run_over_updates(source: QuerySource, options: RunOptions, history: HistoryOptions) -> None:
    """Run the query over its streams and report."""
    if options.checkpoint is not None:
        _from_checkpoint(source, options, history, options.checkpoint)
        return
    if not options.inputs:
        raise typer.BadParameter("give an update stream: -i FILE", param_hint="--updates")
    for option, given in (("--items", options.items), ("--schema", options.schema), ("--stream", options.stream)):
        if given:
            raise typer.BadParameter("this option cannot be used with --updates", param_hint=option)
    policy, letters = policy_of(options.on_malformed, options.output)
    if history.late == "dead-letter" and letters is None:
        raise typer.BadParameter("late updates need a file: --on-malformed dead-letter=FILE", param_hint="--late")
    with tallied(policy, letters, is_reported=options.statistics is not None) as tally:
        run = _run(source, options, history, tally)
        with result_output(options.output) as output:
            _reported(run, history, output, options.metrics)
        if late := run.figures.late:
            typer.echo(f"{late:,} {'update' if late == 1 else 'updates'} came too late ({history.late})", err=True)
        if options.statistics is not None:
            from .statistics import peak_rss_bytes, report_as

            figures = run.figures
            facts: Facts = {"updates": figures.updates, "commits": figures.commits, "changes": figures.changes}
            facts = {**facts, "late": figures.late, "peak_rss_bytes": peak_rss_bytes()}
            if figures.evaluated is not None:
                facts = {**facts, "evaluated": figures.evaluated, "most_versions": figures.most_versions}
            if figures.whole:
                facts = {**facts, "whole": figures.whole}
            report_as({**facts, **facts_of(tally)}, _rows, options.statistics)


def _rows(facts: Facts) -> Iterator[tuple[str, str]]:
    for name in ("updates", "commits", "changes", "late"):
        yield name, f"{facts[name]:,}"
    if "evaluated" in facts:
        yield "evaluated units", f"{facts['evaluated']:,}"
        yield "most versions", f"{facts['most_versions']:,} of a region"
    if "whole" in facts:
        yield "then anew each time", str(facts["whole"])
    if "malformed" in facts:
        yield "left out", words_of(facts["malformed"])
    yield "peak memory", f"{facts['peak_rss_bytes'] / 1e6:,.0f} MB"


def _run(source: QuerySource, options: RunOptions, history: HistoryOptions, tally: MalformedTally | None) -> UpdateRun:
    from xylem.source.resources import FileResources
    from xylem.values.python_values import sequence_from_python

    from .run_query import compiled_over_updates

    query = compiled_over_updates(source)
    bound = variables(options.values, options.documents)
    return query.run(
        list(_inputs(options, history)),
        FileResources(options.allowed),
        {name: sequence_from_python(value) for name, value in bound.items()},
        environment=os.environ if options.allow_environment else None,
        output=output_parameters(options.output_parameters),
        tally=tally,
        late=history.late,
        keep=history.keep,
        limits=options.limits,
        is_edited=history.report is not Report.FINAL
        and history.as_of is None
        and history.changes is not Changes.APPEND,
    )


def _inputs(options: RunOptions, history: HistoryOptions) -> Iterator[UpdateInput]:
    """The streams by name: the given one, that of the file if there are several, an empty one for a single stream."""
    from xylem.run.history.run import UpdateInput
    from xylem.source.update_stream.formats import operations_of

    seen: set[str] = set()
    for given in options.inputs:
        named = _NAMED(given)
        name, place = (named[1], named[2]) if named is not None and not Path(given).exists() else ("", given)
        if not name and len(options.inputs) > 1:
            name = Path(place).stem
        if name in seen:
            raise typer.BadParameter(f"two streams are called {name!r}: NAME=FILE tells them apart", param_hint="-i")
        seen.add(name)
        is_native = history.format.name == "native"
        yield UpdateInput(name, place, operations_of(place, history.format, options.limits), leaves_runs=is_native)


def _from_checkpoint(source: QuerySource, options: RunOptions, history: HistoryOptions, checkpoint: Path) -> None:
    """The answer as of a time, from the checkpoint of `xylem stream`."""
    from xylem.spark.continuous.past_answer import past_answer
    from xylem.spark.continuous.told_query import QueryText, told_queries

    if history.as_of is None:
        told = "with --updates this reads the checkpoint of `xylem stream`: it needs --as-of"
        raise typer.BadParameter(told, param_hint="--checkpoint")
    if options.inputs:
        told = "the answer comes from the checkpoint, without an input"
        raise typer.BadParameter(told, param_hint="-i")
    text = QueryText(history.name, source.text, source.name, source.base_uri, source.folder)
    ((_, query),) = told_queries(
        [text],
        variables=variables(options.values, options.documents),
        allow=options.allowed,
        output=output_parameters(options.output_parameters),
        limits=options.limits,
        several_documents=True,
        over_updates=True,
    )
    answer = past_answer(checkpoint, history.name, query, history.format.name, history.as_of)
    with result_output(options.output) as output:
        _past(answer, history.report, lambda text: output.write(text.encode()))


def _reported(run: UpdateRun, history: HistoryOptions, output: ResultOutput, metrics: RunMetrics | None) -> None:
    def write(text: str) -> None:
        output.write(text.encode())
        output.flush()

    if history.as_of is not None:
        _past(run.as_of(history.as_of), history.report, write)
    elif history.report is Report.FINAL:
        write(run.final().text)
    else:
        _REPORTS[history.report](run, history, write, _teller(run, metrics))


def _teller(run: UpdateRun, metrics: RunMetrics | None) -> Callable[[], None]:
    """The function to call after each commit."""
    figures = run.figures

    def tell() -> None:
        if metrics is not None:
            metrics.updates(
                updates=figures.updates, commits=figures.commits, changes=figures.changes, late=figures.late
            )

    return tell


def _past(answer: Answer, report: Report, write: Write) -> None:
    """Only the answer as of one time."""
    from xylem.sink.changelog import ChangeLog, change_line, commit_line, json_text

    commit, text = answer.commit, answer.display.text
    if report is Report.COMMITS:
        write(commit_line(commit.number, commit.time, json_text(text)) + "\n")
    elif report is Report.LOG:
        for row in ChangeLog("").rows(commit.number, commit.time, ((text, 0),) if text else ()):
            write(change_line(row) + "\n")
    else:
        write(text)


def _commits(run: UpdateRun, history: HistoryOptions, write: Write, tell: Callable[[], None]) -> None:
    from xylem.sink.changelog import commit_line
    from xylem.sink.display_parts import DisplayParts

    parts, before = DisplayParts(), DisplayParts().json
    for commit, edits in run.commits():
        if edits is not None and parts.apply(edits):
            shown = parts.json
            if shown != before:
                run.figures.changes += 1
                write(commit_line(commit.number, commit.time, shown) + "\n")
                before = shown
        tell()


def _log(run: UpdateRun, history: HistoryOptions, write: Write, tell: Callable[[], None]) -> None:
    from xylem.sink.changelog import AppendLog, ChangeLog, change_line, change_lines

    envelope: Envelope | None = None if history.changes is None else history.changes.value
    if envelope == "append":
        appended = AppendLog(history.name)
        for commit, parts in run.final_parts():
            for row in appended.rows(commit.number, commit.time, parts):
                write("".join(line + "\n" for line in change_lines(row, envelope)))
            tell()
        return
    log = ChangeLog(history.name)
    for commit, edits in run.commits():
        rows = [] if edits is None else log.rows(commit.number, commit.time, edits)
        run.figures.changes += bool(rows)
        for row in rows:
            lines = (change_line(row),) if envelope is None else change_lines(row, envelope)
            write("".join(line + "\n" for line in lines))
        tell()


def _live(run: UpdateRun, history: HistoryOptions, write: Write, tell: Callable[[], None]) -> None:
    from xylem.sink.live_display import LiveDisplay

    if history.serve is not None:
        _served(run, history.serve, tell)
        return
    columns, lines = shutil.get_terminal_size()
    display = LiveDisplay(write, columns, lines)
    for answer in run.answers():
        display.show(answer.display.text, answer.commit.number, answer.commit.time)
        tell()


def _served(run: UpdateRun, place: tuple[str, int], tell: Callable[[], None]) -> None:
    """Serve the answer to browsers until the input ends."""
    from xylem.sink.event_stream import EventServer

    try:
        server = EventServer(*place)
    except OSError as error:
        raise typer.BadParameter(str(error), param_hint="--serve") from None
    with server:
        typer.echo(f"http://{place[0]}:{server.port}/", err=True)
        for answer in run.answers():
            if answer.is_changed:
                server.show(answer.commit.number, answer.commit.time, answer.display.text)
            tell()


_REPORTS: dict[Report, Callable[[UpdateRun, HistoryOptions, Write, Callable[[], None]], None]] = {
    Report.COMMITS: _commits,
    Report.LOG: _log,
    Report.LIVE: _live,
}
__all__: Sequence[str] = ["run_over_updates"]
