//! Input attributes that a constructed element takes over.

use std::ops::ControlFlow;

use crate::escaping::{escape, Place};
use crate::row_paths::{NamedRows, WantedName, KIND_MASK};
use crate::rows::kind;
use crate::template::{outcome, Around, Piece, Reach, Undecided};

/// Attributes of elements.
#[derive(Clone, Debug)]
pub struct CopiedAttributes {
    /// The elements.
    pub reach: Reach,
    /// The attributes to take; None for all.
    pub name: Option<WantedName>,
}

/// Append copies of attributes after others. Duplicate names are an error, and one in a namespace needs a declaration.
pub fn write_copied(
    before: &[(String, Vec<Piece>)],
    copied: &[CopiedAttributes],
    named: NamedRows<'_>,
    here: &Around<'_>,
    out: &mut Vec<u8>,
) -> Result<(), Undecided> {
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
        outcome(named.follow(&each.reach.path, here.start(&each.reach), &mut |element| {
            match &each.name {
                Some(name) => named.attribute(name, element).map_or(ControlFlow::Continue(()), &mut write),
                None => (element + 1..named.rows.ends[element] as usize)
                    .take_while(|&row| named.rows.codes[row] & KIND_MASK == kind::ATTRIBUTE)
                    .try_for_each(&mut write),
            }
        }))?;
    }
    Ok(())
}
