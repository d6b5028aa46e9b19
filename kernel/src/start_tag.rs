//! Start tags (XML 1.0 §3.1): attributes read, completed by the document type, checked, and their namespaces entered.

use crate::attribute_rules::AttributeKind;
use crate::characters::{count, is_space, name, shown, stops_value, NameEnd};
use crate::doctype::check_name;
use crate::entities::tokenise;
use crate::errors::{limit, namespace, syntax, Halt};
use crate::markup::next_markup;
use crate::name_key::NameKey;
use crate::projector::Interest;
use crate::reader::Reader;
use crate::simple_element::end_tag_end;

/// A part of the current text, or of the scratch text beside it.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    start: usize,
    end: usize,
    is_scratch: bool,
}

impl Span {
    #[inline(always)]
    fn of<'a>(&self, data: &'a [u8], scratch: &'a [u8]) -> &'a [u8] {
        &(if self.is_scratch { scratch } else { data })[self.start..self.end]
    }
}

/// An attribute of a start tag.
#[derive(Clone, Copy, Debug)]
pub struct Attribute {
    name: Span,
    /// Index of the first colon in the name, 0 for none.
    pub colon: usize,
    value: Span,
    /// Whether its value has references or white space to normalise.
    is_raw: bool,
    /// Whether it declares a namespace.
    pub is_declaration: bool,
    /// Its declared type.
    pub kind: AttributeKind,
}

/// A start tag that has been read.
pub struct Tag<'a> {
    /// The element's name as written.
    pub name: &'a [u8],
    /// The key of the name, for lookups.
    pub key: NameKey,
    /// Index of the first colon in it, 0 for none.
    pub colon: usize,
    /// Index of the tag in the text.
    pub at: usize,
    /// Its attributes.
    pub attributes: &'a [Attribute],
    data: &'a [u8],
    scratch: &'a [u8],
}

impl<'a> Tag<'a> {
    /// The name of an attribute as written.
    #[inline(always)]
    pub fn attribute_name(&self, attribute: &Attribute) -> &'a [u8] {
        attribute.name.of(self.data, self.scratch)
    }

    /// The normalised value of an attribute.
    #[inline(always)]
    pub fn value(&self, attribute: &Attribute) -> &'a [u8] {
        attribute.value.of(self.data, self.scratch)
    }
}

/// Up to this number, attributes are compared pairwise.
const FEW: usize = 12;

impl Reader {
    /// Read the start tag at an index; returns its end.
    #[inline(always)]
    pub(crate) fn start_tag(&mut self, data: &[u8], at: usize) -> Result<usize, Halt> {
        let NameEnd { end: name_end, colon } = name(data, at + 1)?;
        let mut place = name_end;
        let mut is_empty = false;
        self.attributes.clear();
        // Most tags end right after the name.
        if data[place] != b'>' {
            (place, is_empty) = self.read_attributes(data, place)?;
        }
        place += 1;
        let element = &data[at + 1..name_end];
        let colon = colon.saturating_sub(at + 1);
        let depth = self.open_names.depth() + 1;
        if element.len() > self.limits.name_characters {
            check_name(element, &self.limits, at)?;
        }
        if depth > self.limits.depth {
            return Err(limit(at, "depth", depth, self.limits.depth));
        }
        if !self.attributes.is_empty() || self.has_rules {
            self.settle_attributes(data, at, element, depth)?;
        }
        if self.namespaces.is_on() && (colon != 0 || element[0] == b':') {
            self.check_prefix(element, colon, true, at + 1)?;
        }
        let key = NameKey::of(data, at + 1, name_end);
        let mut interest = Interest::Nothing;
        if !self.projector.is_skipping() {
            let tag = Tag { name: element, key, colon, at, attributes: &self.attributes, data, scratch: &self.scratch };
            interest = self.projector.start(&tag, &mut self.namespaces, &self.limits)?;
        }
        // Most elements contain only text, and are finished at once.
        let text_end = if is_empty { place } else { next_markup(data, place) };
        let end = if is_empty { Some(place) } else { end_tag_end(data, text_end, key) };
        if let Some(end) = end {
            if let Interest::Nothing = interest {
                if colon == 0 {
                    self.remember_name(key, element);
                }
            } else if let Interest::Kept = interest {
                if self.projector.keeps_text {
                    self.keep_text(&data[place..text_end], place)?;
                }
                self.projector.end(&self.limits, at)?;
            }
            self.namespaces.leave(depth);
            return Ok(end);
        }
        match interest {
            Interest::Kept => {}
            Interest::Below { action, name } => self.projector.open_at(action, name),
            Interest::Nothing => {
                self.projector.skip();
                if colon == 0 {
                    self.remember_name(key, element);
                }
            }
        }
        self.open_names.push(key, element);
        Ok(place)
    }

    /// Read attributes up to the end of the tag; returns the index of `>`, and whether the element is empty.
    fn read_attributes(&mut self, data: &[u8], from: usize) -> Result<(usize, bool), Halt> {
        let mut place = from;
        loop {
            let before = place;
            while is_space(*data.get(place).ok_or(Halt::More)?) {
                place += 1;
            }
            match data[place] {
                b'>' => return Ok((place, false)),
                b'/' => {
                    return match data.get(place + 1) {
                        None => Err(Halt::More),
                        Some(b'>') => Ok((place + 1, true)),
                        Some(_) => Err(syntax(place, "a '/' inside a tag")),
                    }
                }
                _ if place == before => return Err(syntax(place, "white space or the end of the tag is expected")),
                _ => place = self.read_attribute(data, place)?,
            }
        }
    }

    #[inline(always)]
    fn read_attribute(&mut self, data: &[u8], start: usize) -> Result<usize, Halt> {
        let NameEnd { end: name_end, colon } = name(data, start)?;
        let mut place = name_end;
        while is_space(*data.get(place).ok_or(Halt::More)?) {
            place += 1;
        }
        if data[place] != b'=' {
            return Err(syntax(place, "the '=' of an attribute is expected"));
        }
        place += 1;
        while is_space(*data.get(place).ok_or(Halt::More)?) {
            place += 1;
        }
        let quote = data[place];
        if quote != b'"' && quote != b'\'' {
            return Err(syntax(place, "the quoted value of an attribute is expected"));
        }
        let value_start = place + 1;
        let mut is_raw = false;
        place = value_start;
        loop {
            while !stops_value(*data.get(place).ok_or(Halt::More)?) {
                place += 1;
            }
            match data[place] {
                byte if byte == quote => break,
                b'<' => return Err(syntax(place, "a '<' in an attribute value")),
                b'"' | b'\'' => {}
                _ => is_raw = true,
            }
            place += 1;
        }
        if self.attributes.len() == self.limits.attributes {
            return Err(limit(start, "attributes", self.limits.attributes + 1, self.limits.attributes));
        }
        let attribute_name = &data[start..name_end];
        let is_declaration = attribute_name.starts_with(b"xmlns")
            && (attribute_name.len() == 5 || attribute_name[5] == b':')
            && self.namespaces.is_on();
        self.attributes.push(Attribute {
            name: Span { start, end: name_end, is_scratch: false },
            colon: colon.saturating_sub(start),
            value: Span { start: value_start, end: place, is_scratch: false },
            is_raw,
            is_declaration,
            kind: AttributeKind::Text,
        });
        Ok(place + 1)
    }

    /// Everything about attributes that needs the whole tag.
    fn settle_attributes(&mut self, data: &[u8], at: usize, element: &[u8], depth: usize) -> Result<(), Halt> {
        self.check_twice(data, at, element)?;
        self.scratch.clear();
        let mut has_declarations = false;
        let mut prefixed = 0;
        let is_on = self.namespaces.is_on();
        for number in 0..self.attributes.len() {
            let attribute = self.attributes[number];
            if attribute.is_raw {
                self.normalise(data, number)?;
            }
            let size = attribute.name.end - attribute.name.start;
            if size > self.limits.name_characters {
                check_name(attribute.name.of(data, &self.scratch), &self.limits, at)?;
            }
            has_declarations |= attribute.is_declaration;
            prefixed += usize::from(attribute.colon != 0 || data[attribute.name.start] == b':');
        }
        if self.has_rules {
            has_declarations |= self.apply_rules(data, at, element)?;
            prefixed = self.attributes.len();
        }
        for number in 0..self.attributes.len() {
            let value = self.attributes[number].value;
            if value.end - value.start > self.limits.attribute_characters {
                let actual = count(value.of(data, &self.scratch));
                if actual > self.limits.attribute_characters {
                    return Err(limit(at, "attribute characters", actual, self.limits.attribute_characters));
                }
            }
        }
        if has_declarations {
            self.enter_namespaces(data, at, depth)?;
        }
        if prefixed > 0 && is_on {
            self.check_prefixes(data, at, element)?;
        }
        Ok(())
    }

    /// Replace references and white space in a value.
    fn normalise(&mut self, data: &[u8], number: usize) -> Result<(), Halt> {
        let value = self.attributes[number].value;
        let start = self.scratch.len();
        let (limits, scratch) = (&self.limits, &mut self.scratch);
        let read = self.read_before + value.start as u64;
        let entities = &mut self.doctype.entities;
        entities.attribute_value(&data[value.start..value.end], value.start, read, limits, scratch)?;
        self.attributes[number].value = Span { start, end: self.scratch.len(), is_scratch: true };
        Ok(())
    }

    /// No attribute occurs twice (§3.1, Unique Att Spec).
    fn check_twice(&self, data: &[u8], at: usize, element: &[u8]) -> Result<(), Halt> {
        let name_of = |attribute: &Attribute| &data[attribute.name.start..attribute.name.end];
        let attributes = &self.attributes;
        let twice = if attributes.len() <= FEW {
            attributes.iter().enumerate().skip(1).find(|(place, attribute)| {
                attributes[..*place].iter().any(|other| name_of(other) == name_of(attribute))
            })
        } else {
            let mut seen = rustc_hash::FxHashSet::default();
            attributes.iter().enumerate().find(|(_, attribute)| !seen.insert(name_of(attribute)))
        };
        match twice {
            None => Ok(()),
            Some((_, attribute)) => {
                let (twice, element) = (shown(name_of(attribute)), shown(element));
                let detail = format!("duplicate attribute: '{twice}' of <{element}>");
                Err(syntax(attribute.name.start.max(at), detail))
            }
        }
    }

    /// Types and defaults that the document type declares; returns whether a default declares a namespace.
    fn apply_rules(&mut self, data: &[u8], at: usize, element: &[u8]) -> Result<bool, Halt> {
        let Some(rules) = self.doctype.attributes.get_mut(element) else {
            return Ok(false);
        };
        rules.begin_tag();
        for attribute in &mut self.attributes {
            let Some(kind) = rules.give(attribute.name.of(data, &self.scratch)) else { continue };
            attribute.kind = kind;
            if kind != AttributeKind::Text {
                let start = self.scratch.len();
                let Span { start: from, end: to, is_scratch } = attribute.value;
                if is_scratch {
                    self.scratch.extend_from_within(from..to);
                } else {
                    self.scratch.extend_from_slice(&data[from..to]);
                }
                tokenise(&mut self.scratch, start);
                attribute.value = Span { start, end: self.scratch.len(), is_scratch: true };
            }
        }
        let mut has_declarations = false;
        let mut added = 0;
        for rule in rules.missing() {
            let Some(value) = &rule.default else { continue };
            let start = self.scratch.len();
            self.scratch.extend_from_slice(&rule.name);
            let middle = self.scratch.len();
            self.scratch.extend_from_slice(value);
            let is_declaration = self.namespaces.is_on()
                && rule.name.starts_with(b"xmlns")
                && (rule.name.len() == 5 || rule.name[5] == b':');
            has_declarations |= is_declaration;
            self.attributes.push(Attribute {
                name: Span { start, end: middle, is_scratch: true },
                colon: memchr::memchr(b':', &rule.name).unwrap_or(0),
                value: Span { start: middle, end: self.scratch.len(), is_scratch: true },
                is_raw: false,
                is_declaration,
                kind: rule.kind,
            });
            added += rule.name.len() + value.len() + AROUND_NAME_AND_VALUE;
        }
        if added > 0 {
            let read = self.read_before + at as u64;
            self.doctype.entities.charge_defaults(added, read, &self.limits, at)?;
        }
        if self.attributes.len() > self.limits.attributes {
            return Err(limit(at, "attributes", self.attributes.len(), self.limits.attributes));
        }
        Ok(has_declarations)
    }

    fn enter_namespaces(&mut self, data: &[u8], at: usize, depth: usize) -> Result<(), Halt> {
        let declarations = self.attributes.iter().filter(|attribute| attribute.is_declaration);
        let given: Vec<(&[u8], &[u8], usize)> = declarations
            .map(|attribute| {
                let name = attribute.name.of(data, &self.scratch);
                let place = if attribute.name.is_scratch { at } else { attribute.name.start };
                (name.get(6..).unwrap_or(b""), attribute.value.of(data, &self.scratch), place)
            })
            .collect();
        self.namespaces.enter(depth, &given)
    }

    fn check_prefix(&self, raw: &[u8], colon: usize, is_element: bool, at: usize) -> Result<(), Halt> {
        self.namespaces.namespace_of(raw, colon, is_element, at).map(|_| ())
    }

    /// Prefixes are declared, and no two attributes have the same expanded name (Namespaces in XML 1.0 §6.3).
    fn check_prefixes(&self, data: &[u8], at: usize, element: &[u8]) -> Result<(), Halt> {
        let mut seen: Vec<(std::sync::Arc<str>, &[u8])> = Vec::new();
        for attribute in self.attributes.iter().filter(|attribute| !attribute.is_declaration) {
            let raw = attribute.name.of(data, &self.scratch);
            if attribute.colon == 0 && raw[0] != b':' {
                continue;
            }
            let place = if attribute.name.is_scratch { at } else { attribute.name.start };
            let uri = self.namespaces.namespace_of(raw, attribute.colon, false, place)?;
            let local = &raw[attribute.colon + 1..];
            if seen.iter().any(|(other, name)| *name == local && *other == uri) {
                let (local, element) = (shown(local), shown(element));
                return Err(namespace(place, format!("two attributes of <{element}> are named Q{{{uri}}}{local}")));
            }
            seen.push((uri, local));
        }
        Ok(())
    }
}

/// A space, the sign and the quotes of an attribute.
const AROUND_NAME_AND_VALUE: usize = 4;
