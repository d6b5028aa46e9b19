//! Escaping of characters in the output (Serialization 3.1 §5.1): the Rust side of `xylem.sink.character_expansion`.

/// The context of characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the content of an element.
    Content,
    /// In an attribute value, between quotation marks.
    Attribute,
}

const PLAIN: u8 = 0;
const IN_CONTENT: u8 = 1;
const IN_ATTRIBUTE: u8 = 2;

/// Bytes that may begin a character to escape, by context. C2 begins the C1 controls, E2 the line separator.
static SPECIAL: [u8; 256] = {
    let mut table = [PLAIN; 256];
    let both = [b'&', b'<', b'>', b'\r', 0x7F, 0xC2, 0xE2];
    let mut place = 0;
    while place < both.len() {
        table[both[place] as usize] = IN_CONTENT | IN_ATTRIBUTE;
        place += 1;
    }
    table[b'"' as usize] = IN_ATTRIBUTE;
    table[b'\t' as usize] = IN_ATTRIBUTE;
    table[b'\n' as usize] = IN_ATTRIBUTE;
    table
};

/// Append a text, escaped for its context.
#[inline(always)]
pub fn escape(text: &[u8], place: Place, out: &mut Vec<u8>) {
    let wanted = if place == Place::Content { IN_CONTENT } else { IN_ATTRIBUTE };
    match text.iter().position(|&byte| SPECIAL[byte as usize] & wanted != 0) {
        None => out.extend_from_slice(text),
        Some(first) => escape_from(text, first, wanted, out),
    }
}

fn escape_from(text: &[u8], first: usize, wanted: u8, out: &mut Vec<u8>) {
    let mut done = 0;
    let mut at = first;
    while at < text.len() {
        if SPECIAL[text[at] as usize] & wanted == 0 {
            at += 1;
            continue;
        }
        let Some((written, length)) = replacement(&text[at..]) else {
            at += 1;
            continue;
        };
        out.extend_from_slice(&text[done..at]);
        out.extend_from_slice(written.as_bytes());
        at += length;
        done = at;
    }
    out.extend_from_slice(&text[done..]);
}

/// The replacement of the character at the start of a text, and its bytes; None if it is not replaced.
fn replacement(text: &[u8]) -> Option<(String, usize)> {
    let named = |reference: &str| Some((reference.to_string(), 1));
    match text[0] {
        b'&' => named("&amp;"),
        b'<' => named("&lt;"),
        b'>' => named("&gt;"),
        b'"' => named("&quot;"),
        // XML 1.1 line ends and the C1 controls are written as references, so they survive parsing (§5.1.9).
        0xC2 if text.get(1).is_some_and(|&byte| byte < 0xA0) => Some((format!("&#x{:X};", text[1]), 2)),
        0xE2 if text.starts_with("\u{2028}".as_bytes()) => Some(("&#x2028;".into(), 3)),
        0xC2 | 0xE2 => None,
        byte => Some((format!("&#x{byte:X};"), 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn escaped(text: &str, place: Place) -> String {
        let mut out = b"=".to_vec();
        escape(text.as_bytes(), place, &mut out);
        String::from_utf8(out).unwrap().split_off(1)
    }

    #[test]
    fn each_place_has_its_own() {
        let text = "a&b<c>\"\t\n\r\u{7f}\u{85}\u{a0}\u{2027}\u{2028}\u{9f}é";
        assert_eq!(
            escaped(text, Place::Content),
            "a&amp;b&lt;c&gt;\"\t\n&#xD;&#x7F;&#x85;\u{a0}\u{2027}&#x2028;&#x9F;é"
        );
        assert_eq!(
            escaped(text, Place::Attribute),
            "a&amp;b&lt;c&gt;&quot;&#x9;&#xA;&#xD;&#x7F;&#x85;\u{a0}\u{2027}&#x2028;&#x9F;é"
        );
        assert_eq!(escaped("plain", Place::Content), "plain");
        assert_eq!(escaped("", Place::Attribute), "");
    }
}
