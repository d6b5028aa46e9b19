//! What can go wrong while scanning: the kind, what exactly, and where.

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
    /// An external entity is referred to.
    ExternalEntity,
    /// An entity that might be declared in an external part of the document type that is not read.
    SkippedEntity,
    /// A value that a test needs as a number is none; the detail is the value.
    Value,
    /// A fault of the kernel itself.
    Bug,
}

impl Kind {
    /// The word Python decides by.
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
            Kind::Bug => "bug",
        }
    }
}

/// An error at a place of the text being read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What kind of rule was broken.
    pub kind: Kind,
    /// What broke it.
    pub detail: String,
    /// Index into the text being read.
    pub at: usize,
}

/// Why reading stops before the end of the text at hand.
#[derive(Debug)]
pub enum Halt {
    /// A token goes on beyond the end of the text.
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

/// An item of which more would be kept than is allowed.
#[cold]
pub fn item_limit(at: usize, actual: usize, allowed: usize) -> Halt {
    fault(Kind::ItemLimit, at, format!("item bytes: {actual} where {allowed} are allowed"))
}

/// Any other error.
#[cold]
pub fn fault(kind: Kind, at: usize, detail: impl Into<String>) -> Halt {
    Halt::Fault(Box::new(Fault { kind, detail: detail.into(), at }))
}

/// An error with its place in the input, as it is handed to Python.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScanError {
    /// What kind of rule was broken.
    pub kind: Kind,
    /// What broke it.
    pub detail: String,
    /// Bytes of the input before the place, in the input's own encoding.
    pub byte_offset: u64,
    /// From 1.
    pub line: u64,
    /// In characters, from 1.
    pub column: u64,
    /// The names of the open elements, as they are written, outermost first.
    pub path: String,
}
