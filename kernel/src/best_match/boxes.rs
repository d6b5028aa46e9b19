//! Items of the right side in nested boxes, by the values that terms read.
//!
//! A box bounds the values of its items on each axis. It is divided on its widest axis, relative to the limit on that
//! axis, until few items are left.

use super::terms::{Bounds, Column};

const FEW: usize = 8;

/// A box: its items, and its two inner boxes.
struct Node {
    start: u32,
    end: u32,
    /// The second inner box; the first one follows its parent. 0 if there is none.
    second: u32,
}

/// All boxes of some items.
pub struct Boxes {
    axes: Vec<usize>,
    items: Vec<u32>,
    nodes: Vec<Node>,
    /// For each node, the bounds of each column; columns that are not axes have none.
    bounds: Vec<Bounds>,
    width: usize,
}

impl Boxes {
    /// The boxes of some items by some columns, given the unit width of each.
    pub fn new(columns: &[Column], mut axes: Vec<usize>, scales: &dyn Fn(usize) -> f64, items: Vec<u32>) -> Boxes {
        axes.sort_unstable();
        axes.dedup();
        let mut made = Boxes { width: columns.len(), axes, items, nodes: Vec::new(), bounds: Vec::new() };
        let scales: Vec<f64> = made.axes.iter().map(|&axis| scales(axis)).collect();
        if !made.items.is_empty() {
            made.divide(columns, &scales, 0, made.items.len());
        }
        made
    }

    fn divide(&mut self, columns: &[Column], scales: &[f64], start: usize, end: usize) {
        let node = self.nodes.len();
        self.nodes.push(Node { start: start as u32, end: end as u32, second: 0 });
        let first = self.bounds.len();
        self.bounds.resize(first + self.width, Bounds { least: f64::NEG_INFINITY, most: f64::INFINITY });
        let mut widest = (0.0, 0);
        for (number, &axis) in self.axes.iter().enumerate() {
            let column = &columns[axis];
            let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
            for &item in &self.items[start..end] {
                let value = column[item as usize];
                least = least.min(value);
                most = most.max(value);
            }
            self.bounds[first + axis] = Bounds { least, most };
            let width = (most - least) / scales[number];
            if width > widest.0 {
                widest = (width, axis);
            }
        }
        if end - start <= FEW || widest.0 <= 0.0 {
            return;
        }
        let column = &columns[widest.1];
        let middle = (end - start) / 2;
        let items = &mut self.items[start..end];
        if !items.is_sorted_by(|a, b| column[*a as usize] <= column[*b as usize]) {
            items.select_nth_unstable_by(middle, |a, b| column[*a as usize].total_cmp(&column[*b as usize]));
        }
        self.divide(columns, scales, start, start + middle);
        self.nodes[node].second = self.nodes.len() as u32;
        self.divide(columns, scales, start + middle, end);
    }

    /// The outermost box; none if there are no items.
    pub fn outermost(&self) -> Option<u32> {
        (!self.nodes.is_empty()).then_some(0)
    }

    /// The bounds of a box, by column.
    #[inline(always)]
    pub fn around(&self, node: u32) -> &[Bounds] {
        &self.bounds[node as usize * self.width..(node as usize + 1) * self.width]
    }

    /// The two inner boxes of a box.
    #[inline(always)]
    pub fn inside(&self, node: u32) -> Option<(u32, u32)> {
        let second = self.nodes[node as usize].second;
        (second > 0).then_some((node + 1, second))
    }

    /// The items of a box.
    #[inline(always)]
    pub fn items(&self, node: u32) -> &[u32] {
        let node = &self.nodes[node as usize];
        &self.items[node.start as usize..node.end as usize]
    }
}
