//! The limits of an input. Their names are those of `xylem.source.limits`, and appear in errors.

/// Limits of one document; Python chooses the defaults, these are for tests in Rust.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Open elements at once.
    pub depth: usize,
    /// Attributes of one element, namespace declarations included.
    pub attributes: usize,
    /// Characters of a name of any kind.
    pub name_characters: usize,
    /// Characters of one attribute value.
    pub attribute_characters: usize,
    /// Characters of one text node, comment or processing instruction.
    pub text_characters: usize,
    /// Characters that internal entities may add to the input.
    pub expanded_characters: i64,
    /// Ratio by which entities may expand the input, beyond a small initial size.
    pub expansion_factor: i64,
    /// Bytes kept of one element that is reported as a whole.
    pub item_bytes: usize,
    /// Whether a document type declaration is read.
    pub allow_dtd: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            depth: 10_000,
            attributes: 1_000,
            name_characters: 1_000,
            attribute_characters: 1_000_000,
            text_characters: 64_000_000,
            expanded_characters: 1_000_000,
            expansion_factor: 100,
            item_bytes: 256_000_000,
            allow_dtd: true,
        }
    }
}
