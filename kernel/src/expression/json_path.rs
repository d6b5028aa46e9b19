//! JSON texts of a record: what lookups find in them (fn:parse-json, with its default options).
//!
//! The grammar is that of RFC 7159, strictly: any doubt leaves the record to the query.

use std::borrow::Cow;

use super::atom::Atom;
use super::evaluation::Evaluation;
use super::Expression;
use crate::number::to_double;
use crate::template::Undecided;

/// Deeper values are left to the query.
const MOST_DEPTH: usize = 200;
/// All values of a map with more keys are left to the query, which hashes them.
const MOST_KEYS: usize = 200;

/// What is looked up in a JSON text.
#[derive(Clone, Debug)]
pub struct JsonPath {
    /// The text, one or none.
    pub text: Expression,
    /// The lookups, one after another.
    pub steps: Vec<JsonStep>,
    /// Whether the texts of the values are wanted, of any kind, and not strings, numbers and booleans.
    pub is_raw: bool,
}

/// A lookup.
#[derive(Clone, Debug)]
pub enum JsonStep {
    /// The value of a key of a map.
    Key(String),
    /// A member of an array, by its position.
    Member(usize),
    /// All values of a map, or all members of an array.
    All,
}

impl JsonPath {
    /// Call a function with what is found.
    pub fn each<'a>(
        &'a self,
        evaluation: &Evaluation<'a, '_>,
        take: &mut dyn FnMut(Atom<'a>) -> Result<(), Undecided>,
    ) -> Result<(), Undecided> {
        let Some(text) = evaluation.one(&self.text)? else { return Ok(()) };
        let text = text.string()?;
        let reader = Reader { text: &text };
        let start = reader.space(0);
        if reader.space(reader.skip(start, 0)?) != text.len() {
            return Err(Undecided);
        }
        reader.follow(start, &self.steps, &mut |start, end| {
            if text[start] == b'n' {
                // null is the empty sequence.
                return Ok(());
            }
            if self.is_raw {
                return match &text {
                    Cow::Borrowed(text) => take(Atom::Text(Cow::Borrowed(&text[start..end]))),
                    Cow::Owned(text) => take(Atom::Text(Cow::Owned(text[start..end].to_vec()))),
                };
            }
            match text[start] {
                b'"' => take(Atom::Text(reader.string(start, end)?.into())),
                b't' => take(Atom::Boolean(true)),
                b'f' => take(Atom::Boolean(false)),
                b'{' | b'[' => Err(Undecided),
                _ => match to_double(&text[start..end]) {
                    Some(number) if number.is_finite() => take(Atom::Double(number)),
                    _ => Err(Undecided),
                },
            }
        })
    }
}

struct Reader<'t> {
    text: &'t [u8],
}

impl Reader<'_> {
    fn at(&self, place: usize) -> u8 {
        self.text.get(place).copied().unwrap_or(0)
    }

    fn space(&self, mut place: usize) -> usize {
        while matches!(self.at(place), b' ' | b'\t' | b'\n' | b'\r') {
            place += 1;
        }
        place
    }

    /// The end of the value that begins at a place, after all of it has been checked.
    fn skip(&self, place: usize, depth: usize) -> Result<usize, Undecided> {
        match self.at(place) {
            b'"' => self.skip_string(place),
            b'{' | b'[' if depth >= MOST_DEPTH => Err(Undecided),
            b'{' | b'[' => self.members(place, &mut |_, value| self.skip(value, depth + 1)),
            b't' => self.word(place, b"true"),
            b'f' => self.word(place, b"false"),
            b'n' => self.word(place, b"null"),
            _ => self.skip_number(place),
        }
    }

    /// Call a function with the start of the key, if there is one, and of the value of each member: it returns where
    /// the value ends. Returns the end of the map or array.
    fn members(
        &self,
        place: usize,
        found: &mut dyn FnMut(Option<usize>, usize) -> Result<usize, Undecided>,
    ) -> Result<usize, Undecided> {
        let is_map = self.at(place) == b'{';
        let close = if is_map { b'}' } else { b']' };
        let mut at = self.space(place + 1);
        if self.at(at) == close {
            return Ok(at + 1);
        }
        loop {
            let mut key = None;
            if is_map {
                key = Some(at);
                at = self.space(self.skip_string(at)?);
                if self.at(at) != b':' {
                    return Err(Undecided);
                }
                at = self.space(at + 1);
            }
            at = self.space(found(key, at)?);
            match self.at(at) {
                b',' => at = self.space(at + 1),
                other if other == close => return Ok(at + 1),
                _ => return Err(Undecided),
            }
        }
    }

    fn word(&self, place: usize, word: &[u8]) -> Result<usize, Undecided> {
        if self.text[place..].starts_with(word) {
            Ok(place + word.len())
        } else {
            Err(Undecided)
        }
    }

    fn skip_string(&self, place: usize) -> Result<usize, Undecided> {
        if self.at(place) != b'"' {
            return Err(Undecided);
        }
        let mut at = place + 1;
        loop {
            match self.text.get(at) {
                None | Some(0..=0x1F) => return Err(Undecided),
                Some(b'"') => return Ok(at + 1),
                Some(b'\\') => match self.at(at + 1) {
                    b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => at += 2,
                    b'u' => {
                        self.code_unit(at)?;
                        at += 6;
                    }
                    _ => return Err(Undecided),
                },
                Some(_) => at += 1,
            }
        }
    }

    /// The number of an escape at a place.
    fn code_unit(&self, place: usize) -> Result<u32, Undecided> {
        let digits = self.text.get(place + 2..place + 6).ok_or(Undecided)?;
        if self.at(place) != b'\\' || self.at(place + 1) != b'u' || !digits.iter().all(u8::is_ascii_hexdigit) {
            return Err(Undecided);
        }
        let digits = std::str::from_utf8(digits).map_err(|_| Undecided)?;
        u32::from_str_radix(digits, 16).map_err(|_| Undecided)
    }

    fn skip_number(&self, place: usize) -> Result<usize, Undecided> {
        let digits = |mut at: usize| {
            while self.at(at).is_ascii_digit() {
                at += 1;
            }
            at
        };
        let start = place + usize::from(self.at(place) == b'-');
        let mut at = digits(start);
        if at == start || (self.at(start) == b'0' && at > start + 1) {
            return Err(Undecided);
        }
        if self.at(at) == b'.' {
            let end = digits(at + 1);
            if end == at + 1 {
                return Err(Undecided);
            }
            at = end;
        }
        if matches!(self.at(at), b'e' | b'E') {
            let first = at + 1 + usize::from(matches!(self.at(at + 1), b'+' | b'-'));
            let end = digits(first);
            if end == first {
                return Err(Undecided);
            }
            at = end;
        }
        Ok(at)
    }

    /// A string without its quotation marks and escapes.
    fn string(&self, start: usize, end: usize) -> Result<Vec<u8>, Undecided> {
        let inside = &self.text[start + 1..end - 1];
        if !inside.contains(&b'\\') {
            return Ok(inside.to_vec());
        }
        let mut made = Vec::with_capacity(inside.len());
        let mut at = start + 1;
        while at < end - 1 {
            if self.text[at] != b'\\' {
                made.push(self.text[at]);
                at += 1;
                continue;
            }
            let short = match self.text[at + 1] {
                b'n' => b'\n',
                b'r' => b'\r',
                b't' => b'\t',
                // Characters that XML does not have are replaced by the query.
                b'b' | b'f' => return Err(Undecided),
                b'u' => {
                    let mut code = self.code_unit(at)?;
                    at += 6;
                    if (0xD800..0xDC00).contains(&code) {
                        let low = self.code_unit(at)?;
                        if !(0xDC00..0xE000).contains(&low) {
                            return Err(Undecided);
                        }
                        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
                        at += 6;
                    }
                    let is_usual = code >= 0x20 && !(0xFFFE..=0xFFFF).contains(&code) || matches!(code, 9 | 10 | 13);
                    let character = char::from_u32(code).filter(|_| is_usual).ok_or(Undecided)?;
                    made.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                    continue;
                }
                other => other,
            };
            made.push(short);
            at += 2;
        }
        Ok(made)
    }

    /// Call a function with the start and end of each value that lookups find. The text has been checked before.
    fn follow(
        &self,
        place: usize,
        steps: &[JsonStep],
        found: &mut dyn FnMut(usize, usize) -> Result<(), Undecided>,
    ) -> Result<(), Undecided> {
        let Some((step, rest)) = steps.split_first() else { return found(place, self.skip(place, 0)?) };
        let kind = self.at(place);
        if kind == b'n' {
            return Ok(());
        }
        let (mut number, mut wanted) = (0, Vec::new());
        match (step, kind) {
            (JsonStep::All, b'{' | b'[') | (JsonStep::Key(_), b'{') | (JsonStep::Member(_), b'[') => {}
            _ => return Err(Undecided),
        }
        let mut names: Vec<Vec<u8>> = Vec::new();
        self.members(place, &mut |key, value| {
            let end = self.skip(value, 0)?;
            number += 1;
            let is_wanted = match (step, key) {
                (JsonStep::All, None) => true,
                (JsonStep::All, Some(key)) => {
                    // Of equal keys, the first one counts.
                    let name = self.string(key, self.skip_string(key)?)?;
                    if names.len() >= MOST_KEYS {
                        return Err(Undecided);
                    }
                    let is_new = !names.contains(&name);
                    names.push(name);
                    is_new
                }
                (JsonStep::Member(place), _) => *place == number,
                (JsonStep::Key(name), Some(key)) if wanted.is_empty() => {
                    self.string(key, self.skip_string(key)?)? == name.as_bytes()
                }
                _ => false,
            };
            if is_wanted {
                wanted.push(value);
            }
            Ok(end)
        })?;
        if matches!(step, JsonStep::Member(_)) && wanted.is_empty() {
            return Err(Undecided);
        }
        wanted.into_iter().try_for_each(|value| self.follow(value, rest, found))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(text: &str) -> bool {
        let reader = Reader { text: text.as_bytes() };
        reader.skip(reader.space(0), 0).is_ok_and(|end| reader.space(end) == text.len())
    }

    #[test]
    fn only_json_is_json() {
        for text in ["{}", " [ 1 , -0.5e+3, \"\\u00e9\\n\" ] ", "null", "{\"a\":{\"a\":[true,false]}}", "0", "\"\""] {
            assert!(checked(text), "{text}");
        }
        for text in
            ["", "{", "[1,]", "{\"a\"}", "{a:1}", "01", "1.", "-", "+1", "tru", "\"\\x\"", "\"\\u12g4\"", "[1]]", "'a'"]
        {
            assert!(!checked(text), "{text}");
        }
    }

    #[test]
    fn escapes_are_characters() {
        let text = r#""a\u00e9\ud83d\ude00\/""#;
        let reader = Reader { text: text.as_bytes() };
        assert_eq!(reader.string(0, text.len()).unwrap(), "aé😀/".as_bytes());
        let lone = r#""\ud83d""#;
        assert!(Reader { text: lone.as_bytes() }.string(0, lone.len()).is_err());
    }

    #[test]
    fn lookups() {
        let found = |text: &str, steps: &[JsonStep]| {
            let (reader, mut found) = (Reader { text: text.as_bytes() }, Vec::new());
            let result = reader.follow(0, steps, &mut |start, end| {
                found.push(text[start..end].to_string());
                Ok(())
            });
            result.map(|()| found)
        };
        let key = |name: &str| JsonStep::Key(name.into());
        let text = r#"{"a":[1,{"b":2},null],"a":3,"c":null}"#;
        assert_eq!(found(text, &[key("a"), JsonStep::Member(1)]).unwrap(), ["1"]);
        assert_eq!(found(text, &[key("a"), JsonStep::Member(2), key("b")]).unwrap(), ["2"]);
        assert_eq!(found(text, &[JsonStep::All]).unwrap(), [r#"[1,{"b":2},null]"#, "null"]);
        assert_eq!(found(text, &[key("c"), key("x")]).unwrap(), [""; 0]);
        assert_eq!(found(text, &[key("z")]).unwrap(), [""; 0]);
        assert!(found(text, &[key("a"), JsonStep::Member(4)]).is_err());
        assert!(found(text, &[key("a"), key("b")]).is_err());
    }
}
