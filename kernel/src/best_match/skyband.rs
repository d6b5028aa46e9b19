//! The candidates that fewer than k others beat, kept while pairs arrive.
//!
//! A pair that beats another also beats every pair that the other one beats. So no pair is compared with a discarded
//! one.

/// A pair with its values, of which the least is best.
pub struct Candidate {
    pub left: u32,
    pub right: u32,
    beaten_by: u32,
}

/// The best of the candidates so far.
pub struct Skyband {
    best: u32,
    width: usize,
    candidates: Vec<Candidate>,
    /// The values of all candidates, one after the other.
    values: Vec<f64>,
}

/// Whether values are as good as others by every order, and better by one.
#[inline(always)]
fn beats(one: &[f64], other: &[f64]) -> bool {
    let mut is_better = false;
    for (a, b) in one.iter().zip(other) {
        if a > b {
            return false;
        }
        is_better |= a < b;
    }
    is_better
}

impl Skyband {
    pub fn new(best: u32, width: usize) -> Skyband {
        Skyband { best, width: width.max(1), candidates: Vec::new(), values: Vec::new() }
    }

    pub fn clear(&mut self) {
        self.candidates.clear();
        self.values.clear();
    }

    /// Whether enough candidates beat every pair with at least these values.
    #[inline]
    pub fn rules_out(&self, least: &[f64]) -> bool {
        let mut beaten_by = 0;
        for values in self.values.chunks_exact(self.width) {
            if beats(values, least) {
                beaten_by += 1;
                if beaten_by >= self.best {
                    return true;
                }
            }
        }
        false
    }

    /// Add a pair, and drop pairs that are now beaten too often.
    pub fn add(&mut self, left: u32, right: u32, values: &[f64]) {
        let mut beaten_by = 0;
        let mut drops = false;
        for (candidate, known) in self.candidates.iter_mut().zip(self.values.chunks_exact(self.width)) {
            if beats(known, values) {
                beaten_by += 1;
                if beaten_by >= self.best {
                    break;
                }
            }
            if beats(values, known) {
                candidate.beaten_by += 1;
                drops |= candidate.beaten_by >= self.best;
            }
        }
        if drops {
            self.drop_beaten();
        }
        if beaten_by < self.best {
            self.candidates.push(Candidate { left, right, beaten_by });
            self.values.extend_from_slice(values);
        }
    }

    fn drop_beaten(&mut self) {
        let mut place = 0;
        for index in 0..self.candidates.len() {
            if self.candidates[index].beaten_by >= self.best {
                continue;
            }
            if place != index {
                self.candidates.swap(place, index);
                self.values.copy_within(index * self.width..(index + 1) * self.width, place * self.width);
            }
            place += 1;
        }
        self.candidates.truncate(place);
        self.values.truncate(place * self.width);
    }

    /// The pairs, in no particular order.
    pub fn pairs(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.candidates.iter().map(|candidate| (candidate.left, candidate.right))
    }
}
