//! The join itself: for each left item the boxes of the right side, nearest first.

use rustc_hash::FxHashMap;

use super::boxes::Boxes;
use super::grid::{Grid, Looked};
use super::nearest::Sorted;
use super::skyband::Skyband;
use super::terms::{Bounds, Column, Columns, Condition, Order, Term, Wanted};
use crate::memory;

/// Which pairs compete with each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// All of them.
    Inner,
    /// Those of the same left item.
    Left,
    /// Those of the same right item.
    Right,
    /// Best by either.
    Full,
    /// None: every pair that takes part.
    All,
}

/// How to search for partners if there is more than one distance on one axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Lookup {
    /// Whichever visits fewer items.
    Best,
    /// Nested boxes.
    Boxes,
    /// The ε-grid order, if a distance has a limit.
    Grid,
}

/// A join over columns.
pub struct Join {
    /// Which pairs compete.
    pub kind: Kind,
    /// The comparison.
    pub measures: Measures,
    /// Numbers that must be equal for a pair to take part, for each left and each right item; empty for any pair.
    pub keys: Option<(Vec<u32>, Vec<u32>)>,
    /// Columns of the left side, and how many items it has.
    pub left: (Vec<Column>, usize),
    /// Columns of the right side, and how many items it has.
    pub right: (Vec<Column>, usize),
}

/// The comparison of pairs, and their conditions.
#[derive(Clone)]
pub struct Measures {
    /// The number of other pairs that must not beat a pair.
    pub best: u32,
    /// The orders.
    pub orders: Vec<Order>,
    /// The conditions.
    pub conditions: Vec<Condition>,
    /// How to search for partners.
    pub lookup: Lookup,
}

impl Measures {
    /// The same with the sides exchanged.
    fn mirrored(&self) -> Measures {
        Measures {
            best: self.best,
            orders: self.orders.iter().map(|one| Order { term: one.term.mirrored(), limit: one.limit }).collect(),
            conditions: self.conditions.iter().map(Condition::mirrored).collect(),
            lookup: self.lookup,
        }
    }
}

/// The pairs of a join, ascending by left and right item, and the number of items of each side without a value to
/// compare.
pub fn join(join: Join) -> (Vec<(u32, u32)>, usize, usize) {
    let Join { kind, measures, keys, mut left, mut right } = join;
    let (left_keys, right_keys) = keys.map_or((None, None), |(left, right)| (Some(left), Some(right)));
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    let mut missing = (0, 0);
    if kind != Kind::Right {
        let is_last = kind != Kind::Full;
        let competing = if is_last { kind } else { Kind::Left };
        let (mine, others) = (std::mem::take(&mut left.0), std::mem::take(&mut right.0));
        if !is_last {
            (left.0, right.0) = (mine.clone(), others.clone());
        }
        let index = Index::new(competing, measures.clone(), mine.len(), (others, right.1), right_keys.as_deref());
        missing = (index.pairs((mine, left.1), left_keys.as_deref(), &mut pairs), index.missing);
    }
    if matches!(kind, Kind::Right | Kind::Full) {
        let index = Index::new(Kind::Left, measures.mirrored(), right.0.len(), left, left_keys.as_deref());
        let mut found = Vec::new();
        missing = (index.missing, index.pairs(right, right_keys.as_deref(), &mut found));
        pairs.extend(found.into_iter().map(|(right, left)| (left, right)));
    }
    if !pairs.is_sorted() {
        pairs.sort_unstable();
    }
    pairs.dedup();
    (pairs, missing.0, missing.1)
}

/// The right side of a join, prepared for left items that arrive later, any number at a time.
pub struct Index {
    kind: Kind,
    measures: Measures,
    wanted: Wanted,
    /// The columns read of the left side.
    of_left: Vec<usize>,
    right: Vec<Column>,
    groups: FxHashMap<u32, Group>,
    has_keys: bool,
    /// The number of right items without a value to compare.
    pub missing: usize,
}

/// Right items that may be paired with the same left items.
enum Group {
    /// One distance on one axis, by a column of the left side.
    Nearest(usize, Sorted),
    Grid(Grid),
    Boxes(Boxes),
}

const ANY: u32 = 0;
/// Up to this many for one axis, visiting all items of the cells within reach takes less time than ruling out boxes;
/// each further axis doubles it, since a pair then beats fewer items of other boxes.
const FEW_ITEMS: usize = 32;

impl Index {
    /// Pairs compete as in `Kind::Left`, `Kind::Inner` or `Kind::All`; left items will bring `given` columns.
    pub fn new(
        kind: Kind,
        measures: Measures,
        given: usize,
        right: (Vec<Column>, usize),
        keys: Option<&[u32]>,
    ) -> Index {
        let (mut columns, items) = right;
        let mut wanted = Wanted { given, terms: Vec::new() };
        let mut settle = |term: Term| term.settled(&mut wanted, &mut columns, items);
        let orders: Vec<Order> =
            measures.orders.into_iter().map(|one| Order { term: settle(one.term), limit: one.limit }).collect();
        let conditions: Vec<Condition> = measures
            .conditions
            .into_iter()
            .map(|one| Condition { one: settle(one.one), comparison: one.comparison, other: settle(one.other) })
            .collect();
        let (mut of_left, mut of_right) = (Vec::new(), Vec::new());
        let compared = conditions.iter().flat_map(|condition| [&condition.one, &condition.other]);
        for term in orders.iter().map(|order| &order.term).chain(compared) {
            term.right_columns(&mut of_right);
            term.mirrored().right_columns(&mut of_left);
        }
        let rights = with_values(&columns, &of_right, items);
        let mut made = Index {
            kind,
            measures: Measures { best: measures.best, orders, conditions, lookup: measures.lookup },
            wanted,
            of_left,
            missing: items - rights.len(),
            right: columns,
            groups: FxHashMap::default(),
            has_keys: keys.is_some(),
        };
        let mut by_key: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        match keys {
            None => {
                by_key.insert(ANY, rights);
            }
            Some(keys) => {
                for item in rights {
                    by_key.entry(keys[item as usize]).or_default().push(item);
                }
            }
        }
        made.groups = by_key.into_iter().map(|(key, items)| (key, made.group(items))).collect();
        made
    }

    fn group(&self, items: Vec<u32>) -> Group {
        match self.measures.orders.as_slice() {
            [order]
                if self.kind == Kind::Left
                    && self.measures.conditions.is_empty()
                    && self.measures.lookup == Lookup::Best =>
            {
                if let Some((left, right)) = order.distance() {
                    return Group::Nearest(left, Sorted::new(&self.right[right], &items));
                }
            }
            _ => {}
        }
        self.grid(&items).map_or_else(|| Group::Boxes(self.boxes(items)), Group::Grid)
    }

    /// The ε-grid of some items, if it is requested or visits few of them.
    fn grid(&self, items: &[u32]) -> Option<Grid> {
        match self.measures.lookup {
            Lookup::Boxes => None,
            Lookup::Grid => Grid::new(&self.measures.orders, &self.right, items),
            // The best pair so far rules out boxes of all items, but no cell.
            Lookup::Best if self.kind == Kind::Inner => None,
            Lookup::Best => Grid::new(&self.measures.orders, &self.right, items)
                .filter(|grid| grid.looked_at(&self.right) <= FEW_ITEMS << (grid.axes() - 1).min(8)),
        }
    }

    /// Add the pairs of some left items, ascending by left item for each key; returns how many of them have no value.
    pub fn pairs(&self, left: (Vec<Column>, usize), keys: Option<&[u32]>, pairs: &mut Vec<(u32, u32)>) -> usize {
        let items = left.1;
        let columns = self.wanted.of(left.0, items);
        let lefts = with_values(&columns, &self.of_left, items);
        let missing = items - lefts.len();
        let search = Search { columns: Columns { left: &columns, right: &self.right }, measures: &self.measures };
        let mut band = Skyband::new(self.measures.best, self.measures.orders.len());
        if !self.has_keys {
            search.among(&lefts, &self.groups[&ANY], self.kind, &mut band, pairs);
        } else {
            let mut by_key: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
            for item in lefts {
                by_key.entry(keys.map_or(ANY, |keys| keys[item as usize])).or_default().push(item);
            }
            for (key, lefts) in by_key {
                if let Some(group) = self.groups.get(&key) {
                    search.among(&lefts, group, self.kind, &mut band, pairs);
                }
            }
        }
        if self.kind == Kind::Inner {
            pairs.extend(band.pairs());
        }
        missing
    }

    fn boxes(&self, rights: Vec<u32>) -> Boxes {
        let mut axes = Vec::new();
        let mut limits: FxHashMap<usize, f64> = FxHashMap::default();
        for order in &self.measures.orders {
            order.term.right_columns(&mut axes);
            if let Some((_, right)) = order.distance() {
                if order.limit.is_finite() {
                    limits.insert(right, order.limit);
                }
            }
        }
        for condition in &self.measures.conditions {
            condition.one.right_columns(&mut axes);
            condition.other.right_columns(&mut axes);
        }
        let extent = |axis: usize| {
            let column = &self.right[axis];
            let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
            for &item in &rights {
                let value = column[item as usize];
                if value.is_finite() {
                    least = least.min(value);
                    most = most.max(value);
                }
            }
            let scale = limits.get(&axis).copied().unwrap_or((most - least) / 4.0);
            if scale > 0.0 && scale.is_finite() {
                scale
            } else {
                f64::MIN_POSITIVE.max((most - least) / 1e6).max(1e-300)
            }
        };
        Boxes::new(&self.right, axes, &extent, rights.clone())
    }
}

/// The items with a value in every column read: one NaN makes every computed value NaN.
fn with_values(columns: &[Column], read: &[usize], items: usize) -> Vec<u32> {
    (0..items as u32).filter(|&item| read.iter().all(|&column| !columns[column][item as usize].is_nan())).collect()
}

/// The least distance between a value and one within bounds.
#[inline(always)]
fn apart(value: f64, within: Bounds) -> f64 {
    let distance = if value < within.least {
        within.least - value
    } else if value > within.most {
        value - within.most
    } else {
        0.0
    };
    if distance.is_nan() {
        0.0
    } else {
        distance
    }
}

struct Search<'a> {
    columns: Columns<'a>,
    measures: &'a Measures,
}

impl Search<'_> {
    fn among(&self, lefts: &[u32], group: &Group, kind: Kind, band: &mut Skyband, pairs: &mut Vec<(u32, u32)>) {
        match group {
            Group::Nearest(left, sorted) => self.by_nearest(*left, sorted, lefts, pairs),
            Group::Grid(grid) => self.by_grid(lefts, grid, kind, band, pairs),
            Group::Boxes(boxes) => self.by_boxes(lefts, boxes, kind, band, pairs),
        }
    }

    fn by_nearest(&self, left: usize, sorted: &Sorted, lefts: &[u32], pairs: &mut Vec<(u32, u32)>) {
        let column = &self.columns.left[left];
        let (limit, best) = (self.measures.orders[0].limit, self.measures.best);
        let mut found = Vec::new();
        let mut place = 0;
        for &item in lefts {
            memory::check();
            place = sorted.nearest(column[item as usize], limit, best, place, &mut found);
            found.sort_unstable();
            pairs.extend(found.iter().map(|&other| (item, other)));
        }
    }

    fn by_grid(&self, lefts: &[u32], grid: &Grid, kind: Kind, band: &mut Skyband, pairs: &mut Vec<(u32, u32)>) {
        let mut looked = Looked::default();
        let mut values = vec![0.0; self.measures.orders.len()];
        for &left in lefts {
            memory::check();
            grid.partners(self.columns.left, left, &mut looked);
            self.start(kind, band);
            for &interval in &looked.intervals {
                self.look_at(left, grid.items(interval), kind, &mut values, band, pairs);
            }
            self.finish(kind, band, pairs);
        }
    }

    /// The next left item's pairs, and whatever competes with them.
    fn start(&self, kind: Kind, band: &mut Skyband) {
        if kind == Kind::Left {
            band.clear();
        }
    }

    /// Add the pairs of a left item with some right items.
    #[inline]
    fn look_at(
        &self,
        left: u32,
        rights: &[u32],
        kind: Kind,
        values: &mut [f64],
        band: &mut Skyband,
        pairs: &mut Vec<(u32, u32)>,
    ) {
        for &right in rights {
            if self.measure(left, right, values) {
                match kind {
                    Kind::All => pairs.push((left, right)),
                    _ => band.add(left, right, values),
                }
            }
        }
    }

    /// The pairs of a left item, if they only compete with each other.
    fn finish(&self, kind: Kind, band: &Skyband, pairs: &mut Vec<(u32, u32)>) {
        if kind == Kind::Left {
            let before = pairs.len();
            pairs.extend(band.pairs());
            pairs[before..].sort_unstable();
        }
    }

    fn by_boxes(&self, lefts: &[u32], boxes: &Boxes, kind: Kind, band: &mut Skyband, pairs: &mut Vec<(u32, u32)>) {
        let Some(outermost) = boxes.outermost() else { return };
        let width = self.measures.orders.len();
        // Boxes that wait, and the least values of each, one after the other.
        let mut waiting: Vec<u32> = Vec::new();
        let mut least: Vec<f64> = Vec::new();
        let mut values = vec![0.0; width];
        let (mut of_first, mut of_second) = (vec![0.0; width], vec![0.0; width]);
        for &left in lefts {
            memory::check();
            self.start(kind, band);
            waiting.clear();
            least.clear();
            if self.may_take_part(left, boxes, outermost, &mut of_first) {
                waiting.push(outermost);
                least.extend_from_slice(&of_first);
            }
            while let Some(node) = waiting.pop() {
                let start = least.len() - width;
                if kind != Kind::All && band.rules_out(&least[start..]) {
                    least.truncate(start);
                    continue;
                }
                least.truncate(start);
                let Some((first, second)) = boxes.inside(node) else {
                    self.look_at(left, boxes.items(node), kind, &mut values, band, pairs);
                    continue;
                };
                let takes_first = self.may_take_part(left, boxes, first, &mut of_first);
                let takes_second = self.may_take_part(left, boxes, second, &mut of_second);
                // The better one is searched first, so that it can rule out the other one.
                if takes_first && (!takes_second || self.rank(&of_first) > self.rank(&of_second)) {
                    waiting.push(first);
                    least.extend_from_slice(&of_first);
                    if takes_second {
                        waiting.push(second);
                        least.extend_from_slice(&of_second);
                    }
                } else if takes_second {
                    waiting.push(second);
                    least.extend_from_slice(&of_second);
                    if takes_first {
                        waiting.push(first);
                        least.extend_from_slice(&of_first);
                    }
                }
            }
            self.finish(kind, band, pairs);
        }
    }

    /// Whether a pair with an item of a box can take part, and its least possible values.
    #[inline]
    fn may_take_part(&self, left: u32, boxes: &Boxes, node: u32, least: &mut [f64]) -> bool {
        let around = boxes.around(node);
        let left = left as usize;
        for (value, order) in least.iter_mut().zip(&self.measures.orders) {
            *value = match order.distance() {
                Some((column, axis)) => apart(self.columns.left[column][left], around[axis]),
                None => order.term.bounds(self.columns, left, around).least,
            };
            if *value > order.limit {
                return false;
            }
        }
        self.measures.conditions.iter().all(|one| one.may_hold(self.columns, left, around))
    }

    fn rank(&self, least: &[f64]) -> f64 {
        let scaled = |(value, order): (&f64, &Order)| {
            if order.limit.is_finite() && order.limit > 0.0 {
                value / order.limit
            } else {
                *value
            }
        };
        least.iter().zip(&self.measures.orders).map(scaled).sum()
    }

    /// The values of a pair; returns whether it takes part.
    #[inline]
    fn measure(&self, left: u32, right: u32, values: &mut [f64]) -> bool {
        let (left, right) = (left as usize, right as usize);
        for (value, order) in values.iter_mut().zip(&self.measures.orders) {
            *value = order.term.value(self.columns, left, right);
            // NaN takes no part either.
            if value.is_nan() || *value > order.limit {
                return false;
            }
        }
        self.measures.conditions.iter().all(|one| one.holds(self.columns, left, right))
    }
}
