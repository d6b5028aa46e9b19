//! A complete element of a step with takers: their results, and records for takers that decide themselves.

use super::Projector;
use crate::plan::{COUNT, ITEM, WRITTEN};
use crate::row_paths::NamedRows;
use crate::rows::{Rows, Taken};
use crate::template::ScanResult;
use crate::template_writer::write_result;
use crate::value_tests::Verdict;

/// The result of a template for an element, so that takers with the same one share it.
type Text = (u32, Option<Taken>);

impl Projector {
    /// Give the element of a row to its takers; returns whether it was reported to any.
    pub(super) fn give(&mut self, step: u32, row: u32) -> bool {
        let Projector { takers, rows, names, writes, has_counted, .. } = self;
        let mut taken = std::mem::take(&mut rows.taken);
        let mut text = std::mem::take(&mut rows.taken_text);
        let named = NamedRows { rows: &rows.columns(), names };
        let mut written: Vec<Text> = Vec::new();
        let mut is_reported = false;
        takers.look_up(step, named, row as usize, &mut |taker, result, verdict| {
            let mut own = Taken { owner: taker.owner, step: taker.own_step, kind: ITEM, row, ..Taken::default() };
            match (verdict, result) {
                (Verdict::Holds, Some((_, ScanResult::Tally(tally)))) => {
                    own.kind = COUNT;
                    own.items = tally.count(named, row as usize);
                    *has_counted = true;
                }
                (Verdict::Holds, Some((number, ScanResult::Template(parts)))) if *writes => {
                    let known = written.iter().find(|(other, _)| *other == number);
                    let made = match known {
                        Some((_, made)) => *made,
                        None => {
                            let before = text.len();
                            // Each owner decides whether a space precedes an atomic value.
                            let outcome = write_result(parts, named, row as usize, &mut text)
                                .ok()
                                .filter(|items| !items.begins_with_atomic && !items.ends_with_atomic);
                            if outcome.is_none() {
                                text.truncate(before);
                            }
                            let made = outcome.map(|items| measured(rows, row, before, text.len(), items.number));
                            written.push((number, made));
                            made
                        }
                    };
                    if let Some(made) = made {
                        own = Taken { owner: own.owner, step: own.step, ..made };
                    }
                }
                _ => {}
            }
            is_reported |= own.kind == ITEM;
            taken.push(own);
        });
        rows.taken = taken;
        rows.taken_text = text;
        if is_reported {
            rows.point_to(row);
        }
        is_reported
    }
}

fn measured(rows: &Rows, row: u32, start: usize, end: usize, items: u64) -> Taken {
    let (most_characters, most_rows) = rows.size_of(row);
    Taken { kind: WRITTEN, start, end, items, most_characters, most_rows, ..Taken::default() }
}
