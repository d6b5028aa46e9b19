//! Functions on strings (F&O 3.1 §5), by code points.

use std::borrow::Cow;

use memchr::memmem;

use super::atom::{trimmed, Atom};
use super::evaluation::{Evaluation, Take};
use super::Expression;
use crate::characters::{count, is_space};
use crate::template::Undecided;

/// A function on strings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StringFunction {
    /// fn:concat, `||`
    Concat,
    /// fn:string-join
    Join,
    /// fn:contains
    Contains,
    /// fn:starts-with
    StartsWith,
    /// fn:ends-with
    EndsWith,
    /// fn:substring
    Substring,
    /// fn:substring-before
    Before,
    /// fn:substring-after
    After,
    /// fn:upper-case
    Upper,
    /// fn:lower-case
    Lower,
    /// fn:normalize-space
    NormalizeSpace,
    /// fn:string-length
    Length,
    /// fn:translate
    Translate,
    /// fn:compare
    Compare,
    /// fn:contains-token
    ContainsToken,
    /// fn:codepoints-to-string
    OfCodePoints,
}

impl StringFunction {
    /// By its local name.
    pub fn named(word: &str) -> Option<Self> {
        Some(match word {
            "concat" => StringFunction::Concat,
            "string-join" => StringFunction::Join,
            "contains" => StringFunction::Contains,
            "starts-with" => StringFunction::StartsWith,
            "ends-with" => StringFunction::EndsWith,
            "substring" => StringFunction::Substring,
            "substring-before" => StringFunction::Before,
            "substring-after" => StringFunction::After,
            "upper-case" => StringFunction::Upper,
            "lower-case" => StringFunction::Lower,
            "normalize-space" => StringFunction::NormalizeSpace,
            "string-length" => StringFunction::Length,
            "translate" => StringFunction::Translate,
            "compare" => StringFunction::Compare,
            "contains-token" => StringFunction::ContainsToken,
            "codepoints-to-string" => StringFunction::OfCodePoints,
            _ => return None,
        })
    }

    /// Whether it has this many arguments.
    pub fn takes(self, arguments: usize) -> bool {
        match self {
            StringFunction::Concat => arguments >= 2,
            StringFunction::Join => (1..=2).contains(&arguments),
            StringFunction::Substring => (2..=3).contains(&arguments),
            StringFunction::Translate => arguments == 3,
            StringFunction::Contains
            | StringFunction::StartsWith
            | StringFunction::EndsWith
            | StringFunction::Compare
            | StringFunction::ContainsToken
            | StringFunction::Before
            | StringFunction::After => arguments == 2,
            _ => arguments == 1,
        }
    }
}

/// The result of a function; None if it is the empty sequence.
pub fn evaluated<'a>(
    at: &Evaluation<'a, '_>,
    function: StringFunction,
    arguments: &'a [Expression],
) -> Result<Option<Atom<'a>>, Undecided> {
    // A string that may be missing counts as empty.
    let string = |place: usize| -> Result<Cow<'a, [u8]>, Undecided> {
        at.one(&arguments[place])?.map_or(Ok(b"".into()), Atom::string)
    };
    Ok(Some(match function {
        StringFunction::Concat => {
            let mut out = Vec::new();
            for argument in arguments {
                if let Some(atom) = at.one(argument)? {
                    atom.write(&mut out);
                }
            }
            Atom::Text(out.into())
        }
        StringFunction::Join => {
            let separator = match arguments.get(1) {
                None => b"".into(),
                Some(separator) => at.one(separator)?.ok_or(Undecided)?.string()?,
            };
            let (mut out, mut is_first) = (Vec::new(), true);
            at.each(&arguments[0], &mut |atom| {
                if !std::mem::take(&mut is_first) {
                    out.extend_from_slice(&separator);
                }
                atom.write(&mut out);
                Ok(())
            })?;
            Atom::Text(out.into())
        }
        StringFunction::Contains => Atom::Boolean(memmem::find(&string(0)?, &string(1)?).is_some()),
        StringFunction::StartsWith => Atom::Boolean(string(0)?.starts_with(&string(1)?)),
        StringFunction::EndsWith => Atom::Boolean(string(0)?.ends_with(&string(1)?)),
        StringFunction::Before => {
            let (value, part) = (string(0)?, string(1)?);
            let end = memmem::find(&value, &part).unwrap_or(0);
            Atom::Text(slice(value, 0, end))
        }
        StringFunction::After => {
            let (value, part) = (string(0)?, string(1)?);
            let (start, end) = (memmem::find(&value, &part).map_or(value.len(), |at| at + part.len()), value.len());
            Atom::Text(slice(value, start, end))
        }
        StringFunction::Substring => {
            let value = string(0)?;
            let position =
                |place: usize| -> Result<f64, Undecided> { at.number(&arguments[place])?.ok_or(Undecided)?.promoted() };
            let first = half_up(position(1)?);
            let end = if arguments.len() > 2 { first + half_up(position(2)?) } else { f64::INFINITY };
            Atom::Text(substring(value, first, end)?)
        }
        StringFunction::Upper => Atom::Text(changed(string(0)?, u8::to_ascii_uppercase, char::to_uppercase)?),
        StringFunction::Lower => Atom::Text(changed(string(0)?, u8::to_ascii_lowercase, char::to_lowercase)?),
        StringFunction::NormalizeSpace => Atom::Text(normalized(string(0)?)),
        StringFunction::Length => Atom::Integer(count(&string(0)?) as i64),
        StringFunction::Translate => {
            let value = string(0)?;
            let required = |place: usize| at.one(&arguments[place])?.ok_or(Undecided)?.string();
            Atom::Text(translated(&value, &required(1)?, &required(2)?)?.into())
        }
        StringFunction::Compare => match (at.one(&arguments[0])?, at.one(&arguments[1])?) {
            (Some(left), Some(right)) => Atom::Integer(left.string()?.cmp(&right.string()?) as i64),
            // What stands alone must still be a string.
            (Some(alone), None) | (None, Some(alone)) => return alone.string().map(|_| None),
            (None, None) => return Ok(None),
        },
        StringFunction::ContainsToken => {
            let token = at.one(&arguments[1])?.ok_or(Undecided)?.string()?;
            let token = trimmed(&token);
            let mut found = false;
            at.each(&arguments[0], &mut |atom| {
                let text = atom.string()?;
                found = found || (!token.is_empty() && text.split(|&byte| is_space(byte)).any(|word| word == token));
                Ok(())
            })?;
            Atom::Boolean(found)
        }
        StringFunction::OfCodePoints => {
            let mut text = String::new();
            at.each(&arguments[0], &mut |atom| {
                let number = match atom {
                    Atom::Integer(number) => number,
                    untyped @ Atom::Untyped(_) => untyped.to_integer()?,
                    _ => return Err(Undecided),
                };
                let letter = u32::try_from(number).ok().and_then(char::from_u32).filter(|letter| is_of_xml(*letter));
                text.push(letter.ok_or(Undecided)?);
                Ok(())
            })?;
            Atom::Text(text.into_bytes().into())
        }
    }))
}

/// Whether a character may stand in every document.
fn is_of_xml(letter: char) -> bool {
    matches!(letter, '\t' | '\n' | '\r' | ' '..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..)
}

/// The code points of a string.
pub fn code_points(text: &[u8], take: Take<'_, '_>) -> Result<(), Undecided> {
    characters(text)?.chars().try_for_each(|letter| take(Atom::Integer(u32::from(letter).into())))
}

fn slice(value: Cow<'_, [u8]>, start: usize, end: usize) -> Cow<'_, [u8]> {
    match value {
        Cow::Borrowed(value) => Cow::Borrowed(&value[start..end]),
        Cow::Owned(value) => Cow::Owned(value[start..end].to_vec()),
    }
}

fn half_up(number: f64) -> f64 {
    let below = number.floor();
    below + f64::from(u8::from(number - below >= 0.5))
}

/// The characters at the positions p with first <= p < end; NaN has no order, and selects none.
fn substring(value: Cow<'_, [u8]>, first: f64, end: f64) -> Result<Cow<'_, [u8]>, Undecided> {
    if !(first < end && end > 1.0) {
        return Ok(b"".into());
    }
    let text = characters(&value)?;
    let place = |position: f64| {
        if position <= 1.0 {
            0
        } else if position > text.len() as f64 {
            // There are at most as many characters as bytes.
            text.len()
        } else {
            text.char_indices().nth(position as usize - 1).map_or(text.len(), |(at, _)| at)
        }
    };
    let (start, stop) = (place(first), place(end));
    Ok(slice(value, start, stop))
}

fn characters(value: &[u8]) -> Result<&str, Undecided> {
    std::str::from_utf8(value).map_err(|_| Undecided)
}

/// Letters whose case pairs no later version of Unicode changes, and scripts without case.
fn is_settled(letter: char) -> bool {
    matches!(letter, '\0'..='\u{17F}' | '\u{391}'..='\u{3CE}' | '\u{400}'..='\u{52F}' | '\u{2000}'..='\u{206F}'
        | '\u{20A0}'..='\u{20BF}' | '\u{3000}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7A3}' | '\u{1F300}'..='\u{1F64F}')
}

fn changed<I: Iterator<Item = char>>(
    value: Cow<'_, [u8]>,
    ascii: fn(&u8) -> u8,
    change: fn(char) -> I,
) -> Result<Cow<'_, [u8]>, Undecided> {
    if value.is_ascii() {
        return Ok(value.iter().map(ascii).collect::<Vec<u8>>().into());
    }
    let text = characters(&value)?;
    if !text.chars().all(is_settled) {
        return Err(Undecided);
    }
    Ok(text.chars().flat_map(change).collect::<String>().into_bytes().into())
}

fn normalized(value: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    let is_normal = |text: &[u8]| {
        !text.first().is_some_and(|&byte| is_space(byte))
            && !text.last().is_some_and(|&byte| is_space(byte))
            && !text.iter().any(|&byte| is_space(byte) && byte != b' ')
            && !text.windows(2).any(|pair| pair == b"  ")
    };
    if is_normal(&value) {
        return value;
    }
    let mut out = Vec::with_capacity(value.len());
    for word in value.split(|&byte| is_space(byte)).filter(|word| !word.is_empty()) {
        if !out.is_empty() {
            out.push(b' ');
        }
        out.extend_from_slice(word);
    }
    out.into()
}

fn translated(value: &[u8], replaced: &[u8], replacements: &[u8]) -> Result<Vec<u8>, Undecided> {
    let (value, replaced) = (characters(value)?, characters(replaced)?);
    let replacements: Vec<char> = characters(replacements)?.chars().collect();
    let change = |letter: char| match replaced.chars().position(|other| other == letter) {
        None => Some(letter),
        Some(place) => replacements.get(place).copied(),
    };
    Ok(value.chars().filter_map(change).collect::<String>().into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(text: &str, first: f64, end: f64) -> String {
        String::from_utf8(substring(text.as_bytes().into(), first, end).unwrap().into_owned()).unwrap()
    }

    #[test]
    fn substrings_count_characters() {
        assert_eq!(part("motor car", 6.0, f64::INFINITY), " car");
        assert_eq!(part("métadata", 2.0, 4.0), "ét");
        assert_eq!(part("12345", -42.0, f64::INFINITY), "12345");
        assert_eq!(part("12345", f64::NAN, 3.0), "");
        assert_eq!(part("12345", 0.0, 3.0), "12");
        assert_eq!(part("12345", 5.0, 1e300), "5");
        assert_eq!(part("12345", 6.0, 1e300), "");
    }

    #[test]
    fn white_space_is_that_of_xml() {
        for (text, normal) in [(" a  b\t\n", "a b"), ("a b", "a b"), ("", ""), ("  ", ""), ("a\u{a0}b", "a\u{a0}b")] {
            assert_eq!(&*normalized(text.as_bytes().into()), normal.as_bytes());
        }
    }

    #[test]
    fn case_is_changed_where_it_is_certain() {
        let upper = |text: &'static str| changed(text.as_bytes().into(), u8::to_ascii_uppercase, char::to_uppercase);
        assert_eq!(&*upper("straße").unwrap(), b"STRASSE");
        assert_eq!(&*upper("πσς").unwrap(), "ΠΣΣ".as_bytes());
        assert!(upper("\u{264}").is_err());
    }

    #[test]
    fn characters_are_exchanged_or_left_out() {
        assert_eq!(translated(b"bar", b"abc", b"AB").unwrap(), b"BAr");
        assert_eq!(translated("äb".as_bytes(), "ä".as_bytes(), b"").unwrap(), b"b");
        assert_eq!(translated(b"aa", b"aa", b"xy").unwrap(), b"xx");
    }
}
