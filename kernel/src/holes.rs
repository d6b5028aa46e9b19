//! Holes in the output of templates: values for code that computes what the kernel cannot.
//!
//! `xylem.plan.result_template` defines their form, and `xylem.run.stream.filled_holes` reads them.

use crate::cells::{is_plain, END_OF_CELL, END_OF_MEMBER, HOLE, NULL};
use crate::expression::{Atom, Evaluation, Expression, Kind};
use crate::template::Undecided;

/// Begins a condition.
const CONDITION: u8 = b'!';
/// Separates the text for a true condition from that for a false one.
const OTHERWISE: u8 = b'|';
/// Ends the text under a condition.
const END: u8 = b')';

/// Code that computes something from values.
#[derive(Clone, Debug)]
pub struct Hole {
    /// Which code.
    pub number: u8,
    /// The values.
    pub arguments: Vec<Expression>,
}

impl Hole {
    /// Append the arguments of code, in place of its result.
    pub fn write<'a>(&'a self, evaluation: &Evaluation<'a, '_>, out: &mut Vec<u8>) -> Result<(), Undecided> {
        out.extend_from_slice(&[HOLE, self.number]);
        self.write_arguments(evaluation, out)
    }

    /// Append the arguments of code that decides about the following text.
    pub fn write_condition<'a>(&'a self, evaluation: &Evaluation<'a, '_>, out: &mut Vec<u8>) -> Result<(), Undecided> {
        out.extend_from_slice(&[HOLE, CONDITION, self.number]);
        self.write_arguments(evaluation, out)
    }

    fn write_arguments<'a>(&'a self, evaluation: &Evaluation<'a, '_>, out: &mut Vec<u8>) -> Result<(), Undecided> {
        for argument in &self.arguments {
            evaluation.each(argument, &mut |atom| write_member(&atom, out))?;
            out.push(END_OF_CELL);
        }
        out.push(HOLE);
        Ok(())
    }
}

/// An untyped value unchanged; others after the letter of their type.
fn write_member(atom: &Atom<'_>, out: &mut Vec<u8>) -> Result<(), Undecided> {
    let letter = match atom {
        Atom::Untyped(_) => None,
        Atom::Text(_) => Some(b's'),
        Atom::Integer(_) => Some(b'i'),
        Atom::Decimal(_) => Some(b'd'),
        Atom::Double(_) => Some(b'f'),
        Atom::Boolean(_) => Some(b'b'),
        Atom::Moment(moment) => Some(match moment.kind {
            Kind::Date => b'D',
            Kind::DateTime => b't',
            Kind::Time => b'T',
        }),
        Atom::Duration(_) => Some(b'p'),
        Atom::Node(_) => return Err(Undecided),
    };
    if let Some(letter) = letter {
        out.extend_from_slice(&[NULL, letter]);
    }
    let start = out.len();
    atom.write(out);
    if !is_plain(&out[start..]) {
        return Err(Undecided);
    }
    out.push(END_OF_MEMBER);
    Ok(())
}

/// The text so far is one branch of a condition, with this many items of the answer.
pub fn end_branch(is_last: bool, items: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(&[HOLE, if is_last { END } else { OTHERWISE }]);
    out.extend_from_slice(items.to_string().as_bytes());
    out.push(HOLE);
}
