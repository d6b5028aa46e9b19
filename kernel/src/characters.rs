//! Classes of characters (XML 1.0, 5th edition, §2.2-2.3). Input is already checked to be UTF-8 of allowed characters.

use crate::errors::{syntax, Halt};

const NAME: u8 = 1;
const START: u8 = 2;
const SPACE: u8 = 4;
const VALUE_STOP: u8 = 8;

/// For each byte, the classes it may belong to; characters beyond ASCII are checked one by one.
static CLASSES: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 128 {
        let b = byte as u8;
        if b.is_ascii_alphabetic() || b == b'_' {
            table[byte] |= NAME | START;
        }
        if b.is_ascii_digit() || b == b'-' || b == b'.' {
            table[byte] |= NAME;
        }
        if b == b' ' || b == b'\t' || b == b'\n' || b == b'\r' {
            table[byte] |= SPACE;
        }
        if b == b'"' || b == b'\'' || b == b'<' || b == b'&' || b == b'\t' || b == b'\n' || b == b'\r' {
            table[byte] |= VALUE_STOP;
        }
        byte += 1;
    }
    table
}

/// White space of XML: space, tab, line feed, carriage return.
#[inline(always)]
pub fn is_space(byte: u8) -> bool {
    CLASSES[byte as usize] & SPACE != 0
}

/// Whether a byte of an attribute value needs a closer look: a quote, `<`, `&`, or white space other than a space.
#[inline(always)]
pub fn stops_value(byte: u8) -> bool {
    CLASSES[byte as usize] & VALUE_STOP != 0
}

/// Whether all of a text is white space.
pub fn is_all_space(text: &[u8]) -> bool {
    text.iter().all(|&byte| is_space(byte))
}

/// The end of a name, and its first colon (or 0: a name at index 0 cannot occur).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NameEnd {
    /// One past the last byte of the name.
    pub end: usize,
    /// Index of the first colon, 0 for none.
    pub colon: usize,
}

/// Read a name that must begin at an index; the colon is a name character, and its place is reported.
#[inline(always)]
pub fn name(data: &[u8], start: usize) -> Result<NameEnd, Halt> {
    let mut end = start;
    match data.get(start) {
        None => return Err(Halt::More),
        Some(&byte) if CLASSES[byte as usize] & START != 0 => end += 1,
        Some(_) => return long_name(data, start, start, 0),
    }
    while let Some(&byte) = data.get(end) {
        if CLASSES[byte as usize] & NAME == 0 {
            if byte == b':' || byte >= 128 {
                return long_name(data, start, end, 0);
            }
            return Ok(NameEnd { end, colon: 0 });
        }
        end += 1;
    }
    Err(Halt::More)
}

/// The rest of a name with colons or characters beyond ASCII.
fn long_name(data: &[u8], start: usize, from: usize, colon: usize) -> Result<NameEnd, Halt> {
    let (mut end, mut colon) = (from, colon);
    while let Some(&byte) = data.get(end) {
        if byte < 128 {
            let class = CLASSES[byte as usize];
            if byte == b':' {
                if colon == 0 {
                    colon = end;
                }
            } else if class & NAME == 0 || (end == start && class & START == 0) {
                break;
            }
            end += 1;
        } else {
            let (character, size) = decode(data, end);
            let fits = if end == start { is_name_start(character) } else { is_name_character(character) };
            if !fits {
                break;
            }
            end += size;
        }
    }
    if end == data.len() {
        return Err(Halt::More);
    }
    if end == start {
        return Err(syntax(start, "a name is expected"));
    }
    Ok(NameEnd { end, colon })
}

/// Read a name token: name characters in any order.
pub fn name_token(data: &[u8], start: usize) -> Result<usize, Halt> {
    let mut end = start;
    loop {
        let Some(&byte) = data.get(end) else {
            return Err(Halt::More);
        };
        if byte < 128 {
            if CLASSES[byte as usize] & NAME == 0 && byte != b':' {
                break;
            }
            end += 1;
        } else {
            let (character, size) = decode(data, end);
            if !is_name_character(character) {
                break;
            }
            end += size;
        }
    }
    if end == start {
        return Err(syntax(start, "a name token is expected"));
    }
    Ok(end)
}

/// The character at an index of valid UTF-8 beyond ASCII, and its length in bytes.
pub fn decode(data: &[u8], at: usize) -> (char, usize) {
    let size = match data[at] {
        0xF0.. => 4,
        0xE0.. => 3,
        0xC0.. => 2,
        _ => 1,
    };
    let bytes = data.get(at..at + size).unwrap_or(&[]);
    match std::str::from_utf8(bytes).ok().and_then(|text| text.chars().next()) {
        Some(character) => (character, size),
        None => (char::REPLACEMENT_CHARACTER, 1),
    }
}

/// NameStartChar beyond ASCII.
pub fn is_name_start(c: char) -> bool {
    matches!(c,
        ':' | 'A'..='Z' | '_' | 'a'..='z' | '\u{C0}'..='\u{D6}' | '\u{D8}'..='\u{F6}' | '\u{F8}'..='\u{2FF}'
        | '\u{370}'..='\u{37D}' | '\u{37F}'..='\u{1FFF}' | '\u{200C}'..='\u{200D}' | '\u{2070}'..='\u{218F}'
        | '\u{2C00}'..='\u{2FEF}' | '\u{3001}'..='\u{D7FF}' | '\u{F900}'..='\u{FDCF}' | '\u{FDF0}'..='\u{FFFD}'
        | '\u{10000}'..='\u{EFFFF}')
}

/// NameChar.
pub fn is_name_character(c: char) -> bool {
    is_name_start(c) || matches!(c, '-' | '.' | '0'..='9' | '\u{B7}' | '\u{300}'..='\u{36F}' | '\u{203F}'..='\u{2040}')
}

/// Char: what a document may contain, including by character references.
pub fn is_xml_character(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..)
}

/// Characters of a text in UTF-8.
pub fn count(text: &[u8]) -> usize {
    text.iter().filter(|&&byte| (byte as i8) >= -0x40).count()
}

/// A text for a message.
pub fn shown(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    if text.chars().count() <= 60 {
        return text.into_owned();
    }
    text.chars().take(57).chain("...".chars()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end_of(text: &str) -> Option<usize> {
        name(text.as_bytes(), 0).ok().map(|found| found.end)
    }

    #[test]
    fn names_end_where_they_should() {
        assert_eq!(end_of("a>"), Some(1));
        assert_eq!(end_of("a-b.c1 x"), Some(6));
        assert_eq!(end_of("é1="), Some(3));
        assert_eq!(end_of("1a>"), None);
        assert_eq!(end_of("-a>"), None);
        assert_eq!(end_of("\u{D7}>"), None);
        assert!(matches!(name(b"abc", 0), Err(Halt::More)));
    }

    #[test]
    fn the_first_colon_is_told() {
        assert_eq!(name(b"<p:a:b>", 1).unwrap(), NameEnd { end: 6, colon: 2 });
        assert_eq!(name(b"<a>", 1).unwrap(), NameEnd { end: 2, colon: 0 });
    }

    #[test]
    fn characters_are_counted_not_bytes() {
        assert_eq!(count("aé日\u{1F600}".as_bytes()), 4);
    }
}
