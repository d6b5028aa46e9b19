//! Names as written, in registers: comparing and hashing them must cost less than reading them.
//!
//! Most names are short. A key holds the first and the last eight bytes and the length, so up to 16 bytes it is the
//! name, and beyond that a good start for a comparison.

use rustc_hash::FxHashMap;

/// A name of up to 16 bytes, or the ends of a longer one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct NameKey {
    first: u64,
    last: u64,
    length: usize,
}

/// Up to this length a key is the whole name.
pub const WHOLE: usize = 16;

impl NameKey {
    /// The key of a part of a text.
    #[inline(always)]
    pub fn of(text: &[u8], start: usize, end: usize) -> Self {
        let length = end - start;
        // Load eight bytes at once if the text continues beyond the name, and cut off the rest.
        let first = match text.get(start..start + 8) {
            Some(bytes) => loaded(bytes) & (u64::MAX >> (64 - 8 * length.clamp(1, 8))),
            None => padded(&text[start..end.min(start + 8)]),
        };
        let last = if length > 8 { loaded(&text[end - 8..end]) } else { 0 };
        NameKey { first, last, length }
    }

    /// The key of a whole text.
    #[inline(always)]
    pub fn of_name(name: &[u8]) -> Self {
        NameKey::of(name, 0, name.len())
    }

    /// Bytes of the name.
    #[inline(always)]
    pub fn length(self) -> usize {
        self.length
    }

    /// The name, if the key holds all of it.
    pub fn name(self) -> Option<Vec<u8>> {
        if self.length > WHOLE {
            return None;
        }
        let mut name = self.first.to_le_bytes()[..self.length.min(8)].to_vec();
        let rest = self.length.saturating_sub(8);
        name.extend_from_slice(&self.last.to_le_bytes()[8 - rest..]);
        Some(name)
    }

    #[inline(always)]
    fn hash(self) -> usize {
        let mixed =
            (self.first ^ self.last.rotate_left(29) ^ ((self.length as u64) << 56)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mixed >> 40) as usize
    }
}

#[inline(always)]
fn loaded(bytes: &[u8]) -> u64 {
    bytes.try_into().map_or(0, u64::from_le_bytes)
}

fn padded(bytes: &[u8]) -> u64 {
    let mut eight = [0; 8];
    eight[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(eight)
}

const EMPTY: u32 = u32::MAX;

/// Numbers of names.
pub struct NameTable {
    /// Open addressing; the size is a power of two, and at most half of it is in use.
    slots: Vec<(NameKey, u32)>,
    used: usize,
    long: FxHashMap<Box<[u8]>, u32>,
}

impl Default for NameTable {
    fn default() -> Self {
        NameTable { slots: vec![(NameKey::default(), EMPTY); 64], used: 0, long: FxHashMap::default() }
    }
}

impl NameTable {
    /// The number of a name, given its key too.
    #[inline(always)]
    pub fn get(&self, key: NameKey, name: &[u8]) -> Option<u32> {
        if key.length > WHOLE {
            return self.long.get(name).copied();
        }
        let mask = self.slots.len() - 1;
        let mut place = key.hash() & mask;
        loop {
            let (other, number) = self.slots[place];
            if number == EMPTY {
                return None;
            }
            if other == key {
                return Some(number);
            }
            place = (place + 1) & mask;
        }
    }

    /// Assign a number to a name that has none.
    pub fn insert(&mut self, name: &[u8], number: u32) {
        if name.len() > WHOLE {
            self.long.insert(name.into(), number);
            return;
        }
        if 2 * (self.used + 1) > self.slots.len() {
            let doubled = vec![(NameKey::default(), EMPTY); 2 * self.slots.len()];
            for (key, number) in std::mem::replace(&mut self.slots, doubled) {
                if number != EMPTY {
                    self.put(key, number);
                }
            }
        }
        self.put(NameKey::of_name(name), number);
        self.used += 1;
    }

    fn put(&mut self, key: NameKey, number: u32) {
        let mask = self.slots.len() - 1;
        let mut place = key.hash() & mask;
        while self.slots[place].1 != EMPTY {
            place = (place + 1) & mask;
        }
        self.slots[place] = (key, number);
    }

    /// The number of names of up to 16 bytes.
    pub fn len(&self) -> usize {
        self.used
    }

    /// Whether there are none of these.
    pub fn is_empty(&self) -> bool {
        self.used == 0
    }

    /// Forget all names.
    pub fn clear(&mut self) {
        *self = NameTable::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_the_name_wherever_it_stands() {
        let text = b"<abcdefghijklmnopqrst uvw";
        for start in 0..text.len() {
            for end in start + 1..=text.len().min(start + WHOLE) {
                let key = NameKey::of(text, start, end);
                assert_eq!(key, NameKey::of_name(&text[start..end]));
                assert_eq!(key.name().unwrap(), &text[start..end]);
            }
        }
        assert_ne!(NameKey::of_name(b"ab"), NameKey::of_name(b"ab\0"));
        assert_eq!(NameKey::of_name(&text[..WHOLE + 1]).name(), None);
    }

    #[test]
    fn many_names() {
        let mut table = NameTable::default();
        let names: Vec<String> = (0..1000u32).map(|n| format!("n{n}{}", "x".repeat(n as usize % 20))).collect();
        for (number, name) in names.iter().enumerate() {
            assert_eq!(table.get(NameKey::of_name(name.as_bytes()), name.as_bytes()), None);
            table.insert(name.as_bytes(), number as u32);
        }
        for (number, name) in names.iter().enumerate() {
            assert_eq!(table.get(NameKey::of_name(name.as_bytes()), name.as_bytes()), Some(number as u32));
        }
    }
}
