//! Entities: their replacement texts, their use in attribute values, and how much they may add to a document.

use std::collections::HashMap;
use std::sync::Arc;

use crate::characters::{count, shown};
use crate::errors::{fault, limit, syntax, Halt, Kind};
use crate::limits::Limits;
use crate::references::{reference, Reference};

/// Expansion is compared with the length of the input only beyond this.
const SMALL_EXPANSION: i64 = 100_000;

/// Defaults of attributes count as expansion only beyond this multiple of the input's length.
const ORDINARY_DEFAULTS: i64 = 10;

/// Most entities with references to others. Expat follows these by recursion: a very long chain would exhaust its
/// stack, and both scanners must accept the same documents.
const MOST_REFERRING: usize = 1_000;

/// The meaning of an entity.
#[derive(Clone, Debug)]
pub enum Content {
    /// Its replacement text.
    Internal(Arc<[u8]>),
    /// An external entity, by system identifier; it is never fetched.
    External(String),
    /// An unparsed entity.
    Unparsed,
}

/// An entity of a document type.
#[derive(Debug)]
pub struct Entity {
    /// Its name.
    pub name: Box<[u8]>,
    /// Its meaning.
    pub content: Content,
    /// Number of characters of the replacement text.
    characters: usize,
    /// Whether it is being expanded: it must not refer to itself.
    pub is_open: bool,
    /// Whether its text is only characters: no tags, no references, no end of a CDATA section.
    pub is_plain: bool,
}

/// The entities of a document.
#[derive(Default)]
pub struct Entities {
    all: Vec<Entity>,
    // Not the fast hash of the other tables: names of a document type can be chosen to collide in that one.
    general: HashMap<Box<[u8]>, usize>,
    parameter: HashMap<Box<[u8]>, usize>,
    /// Expanded lengths that were known at the declaration.
    sizes: Vec<i64>,
    /// Number of general entities with references to others.
    referring: usize,
    expanded: i64,
    /// Number of characters that attribute defaults would take if they were written in the tags.
    defaulted: i64,
    /// Whether an entity may be declared in an unread part of the document type.
    pub may_be_elsewhere: bool,
}

impl Entities {
    /// Declare an entity; the first declaration counts (§4.2).
    pub fn declare(
        &mut self,
        name: &[u8],
        is_parameter: bool,
        content: Content,
        limits: &Limits,
        at: usize,
    ) -> Result<(), Halt> {
        let known = if is_parameter { &self.parameter } else { &self.general };
        if known.contains_key(name) {
            return Ok(());
        }
        let (characters, is_plain) = match &content {
            Content::Internal(text) => (count(text), memchr::memchr3(b'<', b'&', b']', text).is_none()),
            _ => (0, false),
        };
        let (references, expanded) = self.references(&content);
        if references > 0 && !is_parameter {
            self.referring += 1;
            if self.referring > MOST_REFERRING {
                return Err(limit(at, "entities that refer to others", self.referring, MOST_REFERRING));
            }
        }
        let size = expanded.saturating_add(characters as i64);
        if size > limits.expanded_characters {
            let (name, most) = (shown(name), limits.expanded_characters);
            let detail = format!("expanded characters: the entity '{name}' stands for more than {most} characters");
            return Err(fault(Kind::Limit, at, detail));
        }
        let number = self.all.len();
        self.all.push(Entity { name: name.into(), content, characters, is_open: false, is_plain });
        self.sizes.push(size);
        let known = if is_parameter { &mut self.parameter } else { &mut self.general };
        known.insert(name.into(), number);
        Ok(())
    }

    /// The number of references to entities, and the total length of those with known length.
    fn references(&self, content: &Content) -> (usize, i64) {
        let Content::Internal(text) = content else { return (0, 0) };
        let mut found = 0;
        let mut size: i64 = 0;
        for at in memchr::memchr_iter(b'&', text) {
            if let Ok((Reference::Entity(name), _)) = reference(text, at) {
                found += 1;
                size = size.saturating_add(self.general.get(name).map_or(0, |&number| self.sizes[number]));
            }
        }
        (found, size)
    }

    /// An entity by number.
    pub fn get(&self, number: usize) -> &Entity {
        &self.all[number]
    }

    /// The number of a parameter entity.
    pub fn parameter(&self, name: &[u8]) -> Option<usize> {
        self.parameter.get(name).copied()
    }

    /// The number of a general entity, which must be declared (§4.1, Entity Declared).
    pub fn general(&self, name: &[u8], at: usize) -> Result<usize, Halt> {
        match self.general.get(name) {
            Some(&number) => Ok(number),
            None if self.may_be_elsewhere => {
                let detail = format!("the entity '&{};' is not declared (an external DTD is not read)", shown(name));
                Err(fault(Kind::SkippedEntity, at, detail))
            }
            None => Err(syntax(at, format!("the entity '&{};' is not declared", shown(name)))),
        }
    }

    /// Begin to expand an entity; returns its text. `read` is how much of the input was read before it.
    pub fn open(
        &mut self,
        number: usize,
        reference_length: usize,
        read: u64,
        limits: &Limits,
        at: usize,
    ) -> Result<Arc<[u8]>, Halt> {
        let entity = &mut self.all[number];
        if entity.is_open {
            return Err(syntax(at, format!("the entity '{}' refers to itself", shown(&entity.name))));
        }
        let text = match &entity.content {
            Content::Internal(text) => text.clone(),
            Content::External(system) => return Err(fault(Kind::ExternalEntity, at, format!("'{system}'"))),
            Content::Unparsed => {
                return Err(syntax(at, format!("the entity '{}' is no parsed entity", shown(&entity.name))))
            }
        };
        entity.is_open = true;
        self.expanded += entity.characters as i64 - reference_length as i64;
        self.check_expansion(read, limits, at)?;
        Ok(text)
    }

    /// The expansion has ended.
    pub fn close(&mut self, number: usize) {
        self.all[number].is_open = false;
    }

    /// Attribute defaults enlarge the document like entities do, beyond what ordinary documents have.
    pub fn charge_defaults(&mut self, length: usize, read: u64, limits: &Limits, at: usize) -> Result<(), Halt> {
        self.defaulted = self.defaulted.saturating_add(length as i64);
        self.check_expansion(read, limits, at)
    }

    fn check_expansion(&self, read: u64, limits: &Limits, at: usize) -> Result<(), Halt> {
        let read = i64::try_from(read).unwrap_or(i64::MAX).max(1);
        let ordinary = ORDINARY_DEFAULTS.saturating_mul(read);
        let expanded = self.expanded.saturating_add(self.defaulted.saturating_sub(ordinary).max(0));
        if expanded > limits.expanded_characters {
            return Err(limit(at, "expanded characters", expanded as usize, limits.expanded_characters as usize));
        }
        if expanded > SMALL_EXPANSION && expanded > limits.expansion_factor.saturating_mul(read) {
            return Err(limit(
                at,
                "expansion factor",
                (expanded / read + 1) as usize,
                limits.expansion_factor as usize,
            ));
        }
        Ok(())
    }

    /// Append a normalised attribute value (§3.3.3): references replaced, white space turned into spaces.
    pub fn attribute_value(
        &mut self,
        raw: &[u8],
        at: usize,
        read: u64,
        limits: &Limits,
        value: &mut Vec<u8>,
    ) -> Result<(), Halt> {
        let mut inner: Vec<(usize, Arc<[u8]>, usize)> = Vec::new();
        let mut outer_place = 0;
        loop {
            let step = match inner.last_mut() {
                None => value_part(raw, &mut outer_place, true, at, value)?,
                // Errors inside an entity are reported at the reference to the outermost one.
                Some((_, text, place)) => value_part(text, place, false, at, value).map_err(|halt| moved(halt, at))?,
            };
            match step {
                Part::End => match inner.pop() {
                    None => return Ok(()),
                    Some((number, ..)) => self.close(number),
                },
                Part::Entity(name, length) => {
                    let number = self.general(&name, at)?;
                    let text = self.open(number, length, read, limits, at)?;
                    inner.push((number, text, 0));
                }
            }
            if value.len() / 4 > limits.attribute_characters {
                return Err(limit(at, "attribute characters", count(value), limits.attribute_characters));
            }
        }
    }
}

fn moved(halt: Halt, at: usize) -> Halt {
    match halt {
        Halt::More => syntax(at, "an entity ends inside a reference"),
        Halt::Fault(mut fault) => {
            fault.at = at;
            Halt::Fault(fault)
        }
    }
}

enum Part {
    End,
    Entity(Box<[u8]>, usize),
}

/// Append from a place up to the next entity or the end.
fn value_part(text: &[u8], place: &mut usize, is_input: bool, at: usize, value: &mut Vec<u8>) -> Result<Part, Halt> {
    while *place < text.len() {
        let byte = text[*place];
        match byte {
            b'<' => return Err(syntax(at + *place, "a '<' in an attribute value")),
            b'&' => {
                let (found, end) = match reference(text, *place) {
                    Ok(found) => found,
                    Err(Halt::More) => return Err(syntax(at + *place, "an ampersand that begins no reference")),
                    Err(Halt::Fault(mut fault)) => {
                        fault.at += at;
                        return Err(Halt::Fault(fault));
                    }
                };
                let length = end - *place;
                *place = end;
                match found {
                    Reference::Character(c) => value.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
                    Reference::Entity(name) => return Ok(Part::Entity(name.into(), length)),
                }
            }
            b'\r' if is_input && text.get(*place + 1) == Some(&b'\n') => *place += 1,
            b'\t' | b'\n' | b'\r' => {
                value.push(b' ');
                *place += 1;
            }
            _ => {
                value.push(byte);
                *place += 1;
            }
        }
    }
    Ok(Part::End)
}

/// Normalise the value of a tokenised attribute further, from an index on: no spaces around it, single ones inside.
pub fn tokenise(value: &mut Vec<u8>, from: usize) {
    let mut end = from;
    for place in from..value.len() {
        let byte = value[place];
        if byte != b' ' || (end > from && value[end - 1] != b' ') {
            value[end] = byte;
            end += 1;
        }
    }
    if end > from && value[end - 1] == b' ' {
        end -= 1;
    }
    value.truncate(end);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value_of(entities: &mut Entities, raw: &str) -> Result<String, Halt> {
        let mut value = Vec::new();
        entities.attribute_value(raw.as_bytes(), 0, 1000, &Limits::default(), &mut value)?;
        Ok(String::from_utf8(value).unwrap())
    }

    fn declare(entities: &mut Entities, name: &str, text: &str) {
        let content = Content::Internal(text.as_bytes().into());
        entities.declare(name.as_bytes(), false, content, &Limits::default(), 0).unwrap();
    }

    #[test]
    fn values_are_normalised() {
        let mut entities = Entities::default();
        declare(&mut entities, "e", "1\r\n2&f;");
        declare(&mut entities, "f", "&#60;");
        assert_eq!(value_of(&mut entities, "a\r\nb\tc&#10;d&e;").unwrap(), "a b c\nd1  2<");
    }

    #[test]
    fn entities_must_not_hold_tags_or_themselves() {
        let mut entities = Entities::default();
        declare(&mut entities, "t", "<");
        declare(&mut entities, "a", "&b;");
        declare(&mut entities, "b", "&a;");
        for raw in ["&t;", "&a;", "&none;", "<", "&", "&a"] {
            assert!(matches!(value_of(&mut entities, raw), Err(Halt::Fault(_))), "{raw}");
        }
    }

    #[test]
    fn long_chains_are_refused() {
        let mut entities = Entities::default();
        for number in 0..MOST_REFERRING {
            declare(&mut entities, &format!("e{number}"), &format!("&e{};", number + 1));
        }
        declare(&mut entities, &format!("e{MOST_REFERRING}"), "x&amp;");
        assert_eq!(value_of(&mut entities, "&e0;").unwrap(), "x&");
        let content = Content::Internal(b"&e0;"[..].into());
        assert!(entities.declare(b"f", false, content, &Limits::default(), 0).is_err());
    }

    #[test]
    fn tokens_are_single_spaced() {
        let mut value = b"x=  a  b ".to_vec();
        tokenise(&mut value, 2);
        assert_eq!(value, b"x=a b");
        let mut value = b"   ".to_vec();
        tokenise(&mut value, 0);
        assert_eq!(value, b"");
    }
}
