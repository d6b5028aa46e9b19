//! Open windows by a key at their start, so those that a row may end are found without testing each of them. A key is
//! only used if the comparison of the query certainly equals that of keys: one text or one number on either side, of
//! the same type. All other windows, and all windows for other rows, are tested.

use rustc_hash::FxHashMap;

use crate::expression::{Atom, Value};

/// The key of a window or a row.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Key {
    /// No key: it equals no other.
    #[default]
    Nothing,
    /// By a text, typed or not.
    Text(Box<[u8]>),
    /// By an integer.
    Integer(i64),
    /// By the bits of a double.
    Double(u64),
    /// It may equal any other, or be an error.
    Unsure,
}

impl Key {
    /// The key of a value.
    pub fn of(value: &Value<'_>) -> Self {
        match value.atoms() {
            [] => Key::Nothing,
            [Atom::Untyped(text) | Atom::Text(text)] => Key::Text(text.as_ref().into()),
            [Atom::Integer(value)] => Key::Integer(*value),
            [Atom::Double(value)] if value.is_nan() => Key::Nothing,
            // Both zeros are the same number.
            [Atom::Double(value)] => Key::Double((value + 0.0).to_bits()),
            _ => Key::Unsure,
        }
    }

    fn class(&self) -> Option<usize> {
        match self {
            Key::Text(_) => Some(0),
            Key::Integer(_) => Some(1),
            Key::Double(_) => Some(2),
            Key::Nothing | Key::Unsure => None,
        }
    }
}

/// The windows that are open, by their first positions.
#[derive(Debug, Default)]
pub struct Hashed {
    by_key: FxHashMap<Key, Vec<u64>>,
    /// Windows with uncertain keys.
    unsure: Vec<u64>,
    /// The number of keys of each type.
    numbers: [usize; 3],
}

impl Hashed {
    /// Add a window after all others.
    pub fn add(&mut self, key: &Key, start: u64) {
        match key.class() {
            Some(class) => {
                self.numbers[class] += 1;
                self.by_key.entry(key.clone()).or_default().push(start);
            }
            None if *key == Key::Unsure => self.unsure.push(start),
            None => {}
        }
    }

    /// Remove a window that has ended.
    pub fn remove(&mut self, key: &Key, start: u64) {
        let remove = |starts: &mut Vec<u64>| starts.binary_search(&start).map(|place| starts.remove(place)).is_ok();
        let Some(class) = key.class() else {
            remove(&mut self.unsure);
            return;
        };
        if let Some(starts) = self.by_key.get_mut(key) {
            self.numbers[class] -= usize::from(remove(starts));
            if starts.is_empty() {
                self.by_key.remove(key);
            }
        }
    }

    /// The windows that a row with a key may end, oldest first; None: any.
    pub fn starts(&self, key: &Key) -> Option<Vec<u64>> {
        let mut found = match key.class() {
            None if *key == Key::Nothing => Vec::new(),
            None => return None,
            Some(class) if (0..3).any(|other| other != class && self.numbers[other] > 0) => return None,
            Some(_) => self.by_key.get(key).cloned().unwrap_or_default(),
        };
        if !self.unsure.is_empty() {
            found.extend(&self.unsure);
            found.sort_unstable();
        }
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Key {
        Key::Text(text.as_bytes().into())
    }

    #[test]
    fn windows_are_found_by_their_keys() {
        let mut hashed = Hashed::default();
        hashed.add(&text("a"), 1);
        hashed.add(&text("b"), 2);
        hashed.add(&Key::Unsure, 3);
        hashed.add(&Key::Nothing, 4);
        hashed.add(&text("a"), 5);
        assert_eq!(hashed.starts(&text("a")), Some(vec![1, 3, 5]));
        assert_eq!(hashed.starts(&Key::Nothing), Some(vec![3]));
        hashed.remove(&text("a"), 1);
        hashed.remove(&Key::Unsure, 3);
        assert_eq!(hashed.starts(&text("a")), Some(vec![5]));
        assert_eq!(hashed.starts(&Key::Unsure), None);
    }

    #[test]
    fn keys_of_two_types_are_left_to_the_comparison() {
        let mut hashed = Hashed::default();
        hashed.add(&Key::Integer(1), 1);
        assert_eq!(hashed.starts(&text("1")), None);
        assert_eq!(hashed.starts(&Key::Integer(1)), Some(vec![1]));
        hashed.remove(&Key::Integer(1), 1);
        assert_eq!(hashed.starts(&text("1")), Some(vec![]));
    }
}
