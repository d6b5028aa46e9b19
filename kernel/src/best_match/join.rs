//! The join itself: for each left item the boxes of the right side, nearest first.

use rustc_hash::FxHashMap;

use super::boxes::Boxes;
use super::nearest::Sorted;
use super::skyband::Skyband;
use super::terms::{Bounds, Column, Columns, Condition, Order, Term};

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

/// A join over columns.
pub struct Join {
    /// Which pairs compete.
    pub kind: Kind,
    /// How many others may not beat a pair.
    pub best: u32,
    /// What is compared.
    pub orders: Vec<Order>,
    /// What must hold.
    pub conditions: Vec<Condition>,
    /// Numbers that must be equal for a pair to take part, for each left and each right item; none for any pair.
    pub keys: Option<(Vec<u32>, Vec<u32>)>,
    /// Columns of the left side, and how many items it has.
    pub left: (Vec<Column>, usize),
    /// Columns of the right side, and how many items it has.
    pub right: (Vec<Column>, usize),
}

/// The pairs of a join, ascending by left and right item, and how many items of each side have no value to be compared by.
pub fn join(join: Join) -> (Vec<(u32, u32)>, usize, usize) {
    let (left_items, right_items) = (join.left.1, join.right.1);
    let mut columns = Columns { left: join.left.0, right: join.right.0 };
    // Whatever computes a column of its own needs to know how many items there are.
    columns.left.insert(0, vec![0.0; left_items]);
    columns.right.insert(0, vec![0.0; right_items]);
    let mut settle = |term: Term| shifted(term).settled(&mut columns);
    let orders: Vec<Order> =
        join.orders.into_iter().map(|order| Order { term: settle(order.term), limit: order.limit }).collect();
    let conditions: Vec<Condition> = join
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
    let lefts = with_values(&columns.left, &of_left, left_items);
    let rights = with_values(&columns.right, &of_right, right_items);
    let missing = (left_items - lefts.len(), right_items - rights.len());
    let groups = grouped(join.keys, lefts, rights);
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    if join.kind != Kind::Right {
        let search = Search { columns: &columns, orders: &orders, conditions: &conditions, best: join.best };
        search.all(&groups, if join.kind == Kind::Full { Kind::Left } else { join.kind }, &mut pairs);
    }
    if matches!(join.kind, Kind::Right | Kind::Full) {
        let turned = Columns { left: columns.right, right: columns.left };
        let orders: Vec<Order> =
            orders.iter().map(|order| Order { term: order.term.mirrored(), limit: order.limit }).collect();
        let conditions: Vec<Condition> = conditions.iter().map(Condition::mirrored).collect();
        let groups: Vec<(Vec<u32>, Vec<u32>)> = groups.into_iter().map(|(left, right)| (right, left)).collect();
        let mut found = Vec::new();
        let search = Search { columns: &turned, orders: &orders, conditions: &conditions, best: join.best };
        search.all(&groups, Kind::Left, &mut found);
        pairs.extend(found.into_iter().map(|(right, left)| (left, right)));
    }
    if !pairs.is_sorted() {
        pairs.sort_unstable();
    }
    pairs.dedup();
    (pairs, missing.0, missing.1)
}

/// The same term where a column stands before the given ones.
fn shifted(term: Term) -> Term {
    let of = |term: Box<Term>| Box::new(shifted(*term));
    match term {
        Term::Left(column) => Term::Left(column + 1),
        Term::Right(column) => Term::Right(column + 1),
        Term::Constant(value) => Term::Constant(value),
        Term::Add(a, b) => Term::Add(of(a), of(b)),
        Term::Subtract(a, b) => Term::Subtract(of(a), of(b)),
        Term::Multiply(a, b) => Term::Multiply(of(a), of(b)),
        Term::Divide(a, b) => Term::Divide(of(a), of(b)),
        Term::Negate(a) => Term::Negate(of(a)),
        Term::Absolute(a) => Term::Absolute(of(a)),
        Term::Root(a) => Term::Root(of(a)),
        Term::Sky(places) => Term::Sky(Box::new(places.map(shifted))),
    }
}

/// The items that have a value in every column that is read: NaN in one makes all that is computed of it NaN.
fn with_values(columns: &[Column], read: &[usize], items: usize) -> Vec<u32> {
    (0..items as u32).filter(|&item| read.iter().all(|&column| !columns[column][item as usize].is_nan())).collect()
}

/// Items of both sides that may be paired.
fn grouped(keys: Option<(Vec<u32>, Vec<u32>)>, lefts: Vec<u32>, rights: Vec<u32>) -> Vec<(Vec<u32>, Vec<u32>)> {
    let Some((left_keys, right_keys)) = keys else { return vec![(lefts, rights)] };
    let mut groups: FxHashMap<u32, (Vec<u32>, Vec<u32>)> = FxHashMap::default();
    for item in rights {
        groups.entry(right_keys[item as usize]).or_default().1.push(item);
    }
    for item in lefts {
        if let Some(group) = groups.get_mut(&left_keys[item as usize]) {
            group.0.push(item);
        }
    }
    groups.into_values().filter(|group| !group.0.is_empty()).collect()
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
    columns: &'a Columns,
    orders: &'a [Order],
    conditions: &'a [Condition],
    best: u32,
}

impl Search<'_> {
    fn all(&self, groups: &[(Vec<u32>, Vec<u32>)], kind: Kind, pairs: &mut Vec<(u32, u32)>) {
        let mut band = Skyband::new(self.best, self.orders.len());
        for (lefts, rights) in groups {
            match self.orders {
                [order] if kind == Kind::Left && self.conditions.is_empty() && order.distance().is_some() => {
                    self.by_nearest(order, lefts, rights, pairs);
                }
                _ => self.by_boxes(lefts, rights, kind, &mut band, pairs),
            }
        }
        if kind == Kind::Inner {
            pairs.extend(band.pairs());
        }
    }

    fn by_nearest(&self, order: &Order, lefts: &[u32], rights: &[u32], pairs: &mut Vec<(u32, u32)>) {
        let Some((left, right)) = order.distance() else { return };
        let sorted = Sorted::new(&self.columns.right[right], rights);
        let column = &self.columns.left[left];
        let mut found = Vec::new();
        let mut place = 0;
        for &item in lefts {
            place = sorted.nearest(column[item as usize], order.limit, self.best, place, &mut found);
            found.sort_unstable();
            pairs.extend(found.iter().map(|&other| (item, other)));
        }
    }

    fn by_boxes(&self, lefts: &[u32], rights: &[u32], kind: Kind, band: &mut Skyband, pairs: &mut Vec<(u32, u32)>) {
        let boxes = self.boxes(rights);
        let Some(outermost) = boxes.outermost() else { return };
        let width = self.orders.len();
        // Boxes that wait, and the least values of each, one after the other.
        let mut waiting: Vec<u32> = Vec::new();
        let mut least: Vec<f64> = Vec::new();
        let mut values = vec![0.0; width];
        let (mut of_first, mut of_second) = (vec![0.0; width], vec![0.0; width]);
        for &left in lefts {
            if kind == Kind::Left {
                band.clear();
            }
            waiting.clear();
            least.clear();
            if self.may_take_part(left, &boxes, outermost, &mut of_first) {
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
                    for &right in boxes.items(node) {
                        if self.measure(left, right, &mut values) {
                            match kind {
                                Kind::All => pairs.push((left, right)),
                                _ => band.add(left, right, &values),
                            }
                        }
                    }
                    continue;
                };
                let takes_first = self.may_take_part(left, &boxes, first, &mut of_first);
                let takes_second = self.may_take_part(left, &boxes, second, &mut of_second);
                // The better one is looked into first, so that it can rule out the other one.
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
            if kind == Kind::Left {
                let before = pairs.len();
                pairs.extend(band.pairs());
                pairs[before..].sort_unstable();
            }
        }
    }

    fn boxes(&self, rights: &[u32]) -> Boxes {
        let mut axes = Vec::new();
        let mut limits: FxHashMap<usize, f64> = FxHashMap::default();
        for order in self.orders {
            order.term.right_columns(&mut axes);
            if let Some((_, right)) = order.distance() {
                if order.limit.is_finite() {
                    limits.insert(right, order.limit);
                }
            }
        }
        for condition in self.conditions {
            condition.one.right_columns(&mut axes);
            condition.other.right_columns(&mut axes);
        }
        let extent = |axis: usize| {
            let column = &self.columns.right[axis];
            let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
            for &item in rights {
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
        Boxes::new(self.columns, axes, &extent, rights.to_vec())
    }

    /// Whether a pair with an item of a box can take part, and the least values that it can have.
    #[inline]
    fn may_take_part(&self, left: u32, boxes: &Boxes, node: u32, least: &mut [f64]) -> bool {
        let around = boxes.around(node);
        let left = left as usize;
        for (value, order) in least.iter_mut().zip(self.orders) {
            *value = match order.distance() {
                Some((column, axis)) => apart(self.columns.left[column][left], around[axis]),
                None => order.term.bounds(self.columns, left, around).least,
            };
            if *value > order.limit {
                return false;
            }
        }
        self.conditions.iter().all(|one| one.may_hold(self.columns, left, around))
    }

    fn rank(&self, least: &[f64]) -> f64 {
        let scaled = |(value, order): (&f64, &Order)| {
            if order.limit.is_finite() && order.limit > 0.0 {
                value / order.limit
            } else {
                *value
            }
        };
        least.iter().zip(self.orders).map(scaled).sum()
    }

    /// The values of a pair; whether it takes part.
    #[inline]
    fn measure(&self, left: u32, right: u32, values: &mut [f64]) -> bool {
        let (left, right) = (left as usize, right as usize);
        for (value, order) in values.iter_mut().zip(self.orders) {
            *value = order.term.value(self.columns, left, right);
            // NaN takes no part either.
            if value.is_nan() || *value > order.limit {
                return false;
            }
        }
        self.conditions.iter().all(|one| one.holds(self.columns, left, right))
    }
}
