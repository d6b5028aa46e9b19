//! The scan kernel of Xylem: bytes in, flat batches of records out.
//!
//! Policy stays in Python. This crate knows nothing about queries: it gets plain descriptions and buffers. The kernel
//! proper is plain Rust; its Python interface is in `bindings`, one file per concept.
//!
//! In the order data flows: `encoding` and `input` make checked UTF-8 of bytes; `reader` with `prolog`, `doctype`,
//! `content` and `start_tag` reads tokens; `projector` asks the `automaton` of the `plan` what to do with them, and
//! appends to `rows`; `scanner` returns these, and `tree` stores those that must be kept.

pub mod attribute_copies;
pub mod attribute_rules;
pub mod automaton;
pub mod best_match;
pub mod build_info;
pub mod cells;
pub mod characters;
mod content;
mod content_model;
pub mod cursor;
pub mod cut_points;
mod declarations;
pub mod doctype;
pub mod encoding;
pub mod entities;
pub mod errors;
pub mod escaping;
pub mod expectations;
pub mod expression;
pub mod holes;
mod input;
pub mod limits;
pub mod markup;
pub mod memory;
pub mod messages;
pub mod name_key;
pub mod names;
pub mod namespaces;
pub mod number;
pub mod open_names;
pub mod plan;
pub mod predicate_index;
pub mod projector;
mod prolog;
pub mod reader;
pub mod references;
pub mod row_paths;
pub mod rows;
pub mod scanner;
pub mod scopes;
mod simple_element;
pub mod simple_updates;
pub mod start_tag;
pub mod subtree_text;
pub mod table;
pub mod template;
pub mod template_writer;
pub mod text_updates;
pub mod tree;
mod unit_rows;
pub mod value_tests;
pub mod waiting;
pub mod windows;

#[cfg(feature = "python")]
mod bindings;
