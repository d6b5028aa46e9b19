//! Encodings for the finder of cut points: whether markup can be found in the raw bytes.
//!
//! In most encodings a byte below 128 is always that character of ASCII, so bytes are examined unchanged. In some, the
//! second byte of a character may look like a bracket. UTF-16 and UTF-32 are decoded first, and the output is encoded
//! again, which gives the same bytes. Documents in other encodings (ISO-2022-JP) are not cut.

use std::borrow::Cow;

use encoding_rs::Encoding;

use crate::encoding::{detect, Decoder, Detected};

/// How to examine a document.
#[derive(Clone, Copy)]
pub enum Coding {
    /// Markup is found in the raw bytes; with the conversion of the rest to UTF-8.
    Bytes(Charset),
    /// Two or four bytes a unit, the high one first or not.
    Wide {
        /// 2 or 4.
        unit: usize,
        /// Whether the high byte comes first.
        big: bool,
    },
    /// Markup cannot be distinguished from other bytes.
    Opaque,
}

/// How bytes beyond ASCII become UTF-8.
#[derive(Clone, Copy)]
pub enum Charset {
    /// They are.
    Utf8,
    /// Each byte is the code point.
    Latin1,
    /// Another encoding that contains ASCII.
    Other(&'static Encoding),
    /// One in which the second byte of a character may be in ASCII, between `@` and `~`, or a digit.
    Paired(&'static Encoding),
}

/// The coding by the first bytes, and the length of the byte order mark; None if more bytes are needed.
pub fn coding(head: &[u8], is_all: bool) -> Option<(Coding, usize)> {
    Some(match detect(head, is_all, None) {
        Detected::Undecided => return None,
        Detected::Unknown(_) => (Coding::Opaque, 0),
        Detected::Known(decoder, mark, _) => (of_decoder(&decoder), mark),
    })
}

fn of_decoder(decoder: &Decoder) -> Coding {
    match decoder {
        Decoder::Utf8 | Decoder::Ascii => Coding::Bytes(Charset::Utf8),
        Decoder::Latin1 => Coding::Bytes(Charset::Latin1),
        Decoder::Utf16 { big } => Coding::Wide { unit: 2, big: *big },
        Decoder::Utf32 { big } => Coding::Wide { unit: 4, big: *big },
        Decoder::Other { state, .. } => of_encoding(state.encoding()),
    }
}

fn of_encoding(encoding: &'static Encoding) -> Coding {
    use encoding_rs::{BIG5, EUC_JP, EUC_KR, GB18030, GBK, SHIFT_JIS};
    if encoding.is_single_byte() || encoding == EUC_JP || encoding == EUC_KR {
        return Coding::Bytes(Charset::Other(encoding));
    }
    if [SHIFT_JIS, BIG5, GBK, GB18030].contains(&encoding) {
        return Coding::Bytes(Charset::Paired(encoding));
    }
    Coding::Opaque
}

impl Coding {
    /// Markup as UTF-8, for names and attributes.
    pub fn to_utf8<'a>(&self, markup: &'a [u8]) -> Cow<'a, [u8]> {
        match self {
            Coding::Bytes(Charset::Latin1) if !markup.is_ascii() => {
                markup.iter().map(|&byte| byte as char).collect::<String>().into_bytes().into()
            }
            Coding::Bytes(Charset::Other(encoding) | Charset::Paired(encoding)) => {
                match encoding.decode_without_bom_handling(markup).0 {
                    Cow::Borrowed(text) => text.as_bytes().into(),
                    Cow::Owned(text) => text.into_bytes().into(),
                }
            }
            _ => markup.into(),
        }
    }

    /// Markup in the document's own encoding, if the examined text was decoded.
    pub fn to_source(self, markup: Vec<u8>) -> Vec<u8> {
        let Coding::Wide { unit, big } = self else { return markup };
        let text = String::from_utf8_lossy(&markup);
        let mut bytes = Vec::with_capacity(unit * markup.len());
        let put = |bytes: &mut Vec<u8>, number: u32| {
            let all = number.to_be_bytes();
            let start = bytes.len();
            bytes.extend_from_slice(&all[4 - unit..]);
            if !big {
                bytes[start..].reverse();
            }
        };
        if unit == 4 {
            text.chars().for_each(|character| put(&mut bytes, character.into()));
        } else {
            text.encode_utf16().for_each(|number| put(&mut bytes, number.into()));
        }
        bytes
    }

    /// The number of document bytes of a text.
    pub fn source_length(&self, text: &[u8]) -> u64 {
        let Coding::Wide { unit, .. } = *self else { return text.len() as u64 };
        let beyond = if unit == 2 { text.iter().filter(|&&byte| byte >= 0xF0).count() } else { 0 };
        (unit * (crate::characters::count(text) + beyond)) as u64
    }

    /// The decoder to apply before examination, if any.
    pub fn decoder(&self) -> Option<Decoder> {
        match *self {
            Coding::Wide { unit: 2, big } => Some(Decoder::Utf16 { big }),
            Coding::Wide { big, .. } => Some(Decoder::Utf32 { big }),
            _ => None,
        }
    }

    /// Whether a bracket may be the second byte of a character.
    pub fn is_paired(&self) -> bool {
        matches!(self, Coding::Bytes(Charset::Paired(_)))
    }

    /// The length of the character at an index, where brackets may be second bytes.
    pub fn paired_length(&self, byte: u8) -> usize {
        let Coding::Bytes(Charset::Paired(encoding)) = *self else { return 1 };
        let is_kana = encoding == encoding_rs::SHIFT_JIS && matches!(byte, 0x80 | 0xA0..=0xDF);
        if byte < 0x81 || byte == 0xFF || is_kana {
            1
        } else {
            2
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_markup_is_encoded_as_it_was() {
        let text = "<é日\u{1F600}>";
        let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        let little: Vec<u8> = text.chars().flat_map(|c| u32::from(c).to_le_bytes()).collect();
        let utf16 = Coding::Wide { unit: 2, big: true };
        assert_eq!(utf16.to_source(text.into()), big);
        assert_eq!(utf16.source_length(text.as_bytes()), big.len() as u64);
        let utf32 = Coding::Wide { unit: 4, big: false };
        assert_eq!(utf32.to_source(text.into()), little);
        assert_eq!(utf32.source_length(text.as_bytes()), little.len() as u64);
    }

    #[test]
    fn codings_by_declaration() {
        let of =
            |name: &str| coding(format!("<?xml version='1.0' encoding='{name}'?><a/>").as_bytes(), true).unwrap().0;
        assert!(matches!(of("utf-8"), Coding::Bytes(Charset::Utf8)));
        assert!(matches!(of("windows-1252"), Coding::Bytes(Charset::Other(_))));
        assert!(of("shift_jis").is_paired() && of("big5").is_paired() && of("gb18030").is_paired());
        assert!(!of("euc-jp").is_paired());
        assert!(matches!(of("iso-2022-jp"), Coding::Opaque));
    }
}
