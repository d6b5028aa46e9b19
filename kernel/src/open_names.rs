//! The names of the open elements as written, to match end tags and to report places.

use crate::name_key::{NameKey, WHOLE};

/// A stack of names.
#[derive(Default)]
pub struct OpenNames {
    keys: Vec<NameKey>,
    /// The names that are longer than their keys.
    long: Vec<Box<[u8]>>,
}

const LONGEST_PATH: usize = 12;

impl OpenNames {
    /// An element starts.
    #[inline(always)]
    pub fn push(&mut self, key: NameKey, name: &[u8]) {
        if key.length() > WHOLE {
            self.long.push(name.into());
        }
        self.keys.push(key);
    }

    /// The end of the innermost element's name, if it is at an index of a text and `>` follows.
    #[inline(always)]
    pub fn end_of_last(&self, text: &[u8], at: usize) -> Option<usize> {
        let key = *self.keys.last()?;
        let end = at + key.length();
        if text.get(end) != Some(&b'>') || NameKey::of(text, at, end) != key {
            return None;
        }
        let is_same = key.length() <= WHOLE || self.long.last().is_some_and(|name| **name == text[at..end]);
        is_same.then_some(end)
    }

    /// The innermost element.
    pub fn last(&self) -> Vec<u8> {
        let Some(key) = self.keys.last() else { return Vec::new() };
        key.name().unwrap_or_else(|| self.long.last().map(|name| name.to_vec()).unwrap_or_default())
    }

    /// The innermost element ends.
    #[inline(always)]
    pub fn pop(&mut self) {
        if self.keys.pop().is_some_and(|key| key.length() > WHOLE) {
            self.long.pop();
        }
    }

    /// The number of open elements.
    #[inline(always)]
    pub fn depth(&self) -> usize {
        self.keys.len()
    }

    /// All of them, outermost first; a long path is shortened in the middle.
    pub fn path(&self) -> String {
        let mut long = self.long.iter();
        let mut name = |key: &NameKey| key.name().or_else(|| long.next().map(|name| name.to_vec())).unwrap_or_default();
        let mut shown: Vec<String> =
            self.keys.iter().map(|key| String::from_utf8_lossy(&name(key)).into_owned()).collect();
        if shown.len() > LONGEST_PATH {
            shown.splice(3..shown.len() - (LONGEST_PATH - 4), ["…".to_string()]);
        }
        shown.iter().map(|name| format!("/{name}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn push(names: &mut OpenNames, name: &str) {
        names.push(NameKey::of_name(name.as_bytes()), name.as_bytes());
    }

    #[test]
    fn names_come_back_in_turn() {
        let mut names = OpenNames::default();
        push(&mut names, "a");
        push(&mut names, "a-name-longer-than-its-key");
        assert_eq!((names.depth(), names.path()), (2, "/a/a-name-longer-than-its-key".to_string()));
        assert_eq!(names.last(), b"a-name-longer-than-its-key");
        assert_eq!(names.end_of_last(b"</a-name-longer-than-its-key>", 2), Some(28));
        assert_eq!(names.end_of_last(b"</a-name-longer_than-its-key>", 2), None);
        names.pop();
        assert_eq!(names.last(), b"a");
        assert_eq!(names.end_of_last(b"</a>", 2), Some(3));
        for other in [&b"</b>"[..], b"</ab>", b"</a >", b"</a", b"</"] {
            assert_eq!(names.end_of_last(other, 2), None);
        }
    }

    #[test]
    fn long_paths_are_shortened() {
        let mut names = OpenNames::default();
        (0..100).for_each(|number| push(&mut names, &format!("e{number}")));
        assert_eq!(names.path(), "/e0/e1/e2/…/e92/e93/e94/e95/e96/e97/e98/e99");
    }
}
