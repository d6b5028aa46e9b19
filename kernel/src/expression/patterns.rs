//! fn:matches, fn:replace and fn:tokenize by regular expressions that have the same meaning here as in XPath.

use std::borrow::Cow;

use regex::bytes::Regex;

use super::atom::Atom;
use crate::characters::is_space;
use crate::template::Undecided;

/// A piece of a replacement.
#[derive(Clone, Debug)]
pub enum Replacement {
    /// A constant text.
    Text(String),
    /// The match of a group.
    Group(usize),
}

/// What to do with the matches.
#[derive(Clone, Debug)]
pub enum Doing {
    /// fn:matches
    Matches,
    /// fn:replace
    Replace(Vec<Replacement>),
    /// fn:tokenize
    Tokenize,
    /// fn:tokenize by white space
    Words,
}

/// A function with its precompiled pattern.
#[derive(Clone, Debug)]
pub struct Pattern {
    regex: Regex,
    /// Whether it is only correct for ASCII texts: character classes grow with Unicode.
    ascii_only: bool,
    doing: Doing,
}

impl Pattern {
    /// A pattern in the syntax of `regex`.
    pub fn new(pattern: &str, ascii_only: bool, doing: Doing) -> Option<Self> {
        Some(Pattern { regex: Regex::new(pattern).ok()?, ascii_only, doing })
    }

    /// Call a function with each result value for a text.
    pub fn each<'a>(
        &self,
        text: Cow<'a, [u8]>,
        take: &mut dyn FnMut(Atom<'a>) -> Result<(), Undecided>,
    ) -> Result<(), Undecided> {
        if self.ascii_only && !text.is_ascii() {
            return Err(Undecided);
        }
        match &self.doing {
            Doing::Matches => take(Atom::Boolean(self.regex.is_match(&text))),
            Doing::Replace(pieces) => take(Atom::Text(self.replaced(&text, pieces).into())),
            Doing::Tokenize if text.is_empty() => Ok(()),
            Doing::Tokenize => self.regex.split(&text).try_for_each(|part| take(Atom::Text(part.to_vec().into()))),
            Doing::Words => text
                .split(|&byte| is_space(byte))
                .filter(|word| !word.is_empty())
                .try_for_each(|word| take(Atom::Text(word.to_vec().into()))),
        }
    }

    fn replaced(&self, text: &[u8], pieces: &[Replacement]) -> Vec<u8> {
        let (mut out, mut end) = (Vec::with_capacity(text.len()), 0);
        for found in self.regex.captures_iter(text) {
            let Some(whole) = found.get(0) else { continue };
            out.extend_from_slice(&text[end..whole.start()]);
            for piece in pieces {
                match piece {
                    Replacement::Text(text) => out.extend_from_slice(text.as_bytes()),
                    Replacement::Group(number) => {
                        out.extend_from_slice(found.get(*number).map_or(b"", |group| group.as_bytes()));
                    }
                }
            }
            end = whole.end();
        }
        out.extend_from_slice(&text[end..]);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(pattern: &Pattern, text: &'static str) -> Vec<String> {
        let mut found = Vec::new();
        pattern
            .each(text.as_bytes().into(), &mut |atom| {
                found.push(String::from_utf8(atom.into_text().into_owned()).unwrap());
                Ok(())
            })
            .unwrap();
        found
    }

    #[test]
    fn parts_between_matches() {
        let tokens = Pattern::new(", ?", false, Doing::Tokenize).unwrap();
        assert_eq!(texts(&tokens, "a, b,c,"), ["a", "b", "c", ""]);
        assert!(texts(&tokens, "").is_empty());
        let words = Pattern::new("", false, Doing::Words).unwrap();
        assert_eq!(texts(&words, " a\n b "), ["a", "b"]);
    }

    #[test]
    fn groups_are_put_in() {
        let pieces = vec![Replacement::Group(2), Replacement::Text("-".into()), Replacement::Group(1)];
        let swap = Pattern::new("([a-z])([0-9])?", false, Doing::Replace(pieces)).unwrap();
        assert_eq!(texts(&swap, "a1.b"), ["1-a.-b"]);
    }
}
