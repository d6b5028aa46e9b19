//! Errors of a scan: the kind, the details, and the place.

/// The kinds of errors; Python turns them into its own codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The XML is not well formed.
    Syntax,
    /// Namespaces in XML 1.0 is violated.
    Namespace,
    /// A limit is exceeded; the detail begins with its name.
    Limit,
    /// The limit of what is kept of one item is exceeded.
    ItemLimit,
    /// The encoding is unknown, or the bytes are not in it.
    Encoding,
    /// An external entity is referenced.
    ExternalEntity,
    /// An entity that might be declared in an unread external part of the document type.
    SkippedEntity,
    /// A test needs a number, but the value is none; the detail is the value.
    Value,
    /// The system refuses memory.
    Memory,
    /// A fault of the kernel itself.
    Bug,
}

impl Kind {
    /// The word by which Python recognises the kind.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Syntax => "syntax",
            Kind::Namespace => "namespace",
            Kind::Limit => "limit",
            Kind::ItemLimit => "item-limit",
            Kind::Encoding => "encoding",
            Kind::ExternalEntity => "external-entity",
            Kind::SkippedEntity => "skipped-entity",
            Kind::Value => "value",
            Kind::Memory => "memory",
            Kind::Bug => "bug",
        }
    }
}

/// An error at a place of the text being read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The kind of the violated rule.
    pub kind: Kind,
    /// The violation.
    pub detail: String,
    /// Index into the text being read.
    pub at: usize,
}

/// Why reading stops before the end of the current text.
#[derive(Debug)]
pub enum Halt {
    /// A token continues beyond the end of the text.
    More,
    /// An error; boxed, since results are passed around in the innermost loops.
    Fault(Box<Fault>),
}

/// A malformed piece of XML.
#[cold]
pub fn syntax(at: usize, detail: impl Into<String>) -> Halt {
    fault(Kind::Syntax, at, detail)
}

/// A violation of Namespaces in XML.
#[cold]
pub fn namespace(at: usize, detail: impl Into<String>) -> Halt {
    fault(Kind::Namespace, at, detail)
}

/// A limit that is exceeded, named as in Python but with spaces.
#[cold]
pub fn limit(at: usize, name: &str, actual: usize, allowed: usize) -> Halt {
    fault(Kind::Limit, at, format!("{name}: {actual} where {allowed} are allowed"))
}

/// Too much would be kept of an item.
#[cold]
pub fn item_limit(at: usize, actual: usize, allowed: usize) -> Halt {
    fault(Kind::ItemLimit, at, format!("item bytes: {actual} where {allowed} are allowed"))
}

/// Any other error.
#[cold]
pub fn fault(kind: Kind, at: usize, detail: impl Into<String>) -> Halt {
    Halt::Fault(Box::new(Fault { kind, detail: detail.into(), at }))
}

/// An error with its place in the input, in the form passed to Python.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScanError {
    /// The kind of the violated rule.
    pub kind: Kind,
    /// The violation.
    pub detail: String,
    /// Byte offset of the place in the input, in the input's own encoding.
    pub byte_offset: u64,
    /// From 1.
    pub line: u64,
    /// In characters, from 1.
    pub column: u64,
    /// The names of the open elements as written, outermost first.
    pub path: String,
}
