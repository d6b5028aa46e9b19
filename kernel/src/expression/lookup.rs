//! Maps of constants whose keys are strings.

use rustc_hash::FxHashMap;

use super::atom::Atom;

/// What a map has for its keys.
#[derive(Clone, Debug, Default)]
pub struct Lookup {
    /// The values of each key.
    pub entries: FxHashMap<Vec<u8>, Vec<Atom<'static>>>,
    /// Whether it is only asked if a key is there.
    pub is_test: bool,
}

impl Lookup {
    /// The values of a key; None if there is no such key. No other value than a text is equal to a string.
    pub fn find(&self, key: &Atom<'_>) -> Option<&[Atom<'static>]> {
        match key {
            Atom::Untyped(text) | Atom::Text(text) => self.entries.get(&**text).map(Vec::as_slice),
            _ => None,
        }
    }
}
