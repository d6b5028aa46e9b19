//! Elements that are reported part by part, but written as a whole if the whole element is still in the batch.
//!
//! A step with START and END records may have a template. The records of its element are made as usual; when it ends,
//! and none of them has been returned, the template is written and they are undone. So nothing waits for a distant end
//! tag, and an element of usual size costs as little as one that is taken whole.

use super::{Projector, NO_ITEM};
use crate::names::Names;
use crate::plan::{Plan, COUNT, END, LEAVES, START};
use crate::row_paths::NamedRows;
use crate::rows::{Mark, Rows};
use crate::template::{Part, ScanResult};
use crate::template_writer::write_result;

/// An element that may be written as a whole.
pub(super) struct Whole {
    step: u32,
    row: u32,
    /// The state before its START record.
    before: Mark,
    /// The counts of steps below it before its start.
    counted: Vec<u64>,
}

/// What to undo when an element of a step is written as a whole.
pub(super) struct TakenBack {
    /// For each step, whether its records are undone.
    records: Box<[bool]>,
    /// The steps whose counts are undone.
    counts: Vec<u32>,
}

/// For each step whose elements may be written as a whole, what must then be undone.
pub(super) fn taken_back(plan: &Plan) -> Vec<Option<TakenBack>> {
    let of = |number: usize| {
        let step = &plan.steps[number];
        let is_whole = step.report & (START | END) == START | END && !step.late && !step.nests;
        if !is_whole || !matches!(step.result, Some(ScanResult::Template(_))) {
            return None;
        }
        let mut records = vec![false; plan.steps.len()].into_boxed_slice();
        let mut counts = Vec::new();
        records[number] = true;
        for (other, inner) in plan.steps.iter().enumerate().skip(number + 1) {
            records[other] = records[inner.parent];
            match inner.result {
                _ if !records[other] => {}
                // Values added to a table stay there.
                Some(ScanResult::Table(_)) => return None,
                Some(ScanResult::Tally(_)) => counts.push(other as u32),
                _ if inner.report & (COUNT | LEAVES) != 0 => counts.push(other as u32),
                _ => {}
            }
        }
        Some(TakenBack { records, counts })
    };
    (0..plan.steps.len()).map(of).collect()
}

impl Projector {
    /// The START record of a step is about to be reported.
    #[inline(always)]
    pub(super) fn enter_whole(&mut self, step: u32, row: u32) {
        let Some(taken_back) = &self.taken_back[step as usize] else { return };
        if self.writes {
            let counted = taken_back.counts.iter().map(|&other| self.counts[other as usize]).collect();
            self.wholes.push(Whole { step, row, before: self.rows.mark(), counted });
        }
    }

    /// An element ends, and a step needs its END record; returns whether it was written as a whole instead.
    #[inline(always)]
    pub(super) fn leave_whole(&mut self, step: u32, row: u32) -> bool {
        match self.wholes.last() {
            Some(whole) if (whole.step, whole.row) == (step, row) => self.write_whole(),
            _ => false,
        }
    }

    fn write_whole(&mut self) -> bool {
        let Some(Whole { step, row, before, counted }) = self.wholes.pop() else { return false };
        let Some(taken_back) = &self.taken_back[step as usize] else { return false };
        let Some(ScanResult::Template(parts)) = &self.automaton.plan().steps[step as usize].result else {
            return false;
        };
        if !self.writes || self.rows.has_taken_since(&before) {
            return false;
        }
        if self.rows.records_since(&before).iter().any(|&other| !taken_back.records[other as usize]) {
            return false;
        }
        if !write_instead(&mut self.rows, &self.names, parts, step, row, &before) {
            return false;
        }
        for (&other, number) in taken_back.counts.iter().zip(counted) {
            self.counts[other as usize] = number;
        }
        let is_read = self.rows.points_from(row) || self.siblings.waits_from(row);
        if self.wholes.is_empty() && self.first_item == NO_ITEM && !is_read {
            self.rows.truncate(row);
            self.repeated = self.repeated.min(self.rows.len());
        }
        true
    }
}

/// Write the result of an element in place of its records; returns whether that was possible.
fn write_instead(rows: &mut Rows, names: &Names, parts: &[Part], step: u32, row: u32, before: &Mark) -> bool {
    let mut text = Vec::new();
    let Ok(items) = write_result(parts, NamedRows { rows: &rows.columns(), names }, row as usize, &mut text) else {
        return false;
    };
    rows.take_back(before);
    let start = rows.written_text.len();
    rows.written_text.extend_from_slice(&text);
    rows.record_written(step, row, start, items);
    true
}
