//! The text around the root element (XML 1.0 §2.8): the XML declaration, the document type, comments, instructions.

use crate::characters::{is_space, shown};
use crate::content::starts_with;
use crate::cursor::Cursor;
use crate::declarations::{parameter_reference, Surroundings};
use crate::doctype::Head;
use crate::entities::Content;
use crate::errors::{fault, syntax, Halt, Kind};
use crate::reader::{Flow, Phase, Reader};

impl Reader {
    /// The very start: perhaps an XML declaration.
    pub(crate) fn start(&mut self, data: &[u8], place: &mut usize, is_all: bool) -> Result<Flow, Halt> {
        let is_known = data.len() >= 6 || is_all || !b"<?xml".starts_with(&data[..data.len().min(5)]);
        if !is_known {
            return Err(Halt::More);
        }
        if data.starts_with(b"<?xml") && data.get(5).is_some_and(|&byte| is_space(byte)) {
            *place = self.declaration(data)?;
        }
        self.phase = Phase::Prolog;
        Ok(Flow::Turned)
    }

    fn declaration(&mut self, data: &[u8]) -> Result<usize, Halt> {
        let mut cursor = Cursor::new(data, 5);
        cursor.some_space()?;
        let version = pseudo_attribute(&mut cursor, b"version")?;
        let is_version =
            version.strip_prefix(b"1.").is_some_and(|minor| !minor.is_empty() && minor.iter().all(u8::is_ascii_digit));
        if !is_version {
            return Err(syntax(cursor.at, "the version of XML is 1.0"));
        }
        let mut is_separate = cursor.space()?;
        let mut declared = None;
        if is_separate && cursor.peek()? == b'e' {
            declared = Some((pseudo_attribute(&mut cursor, b"encoding")?, cursor.at));
            is_separate = cursor.space()?;
        }
        let mut is_standalone = false;
        if is_separate && cursor.peek()? == b's' {
            is_standalone = match pseudo_attribute(&mut cursor, b"standalone")? {
                b"yes" => true,
                b"no" => false,
                _ => return Err(syntax(cursor.at, "standalone is yes or no")),
            };
            cursor.space()?;
        }
        cursor.expect(b"?>")?;
        if let Some((name, at)) = declared {
            self.check_encoding(name, at)?;
        }
        self.doctype.is_standalone = is_standalone;
        Ok(cursor.at)
    }

    fn check_encoding(&self, name: &[u8], at: usize) -> Result<(), Halt> {
        let is_name = name.first().is_some_and(u8::is_ascii_alphabetic)
            && name.iter().all(|&b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'));
        if !is_name {
            return Err(syntax(at, format!("'{}' is no name of an encoding", shown(name))));
        }
        let is_short = name.len() <= self.limits.name_characters;
        if !is_short || !self.family.agrees(&String::from_utf8_lossy(name)) {
            return Err(fault(Kind::Encoding, at, format!("declared as {}, which the bytes are not", shown(name))));
        }
        Ok(())
    }

    /// Before or after the root element.
    pub(crate) fn around_root(&mut self, data: &[u8], place: &mut usize) -> Result<Flow, Halt> {
        loop {
            while data.get(*place).is_some_and(|&byte| is_space(byte)) {
                *place += 1;
            }
            let at = *place;
            match data.get(at) {
                None => return Ok(Flow::Exhausted),
                Some(b'<') => {}
                Some(_) => return Err(syntax(at, "text outside the root element")),
            }
            match data.get(at + 1) {
                None => return Err(Halt::More),
                Some(b'!') if starts_with(data, at, b"<!--")? => *place = self.comment(data, at)?,
                Some(b'!') => {
                    *place = self.doctype_head(data, at)?;
                    if self.phase == Phase::Subset {
                        return Ok(Flow::Turned);
                    }
                }
                Some(b'?') => *place = self.instruction(data, at)?,
                Some(_) if self.phase == Phase::Epilog => {
                    return Err(syntax(at, "junk after document element: a document has one root element"))
                }
                Some(_) => {
                    *place = self.start_tag(data, at)?;
                    let is_empty = self.open_names.depth() == 0;
                    self.phase = if is_empty { Phase::Epilog } else { Phase::Content };
                    return Ok(Flow::Turned);
                }
            }
        }
    }

    fn doctype_head(&mut self, data: &[u8], at: usize) -> Result<usize, Halt> {
        if self.phase == Phase::Epilog {
            return Err(syntax(at, "junk after document element"));
        }
        match self.doctype.head(data, at, &self.limits)? {
            Head::Complete(end) => Ok(end),
            Head::Subset(end) => {
                self.phase = Phase::Subset;
                Ok(end)
            }
        }
    }

    /// The internal subset, or the text of a parameter entity in it.
    pub(crate) fn subset(&mut self, data: &[u8], place: &mut usize) -> Result<Flow, Halt> {
        loop {
            while data.get(*place).is_some_and(|&byte| is_space(byte)) {
                *place += 1;
            }
            let at = *place;
            match data.get(at) {
                None => return Ok(Flow::Exhausted),
                Some(b'<') => *place = self.subset_markup(data, at)?,
                Some(b'%') => {
                    let (name, end) = parameter_reference(data, at)?;
                    *place = end;
                    if self.enter_parameter_entity(name, at, end)? {
                        return Ok(Flow::Turned);
                    }
                }
                Some(b']') if self.is_input() => {
                    let mut cursor = Cursor::new(data, at + 1);
                    cursor.space()?;
                    cursor.expect(b">")?;
                    *place = cursor.at;
                    self.has_rules = !self.doctype.attributes.is_empty();
                    self.may_be_simple &= !self.has_rules;
                    self.phase = Phase::Prolog;
                    return Ok(Flow::Turned);
                }
                Some(_) => return Err(syntax(at, "a declaration or the end of the document type is expected")),
            }
        }
    }

    fn subset_markup(&mut self, data: &[u8], at: usize) -> Result<usize, Halt> {
        match data.get(at + 1) {
            None => Err(Halt::More),
            Some(b'?') => self.instruction(data, at),
            Some(b'!') if starts_with(data, at, b"<!--")? => self.comment(data, at),
            Some(_) => {
                let around = Surroundings {
                    limits: &self.limits,
                    has_namespaces: self.namespaces.is_on(),
                    read: self.read_before + at as u64,
                    is_input: self.is_input(),
                };
                self.doctype.declaration(data, at, &around)
            }
        }
    }

    /// Whether to read the entity's text; an external one is skipped (§4.4.4).
    fn enter_parameter_entity(&mut self, name: &[u8], at: usize, end: usize) -> Result<bool, Halt> {
        let entities = &mut self.doctype.entities;
        entities.may_be_elsewhere |= !self.doctype.is_standalone;
        let Some(number) = entities.parameter(name) else {
            // Only a validity constraint, except for standalone documents (§4.1, Entity Declared).
            if self.doctype.is_standalone {
                return Err(syntax(at, format!("the entity '%{};' is not declared", shown(name))));
            }
            self.doctype.leave_unread();
            return Ok(false);
        };
        if let Content::External(_) = entities.get(number).content {
            self.doctype.leave_unread();
            return Ok(false);
        }
        self.enter_entity(number, at, end - at)?;
        Ok(true)
    }
}

fn pseudo_attribute<'a>(cursor: &mut Cursor<'a>, name: &[u8]) -> Result<&'a [u8], Halt> {
    cursor.expect(name)?;
    cursor.space()?;
    cursor.expect(b"=")?;
    cursor.space()?;
    cursor.quoted()
}
