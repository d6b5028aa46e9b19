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

    /// Remove a number.
    pub fn remove(&mut self, number: usize) {
        self.0[number / 64] &= !(1 << (number % 64));
    }

    /// Become another set.
    pub fn copy(&mut self, other: &Bits) {
        self.0.copy_from_slice(&other.0);
    }

    /// Intersect with another set; returns whether anything is left.
    #[inline(always)]
    pub fn keep(&mut self, other: &Bits) -> bool {
        let mut left = 0;
        for (own, theirs) in self.0.iter_mut().zip(&other.0) {
            *own &= theirs;
            left |= *own;
        }
        left != 0
    }

    /// Become the intersection of two sets; returns whether it is not empty.
    #[inline(always)]
    pub fn become_common(&mut self, one: &Bits, other: &Bits) -> bool {
        let mut left = 0;
        for ((own, first), second) in self.0.iter_mut().zip(&one.0).zip(&other.0) {
            *own = first & second;
            left |= *own;
        }
        left != 0
    }

    /// Remove the members of another set.
    pub fn drop(&mut self, other: &Bits) {
        for (own, theirs) in self.0.iter_mut().zip(&other.0) {
            *own &= !theirs;
        }
    }

    /// Call a function with the numbers, in ascending order.
    #[inline(always)]
    pub fn each(&self, found: &mut impl FnMut(usize)) {
        for (place, &word) in self.0.iter().enumerate() {
            let mut rest = word;
            while rest != 0 {
                found(place * 64 + rest.trailing_zeros() as usize);
                rest &= rest - 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(bits: &Bits) -> Vec<usize> {
        let mut found = Vec::new();
        bits.each(&mut |number| found.push(number));
        found
    }

    #[test]
    fn sets_are_what_was_put_into_them() {
        for size in [0, 1, 63, 64, 65, 200] {
            assert_eq!(numbers(&Bits::full(size)), (0..size).collect::<Vec<_>>());
        }
        let mut some = Bits::empty(130);
        for number in [0, 63, 64, 129] {
            some.insert(number);
        }
        let mut others = Bits::full(130);
        others.drop(&some);
        some.remove(63);
        assert_eq!(numbers(&some), [0, 64, 129]);
        assert!(!others.keep(&some));
        assert!(others.become_common(&some, &Bits::full(130)));
        assert_eq!(numbers(&others), numbers(&some));
    }
}
