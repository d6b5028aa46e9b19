//! Follows tags and keeps the open elements on the way to items: these make up a cut point.

use super::coding::Coding;
use super::lexer::Markup;
use super::matcher::{Matcher, Role};
use crate::limits::Limits;
use crate::plan::Plan;

/// A walk over the tags of a document. It holds the start tags of the open elements on the way to items.
pub struct Walk {
    plan: Plan,
    limits: Limits,
    coding: Coding,
    matcher: Option<Matcher>,
    context: Context,
    /// Number of open elements from one that is not on the way inwards.
    pub passed: u64,
    /// Whether that one is an item.
    pub is_in_item: bool,
    /// Whether no further cut can come: the root element has ended, or the markup makes no sense.
    pub is_over: bool,
}

/// The parts of a cut's opening and closing, in the examined encoding.
#[derive(Clone, Default)]
struct Context {
    /// The byte order mark.
    mark: Vec<u8>,
    /// XML declaration and document type.
    head: Vec<u8>,
    /// Start tags of the open elements on the way.
    open: Vec<Vec<u8>>,
}

/// The name at the start of a text.
pub(super) fn tag_name(text: &[u8]) -> &[u8] {
    let is_end = |&byte: &u8| byte == b'>' || byte == b'/' || crate::characters::is_space(byte);
    &text[..text.iter().position(is_end).unwrap_or(text.len())]
}

impl Walk {
    /// A walk before the root element.
    pub fn new(plan: Plan, limits: Limits, coding: Coding, mark: Vec<u8>) -> Self {
        // A scope without steps is the document itself, which is open throughout.
        let is_over = matches!(coding, Coding::Opaque) || plan.steps[0].report != 0;
        let context = Context { mark, ..Context::default() };
        Walk { plan, limits, coding, matcher: None, context, passed: 0, is_in_item: false, is_over }
    }

    /// How to examine the document.
    pub fn coding(&self) -> Coding {
        self.coding
    }

    /// The text that turns the part after the place into a document.
    pub fn opening(&self) -> Vec<u8> {
        let tags = self.context.open.iter().flatten();
        let text = self.context.head.iter().chain(tags).copied().collect();
        [self.context.mark.clone(), self.coding.to_source(text)].concat()
    }

    /// The text that turns the part before the place into a document.
    pub fn closing(&self) -> Vec<u8> {
        let names = self.context.open.iter().rev().map(|tag| tag_name(&tag[1..]));
        self.coding.to_source(names.flat_map(|name| [b"</", name, b">"].concat()).collect())
    }

    /// Process a piece of markup; returns whether the document may be cut before it.
    #[inline(always)]
    pub fn tell(&mut self, markup: Markup, tag: &[u8]) -> bool {
        if self.passed > 0 {
            match markup {
                Markup::Start { is_empty } => self.passed += u64::from(!is_empty),
                Markup::End => self.passed -= 1,
                Markup::Head => {}
            }
            return false;
        }
        match markup {
            Markup::Start { is_empty } => self.start(tag, is_empty),
            Markup::End => {
                self.end(tag);
                false
            }
            Markup::Head => {
                self.context.head.extend_from_slice(tag);
                false
            }
        }
    }

    fn start(&mut self, tag: &[u8], is_empty: bool) -> bool {
        if self.matcher.is_none() {
            let head = self.coding.to_utf8(&self.context.head);
            match Matcher::new(self.plan.clone(), self.limits.clone(), &head) {
                Ok(matcher) => self.matcher = Some(matcher),
                Err(_) => self.is_over = true,
            }
        }
        let Some(matcher) = &mut self.matcher else { return false };
        let Ok(role) = matcher.start(&self.coding.to_utf8(tag), is_empty) else {
            self.is_over = true;
            return false;
        };
        if role == Role::OnTheWay {
            self.context.open.push(tag.to_vec());
        } else if self.context.open.is_empty() {
            // The root element is empty: nothing in it can be cut.
            self.is_over = true;
        } else if !is_empty {
            self.passed = 1;
            self.is_in_item = role == Role::Item;
        }
        role == Role::Item && !self.is_over
    }

    fn end(&mut self, tag: &[u8]) {
        let fits = self.context.open.pop().is_some_and(|open| tag_name(&open[1..]) == tag_name(&tag[2..]));
        self.is_over |= !fits || self.context.open.is_empty();
        if let Some(matcher) = &mut self.matcher {
            matcher.end();
        }
    }
}
