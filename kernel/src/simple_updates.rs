//! The most common form of updates, one after another: `<u:replace of="i" t="5"><quote>120</quote></u:replace>`.
//!
//! An update stream has millions of them, each a few tags. They are read here in one go: a run of updates goes in,
//! their targets, times and contents come out. Anything else ends the run and is left to the reader of the whole
//! format: inner updates, declared namespaces, comments, sections, entities, carriage returns, and all errors.

use crate::characters::{is_space, is_xml_character, name};
use crate::memory;
use crate::references::{reference, Reference};

const NAMESPACE: &[u8] = b"urn:xylem:update";

/// The context that simple updates may rely on.
#[derive(Clone, Copy, Debug)]
pub struct Simple<'a> {
    /// The prefix of `urn:xylem:update`; empty where each update declares its own.
    pub prefix: &'a [u8],
    /// Other prefixes declared around them.
    pub declared: &'a [Vec<u8>],
    /// The deepest nesting of elements.
    pub depth: usize,
    /// How many attributes an element may have.
    pub attributes: usize,
}

/// Content of an update.
#[derive(Debug, PartialEq, Eq)]
pub enum Content {
    /// Characters.
    Text(String),
    /// An element.
    Element(Element),
}

/// An element in an update, with names as written.
#[derive(Debug, PartialEq, Eq)]
pub struct Element {
    /// Its name.
    pub name: String,
    /// Its attributes, except `u:id`.
    pub attributes: Vec<(String, String)>,
    /// `u:id`.
    pub id: Option<String>,
    /// Its content.
    pub content: Vec<Content>,
}

/// An update, or the tick of a clock.
#[derive(Debug, PartialEq, Eq)]
pub struct Update {
    /// `replace`, `remove`, `insert-before`, `insert-after`, `commit` or `clock`.
    pub kind: &'static str,
    /// Its target.
    pub of: Option<String>,
    /// Its id.
    pub id: Option<String>,
    /// Its time, as written.
    pub time: Option<String>,
    /// Its content.
    pub content: Vec<Content>,
    /// Its start.
    pub start: usize,
    /// One past its last byte.
    pub end: usize,
}

/// The simple updates from an index on, and the end of the run: anything else, or an incomplete update.
pub fn simple_updates(data: &[u8], from: usize, simple: Simple<'_>) -> (Vec<Update>, usize) {
    let mut found = Vec::new();
    let mut at = from;
    loop {
        memory::check();
        let start = skip_space(data, at);
        match one_update(data, start, simple) {
            Some(read) => {
                at = read.end;
                found.push(read);
            }
            None => return (found, at),
        }
    }
}

/// The length of the simple updates at the beginning, and their number.
pub fn simple_extent(data: &[u8], simple: Simple<'_>) -> (usize, usize) {
    let (mut at, mut count) = (0, 0);
    while let Some(read) = one_update(data, skip_space(data, at), simple) {
        at = read.end;
        count += 1;
    }
    (at, count)
}

pub(crate) fn skip_space(data: &[u8], from: usize) -> usize {
    from + data[from..].iter().take_while(|&&byte| is_space(byte) && byte != b'\r').count()
}

/// A start tag: its name, its attributes, whether the element is empty, and the end of the tag.
struct Tag<'a> {
    name: &'a [u8],
    attributes: Vec<(&'a [u8], String)>,
    is_empty: bool,
    end: usize,
}

/// The simple update at an index; None if there is anything else.
pub(crate) fn one_update(data: &[u8], start: usize, simple: Simple<'_>) -> Option<Update> {
    let tag = tag(data, start, simple.attributes)?;
    let colon = tag.name.iter().position(|&byte| byte == b':')?;
    let (prefix, local) = (&tag.name[..colon], &tag.name[colon + 1..]);
    let kind = match local {
        b"replace" => "replace",
        b"remove" => "remove",
        b"insert-before" => "insert-before",
        b"insert-after" => "insert-after",
        b"commit" => "commit",
        b"clock" => "clock",
        _ => return None,
    };
    let mut is_declared = !simple.prefix.is_empty() && prefix == simple.prefix;
    let mut made = Update { kind, of: None, id: None, time: None, content: Vec::new(), start, end: tag.end };
    for (name, value) in tag.attributes {
        match name {
            b"of" => made.of = Some(value),
            b"id" => made.id = Some(value),
            b"t" => made.time = Some(value),
            _ => {
                let is_own = name.strip_prefix(b"xmlns:") == Some(prefix) && value.as_bytes() == NAMESPACE;
                if !simple.prefix.is_empty() || !is_own {
                    return None;
                }
                is_declared = true;
            }
        }
    }
    let takes_target = !matches!(kind, "commit" | "clock");
    if !is_declared || takes_target != made.of.is_some() {
        return None;
    }
    if !tag.is_empty {
        let inside = Simple { prefix, ..simple };
        made.end = content(data, tag.end, tag.name, inside, simple.depth, &mut made.content)?;
        if !matches!(kind, "replace" | "insert-before" | "insert-after") && !made.content.is_empty() {
            return None;
        }
    }
    Some(made)
}

/// The content of an element up to its end tag; returns its end.
fn content(
    data: &[u8],
    from: usize,
    open: &[u8],
    simple: Simple<'_>,
    depth: usize,
    found: &mut Vec<Content>,
) -> Option<usize> {
    let mut at = from;
    loop {
        let stop = at + memchr::memchr(b'<', &data[at..])?;
        if stop > at {
            found.push(Content::Text(text(&data[at..stop])?));
        }
        if data.get(stop + 1) == Some(&b'/') {
            let end = stop + 2 + open.len();
            if data.get(stop + 2..end) != Some(open) {
                return None;
            }
            let close = skip_space(data, end.min(data.len()));
            return (data.get(close) == Some(&b'>')).then_some(close + 1);
        }
        if depth == 0 {
            return None;
        }
        let (element, end) = element(data, stop, simple, depth - 1)?;
        found.push(Content::Element(element));
        at = end;
    }
}

fn element(data: &[u8], start: usize, simple: Simple<'_>, depth: usize) -> Option<(Element, usize)> {
    let tag = tag(data, start, simple.attributes)?;
    if !is_known(tag.name, simple) {
        return None;
    }
    let mut made = Element { name: utf8(tag.name)?, attributes: Vec::new(), id: None, content: Vec::new() };
    for (name, value) in tag.attributes {
        match name.iter().position(|&byte| byte == b':') {
            Some(colon) if name[..colon] == *simple.prefix => {
                if &name[colon + 1..] != b"id" {
                    return None;
                }
                made.id = Some(value);
            }
            _ if name == b"xmlns" || !is_known(name, simple) => return None,
            _ => made.attributes.push((utf8(name)?, value)),
        }
    }
    let mut end = tag.end;
    if !tag.is_empty {
        end = content(data, tag.end, tag.name, simple, depth, &mut made.content)?;
    }
    Some((made, end))
}

/// Whether a name has no prefix, or one that is declared around all updates.
fn is_known(name: &[u8], simple: Simple<'_>) -> bool {
    match name.iter().position(|&byte| byte == b':') {
        None => true,
        Some(colon) => {
            !name[colon + 1..].contains(&b':') && simple.declared.iter().any(|prefix| prefix[..] == name[..colon])
        }
    }
}

fn tag(data: &[u8], start: usize, most: usize) -> Option<Tag<'_>> {
    if data.get(start) != Some(&b'<') {
        return None;
    }
    let end = name(data, start + 1).ok()?.end;
    let mut made = Tag { name: &data[start + 1..end], attributes: Vec::new(), is_empty: false, end };
    loop {
        let at = skip_space(data, made.end);
        match data.get(at)? {
            b'>' => {
                made.end = at + 1;
                return Some(made);
            }
            b'/' if data.get(at + 1) == Some(&b'>') => {
                made.is_empty = true;
                made.end = at + 2;
                return Some(made);
            }
            _ if at == made.end || made.attributes.len() == most => return None,
            _ => {
                let (name, value, end) = attribute(data, at)?;
                if made.attributes.iter().any(|(other, _)| *other == name) {
                    return None;
                }
                made.attributes.push((name, value));
                made.end = end;
            }
        }
    }
}

fn attribute(data: &[u8], at: usize) -> Option<(&[u8], String, usize)> {
    let end = name(data, at).ok()?.end;
    let equals = skip_space(data, end);
    if data.get(equals) != Some(&b'=') {
        return None;
    }
    let open = skip_space(data, equals + 1);
    let quote = *data.get(open)?;
    if quote != b'"' && quote != b'\'' {
        return None;
    }
    let close = open + 1 + memchr::memchr(quote, &data[open + 1..])?;
    let value = &data[open + 1..close];
    // White space in a value is normalised, which is not simple.
    if value.iter().any(|&byte| byte == b'<' || byte == b'\n' || byte == b'\t') {
        return None;
    }
    Some((&data[at..end], text(value)?, close + 1))
}

/// Characters without markup, with references replaced.
fn text(written: &[u8]) -> Option<String> {
    let plain = std::str::from_utf8(written).ok()?;
    if !plain.chars().all(is_xml_character) || written.contains(&b'\r') || plain.contains("]]>") {
        return None;
    }
    if !written.contains(&b'&') {
        return Some(plain.to_owned());
    }
    let mut made = String::with_capacity(plain.len());
    let mut at = 0;
    while let Some(size) = memchr::memchr(b'&', &written[at..]) {
        made.push_str(&plain[at..at + size]);
        let (Reference::Character(character), end) = reference(written, at + size).ok()? else { return None };
        made.push(character);
        at = end;
    }
    made.push_str(&plain[at..]);
    Some(made)
}

fn utf8(name: &[u8]) -> Option<String> {
    std::str::from_utf8(name).ok().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Vec<Update>, usize) {
        let simple = Simple { prefix: b"u", declared: &[b"p".to_vec()], depth: 4, attributes: 4 };
        simple_updates(text.as_bytes(), 0, simple)
    }

    #[test]
    fn a_run_of_updates() {
        let text = r#" <u:replace of="i" id='j' t="5"><q k="&lt;1">a&#65;<b u:id="n"/></q></u:replace><u:clock t="6"/>
            <u:remove of="i"></u:remove><u:batch/>"#;
        let (found, end) = read(text);
        assert_eq!(found.iter().map(|one| one.kind).collect::<Vec<_>>(), ["replace", "clock", "remove"]);
        assert_eq!(&text[end..], "<u:batch/>");
        assert_eq!(found[0].of.as_deref(), Some("i"));
        let Content::Element(quote) = &found[0].content[0] else { panic!() };
        assert_eq!(quote.attributes, [("k".to_string(), "<1".to_string())]);
        assert_eq!(quote.content[0], Content::Text("aA".to_string()));
        let Content::Element(inner) = &quote.content[1] else { panic!() };
        assert_eq!(inner.id.as_deref(), Some("n"));
    }

    #[test]
    fn what_is_not_simple_is_left() {
        for text in [
            "<u:replace of='i'><a></u:replace>",
            "<u:replace of='i'><a xmlns='x'/></u:replace>",
            "<u:replace/>",
            "<u:replace of='i'><x:a/></u:replace>",
            "<u:replace of='i'><!-- c --></u:replace>",
            "<v:remove of='i'/>",
            "<u:replace of='i'><u:mutable/></u:replace>",
            "<u:replace of='i'>]]></u:replace>",
            "<u:remove of='i'>",
            "<u:replace of='i'>\r\n</u:replace>",
            "<u:replace of='i'><a k='1' k='2'/></u:replace>",
            "</u:stream>",
            "<u:replace of='i'>&e;</u:replace>",
            "<u:remove of='i'>x</u:remove>",
            "<u:clock of='i'/>",
            "",
            "<u:replace of='i'><a><a><a><a><a/></a></a></a></a></u:replace>",
            "<u:remove of='i' x='1'/>",
            "<u:remove",
        ] {
            assert_eq!(read(text), (vec![], 0), "{text}");
        }
    }

    #[test]
    fn any_cut_leaves_whole_updates() {
        let text = "<u:replace of='i'><a>1</a></u:replace><u:clock t='2'/>";
        for size in 0..text.len() {
            let (found, end) = read(&text[..size]);
            assert!(found.iter().all(|one| one.end <= size));
            assert_eq!(end, found.last().map_or(0, |one| one.end));
        }
    }
}
