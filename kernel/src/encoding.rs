//! Detects the encoding of the input (XML 1.0 §4.3.3 and appendix F), and converts it to UTF-8.

use encoding_rs::{DecoderResult, Encoding};

use crate::characters::{is_space, shown};
use crate::errors::Kind;

/// The conversion of input bytes to UTF-8.
pub enum Decoder {
    /// They are UTF-8.
    Utf8,
    /// They must be ASCII, by declaration.
    Ascii,
    /// ISO-8859-1: each byte is the code point.
    Latin1,
    /// Two bytes per unit.
    Utf16 {
        /// Whether the high byte comes first.
        big: bool,
    },
    /// Four bytes per character.
    Utf32 {
        /// Whether the high byte comes first.
        big: bool,
    },
    /// Another encoding, with the state between pieces.
    Other {
        /// The decoder's own state.
        state: Box<encoding_rs::Decoder>,
        /// Whether C1 controls in the output mean bytes that the code page does not define.
        refuses_controls: bool,
    },
}

/// The conclusion from the first bytes.
pub enum Detected {
    /// More bytes are needed.
    Undecided,
    /// The decoder, the bytes of a byte order mark to skip, and what the declaration must agree with.
    Known(Decoder, usize, Family),
    /// There is no decoder for it, with the reason.
    Unknown(String),
}

/// The facts about the encoding before the declaration is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// The declaration decides, if there is one.
    Declared,
    /// It was given from outside, and the declaration is ignored.
    Given,
    /// A byte order mark of UTF-8.
    Utf8,
    /// UTF-16 by its mark or first characters.
    Utf16,
    /// UTF-32 by its mark or first characters.
    Utf32,
}

impl Family {
    /// Whether a declared encoding agrees with the bytes it was read from.
    pub fn agrees(self, declared: &str) -> bool {
        let name = declared.to_ascii_lowercase();
        match self {
            Family::Declared | Family::Given => true,
            Family::Utf8 => name == "utf-8" || name == "utf8",
            Family::Utf16 => name.starts_with("utf-16") || name == "utf16" || name.ends_with("ucs-2"),
            Family::Utf32 => name.starts_with("utf-32") || name == "utf32" || name.ends_with("ucs-4"),
        }
    }
}

const LONGEST_DECLARATION: usize = 4096;

/// Examine the first bytes of a document.
pub fn detect(head: &[u8], is_all: bool, given: Option<&str>) -> Detected {
    if let Some(name) = given {
        return by_name(name, Family::Given);
    }
    if head.len() < 4 && !is_all {
        return Detected::Undecided;
    }
    match head {
        [0, 0, 0xFE, 0xFF, ..] => Detected::Known(Decoder::Utf32 { big: true }, 4, Family::Utf32),
        [0xFF, 0xFE, 0, 0, ..] => Detected::Known(Decoder::Utf32 { big: false }, 4, Family::Utf32),
        [0xEF, 0xBB, 0xBF, ..] => Detected::Known(Decoder::Utf8, 3, Family::Utf8),
        [0xFE, 0xFF, ..] => Detected::Known(Decoder::Utf16 { big: true }, 2, Family::Utf16),
        [0xFF, 0xFE, ..] => Detected::Known(Decoder::Utf16 { big: false }, 2, Family::Utf16),
        [0, 0, 0, b'<', ..] => Detected::Known(Decoder::Utf32 { big: true }, 0, Family::Utf32),
        [b'<', 0, 0, 0, ..] => Detected::Known(Decoder::Utf32 { big: false }, 0, Family::Utf32),
        [0, b'<', 0, _, ..] => Detected::Known(Decoder::Utf16 { big: true }, 0, Family::Utf16),
        [b'<', 0, _, 0, ..] => Detected::Known(Decoder::Utf16 { big: false }, 0, Family::Utf16),
        [0x4C, 0x6F, 0xA7, 0x94, ..] => Detected::Unknown("the encoding is EBCDIC".into()),
        _ => by_declaration(head, is_all),
    }
}

fn by_declaration(head: &[u8], is_all: bool) -> Detected {
    let start = &head[..head.len().min(5)];
    if head.len() < 6 && b"<?xml".starts_with(start) && !is_all {
        return Detected::Undecided;
    }
    if start != b"<?xml" || !head.get(5).is_some_and(|&byte| is_space(byte)) {
        return Detected::Known(Decoder::Utf8, 0, Family::Declared);
    }
    // The decision uses the same bytes, however much input is available.
    let head = &head[..head.len().min(LONGEST_DECLARATION)];
    let end = memchr::memchr(b'>', head);
    if end.is_none() && head.len() == LONGEST_DECLARATION {
        return Detected::Unknown(format!("an XML declaration of more than {LONGEST_DECLARATION} bytes"));
    }
    if end.is_none() && !is_all {
        return Detected::Undecided;
    }
    match declared_name(&head[..end.unwrap_or(head.len())]) {
        Some(name) => by_name(&name, Family::Declared),
        None => Detected::Known(Decoder::Utf8, 0, Family::Declared),
    }
}

/// The declared encoding; whether the declaration is well formed is checked later.
fn declared_name(declaration: &[u8]) -> Option<String> {
    let at = memchr::memmem::find(declaration, b"encoding")?;
    let rest = declaration[at + 8..].trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    let quote = *rest.first().filter(|&&byte| byte == b'"' || byte == b'\'')?;
    let name = &rest[1..1 + memchr::memchr(quote, &rest[1..])?];
    let is_name = name.first()?.is_ascii_alphabetic()
        && name.iter().all(|&b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'));
    is_name.then(|| String::from_utf8_lossy(name).into_owned())
}

fn by_name(name: &str, family: Family) -> Detected {
    let lower = name.to_ascii_lowercase();
    let decoder = match lower.as_str() {
        "utf-8" | "utf8" => Decoder::Utf8,
        "us-ascii" | "ascii" | "ansi_x3.4-1968" | "iso646-us" => Decoder::Ascii,
        "iso-8859-1" | "iso8859-1" | "iso_8859-1" | "latin1" | "latin-1" | "l1" | "cp819" | "ibm819" => Decoder::Latin1,
        // It was read as ASCII so far, so it cannot be this encoding: the message says so.
        "utf-16" | "utf-16le" | "utf-16be" | "utf-32" | "utf-32le" | "utf-32be" | "iso-10646-ucs-2"
        | "iso-10646-ucs-4" => {
            return Detected::Unknown(format!("the encoding is {name}, but declared in single bytes"))
        }
        _ => match Encoding::for_label_no_replacement(lower.as_bytes()) {
            Some(found) if found != encoding_rs::X_USER_DEFINED => Decoder::Other {
                state: Box::new(found.new_decoder_without_bom_handling()),
                refuses_controls: lower.starts_with("windows-125") || lower.starts_with("cp125"),
            },
            _ => return Detected::Unknown(format!("the encoding is {}", shown(name.as_bytes()))),
        },
    };
    Detected::Known(decoder, 0, family)
}

/// Bytes that are not in the encoding.
pub struct BadBytes {
    /// The number of bytes decoded before them.
    pub good: usize,
    /// The encoding.
    pub name: &'static str,
}

impl Decoder {
    /// The kind of error for bytes that are not in the encoding: for encodings every XML processor knows, they are no
    /// characters.
    pub fn bad_kind(&self) -> Kind {
        match self {
            Decoder::Other { .. } | Decoder::Utf32 { .. } => Kind::Encoding,
            _ => Kind::Syntax,
        }
    }

    /// Append the text of some bytes; returns how many were used. A split character waits for the rest.
    pub fn decode(&mut self, bytes: &[u8], is_last: bool, text: &mut Vec<u8>) -> Result<usize, BadBytes> {
        match self {
            Decoder::Utf8 | Decoder::Ascii => {
                text.extend_from_slice(bytes);
                Ok(bytes.len())
            }
            Decoder::Latin1 => {
                bytes.iter().for_each(|&byte| push(text, byte as char));
                Ok(bytes.len())
            }
            Decoder::Utf16 { big } => decode_utf16(bytes, *big, is_last, text),
            Decoder::Utf32 { big } => decode_utf32(bytes, *big, is_last, text),
            Decoder::Other { state, refuses_controls } => decode_other(state, *refuses_controls, bytes, is_last, text),
        }
    }

    /// The number of input bytes of a decoded text.
    pub fn source_length(&self, text: &[u8]) -> usize {
        match self {
            Decoder::Utf8 | Decoder::Ascii => text.len(),
            Decoder::Latin1 => crate::characters::count(text),
            Decoder::Utf16 { .. } => {
                let beyond = text.iter().filter(|&&byte| byte >= 0xF0).count();
                2 * (crate::characters::count(text) + beyond)
            }
            Decoder::Utf32 { .. } => 4 * crate::characters::count(text),
            Decoder::Other { state, .. } if state.encoding().is_single_byte() => crate::characters::count(text),
            Decoder::Other { state, .. } => state.encoding().encode(&String::from_utf8_lossy(text)).0.len(),
        }
    }
}

fn push(text: &mut Vec<u8>, character: char) {
    text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
}

fn decode_utf16(bytes: &[u8], big: bool, is_last: bool, text: &mut Vec<u8>) -> Result<usize, BadBytes> {
    let unit = |at: usize| -> Option<u16> {
        let pair: [u8; 2] = bytes.get(at..at + 2)?.try_into().ok()?;
        Some(if big { u16::from_be_bytes(pair) } else { u16::from_le_bytes(pair) })
    };
    let mut at = 0;
    while let Some(first) = unit(at) {
        let character = match first {
            0xD800..=0xDBFF => match unit(at + 2) {
                None if !is_last => return Ok(at),
                Some(second @ 0xDC00..=0xDFFF) => {
                    let code = 0x10000 + ((u32::from(first) - 0xD800) << 10) + (u32::from(second) - 0xDC00);
                    char::from_u32(code)
                }
                _ => None,
            },
            _ => char::from_u32(first.into()),
        };
        let Some(character) = character else {
            return Err(BadBytes { good: at, name: "UTF-16" });
        };
        push(text, character);
        at += 2 * character.len_utf16();
    }
    if is_last && at < bytes.len() {
        return Err(BadBytes { good: at, name: "UTF-16" });
    }
    Ok(at)
}

fn decode_utf32(bytes: &[u8], big: bool, is_last: bool, text: &mut Vec<u8>) -> Result<usize, BadBytes> {
    let mut at = 0;
    for four in bytes.chunks_exact(4) {
        let four: [u8; 4] = four.try_into().unwrap_or_default();
        let code = if big { u32::from_be_bytes(four) } else { u32::from_le_bytes(four) };
        let Some(character) = char::from_u32(code) else {
            return Err(BadBytes { good: at, name: "UTF-32" });
        };
        push(text, character);
        at += 4;
    }
    if is_last && at < bytes.len() {
        return Err(BadBytes { good: at, name: "UTF-32" });
    }
    Ok(at)
}

fn decode_other(
    state: &mut encoding_rs::Decoder,
    refuses_controls: bool,
    bytes: &[u8],
    is_last: bool,
    text: &mut Vec<u8>,
) -> Result<usize, BadBytes> {
    let start = text.len();
    let name = state.encoding().name();
    let room = state.max_utf8_buffer_length_without_replacement(bytes.len()).unwrap_or(4 * bytes.len() + 16);
    text.resize(start + room, 0);
    let (result, read, written) = state.decode_to_utf8_without_replacement(bytes, &mut text[start..], is_last);
    text.truncate(start + written);
    if refuses_controls {
        // C1 controls take two bytes in UTF-8: C2 80 to C2 9F.
        let is_control = |pair: &[u8]| pair[0] == 0xC2 && pair[1] < 0xA0;
        if let Some(place) = text[start..].windows(2).position(is_control) {
            let good = crate::characters::count(&text[start..start + place]);
            text.truncate(start + place);
            return Err(BadBytes { good, name });
        }
    }
    match result {
        DecoderResult::Malformed(bad, after) => {
            Err(BadBytes { good: read.saturating_sub(usize::from(bad) + usize::from(after)), name })
        }
        _ => Ok(read),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(bytes: &[u8], piece: usize) -> String {
        let Detected::Known(mut decoder, mark, _) = detect(bytes, true, None) else { panic!("unknown") };
        let mut text = Vec::new();
        let mut rest = Vec::new();
        for part in bytes[mark..].chunks(piece) {
            rest.extend_from_slice(part);
            let used = decoder.decode(&rest, false, &mut text).ok().unwrap();
            rest.drain(..used);
        }
        decoder.decode(&rest, true, &mut text).ok().unwrap();
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn utf_16_in_pieces_of_any_size() {
        let text = "<a>é日\u{1F600}</a>";
        let mut bytes = vec![0xFE, 0xFF];
        text.encode_utf16().for_each(|unit| bytes.extend(unit.to_be_bytes()));
        for piece in 1..9 {
            assert_eq!(decoded(&bytes, piece), text);
        }
    }

    #[test]
    fn declared_encodings() {
        assert_eq!(decoded(b"<?xml version='1.0' encoding='ISO-8859-1'?><a>\xe9</a>", 3).chars().nth(46), Some('é'));
        assert_eq!(decoded(b"<?xml version='1.0' encoding='windows-1252'?><a>\x80</a>", 1).chars().nth(48), Some('€'));
        assert!(matches!(detect(b"<?xml version='1.0' encoding='utf-16'?>", true, None), Detected::Unknown(_)));
        assert!(matches!(detect(b"<?xml version='1.0' enc", false, None), Detected::Undecided));
        assert!(matches!(detect(b"<?xml version='1.0' encoding='rot13'?>", true, None), Detected::Unknown(_)));
        assert!(matches!(detect(b"<?xml-stylesheet", false, None), Detected::Known(..)));
    }

    #[test]
    fn a_declaration_without_end() {
        let long = format!("<?xml version='1.0' encoding='{}'?><a/>", "x".repeat(1_000_000));
        for there in [LONGEST_DECLARATION, 65_536, long.len()] {
            for is_all in [false, true] {
                let Detected::Unknown(name) = detect(&long.as_bytes()[..there], is_all, None) else {
                    panic!("{there}")
                };
                assert_eq!(name, "an XML declaration of more than 4096 bytes");
            }
        }
        assert!(matches!(detect(&long.as_bytes()[..LONGEST_DECLARATION - 1], false, None), Detected::Undecided));
        let shorter = format!("<?xml version='1.0' encoding='{}'?><a/>", "x".repeat(3_000));
        let Detected::Unknown(name) = detect(shorter.as_bytes(), true, None) else { panic!("unknown") };
        assert_eq!(name.len(), "the encoding is ".len() + 60);
    }
}
