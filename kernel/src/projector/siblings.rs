//! Siblings: ended elements that stay for later ones, numbers among siblings, and items that wait for later siblings.

use std::collections::VecDeque;

use super::start_tests::next_number;
use super::{Open, Projector};
use crate::plan::{Await, ALL_SIBLINGS};
use crate::rows::Rows;
use crate::value_tests::Verdict;

/// In place of a counting test: the number among siblings.
const NUMBER: usize = usize::MAX;

/// An element that has ended and stays in the rows while its parent is open.
struct Remembered {
    /// The place of its parent among the open elements.
    parent: usize,
    step: u32,
    row: u32,
    /// The number of its rows, and their bytes.
    size: Size,
}

/// The amount kept.
#[derive(Clone, Copy, Default)]
pub(super) struct Size {
    pub rows: usize,
    pub bytes: usize,
}

/// An item that is reported as soon as enough later siblings have ended, or its parent has.
struct Awaiting {
    /// The place of its parent, or of the outermost ancestor whose children it waits for.
    parent: usize,
    /// The first row that stays with it: its own, or that of the ancestor's child around it.
    held: u32,
    step: u32,
    row: u32,
    /// Its test results; None while it is open.
    verdict: Option<Verdict>,
    /// How many of the awaited steps have not matched often enough.
    unmet: usize,
}

/// The state kept for siblings.
#[derive(Default)]
pub(super) struct Siblings {
    /// Those below the outermost elements first; those of one parent in document order.
    remembered: Vec<Remembered>,
    /// Their total size.
    pub size: Size,
    /// In document order.
    awaiting: VecDeque<Awaiting>,
    /// The number of items that have waited and been reported.
    told: usize,
    /// For each step, the items that wait for its elements, and for how many.
    waiting: Vec<Vec<(usize, u32)>>,
}

impl Siblings {
    /// The first row that is held for a waiting item.
    #[inline(always)]
    pub(super) fn first_row(&self) -> Option<u32> {
        self.awaiting.front().map(|item| item.held)
    }

    /// The same, if the item waits for children of the open element at a place.
    pub(super) fn first_awaiting_in(&self, place: usize) -> Option<u32> {
        self.awaiting.front().filter(|item| item.parent == place).map(|item| item.held)
    }

    /// Whether an item waits whose row is one of those from a row on.
    pub(super) fn waits_from(&self, row: u32) -> bool {
        self.awaiting.back().is_some_and(|item| item.row >= row)
    }

    /// A waiting item has ended.
    pub(super) fn complete(&mut self, step: u32, row: u32, verdict: Verdict) {
        let found = self.awaiting.iter_mut().rev().find(|item| item.step == step && item.row == row);
        if let Some(item) = found {
            item.verdict = Some(verdict);
        }
    }

    /// Repeat the kept siblings below the open element at a place, except those repeated for a waiting item.
    pub(super) fn repeat_remembered(&mut self, rows: &mut Rows, done: &Rows, place: usize, parent: u32) {
        let held = self.first_awaiting_in(place).unwrap_or(u32::MAX);
        let first = self.remembered.partition_point(|one| one.parent < place);
        let end = self.remembered.partition_point(|one| one.parent <= place);
        let here = self.remembered[first..end].iter_mut().filter(|one| one.row < held);
        let mut here: Vec<&mut Remembered> = here.collect();
        here.sort_by_key(|one| one.row);
        let mut last = (u32::MAX, 0);
        for one in here {
            if one.row != last.0 {
                last = (one.row, rows.repeat_subtree(done, one.row, parent));
            }
            one.row = last.1;
        }
    }

    /// The rows from one on, and what is in the open elements from a place on, are repeated elsewhere.
    pub(super) fn move_rows(&mut self, place: usize, from: u32, to: u32) {
        let is_inside = |one: &&mut Remembered| one.parent >= place || (one.parent + 1 == place && one.row >= from);
        for one in self.remembered.iter_mut().filter(is_inside) {
            one.row = one.row - from + to;
        }
        for item in &mut self.awaiting {
            item.row = item.row - from + to;
            item.held = item.held - from + to;
        }
    }

    fn remember(&mut self, one: Remembered, most: u32) {
        if most != ALL_SIBLINGS {
            self.make_room(&one, most);
        }
        self.size.rows += one.size.rows;
        self.size.bytes += one.size.bytes;
        self.remembered.push(one);
    }

    /// Drop the first of the preceding siblings once the maximum is reached.
    fn make_room(&mut self, one: &Remembered, most: u32) {
        let is_such = |other: &Remembered| other.parent == one.parent && other.step == one.step;
        let first = self.remembered.partition_point(|other| other.parent < one.parent);
        let same: Vec<usize> = (first..self.remembered.len()).filter(|&at| is_such(&self.remembered[at])).collect();
        if same.len() >= most as usize {
            let gone = self.remembered.remove(same[0]);
            self.release(gone.size);
        }
    }

    /// Drop the siblings kept below the element at a place, which has ended.
    fn forget(&mut self, place: usize) {
        while let Some(one) = self.remembered.last().filter(|one| one.parent >= place) {
            let size = one.size;
            self.remembered.pop();
            self.release(size);
        }
    }

    fn release(&mut self, size: Size) {
        self.size.rows -= size.rows;
        self.size.bytes -= size.bytes;
    }

    /// An item waits for those of `awaited`, in scopes that are open.
    fn wait(&mut self, item: Awaiting, awaited: impl Iterator<Item = (u32, u32)>) {
        // Earlier items are reported first, so they wait as long: those that wait in inner elements come last.
        for other in self.awaiting.iter_mut().rev().take_while(|other| other.parent > item.parent) {
            (other.parent, other.held) = (item.parent, item.held);
        }
        let number = self.told + self.awaiting.len();
        self.awaiting.push_back(item);
        for (step, many) in awaited {
            if self.waiting.len() <= step as usize {
                self.waiting.resize(step as usize + 1, Vec::new());
            }
            self.waiting[step as usize].push((number, many));
        }
    }

    /// An element of a step has ended: earlier siblings have waited for it.
    fn meet(&mut self, step: u32, parent: usize, row: u32) {
        let Some(waiting) = self.waiting.get_mut(step as usize) else { return };
        let (awaiting, told) = (&mut self.awaiting, self.told);
        let first = waiting.iter().rposition(|&(number, _)| awaiting[number - told].parent < parent);
        let rest = waiting.split_off(first.map_or(0, |place| place + 1));
        for (number, left) in rest {
            let item = &mut awaiting[number - told];
            let is_behind = item.verdict.is_some() && item.row < row;
            if is_behind && left == 1 {
                item.unmet -= 1;
            } else {
                waiting.push((number, left - u32::from(is_behind)));
            }
        }
    }

    /// The element at a place has ended: no more siblings can follow in it.
    fn end_waiting(&mut self, place: usize) {
        let (awaiting, told) = (&mut self.awaiting, self.told);
        for waiting in &mut self.waiting {
            while let Some(&(number, _)) = waiting.last() {
                let item = &mut awaiting[number - told];
                if item.parent < place {
                    break;
                }
                item.unmet = 0;
                waiting.pop();
            }
        }
    }

    /// The next item that no longer waits.
    fn next_told(&mut self) -> Option<Awaiting> {
        let item = self.awaiting.front()?;
        if item.unmet > 0 || item.verdict.is_none() {
            return None;
        }
        self.told += 1;
        self.awaiting.pop_front()
    }
}

impl Projector {
    /// An element has started that may concern siblings.
    #[inline(always)]
    pub(super) fn enter_among_siblings(&mut self, number: u32) {
        let action = self.automaton.action(number);
        if action.remembered.is_empty() && action.awaiting.is_empty() {
            return;
        }
        let place = self.open.len() - 1;
        let Some(parent) = place.checked_sub(1) else { return };
        let row = self.open[place].row;
        for &step in &action.remembered {
            if let Some(label) = self.automaton.plan().steps[step as usize].label {
                let number = next_number(&mut self.positions, parent, step, NUMBER);
                self.rows.numbers.push((row, label, number));
            }
        }
        for &step in &action.awaiting {
            let all = &self.automaton.plan().steps[step as usize].awaits;
            let scopes: Vec<(&Await, usize)> =
                all.iter().filter_map(|one| Some((one, self.place_of_scope(one, place)?))).collect();
            let outermost = scopes.iter().map(|&(_, place)| place).min().unwrap_or(parent);
            let held = self.open[outermost + 1].row;
            let item = Awaiting { parent: outermost, held, step, row, verdict: None, unmet: scopes.len() };
            self.siblings.wait(item, scopes.iter().map(|(one, _)| (one.step, one.many)));
        }
    }

    /// The place of the ancestor whose children the element at a place waits for; None if it has no such ancestor.
    fn place_of_scope(&self, awaited: &Await, place: usize) -> Option<usize> {
        match awaited.scope_step() {
            None => place.checked_sub(awaited.scope.unsigned_abs() as usize),
            Some(step) => {
                let is_scope = |at: &usize| self.automaton.action(self.open[*at].action).scopes.contains(&step);
                (0..place).rev().find(is_scope)
            }
        }
    }

    /// An element with a row has ended: items waiting inside it are done, and others may have waited for it.
    #[inline(always)]
    pub(super) fn end_among_siblings(&mut self, element: &Open) {
        let place = self.open.len();
        self.siblings.forget(place);
        let is_waited = !self.siblings.awaiting.is_empty();
        if is_waited {
            self.siblings.end_waiting(place);
        }
        let action = self.automaton.action(element.action);
        if let Some(parent) = place.checked_sub(1) {
            for &step in &action.remembered {
                let most = self.automaton.plan().steps[step as usize].remembers;
                let rows = self.rows.len() - element.row as usize;
                let size = Size { rows, bytes: self.rows.bytes_from(element.row) };
                self.siblings.remember(Remembered { parent, step, row: element.row, size }, most);
            }
            for &step in action.awaited.iter().filter(|_| is_waited) {
                self.siblings.meet(step, parent, element.row);
            }
        }
        self.tell_awaited();
    }

    /// Report the items that no longer wait, in document order.
    #[inline(always)]
    pub(super) fn tell_awaited(&mut self) {
        while let Some(item) = self.siblings.next_told() {
            let verdict = item.verdict.unwrap_or(Verdict::Fails);
            if verdict != Verdict::Fails {
                self.tell_item(item.step, item.row, verdict);
            }
        }
    }
}
