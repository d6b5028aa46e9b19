//! Character and entity references (XML 1.0 §4.1).

use crate::characters::{is_xml_character, name};
use crate::errors::{syntax, Halt};

/// The meaning of a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reference<'a> {
    /// A character, by number or by one of the five names that need no declaration.
    Character(char),
    /// A declared entity, by name.
    Entity(&'a [u8]),
}

/// Read the reference at an ampersand; returns its meaning and its end.
pub fn reference(data: &[u8], at: usize) -> Result<(Reference<'_>, usize), Halt> {
    match data.get(at + 1) {
        None => Err(Halt::More),
        Some(b'#') => character_reference(data, at),
        Some(_) => {
            let end = name(data, at + 1).map_err(|halt| expected_name(halt, at))?.end;
            if data[end] != b';' {
                return Err(syntax(end, "the semicolon of a reference is expected"));
            }
            let found = &data[at + 1..end];
            let known = match found {
                b"amp" => Reference::Character('&'),
                b"lt" => Reference::Character('<'),
                b"gt" => Reference::Character('>'),
                b"quot" => Reference::Character('"'),
                b"apos" => Reference::Character('\''),
                _ => Reference::Entity(found),
            };
            Ok((known, end + 1))
        }
    }
}

fn expected_name(halt: Halt, at: usize) -> Halt {
    match halt {
        Halt::More => Halt::More,
        Halt::Fault(_) => syntax(at, "an ampersand that begins no reference"),
    }
}

fn character_reference(data: &[u8], at: usize) -> Result<(Reference<'_>, usize), Halt> {
    let is_hexadecimal = *data.get(at + 2).ok_or(Halt::More)? == b'x';
    let base = if is_hexadecimal { 16 } else { 10 };
    let first = at + 2 + usize::from(is_hexadecimal);
    let mut end = first;
    let mut code: u32 = 0;
    loop {
        let byte = *data.get(end).ok_or(Halt::More)?;
        let Some(digit) = (byte as char).to_digit(base) else {
            break;
        };
        code = code.saturating_mul(base).saturating_add(digit);
        end += 1;
    }
    if end == first || data[end] != b';' {
        return Err(syntax(at, "a malformed character reference"));
    }
    match char::from_u32(code).filter(|&character| is_xml_character(character)) {
        Some(character) => Ok((Reference::Character(character), end + 1)),
        None => Err(syntax(at, "a reference to a character that is not allowed")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters() {
        assert_eq!(reference(b"&#233;", 0).unwrap(), (Reference::Character('é'), 6));
        assert_eq!(reference(b"x&#x1F600;", 1).unwrap(), (Reference::Character('\u{1F600}'), 10));
        assert_eq!(reference(b"&lt;", 0).unwrap().0, Reference::Character('<'));
        assert_eq!(reference(b"&e1;", 0).unwrap().0, Reference::Entity(b"e1"));
    }

    #[test]
    fn malformed() {
        for text in ["&;", "&#;", "&#x;", "&#xD800;", "&#0;", "&#1;", "&#99999999999;", "&#X41;", "& ", "&a b;", "&1;"]
        {
            assert!(matches!(reference(text.as_bytes(), 0), Err(Halt::Fault(_))), "{text}");
        }
        for text in ["&", "&#", "&#x", "&#12", "&am"] {
            assert!(matches!(reference(text.as_bytes(), 0), Err(Halt::More)), "{text}");
        }
    }
}
