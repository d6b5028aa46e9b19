//! Reading a document: its open elements, the position, and the entities being expanded there.
//!
//! Tokens are read whole: an incomplete token at the end of the text is read again from its start when there is more.
//! Text and CDATA sections are the exception: they are passed on as they arrive. Entities are a stack of texts read in
//! place of their references, so nested ones need no recursion.

use std::sync::Arc;

use crate::characters::{is_space, shown};
use crate::doctype::{check_name, check_no_colon, Doctype};
use crate::encoding::Family;
use crate::errors::{limit, syntax, Halt};
use crate::limits::Limits;
use crate::memory;
use crate::name_key::{NameTable, WHOLE};
use crate::namespaces::Namespaces;
use crate::open_names::OpenNames;
use crate::plan::Plan;
use crate::projector::Projector;
use crate::start_tag::Attribute;

/// The part of a document the place is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Before anything.
    Start,
    /// Before the root element.
    Prolog,
    /// In the internal subset of the document type.
    Subset,
    /// In the root element.
    Content,
    /// In a CDATA section.
    Cdata,
    /// After the root element.
    Epilog,
}

/// Why a part of the reader returns.
pub(crate) enum Flow {
    /// All text is read.
    Exhausted,
    /// Another part is to be read: an entity, or another part of the document.
    Turned,
}

/// Tokens up to this length are not limited.
const SMALL_TOKEN: usize = 1_000_000;

struct Source {
    entity: usize,
    text: Arc<[u8]>,
    place: usize,
    /// Number of open elements where it begins: it must end with as many.
    floor: usize,
    /// Index of the reference in the input.
    at: usize,
}

/// The state of reading one document.
pub struct Reader {
    /// The limits.
    pub limits: Limits,
    /// Namespaces in scope.
    pub namespaces: Namespaces,
    /// Takes the events of the reader, and keeps what the plan needs.
    pub projector: Projector,
    /// Open elements.
    pub open_names: OpenNames,
    pub(crate) doctype: Doctype,
    pub(crate) phase: Phase,
    sources: Vec<Source>,
    pub(crate) floor: usize,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) scratch: Vec<u8>,
    /// Whether the document type has rules for attributes.
    pub(crate) has_rules: bool,
    /// Whether elements can be simple at all, see `simple_element.rs`.
    pub(crate) may_be_simple: bool,
    /// Names without prefix of elements that do not matter.
    pub(crate) known_names: NameTable,
    /// Whether the input has carriage returns.
    pub has_returns: bool,
    /// Length of the text read before the current text.
    pub read_before: u64,
    /// What the declared encoding must agree with.
    pub family: Family,
}

impl Reader {
    /// A reader at the start of a document.
    pub fn new(plan: Plan, limits: Limits, has_namespaces: bool, strips_space: bool) -> Self {
        Self::with(Projector::new(plan, strips_space), limits, has_namespaces)
    }

    /// Start again, with another document.
    pub fn again(&mut self) {
        let projector = std::mem::take(&mut self.projector).again();
        *self = Self::with(projector, self.limits.clone(), self.namespaces.is_on());
    }

    /// Continue with the next of many documents: reported names keep their numbers. After a document that was read to
    /// its end and had no document type of its own, all knowledge of names is reused.
    pub fn go_on(&mut self, has_ended_well: bool) {
        let projector = std::mem::take(&mut self.projector).go_on();
        if !has_ended_well || self.doctype.is_declared {
            *self = Self::with(projector, self.limits.clone(), self.namespaces.is_on());
            return;
        }
        self.projector = projector;
        self.doctype.is_standalone = false;
        self.phase = Phase::Start;
        self.floor = 0;
        self.has_returns = false;
        self.read_before = 0;
        self.family = Family::Declared;
    }

    fn with(projector: Projector, limits: Limits, has_namespaces: bool) -> Self {
        let may_be_simple = !projector.strips_space && limits.name_characters >= WHOLE;
        Reader {
            limits,
            namespaces: Namespaces::new(has_namespaces),
            projector,
            open_names: OpenNames::default(),
            doctype: Doctype::default(),
            phase: Phase::Start,
            sources: Vec::new(),
            floor: 0,
            attributes: Vec::new(),
            scratch: Vec::new(),
            has_rules: false,
            may_be_simple,
            known_names: NameTable::default(),
            has_returns: false,
            read_before: 0,
            family: Family::Declared,
        }
    }

    /// Read on from a place, which moves; `is_all` if no more text follows.
    pub fn run(&mut self, data: &[u8], place: &mut usize, is_all: bool) -> Result<(), Halt> {
        loop {
            memory::check();
            if !self.sources.is_empty() {
                self.run_source()?;
                continue;
            }
            match self.advance(data, place, is_all) {
                Ok(Flow::Turned) => {}
                Ok(Flow::Exhausted) if is_all => return self.check_end(data.len()),
                Ok(Flow::Exhausted) => return Ok(()),
                Err(Halt::More) if is_all => return Err(self.unfinished(data, *place)),
                Err(halt) => return Err(halt),
            }
        }
    }

    fn advance(&mut self, data: &[u8], place: &mut usize, is_all: bool) -> Result<Flow, Halt> {
        match self.phase {
            Phase::Start => self.start(data, place, is_all),
            Phase::Prolog | Phase::Epilog => self.around_root(data, place),
            Phase::Subset => self.subset(data, place),
            Phase::Content => self.content(data, place, is_all),
            Phase::Cdata => self.cdata(data, place),
        }
    }

    /// The input ends inside a token.
    fn unfinished(&self, data: &[u8], place: usize) -> Halt {
        if self.phase == Phase::Cdata {
            return syntax(data.len(), "the input ends inside a CDATA section");
        }
        if place >= data.len() {
            return self.check_end(place).err().unwrap_or_else(|| syntax(place, "the input ends too early"));
        }
        syntax(place, format!("the input ends inside a token: '{}'", shown(&data[place..data.len().min(place + 40)])))
    }

    fn check_end(&self, at: usize) -> Result<(), Halt> {
        match self.phase {
            Phase::Epilog => Ok(()),
            Phase::Content | Phase::Cdata => {
                let name = shown(&self.open_names.last());
                Err(syntax(at, format!("the input ends before </{name}>")))
            }
            Phase::Subset => Err(syntax(at, "the input ends inside the document type declaration")),
            Phase::Start | Phase::Prolog => Err(syntax(at, "no element found")),
        }
    }

    // --- entities being expanded

    /// Whether the text being read is the input itself.
    #[inline(always)]
    pub(crate) fn is_input(&self) -> bool {
        self.sources.is_empty()
    }

    /// Read an entity in place of its reference.
    pub(crate) fn enter_entity(&mut self, entity: usize, at: usize, reference_length: usize) -> Result<(), Halt> {
        let text = self.open_entity(entity, at, reference_length)?;
        let at = self.sources.first().map_or(at, |outermost| outermost.at);
        self.floor = self.open_names.depth();
        self.sources.push(Source { entity, text, place: 0, floor: self.floor, at });
        Ok(())
    }

    /// The text of an entity that is being expanded.
    pub(crate) fn open_entity(&mut self, entity: usize, at: usize, reference_length: usize) -> Result<Arc<[u8]>, Halt> {
        let input_at = self.sources.first().map_or(at, |outermost| outermost.at);
        let read = self.read_before + input_at as u64;
        self.doctype.entities.open(entity, reference_length, read, &self.limits, at)
    }

    fn run_source(&mut self) -> Result<(), Halt> {
        let number = self.sources.len() - 1;
        let source = &self.sources[number];
        let (text, mut place, at, entity) = (source.text.clone(), source.place, source.at, source.entity);
        match self.advance(&text, &mut place, true) {
            Ok(Flow::Turned) => self.sources[number].place = place,
            Ok(Flow::Exhausted) => {
                if self.open_names.depth() != self.floor {
                    return Err(self.unbalanced(entity, at));
                }
                self.doctype.entities.close(entity);
                self.sources.pop();
                self.floor = self.sources.last().map_or(0, |outer| outer.floor);
            }
            Err(Halt::More) => return Err(self.unbalanced(entity, at)),
            Err(Halt::Fault(mut fault)) => {
                fault.at = at;
                return Err(Halt::Fault(fault));
            }
        }
        Ok(())
    }

    fn unbalanced(&self, entity: usize, at: usize) -> Halt {
        let name = shown(&self.doctype.entities.get(entity).name);
        syntax(at, format!("the entity '{name}' ends inside something that begins in it"))
    }

    // --- comments and processing instructions

    /// Read the comment at an index; returns its end (§2.5).
    pub(crate) fn comment(&mut self, data: &[u8], at: usize) -> Result<usize, Halt> {
        let start = at + 4;
        let rest = data.get(start..).unwrap_or(b"");
        let Some(size) = memchr::memmem::find(rest, b"--") else {
            self.check_leaf(rest, at)?;
            return Err(Halt::More);
        };
        let end = start + size;
        match data.get(end + 2) {
            None => return Err(Halt::More),
            Some(b'>') => {}
            Some(_) => return Err(syntax(end, "two hyphens inside a comment")),
        }
        self.leaf(None, &data[start..end], at)?;
        Ok(end + 3)
    }

    /// Read the processing instruction at an index; returns its end (§2.6).
    pub(crate) fn instruction(&mut self, data: &[u8], at: usize) -> Result<usize, Halt> {
        let name_end = crate::characters::name(data, at + 2)?.end;
        let target = &data[at + 2..name_end];
        let Some(size) = memchr::memmem::find(&data[name_end..], b"?>") else {
            self.check_leaf(&data[name_end..], at)?;
            return Err(Halt::More);
        };
        let end = name_end + size;
        let mut start = name_end;
        while start < end && is_space(data[start]) {
            start += 1;
        }
        if start == name_end && end > name_end {
            return Err(syntax(name_end, "white space after the target of a processing instruction is expected"));
        }
        if target.eq_ignore_ascii_case(b"xml") {
            return Err(syntax(at, "an XML declaration stands only at the very start"));
        }
        check_name(target, &self.limits, at)?;
        if self.namespaces.is_on() {
            check_no_colon(target, "target of a processing instruction", at)?;
        }
        self.leaf(Some(target), &data[start..end], at)?;
        Ok(end + 2)
    }

    fn check_leaf(&self, content: &[u8], at: usize) -> Result<(), Halt> {
        if content.len() > self.limits.text_characters {
            let actual = crate::characters::count(content);
            if actual > self.limits.text_characters {
                return Err(limit(at, "text characters", actual, self.limits.text_characters));
            }
        }
        Ok(())
    }

    /// A token must not be longer than the longest allowed text: an input that never ends one must not fill the memory.
    pub fn check_token(&self, length: usize, at: usize) -> Result<(), Halt> {
        let most = self.limits.text_characters.saturating_mul(4).max(SMALL_TOKEN);
        if length > most {
            return Err(limit(at, "text characters (a tag or declaration, in bytes)", length, most));
        }
        Ok(())
    }

    fn leaf(&mut self, target: Option<&[u8]>, content: &[u8], at: usize) -> Result<(), Halt> {
        self.check_leaf(content, at)?;
        if self.phase == Phase::Subset {
            // Comments and instructions inside the declaration are no nodes (XDM 3.1 §6.2.3).
            return Ok(());
        }
        if self.has_returns && self.is_input() && content.contains(&b'\r') {
            let content = with_line_feeds(content);
            return self.projector.leaf(target, &content, &mut self.namespaces);
        }
        self.projector.leaf(target, content, &mut self.namespaces)
    }
}

/// A text with normalised line ends (§2.11).
pub(crate) fn with_line_feeds(text: &[u8]) -> Vec<u8> {
    let mut normal = Vec::with_capacity(text.len());
    for (place, &byte) in text.iter().enumerate() {
        match byte {
            b'\r' => normal.push(b'\n'),
            b'\n' if place > 0 && text[place - 1] == b'\r' => {}
            _ => normal.push(byte),
        }
    }
    normal
}
