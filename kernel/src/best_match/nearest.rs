//! One distance on one axis: the nearest neighbours in a sorted column, on both sides of a value.

use super::terms::Column;

/// The right items by their values.
pub struct Sorted {
    values: Vec<f64>,
    items: Vec<u32>,
}

impl Sorted {
    pub fn new(column: &Column, items: &[u32]) -> Sorted {
        let mut items = items.to_vec();
        if !items.is_sorted_by(|a, b| column[*a as usize] <= column[*b as usize]) {
            items.sort_by(|a, b| column[*a as usize].total_cmp(&column[*b as usize]).then(a.cmp(b)));
        }
        Sorted { values: items.iter().map(|&item| column[item as usize]).collect(), items }
    }

    /// The place of a value, searched from near the last one.
    fn place(&self, value: f64, from: usize) -> usize {
        let values = &self.values;
        let mut low;
        let mut high;
        let mut step = 1;
        if from < values.len() && values[from] < value {
            low = from + 1;
            while low + step < values.len() && values[low + step] < value {
                low += step;
                step *= 2;
            }
            high = (low + step).min(values.len());
        } else {
            high = from.min(values.len());
            while high >= step && values[high - step] >= value {
                high -= step;
                step *= 2;
            }
            low = high.saturating_sub(step);
        }
        low + values[low..high].partition_point(|known| *known < value)
    }

    /// The items within the limit that fewer than `best` others are nearer than; returns the place of the value.
    pub fn nearest(&self, value: f64, limit: f64, best: u32, from: usize, found: &mut Vec<u32>) -> usize {
        found.clear();
        let middle = self.place(value, from);
        let (mut below, mut above) = (middle, middle);
        let mut nearer = 0;
        loop {
            let down = below.checked_sub(1).map_or(f64::INFINITY, |place| (value - self.values[place]).abs());
            let up = self.values.get(above).map_or(f64::INFINITY, |known| (value - known).abs());
            // Infinite values may have no difference.
            let distance = if down.is_nan() { up } else { down.min(if up.is_nan() { f64::INFINITY } else { up }) };
            if distance.is_nan() || distance > limit || nearer >= best || (below == 0 && above == self.values.len()) {
                break;
            }
            let before = found.len();
            while below > 0 && is_at((value - self.values[below - 1]).abs(), distance) {
                below -= 1;
                self.take(below, value, found);
            }
            while above < self.values.len() && is_at((value - self.values[above]).abs(), distance) {
                self.take(above, value, found);
                above += 1;
            }
            nearer += (found.len() - before) as u32;
        }
        middle
    }

    fn take(&self, place: usize, value: f64, found: &mut Vec<u32>) {
        if !(value - self.values[place]).is_nan() {
            found.push(self.items[place]);
        }
    }
}

/// Whether a distance is the current one; an undefined one is skipped.
fn is_at(distance: f64, wanted: f64) -> bool {
    distance.is_nan() || distance <= wanted
}
