//! Line counting: LF, CR and CR LF end one line each.

/// The line number at a place.
#[derive(Clone, Copy, Debug)]
pub struct Lines {
    /// From 1.
    pub line: u64,
    ended_in_return: bool,
}

impl Default for Lines {
    fn default() -> Self {
        Lines::at(1)
    }
}

impl Lines {
    /// At the start of some markup in a line.
    pub fn at(line: u64) -> Self {
        Lines { line, ended_in_return: false }
    }

    /// Move over a text.
    pub fn pass(&mut self, text: &[u8]) {
        let Some(&last) = text.last() else { return };
        self.line += memchr::memchr_iter(b'\n', text).count() as u64;
        if self.ended_in_return && text[0] == b'\n' {
            self.line -= 1;
        }
        let alone = |at: &usize| text.get(at + 1) != Some(&b'\n');
        self.line += memchr::memchr_iter(b'\r', text).filter(alone).count() as u64;
        self.ended_in_return = last == b'\r';
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_in_any_way() {
        let text = b"a\r\n\r\rb\n\nc\r";
        for split in 0..=text.len() {
            let mut lines = Lines::default();
            lines.pass(&text[..split]);
            lines.pass(&text[split..]);
            assert_eq!(lines.line, 7);
        }
    }
}
