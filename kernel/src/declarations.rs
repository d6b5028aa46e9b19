//! The markup declarations of an internal subset (XML 1.0 §3.2-3.3, §4.2, §4.7).
//!
//! A declaration has an effect only once it is complete, since an incomplete one is read again from its start.

use crate::attribute_rules::{AttributeKind, AttributeRules};
use crate::characters::is_space;
use crate::content_model::content_model;
use crate::cursor::Cursor;
use crate::doctype::{check_name, check_no_colon, external_id, Doctype};
use crate::entities::{tokenise, Content};
use crate::errors::{limit, syntax, Halt};
use crate::limits::Limits;
use crate::references::{reference, Reference};

/// The context that the declarations need.
pub struct Surroundings<'a> {
    /// The limits.
    pub limits: &'a Limits,
    /// Whether namespaces are on.
    pub has_namespaces: bool,
    /// How much of the input was read before.
    pub read: u64,
    /// Whether the text is the input itself, whose line ends are not normalised yet.
    pub is_input: bool,
}

struct GivenRule<'a> {
    name: &'a [u8],
    kind: AttributeKind,
    default: Option<(&'a [u8], usize)>,
}

impl Doctype {
    /// Read the declaration that begins with `<!` at an index; returns its end.
    pub fn declaration(&mut self, data: &[u8], at: usize, around: &Surroundings<'_>) -> Result<usize, Halt> {
        let mut cursor = Cursor::new(data, at);
        cursor.expect(b"<!")?;
        if cursor.has(b"ELEMENT")? {
            cursor.some_space()?;
            check_name(cursor.name()?, around.limits, at)?;
            cursor.some_space()?;
            content_model(&mut cursor)?;
            end(&mut cursor)?;
        } else if cursor.has(b"ATTLIST")? {
            self.attribute_list(&mut cursor, at, around)?;
        } else if cursor.has(b"ENTITY")? {
            self.entity(&mut cursor, at, around)?;
        } else if cursor.has(b"NOTATION")? {
            cursor.some_space()?;
            let name = cursor.name()?;
            check_name(name, around.limits, at)?;
            if around.has_namespaces {
                check_no_colon(name, "notation", at)?;
            }
            cursor.some_space()?;
            external_id(&mut cursor, true)?;
            end(&mut cursor)?;
        } else {
            return Err(syntax(at, "no declaration of a document type"));
        }
        Ok(cursor.at)
    }

    // --- attributes

    fn attribute_list(&mut self, cursor: &mut Cursor<'_>, at: usize, around: &Surroundings<'_>) -> Result<(), Halt> {
        cursor.some_space()?;
        let element = cursor.name()?;
        check_name(element, around.limits, at)?;
        let mut given: Vec<GivenRule<'_>> = Vec::new();
        loop {
            let is_separate = cursor.space()?;
            if cursor.has(b">")? {
                break;
            }
            if !is_separate {
                return Err(syntax(cursor.at, "white space is expected"));
            }
            let name = cursor.name()?;
            check_name(name, around.limits, at)?;
            cursor.some_space()?;
            let kind = attribute_kind(cursor)?;
            cursor.some_space()?;
            given.push(GivenRule { name, kind, default: default_value(cursor)? });
        }
        for rule in given {
            self.add_rule(element, rule, at, around)?;
        }
        Ok(())
    }

    fn add_rule(
        &mut self,
        element: &[u8],
        given: GivenRule<'_>,
        at: usize,
        around: &Surroundings<'_>,
    ) -> Result<(), Halt> {
        let mut default = None;
        if let Some((raw, start)) = given.default {
            let mut value = Vec::new();
            self.entities.attribute_value(raw, start, around.read, around.limits, &mut value)?;
            if given.kind != AttributeKind::Text {
                tokenise(&mut value, 0);
            }
            default = Some(value.into_boxed_slice());
        }
        if self.ignores_declarations {
            return Ok(());
        }
        if !self.attributes.contains_key(element) {
            self.attributes.insert(element.into(), AttributeRules::default());
        }
        let rules = self.attributes.get_mut(element);
        let declared = rules.map_or(0, |rules| rules.declare(given.name, given.kind, default));
        if declared > around.limits.attributes {
            return Err(limit(at, "attributes", declared, around.limits.attributes));
        }
        Ok(())
    }

    // --- entities

    fn entity(&mut self, cursor: &mut Cursor<'_>, at: usize, around: &Surroundings<'_>) -> Result<(), Halt> {
        cursor.some_space()?;
        let is_parameter = cursor.has(b"%")?;
        if is_parameter {
            cursor.some_space()?;
        }
        let name = cursor.name()?;
        check_name(name, around.limits, at)?;
        if around.has_namespaces {
            check_no_colon(name, "entity", at)?;
        }
        cursor.some_space()?;
        let content = if matches!(cursor.peek()?, b'"' | b'\'') {
            let start = cursor.at + 1;
            let literal = cursor.quoted()?;
            end(cursor)?;
            Content::Internal(replacement_text(literal, start, around.is_input)?.into())
        } else {
            external_content(cursor, is_parameter, around)?
        };
        if self.ignores_declarations {
            return Ok(());
        }
        self.entities.declare(name, is_parameter, content, around.limits, at)
    }
}

fn end(cursor: &mut Cursor<'_>) -> Result<(), Halt> {
    cursor.space()?;
    cursor.expect(b">")
}

fn external_content(cursor: &mut Cursor<'_>, is_parameter: bool, around: &Surroundings<'_>) -> Result<Content, Halt> {
    let system = external_id(cursor, false)?.unwrap_or_default();
    let is_separate = cursor.space()?;
    if is_parameter || cursor.peek()? == b'>' {
        cursor.expect(b">")?;
        return Ok(Content::External(system));
    }
    if !is_separate {
        return Err(syntax(cursor.at, "white space is expected"));
    }
    cursor.expect(b"NDATA")?;
    cursor.some_space()?;
    let notation = cursor.name()?;
    if around.has_namespaces {
        check_no_colon(notation, "notation", cursor.at)?;
    }
    end(cursor)?;
    Ok(Content::Unparsed)
}

fn attribute_kind(cursor: &mut Cursor<'_>) -> Result<AttributeKind, Halt> {
    // A word must not precede a longer one that begins with it.
    const WORDS: [(&[u8], AttributeKind); 8] = [
        (b"CDATA", AttributeKind::Text),
        (b"IDREFS", AttributeKind::Idref),
        (b"IDREF", AttributeKind::Idref),
        (b"ID", AttributeKind::Id),
        (b"ENTITIES", AttributeKind::Tokens),
        (b"ENTITY", AttributeKind::Tokens),
        (b"NMTOKENS", AttributeKind::Tokens),
        (b"NMTOKEN", AttributeKind::Tokens),
    ];
    for (word, kind) in WORDS {
        if cursor.has(word)? {
            return Ok(kind);
        }
    }
    if cursor.has(b"NOTATION")? {
        cursor.some_space()?;
        enumeration(cursor, |cursor| cursor.name().map(|_| ()))?;
    } else {
        enumeration(cursor, |cursor| cursor.name_token().map(|_| ()))?;
    }
    Ok(AttributeKind::Tokens)
}

fn enumeration(cursor: &mut Cursor<'_>, item: fn(&mut Cursor<'_>) -> Result<(), Halt>) -> Result<(), Halt> {
    if cursor.peek()? != b'(' {
        return Err(syntax(cursor.at, "the type of an attribute is expected"));
    }
    cursor.at += 1;
    loop {
        cursor.space()?;
        item(cursor)?;
        cursor.space()?;
        if cursor.has(b")")? {
            return Ok(());
        }
        cursor.expect(b"|")?;
    }
}

fn default_value<'a>(cursor: &mut Cursor<'a>) -> Result<Option<(&'a [u8], usize)>, Halt> {
    if cursor.has(b"#REQUIRED")? || cursor.has(b"#IMPLIED")? {
        return Ok(None);
    }
    if cursor.has(b"#FIXED")? {
        cursor.some_space()?;
    }
    let start = cursor.at + 1;
    Ok(Some((cursor.quoted()?, start)))
}

/// The replacement text of an entity literal (§4.5): character references are replaced, others kept.
fn replacement_text(literal: &[u8], start: usize, is_input: bool) -> Result<Vec<u8>, Halt> {
    let mut text = Vec::with_capacity(literal.len());
    let mut place = 0;
    while place < literal.len() {
        match literal[place] {
            b'%' => {
                return Err(syntax(start + place, "a parameter entity inside a declaration of the internal subset"))
            }
            b'&' => {
                let (found, next) = match reference(literal, place) {
                    Ok(found) => found,
                    Err(Halt::More) => return Err(syntax(start + place, "an ampersand that begins no reference")),
                    Err(Halt::Fault(mut fault)) => {
                        fault.at += start;
                        return Err(Halt::Fault(fault));
                    }
                };
                match found {
                    Reference::Character(c) if literal[place + 1] == b'#' => {
                        text.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                    }
                    _ => text.extend_from_slice(&literal[place..next]),
                }
                place = next;
            }
            b'\r' if is_input => {
                text.push(b'\n');
                place += 1 + usize::from(literal.get(place + 1) == Some(&b'\n'));
            }
            byte => {
                text.push(byte);
                place += 1;
            }
        }
    }
    Ok(text)
}

/// Read a reference to a parameter entity at a percent sign; returns its name and end.
pub fn parameter_reference(data: &[u8], at: usize) -> Result<(&[u8], usize), Halt> {
    let mut cursor = Cursor::new(data, at + 1);
    if is_space(cursor.peek()?) {
        return Err(syntax(at, "the name of a parameter entity is expected"));
    }
    let name = cursor.name()?;
    cursor.expect(b";")?;
    Ok((name, cursor.at))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declared(text: &str) -> Result<Doctype, Halt> {
        let mut doctype = Doctype::default();
        let limits = Limits::default();
        let around = Surroundings { limits: &limits, has_namespaces: true, read: 0, is_input: true };
        let end = doctype.declaration(text.as_bytes(), 0, &around)?;
        assert_eq!(end, text.len());
        Ok(doctype)
    }

    #[test]
    fn declarations() {
        for text in [
            "<!ELEMENT a (b,c)* >",
            "<!ATTLIST a>",
            "<!ATTLIST a b (x|y) 'x' c NOTATION (n|m) #IMPLIED d CDATA #FIXED \"v\">",
            "<!ENTITY e 'x&#38;y'>",
            "<!ENTITY % p SYSTEM 's'>",
            "<!ENTITY u PUBLIC 'p' 's' NDATA n>",
            "<!NOTATION n PUBLIC 'p'>",
            "<!NOTATION n SYSTEM 's' >",
        ] {
            assert!(declared(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn no_declarations() {
        for text in [
            "<!ELEMENTa ANY>",
            "<!ATTLIST a b>",
            "<!ATTLIST a b CDATA>",
            "<!ATTLIST a b NUTOKEN 'x'>",
            "<!ENTITY e '%p;'>",
            "<!ENTITY e '&'>",
            "<!ENTITY e '&#xFFFF;'>",
            "<!ENTITY % p SYSTEM 's' NDATA n>",
            "<!ENTITY a:b 'x'>",
            "<!NOTATION n>",
            "<!NOTATION n PUBLIC '\u{e9}'>",
            "<!FOO>",
            "<!element a ANY>",
        ] {
            assert!(matches!(declared(text), Err(Halt::Fault(_))), "{text}");
        }
        for end in 2.."<!ENTITY e 'x'>".len() {
            assert!(matches!(declared(&"<!ENTITY e 'x'>"[..end]), Err(Halt::More)), "{end}");
        }
    }

    #[test]
    fn defaults_are_normalised_by_type() {
        let mut doctype = declared("<!ATTLIST a b NMTOKENS '  x  y ' c CDATA ' x ' b CDATA 'later'>").unwrap();
        let rules = doctype.attributes.get_mut(&b"a"[..]).unwrap();
        rules.begin_tag();
        let defaults: Vec<_> = rules.missing().filter_map(|rule| rule.default.as_deref()).collect();
        assert_eq!(defaults, [&b"x y"[..], &b" x "[..]]);
    }

    #[test]
    fn many_declarations_for_one_element() {
        let given: String = (0..40).map(|number| format!("a{number} CDATA 'x' a0 CDATA #IMPLIED ")).collect();
        assert!(declared(&format!("<!ATTLIST a {given}>")).is_ok());
        let limits = Limits { attributes: 79, ..Limits::default() };
        let around = Surroundings { limits: &limits, has_namespaces: true, read: 0, is_input: true };
        let text = format!("<!ATTLIST a {given}>");
        assert!(matches!(Doctype::default().declaration(text.as_bytes(), 0, &around), Err(Halt::Fault(_))));
    }
}
