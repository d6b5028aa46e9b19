//! A place in a text that moves forward, for parsing the declarations of a document type and of XML.
//!
//! Running out of text is `Halt::More`: the token is parsed again from its start when there is more.

use crate::characters::{is_space, name, name_token, NameEnd};
use crate::errors::{syntax, Halt};

/// A text and a place in it.
pub struct Cursor<'a> {
    /// The whole text.
    pub data: &'a [u8],
    /// The place.
    pub at: usize,
}

impl<'a> Cursor<'a> {
    /// Start at an index.
    pub fn new(data: &'a [u8], at: usize) -> Self {
        Cursor { data, at }
    }

    /// The byte at the place.
    pub fn peek(&self) -> Result<u8, Halt> {
        self.data.get(self.at).copied().ok_or(Halt::More)
    }

    /// Skip white space; returns whether there was any.
    pub fn space(&mut self) -> Result<bool, Halt> {
        let start = self.at;
        while is_space(self.peek()?) {
            self.at += 1;
        }
        Ok(self.at > start)
    }

    /// Skip required white space.
    pub fn some_space(&mut self) -> Result<(), Halt> {
        if self.space()? {
            return Ok(());
        }
        Err(syntax(self.at, "white space is expected"))
    }

    /// Skip a word if the text continues with it; returns whether it does.
    pub fn has(&mut self, word: &[u8]) -> Result<bool, Halt> {
        let rest = &self.data[self.at..];
        if rest.starts_with(word) {
            self.at += word.len();
            return Ok(true);
        }
        if word.starts_with(rest) {
            return Err(Halt::More);
        }
        Ok(false)
    }

    /// Skip a required word.
    pub fn expect(&mut self, word: &[u8]) -> Result<(), Halt> {
        if self.has(word)? {
            return Ok(());
        }
        Err(syntax(self.at, format!("'{}' is expected", String::from_utf8_lossy(word))))
    }

    /// A name.
    pub fn name(&mut self) -> Result<&'a [u8], Halt> {
        let start = self.at;
        let NameEnd { end, .. } = name(self.data, start)?;
        self.at = end;
        Ok(&self.data[start..end])
    }

    /// A name token.
    pub fn name_token(&mut self) -> Result<&'a [u8], Halt> {
        let start = self.at;
        self.at = name_token(self.data, start)?;
        Ok(&self.data[start..self.at])
    }

    /// A quoted literal.
    pub fn quoted(&mut self) -> Result<&'a [u8], Halt> {
        let quote = self.peek()?;
        if quote != b'"' && quote != b'\'' {
            return Err(syntax(self.at, "a quoted literal is expected"));
        }
        let start = self.at + 1;
        let size = memchr::memchr(quote, &self.data[start..]).ok_or(Halt::More)?;
        self.at = start + size + 1;
        Ok(&self.data[start..start + size])
    }
}
