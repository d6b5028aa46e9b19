//! The names of the open elements as they were written: to match end tags, and to say where something happened.

/// A stack of names in one buffer.
#[derive(Default)]
pub struct OpenNames {
    bytes: Vec<u8>,
    starts: Vec<usize>,
}

const LONGEST_PATH: usize = 12;

impl OpenNames {
    /// An element starts.
    #[inline(always)]
    pub fn push(&mut self, name: &[u8]) {
        self.starts.push(self.bytes.len());
        self.bytes.extend_from_slice(name);
    }

    /// The innermost element.
    #[inline(always)]
    pub fn last(&self) -> &[u8] {
        match self.starts.last() {
            Some(&start) => &self.bytes[start..],
            None => &[],
        }
    }

    /// The innermost element ends.
    #[inline(always)]
    pub fn pop(&mut self) {
        if let Some(start) = self.starts.pop() {
            self.bytes.truncate(start);
        }
    }

    /// How many elements are open.
    #[inline(always)]
    pub fn depth(&self) -> usize {
        self.starts.len()
    }

    /// All of them, outermost first; the middle of a long path is left out.
    pub fn path(&self) -> String {
        let ends = self.starts.iter().skip(1).copied().chain([self.bytes.len()]);
        let names: Vec<&[u8]> = self.starts.iter().zip(ends).map(|(&start, end)| &self.bytes[start..end]).collect();
        let mut shown: Vec<String> = names.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect();
        if shown.len() > LONGEST_PATH {
            shown.splice(3..shown.len() - (LONGEST_PATH - 4), ["…".to_string()]);
        }
        shown.iter().map(|name| format!("/{name}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back_in_turn() {
        let mut names = OpenNames::default();
        names.push(b"a");
        names.push(b"bc");
        assert_eq!((names.last(), names.depth(), names.path()), (&b"bc"[..], 2, "/a/bc".to_string()));
        names.pop();
        assert_eq!(names.last(), b"a");
    }

    #[test]
    fn long_paths_are_shortened() {
        let mut names = OpenNames::default();
        (0..100).for_each(|number| names.push(format!("e{number}").as_bytes()));
        assert_eq!(names.path(), "/e0/e1/e2/…/e92/e93/e94/e95/e96/e97/e98/e99");
    }
}
