//! The end of an element that is reported: its records, or the result that the scan writes instead.

use super::late::announce;
use super::{Open, Projector, NO_ITEM};
use crate::names::Names;
use crate::plan::{END, ITEM, TEXT};
use crate::row_paths::NamedRows;
use crate::rows::{kind, Rows};
use crate::template::{Part, ScanResult};
use crate::template_writer::write_numbered;
use crate::value_tests::{all, Verdict};

impl Projector {
    /// The last row is a complete text node, a comment or a processing instruction.
    pub(super) fn report_leaf(&mut self, of_kind: u32) {
        let Some(element) = self.open.last() else { return };
        let action = self.automaton.action(element.action);
        let steps = match of_kind {
            kind::TEXT => &action.texts,
            kind::COMMENT => &action.comments,
            _ => &action.instructions,
        };
        let row = self.rows.len() as u32 - 1;
        let place = self.open.len() - 1;
        for &step in steps {
            match &self.automaton.plan().steps[step as usize].result {
                Some(ScanResult::Tally(_)) => {
                    self.counts[step as usize] += 1;
                    self.has_counted = true;
                    continue;
                }
                _ => announce(&self.automaton, &mut self.nesting, &mut self.rows, &self.open, step, place),
            }
            match &self.automaton.plan().steps[step as usize].result {
                Some(ScanResult::Template(parts))
                    if self.writes && write_record(&mut self.rows, &self.names, parts, step, row, 0) => {}
                _ => self.rows.record(TEXT, step, row),
            }
        }
    }

    /// The rows of the element are complete.
    pub(super) fn report_end(&mut self, element: &Open) {
        let mut is_reported = false;
        let mut is_spared = false;
        let row = element.row;
        let place = self.open.len();
        self.takers.next_element();
        for number in 0..self.automaton.action(element.action).at_end.len() {
            let (kind, step) = self.automaton.action(element.action).at_end[number];
            let plan = &self.automaton.plan().steps[step as usize];
            let (nests, outermost) = (plan.nests, plan.outermost);
            if kind == END {
                if plan.late && !self.nesting[step as usize].leave() {
                    continue;
                }
                if self.leave_whole(step, row) {
                    continue;
                }
                announce(&self.automaton, &mut self.nesting, &mut self.rows, &self.open, step, place);
                self.rows.record(END, step, row);
                is_reported = true;
                continue;
            }
            if nests || outermost {
                self.nesting[step as usize].leave();
            }
            let is_outside = self.nesting[step as usize].is_outside();
            if outermost && !is_outside {
                continue;
            }
            if self.takers.has(step) {
                is_spared = true;
                is_reported |= self.tell_takers(step, row, nests, is_outside);
                continue;
            }
            let verdict = match &plan.value_tests[..] {
                [] => Verdict::Holds,
                tests => all(tests, NamedRows { rows: &self.rows.columns(), names: &self.names }, row as usize),
            };
            is_spared |= verdict == Verdict::Fails;
            if !plan.awaits.is_empty() {
                self.siblings.complete(step, row, verdict);
                is_reported = true;
                continue;
            }
            if !nests {
                if verdict != Verdict::Fails {
                    let is_told = self.tell_item(step, row, verdict);
                    is_reported |= is_told;
                    is_spared |= !is_told;
                }
                continue;
            }
            if verdict != Verdict::Fails {
                self.nesting[step as usize].wait(row, verdict);
            }
            if is_outside {
                for (row, verdict) in self.nesting[step as usize].waited() {
                    let is_told = self.tell_item(step, row, verdict);
                    is_reported |= is_told;
                    is_spared |= !is_told;
                }
            }
        }
        let is_remembered = !self.automaton.action(element.action).remembered.is_empty();
        if self.first_item == self.open.len() {
            self.first_item = NO_ITEM;
            let is_free = self.wholes.is_empty() && !is_remembered && !self.siblings.waits_from(row);
            if is_spared && !is_reported && is_free && !self.rows.points_from(row) {
                self.rows.truncate(row);
                // Part of it may have been reported before, while it was open.
                self.repeated = self.repeated.min(self.rows.len());
            }
        }
        self.tell_awaited();
    }

    /// The same for a step with takers; nested elements wait for the outermost one.
    fn tell_takers(&mut self, step: u32, row: u32, nests: bool, is_outside: bool) -> bool {
        if !nests {
            return self.give(step, row);
        }
        self.nesting[step as usize].wait(row, Verdict::Holds);
        if !is_outside {
            return true;
        }
        let mut is_reported = false;
        for (row, _) in self.nesting[step as usize].waited() {
            self.takers.next_element();
            is_reported |= self.give(step, row);
        }
        self.takers.next_element();
        is_reported
    }

    /// Perform the step's action on a complete element, or report it; returns whether it was reported.
    pub(super) fn tell_item(&mut self, step: u32, row: u32, verdict: Verdict) -> bool {
        let plan = &self.automaton.plan().steps[step as usize];
        if verdict == Verdict::Holds {
            match &plan.result {
                Some(ScanResult::Tally(tally)) => {
                    let named = NamedRows { rows: &self.rows.columns(), names: &self.names };
                    self.counts[step as usize] += tally.count(named, row as usize);
                    self.has_counted = true;
                    return false;
                }
                Some(ScanResult::Table(spec)) => {
                    if let Some(table) = &mut self.tables[step as usize] {
                        let named = NamedRows { rows: &self.rows.columns(), names: &self.names };
                        if table.add(spec, named, row as usize).is_ok() {
                            return false;
                        }
                    }
                }
                _ => {}
            }
        }
        announce(&self.automaton, &mut self.nesting, &mut self.rows, &self.open, step, self.open.len());
        if let (Verdict::Holds, Some(ScanResult::Template(parts))) = (verdict, &plan.result) {
            let number = &mut self.numbers[step as usize];
            *number += 1;
            if self.writes && write_record(&mut self.rows, &self.names, parts, step, row, *number) {
                return false;
            }
        }
        if let Some(table) = self.tables[step as usize].take() {
            self.left.push((step, table));
        }
        self.rows.record(ITEM, step, row);
        true
    }
}

/// Write the result of a record instead of reporting it; returns whether that was possible.
fn write_record(rows: &mut Rows, names: &Names, parts: &[Part], step: u32, row: u32, number: u64) -> bool {
    let mut out = std::mem::take(&mut rows.written_text);
    let before = out.len();
    let written = write_numbered(parts, NamedRows { rows: &rows.columns(), names }, row as usize, number, &mut out);
    if written.is_err() {
        out.truncate(before);
    }
    rows.written_text = out;
    if let Ok(items) = written {
        rows.record_written(step, row, before, items);
    }
    written.is_ok()
}
