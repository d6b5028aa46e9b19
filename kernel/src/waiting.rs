//! Decides when to read an incomplete token again: input may arrive byte by byte, and tokens may be long.
//!
//! New bytes are searched once for a possible end of the token. Also, a token is tried again when its length has
//! doubled, so errors and limits are noticed, at no more than twice the cost.

/// The state of an incomplete token; all zero if there is none.
#[derive(Default)]
pub struct Waiting {
    tried: usize,
    searched: usize,
    quote: u8,
}

impl Waiting {
    /// A token is incomplete, with this much of it available.
    pub fn cut_off(&mut self, length: usize) {
        self.tried = length.max(1);
    }

    /// The place has moved on: another token.
    pub fn reset(&mut self) {
        *self = Waiting::default();
    }

    /// Whether the token may be complete now, or should be checked in any case.
    pub fn is_worth_a_try(&mut self, token: &[u8]) -> bool {
        if self.tried == 0 || token.len() >= 2 * self.tried {
            return true;
        }
        if token.starts_with(b"<!--") {
            return self.finds(token, b"-->");
        }
        if token.starts_with(b"<?") {
            return self.finds(token, b"?>");
        }
        if token.len() < 4 || token[0] != b'<' || token.starts_with(b"<![") {
            return true;
        }
        self.finds_end(token)
    }

    fn finds(&mut self, token: &[u8], word: &[u8]) -> bool {
        let from = self.searched.saturating_sub(word.len()).max(2);
        self.searched = token.len();
        memchr::memmem::find(&token[from..], word).is_some()
    }

    /// Search for the end of a tag or declaration outside quotes.
    fn finds_end(&mut self, token: &[u8]) -> bool {
        let mut at = self.searched;
        while at < token.len() {
            let byte = token[at];
            if self.quote != 0 {
                match memchr::memchr(self.quote, &token[at..]) {
                    None => break,
                    Some(size) => at += size,
                }
                self.quote = 0;
            } else if byte == b'"' || byte == b'\'' {
                self.quote = byte;
            } else if byte == b'>' || byte == b'[' {
                // Not searched again: if this was not the end, the token is tried each time from here on.
                self.searched = at;
                return true;
            }
            at += 1;
        }
        self.searched = token.len();
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tries(token: &str) -> Vec<usize> {
        let mut waiting = Waiting::default();
        let mut tries = Vec::new();
        for length in 1..=token.len() {
            if waiting.is_worth_a_try(&token.as_bytes()[..length]) {
                tries.push(length);
                waiting.cut_off(length);
            }
        }
        tries
    }

    #[test]
    fn a_long_token_is_tried_rarely_and_at_its_end() {
        let token = format!("<a b='{}>' c=\"'\">", "x>".repeat(1000));
        let tries = tries(&token);
        assert!(tries.len() < 20, "{}", tries.len());
        assert_eq!(tries.last(), Some(&token.len()));
        let comment = format!("<!--{}-->", "- >".repeat(1000));
        assert_eq!(self::tries(&comment).last(), Some(&comment.len()));
    }
}
