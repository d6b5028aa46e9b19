//! Items of the right side in ε-grid order (thesis, 4.3.4.1): by the cells of a grid whose edges are the limits of
//! distances.
//!
//! Partners of a left item lie in the cells from its values minus the limits to its values plus the limits. In ε-grid
//! order, these are one interval for each cell of all axes but the last. Cells only rule pairs out: whether a pair is
//! within the limits is decided by the query's own expression, which rounds.

use super::terms::{Column, Order};

/// A distance with a limit: an edge of the cells.
struct Axis {
    left: usize,
    right: usize,
    edge: f64,
}

impl Axis {
    /// The cell of a value on this axis. Dividing and rounding down keep the order of values.
    fn cell(&self, value: f64) -> f64 {
        let place = if self.edge > 0.0 { (value / self.edge).floor() } else { value };
        // There is one zero.
        place + 0.0
    }

    /// The cells in which partners of a value lie. A difference that rounds to the limit is less than the next number
    /// after it, and the sum of that and the value is rounded, too.
    fn reach(&self, value: f64) -> (f64, f64) {
        let far = self.edge + next(self.edge);
        let (low, high) = (value - far, value + far);
        (self.cell(low - next(low)), self.cell(high + next(high)))
    }
}

/// At least the distance to the next number; zero for infinite values.
fn next(value: f64) -> f64 {
    if value.is_finite() {
        value.abs() * f64::EPSILON + f64::from_bits(1)
    } else {
        0.0
    }
}

/// Some items in ε-grid order.
pub struct Grid {
    axes: Vec<Axis>,
    items: Vec<u32>,
    /// The coordinates of each non-empty cell, one after the other, in lexicographic order.
    cells: Vec<f64>,
    /// The first item of each cell, and the end of the last one.
    starts: Vec<u32>,
}

/// The cells searched for partners of the last left item.
#[derive(Default)]
pub struct Looked {
    reach: Vec<(f64, f64)>,
    /// Intervals of items.
    pub intervals: Vec<(u32, u32)>,
}

impl Grid {
    /// The grid of some items; none if no order is a distance with a limit.
    pub fn new(orders: &[Order], columns: &[Column], items: &[u32]) -> Option<Grid> {
        let mut axes: Vec<Axis> = Vec::new();
        for order in orders.iter().filter(|order| order.limit.is_finite() && order.limit >= 0.0) {
            if let Some((left, right)) = order.distance() {
                if !axes.iter().any(|axis| (axis.left, axis.right) == (left, right)) {
                    axes.push(Axis { left, right, edge: order.limit });
                }
            }
        }
        if axes.is_empty() {
            return None;
        }
        let width = axes.len();
        let places: Vec<f64> = items
            .iter()
            .flat_map(|&item| axes.iter().map(move |axis| axis.cell(columns[axis.right][item as usize])))
            .collect();
        let cell_of = |number: u32| &places[number as usize * width..(number as usize + 1) * width];
        let mut numbers: Vec<u32> = (0..items.len() as u32).collect();
        numbers.sort_by(|&one, &other| in_order(cell_of(one), cell_of(other)));
        let (mut cells, mut starts): (Vec<f64>, Vec<u32>) = (Vec::new(), Vec::new());
        for (place, &number) in numbers.iter().enumerate() {
            let cell = cell_of(number);
            if cells.len() < width || cells[cells.len() - width..] != *cell {
                cells.extend_from_slice(cell);
                starts.push(place as u32);
            }
        }
        starts.push(items.len() as u32);
        let items = numbers.iter().map(|&number| items[number as usize]).collect();
        Some(Grid { axes, items, cells, starts })
    }

    /// The number of distances that have cells.
    pub fn axes(&self) -> usize {
        self.axes.len()
    }

    /// The number of items visited for one of these items, averaged over a few.
    pub fn looked_at(&self, columns: &[Column]) -> usize {
        const FEW: usize = 64;
        let step = (self.items.len() / FEW).max(1);
        let mut looked = Looked::default();
        let (mut found, mut asked) = (0, 0);
        for &item in self.items.iter().step_by(step) {
            self.look(|axis| columns[axis.right][item as usize], &mut looked);
            found += looked.intervals.iter().map(|&(start, end)| (end - start) as usize).sum::<usize>();
            // Finding an interval takes as long as visiting a few items.
            found += INTERVAL_ITEMS * looked.intervals.len();
            asked += 1;
        }
        found / asked.max(1)
    }

    /// The items that may be partners of a left item.
    pub fn partners(&self, columns: &[Column], left: u32, looked: &mut Looked) {
        self.look(|axis| columns[axis.left][left as usize], looked);
    }

    /// Items by their numbers.
    pub fn items(&self, interval: (u32, u32)) -> &[u32] {
        &self.items[interval.0 as usize..interval.1 as usize]
    }

    fn look(&self, value: impl Fn(&Axis) -> f64, looked: &mut Looked) {
        let reach = |axis: &Axis| axis.reach(value(axis));
        if looked.reach.len() == self.axes.len()
            && self.axes.iter().zip(&looked.reach).all(|(one, had)| reach(one) == *had)
        {
            // Neighbours have the same cells for partners.
            return;
        }
        looked.reach.clear();
        looked.reach.extend(self.axes.iter().map(reach));
        looked.intervals.clear();
        self.intervals(0, 0, self.starts.len() - 1, &looked.reach, &mut looked.intervals);
    }

    /// The intervals of items within reach, for cells that are equal on the axes before this one.
    fn intervals(&self, axis: usize, start: usize, end: usize, reach: &[(f64, f64)], found: &mut Vec<(u32, u32)>) {
        let (low, high) = reach[axis];
        let first = self.first_cell(axis, start, end, |place| place < low);
        if axis + 1 == self.axes.len() {
            let behind = self.first_cell(axis, first, end, |place| place <= high);
            if first < behind {
                found.push((self.starts[first], self.starts[behind]));
            }
            return;
        }
        let mut cell = first;
        while cell < end && self.place(cell, axis) <= high {
            let here = self.place(cell, axis);
            let behind = self.first_cell(axis, cell, end, |place| place <= here);
            self.intervals(axis + 1, cell, behind, reach, found);
            cell = behind;
        }
    }

    fn place(&self, cell: usize, axis: usize) -> f64 {
        self.cells[cell * self.axes.len() + axis]
    }

    /// The first of some cells whose coordinate on an axis is not before the requested one.
    fn first_cell(&self, axis: usize, start: usize, end: usize, is_before: impl Fn(f64) -> bool) -> usize {
        let (mut low, mut high) = (start, end);
        while low < high {
            let middle = low + (high - low) / 2;
            if is_before(self.place(middle, axis)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}

const INTERVAL_ITEMS: usize = 4;

/// Lexicographic; no coordinate is NaN.
fn in_order(one: &[f64], other: &[f64]) -> std::cmp::Ordering {
    let first = one.iter().zip(other).map(|(a, b)| a.total_cmp(b)).find(|order| order.is_ne());
    first.unwrap_or(std::cmp::Ordering::Equal)
}

#[cfg(test)]
mod tests {
    use super::super::terms::Term;
    use super::*;

    fn distance(column: usize, limit: f64) -> Order {
        let difference = Term::Subtract(Box::new(Term::Left(column)), Box::new(Term::Right(column)));
        Order::new(Term::Absolute(Box::new(difference)), false, Some(limit))
    }

    fn found(orders: &[Order], right: &[Column], left: &[Column]) -> Vec<u32> {
        let items: Vec<u32> = (0..right[0].len() as u32).collect();
        let grid = Grid::new(orders, right, &items).expect("a distance with a limit");
        let mut looked = Looked::default();
        grid.partners(left, 0, &mut looked);
        let mut found: Vec<u32> = looked.intervals.iter().flat_map(|&one| grid.items(one).to_vec()).collect();
        found.sort_unstable();
        found
    }

    #[test]
    fn cells_of_the_neighbourhood_alone() {
        let right = vec![vec![0.5, 0.5, 3.5, 1.5, -0.5], vec![0.5, 9.5, 0.5, 1.5, 0.5]];
        let orders = [distance(0, 1.0), distance(1, 1.0)];
        assert_eq!(found(&orders, &right, &[vec![0.6], vec![0.6]]), [0, 3, 4]);
    }

    #[test]
    fn what_rounds_to_the_limit_is_found() {
        // The cells of these in the thesis are 1 and -1.
        assert_eq!(found(&[distance(0, 0.1)], &[vec![-1e-320]], &[vec![0.1]]), [0]);
        assert_eq!(found(&[distance(0, 0.0)], &[vec![-0.0, 1.0]], &[vec![0.0]]), [0]);
        assert_eq!(found(&[distance(0, 1e-300)], &[vec![1e300]], &[vec![1e300]]), [0]);
        assert_eq!(found(&[distance(0, f64::MAX)], &[vec![-1e308, 1e308]], &[vec![1e308]]), [0, 1]);
    }

    #[test]
    fn orders_without_limit_have_no_cells() {
        let mut order = distance(0, 1.0);
        order.limit = f64::INFINITY;
        assert!(Grid::new(&[order], &[vec![1.0]], &[0]).is_none());
    }
}
