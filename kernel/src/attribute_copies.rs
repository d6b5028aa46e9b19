//! Input attributes that a constructed element takes over.

use std::ops::ControlFlow;

use crate::escaping::{escape, Place};
use crate::expression::{Atom, Evaluation, Expression};
use crate::row_paths::{WantedName, KIND_MASK};
use crate::rows::kind;
use crate::template::{outcome, Piece, Reach, Undecided};

/// Attributes to copy.
#[derive(Clone, Debug)]
pub enum CopiedAttributes {
    /// Those of elements, with a name or all.
    Of(Reach, Option<WantedName>),
    /// Those that an expression gives.
    Items(Expression),
}

/// Append copies of attributes after others. Duplicate names are an error, and one in a namespace needs a declaration.
pub fn write_copied<'a>(
    before: &[(String, Vec<Piece>)],
    copied: &'a [CopiedAttributes],
    evaluation: &Evaluation<'a, '_>,
    out: &mut Vec<u8>,
) -> Result<(), Undecided> {
    let Evaluation { named, here, .. } = *evaluation;
    let mut seen: Vec<u32> = Vec::new();
    let mut write = |row: usize| {
        let code = named.rows.codes[row];
        let (uri, local, _) = named.names.in_table(code >> 3);
        let is_there = before.iter().any(|(name, _)| **name == **local) || seen.contains(&code);
        if is_there || !uri.is_empty() {
            return ControlFlow::Break(Undecided);
        }
        seen.push(code);
        out.push(b' ');
        out.extend_from_slice(local.as_bytes());
        out.extend_from_slice(b"=\"");
        escape(named.rows.value(row), Place::Attribute, out);
        out.push(b'"');
        ControlFlow::Continue(())
    };
    for each in copied {
        let (reach, name) = match each {
            CopiedAttributes::Of(reach, name) => (reach, name),
            CopiedAttributes::Items(items) => {
                evaluation.items(items, &mut |atom| match atom {
                    Atom::Node(row) if named.rows.codes[row] & KIND_MASK == kind::ATTRIBUTE => outcome(write(row)),
                    _ => Err(Undecided),
                })?;
                continue;
            }
        };
        outcome(named.follow(&reach.path, here.start(reach), &mut |element| {
            match name {
                Some(name) => named.attribute(name, element).map_or(ControlFlow::Continue(()), &mut write),
                None => (element + 1..named.rows.ends[element] as usize)
                    .take_while(|&row| named.rows.codes[row] & KIND_MASK == kind::ATTRIBUTE)
                    .try_for_each(&mut write),
            }
        }))?;
    }
    Ok(())
}
