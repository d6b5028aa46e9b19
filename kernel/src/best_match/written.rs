//! The results of a join as XML: a text with gaps, filled for each pair from the trees of both sides and from columns.

use crate::escaping::{escape, Place};
use crate::expression::write_double;
use crate::tree::axes::Step;
use crate::tree::Tree;

use super::terms::{Columns, Term};

/// One piece of the text of a pair.
pub enum Piece {
    /// The same for all pairs.
    Fixed(Vec<u8>),
    /// The nodes of a path.
    Text {
        /// Whether it is a path of the right side.
        is_right: bool,
        /// The number of the path.
        path: usize,
        /// How its characters are escaped.
        place: Place,
        /// Separator between the values of several nodes.
        between: &'static [u8],
        /// Whether several nodes are an error of the query.
        only_one: bool,
    },
    /// A computed number.
    Number(Term),
    /// The content of an element without fixed parts, and its end tag: without content, the tag closes itself.
    Content(Vec<Piece>, Vec<u8>),
}

/// Rows of one tree, and the steps of each path in its names.
pub struct Part<'a> {
    /// The tree.
    pub tree: &'a Tree,
    /// The rows, each of an item.
    pub rows: &'a [u32],
    /// The steps of each path.
    pub paths: Vec<&'a [Step]>,
}

/// The rows of a side, part after part.
pub struct Rows<'a> {
    parts: Vec<Part<'a>>,
    starts: Vec<usize>,
}

impl<'a> Rows<'a> {
    /// The rows of some parts, with continuous numbers.
    pub fn new(parts: Vec<Part<'a>>) -> Rows<'a> {
        let mut starts = Vec::with_capacity(parts.len());
        let mut start = 0;
        for part in &parts {
            starts.push(start);
            start += part.rows.len();
        }
        Rows { parts, starts }
    }

    /// The part that contains a row, and the row's place in its tree.
    fn at(&self, number: usize) -> Option<(&Part<'a>, u32)> {
        let place = self.starts.partition_point(|&start| start <= number).checked_sub(1)?;
        let part = &self.parts[place];
        part.rows.get(number - self.starts[place]).map(|&row| (part, row))
    }
}

/// Both sides of the pairs.
pub struct Written<'a> {
    /// The left side.
    pub left: Rows<'a>,
    /// The right side.
    pub right: Rows<'a>,
    /// The columns of both.
    pub columns: Columns<'a>,
}

/// A pair: the numbers of its items in columns, and their places among the rows.
#[derive(Clone, Copy)]
pub struct Pair {
    /// The number of the left item, and its place.
    pub left: (usize, usize),
    /// The number of the right item, and its place.
    pub right: (usize, usize),
}

impl Written<'_> {
    /// Append the text of a pair; false if a path leads to more nodes than the query allows.
    pub fn write(&self, pieces: &[Piece], pair: Pair, out: &mut Vec<u8>) -> bool {
        pieces.iter().all(|piece| self.piece(piece, pair, out))
    }

    fn piece(&self, piece: &Piece, pair: Pair, out: &mut Vec<u8>) -> bool {
        match piece {
            Piece::Fixed(text) => out.extend_from_slice(text),
            Piece::Number(term) => write_double(term.value(self.columns, pair.left.0, pair.right.0), out),
            Piece::Text { is_right, path, place, between, only_one } => {
                let found = if *is_right { self.right.at(pair.right.1) } else { self.left.at(pair.left.1) };
                let Some((part, row)) = found else { return false };
                return texts(part.tree, row, part.paths[*path], *place, between, *only_one, out);
            }
            Piece::Content(content, end) => {
                let start = out.len();
                out.push(b'>');
                if !self.write(content, pair, out) {
                    return false;
                }
                if out.len() == start + 1 {
                    out.truncate(start);
                    out.extend_from_slice(b"/>");
                } else {
                    out.extend_from_slice(end);
                }
            }
        }
        true
    }
}

fn texts(
    tree: &Tree,
    row: u32,
    steps: &[Step],
    place: Place,
    between: &[u8],
    only_one: bool,
    out: &mut Vec<u8>,
) -> bool {
    match tree.only_row(row, steps) {
        (0, _) => true,
        (1, Some(found)) => {
            escape(tree.string_value(found).as_bytes(), place, out);
            true
        }
        _ if only_one => false,
        _ => {
            for (number, found) in tree.path(&[row], steps).into_iter().enumerate() {
                if number > 0 {
                    out.extend_from_slice(between);
                }
                escape(tree.string_value(found).as_bytes(), place, out);
            }
            true
        }
    }
}
