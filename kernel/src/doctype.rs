//! The result of a document type declaration: entities, and rules for attributes. Its declarations are read in
//! `declarations.rs` and `content_model.rs`; external parts are never fetched.

use std::collections::HashMap;

use crate::attribute_rules::AttributeRules;
use crate::characters::{count, shown};
use crate::cursor::Cursor;
use crate::entities::Entities;
use crate::errors::{fault, limit, namespace, syntax, Halt, Kind};
use crate::limits::Limits;

/// The document type of a document.
#[derive(Default)]
pub struct Doctype {
    /// Whether a declaration was met.
    pub is_declared: bool,
    /// Whether the document is standalone, so nothing outside it matters.
    pub is_standalone: bool,
    /// The entities.
    pub entities: Entities,
    /// Rules for attributes, by element name as written.
    pub attributes: HashMap<Box<[u8]>, AttributeRules>,
    /// Whether a part was left unread, after which declarations no longer count (§5.1).
    pub ignores_declarations: bool,
}

/// What follows the head of a declaration.
pub enum Head {
    /// An internal subset follows.
    Subset(usize),
    /// The declaration is complete.
    Complete(usize),
}

impl Doctype {
    /// Read `<!DOCTYPE` up to the internal subset or the end (§2.8).
    pub fn head(&mut self, data: &[u8], at: usize, limits: &Limits) -> Result<Head, Halt> {
        let mut cursor = Cursor::new(data, at);
        cursor.expect(b"<!DOCTYPE")?;
        cursor.some_space()?;
        check_name(cursor.name()?, limits, at)?;
        let is_separate = cursor.space()?;
        let is_external = is_separate && matches!(cursor.peek()?, b'S' | b'P');
        if is_external {
            external_id(&mut cursor, false)?;
            cursor.space()?;
        }
        let has_subset = cursor.peek()? == b'[';
        if !has_subset {
            cursor.expect(b">")?;
        }
        if self.is_declared {
            return Err(syntax(at, "a second document type declaration"));
        }
        if !limits.allow_dtd {
            return Err(fault(Kind::Limit, at, "a document type declaration where none is allowed"));
        }
        self.is_declared = true;
        self.entities.may_be_elsewhere = is_external && !self.is_standalone;
        Ok(if has_subset { Head::Subset(cursor.at + 1) } else { Head::Complete(cursor.at) })
    }

    /// A reference to a parameter entity that is not read.
    pub fn leave_unread(&mut self) {
        if !self.is_standalone {
            self.ignores_declarations = true;
        }
    }
}

/// ExternalID, or PublicID where that suffices (§4.2.2, §4.7); the system identifier.
pub fn external_id(cursor: &mut Cursor<'_>, public_suffices: bool) -> Result<Option<String>, Halt> {
    if cursor.has(b"SYSTEM")? {
        cursor.some_space()?;
        return Ok(Some(String::from_utf8_lossy(cursor.quoted()?).into_owned()));
    }
    cursor.expect(b"PUBLIC")?;
    cursor.some_space()?;
    let start = cursor.at + 1;
    let public = cursor.quoted()?;
    let is_public = |b: &u8| b.is_ascii_alphanumeric() || b" \r\n-'()+,./:=?;!*#@$_%".contains(b);
    if let Some(place) = public.iter().position(|byte| !is_public(byte)) {
        return Err(syntax(start + place, "a character that a public identifier cannot have"));
    }
    let is_separate = cursor.space()?;
    if public_suffices && cursor.peek()? == b'>' {
        return Ok(None);
    }
    if !is_separate {
        return Err(syntax(cursor.at, "white space is expected"));
    }
    Ok(Some(String::from_utf8_lossy(cursor.quoted()?).into_owned()))
}

/// The limit of names.
pub fn check_name(name: &[u8], limits: &Limits, at: usize) -> Result<(), Halt> {
    if name.len() > limits.name_characters {
        let actual = count(name);
        if actual > limits.name_characters {
            return Err(limit(at, "name characters", actual, limits.name_characters));
        }
    }
    Ok(())
}

/// Names without prefixes (Namespaces in XML 1.0 §7).
pub fn check_no_colon(name: &[u8], what: &str, at: usize) -> Result<(), Halt> {
    if name.contains(&b':') {
        return Err(namespace(at, format!("the {what} '{}' has a colon", shown(name))));
    }
    Ok(())
}
