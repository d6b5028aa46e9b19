//! Sets of small numbers, a bit for each.

/// A set.
#[derive(Clone, Debug, Default)]
pub struct Bits(Vec<u64>);

impl Bits {
    /// The empty set of numbers below a size.
    pub fn empty(size: usize) -> Self {
        Bits(vec![0; size.div_ceil(64)])
    }

    /// All numbers below a size.
    pub fn full(size: usize) -> Self {
        let mut bits = Bits(vec![u64::MAX; size.div_ceil(64)]);
        if size % 64 != 0 {
            if let Some(last) = bits.0.last_mut() {
                *last = (1 << (size % 64)) - 1;
            }
        }
        bits
    }

    /// Add a number.
    #[inline(always)]
    pub fn insert(&mut self, number: usize) {
        self.0[number / 64] |= 1 << (number % 64);
    }

    /// Take a number out.
    pub fn remove(&mut self, number: usize) {
        self.0[number / 64] &= !(1 << (number % 64));
    }

    /// Become another set.
    pub fn copy(&mut self, other: &Bits) {
        self.0.copy_from_slice(&other.0);
    }

    /// Keep what is in another set.
    #[inline(always)]
    pub fn keep(&mut self, other: &Bits) {
        for (own, theirs) in self.0.iter_mut().zip(&other.0) {
            *own &= theirs;
        }
    }

    /// Take out what is in another set.
    pub fn drop(&mut self, other: &Bits) {
        for (own, theirs) in self.0.iter_mut().zip(&other.0) {
            *own &= !theirs;
        }
    }

    /// The numbers, ascending.
    #[inline(always)]
    pub fn numbers(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().flat_map(|(place, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let next = (rest != 0).then(|| place * 64 + rest.trailing_zeros() as usize);
                rest &= rest.wrapping_sub(1);
                next
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_what_was_put_into_them() {
        for size in [0, 1, 63, 64, 65, 200] {
            assert_eq!(Bits::full(size).numbers().collect::<Vec<_>>(), (0..size).collect::<Vec<_>>());
        }
        let mut some = Bits::empty(130);
        for number in [0, 63, 64, 129] {
            some.insert(number);
        }
        let mut others = Bits::full(130);
        others.drop(&some);
        some.remove(63);
        assert_eq!(some.numbers().collect::<Vec<_>>(), [0, 64, 129]);
        others.keep(&some);
        assert_eq!(others.numbers().count(), 0);
    }
}
