//! A subtree as unchanged XML, whose outermost element declares everything in scope of it: the Rust side of
//! `xylem.sink.plain_xml` for copies into a place without declarations.

use std::sync::{Arc, PoisonError};

use crate::escaping::{escape, Place};
use crate::memory;
use crate::namespaces::Binding;
use crate::row_paths::{NamedRows, WantedName, KIND_MASK};
use crate::rows::{kind, RowColumns};
use crate::scopes::{in_scope, push_declaration};
use crate::template::{Declared, Undecided};

/// Append the element of a row; its name is given if it is known.
#[inline(always)]
pub fn write_subtree(named: NamedRows<'_>, first: usize, name: Option<&WantedName>, out: &mut Vec<u8>) {
    match name {
        Some(name) if is_simple(named, first) => {
            out.extend_from_slice(&name.tags.0);
            escape(named.rows.value(first + 1), Place::Content, out);
            out.extend_from_slice(&name.tags.1);
        }
        _ => write_rows(named, first, out),
    }
}

/// Append a copy of a node to a place that may have namespace declarations. Nodes with namespaces are left to the
/// query: they need not repeat the surrounding declarations.
pub fn write_node(named: NamedRows<'_>, row: usize, around: Declared, out: &mut Vec<u8>) -> Result<(), Undecided> {
    if around != Declared::Nothing && has_namespaces(named.rows, row) {
        return Err(Undecided);
    }
    let is_element = named.rows.codes[row] & KIND_MASK == kind::ELEMENT;
    let start = out.len();
    write_rows(named, row, out);
    if is_element && around == Declared::Default {
        // It is in no namespace, and its name has no prefix.
        let name = out[start..].iter().position(|byte| matches!(byte, b' ' | b'>' | b'/')).ok_or(Undecided)?;
        out.splice(start + name..start + name, *b" xmlns=\"\"");
    }
    Ok(())
}

/// Whether anything is declared for a node, or in it.
fn has_namespaces(rows: &RowColumns<'_>, row: usize) -> bool {
    let (first, end) = (row as u32, rows.ends[row]);
    !rows.declared.is_empty()
        && (rows.declared.iter().any(|(other, _)| (first..end).contains(other)) || !all_in_scope(rows, row).is_empty())
}

/// Whether an element has a name without prefix and contains only a text, as most data elements do.
#[inline(always)]
fn is_simple(named: NamedRows<'_>, row: usize) -> bool {
    let rows = named.rows;
    rows.ends[row] as usize == row + 2
        && rows.codes[row + 1] == kind::TEXT
        && rows.declared.is_empty()
        && rows.prefixed.is_empty()
        && named.names.in_table(rows.codes[row] >> 3).2.is_empty()
}

fn write_rows(named: NamedRows<'_>, first: usize, out: &mut Vec<u8>) {
    let rows = named.rows;
    let end = rows.ends[first] as usize;
    let mut open: Vec<usize> = Vec::new();
    let mut row = first;
    loop {
        memory::check();
        while let Some(&element) = open.last().filter(|&&element| rows.ends[element] as usize == row) {
            out.extend_from_slice(b"</");
            write_name(named, element, out);
            out.push(b'>');
            open.pop();
        }
        if row >= end {
            return;
        }
        let code = rows.codes[row];
        match code & KIND_MASK {
            kind::TEXT => escape(rows.value(row), Place::Content, out),
            kind::ELEMENT => {
                let content = write_start(named, row, row == first, out);
                if content == rows.ends[row] as usize {
                    out.extend_from_slice(b"/>");
                } else {
                    out.push(b'>');
                    open.push(row);
                }
                row = content;
                continue;
            }
            kind::COMMENT => {
                out.extend_from_slice(b"<!--");
                out.extend_from_slice(rows.value(row));
                out.extend_from_slice(b"-->");
            }
            _ => write_instruction(named, row, out),
        }
        row += 1;
    }
}

/// A start tag without its end; returns the row after the attributes.
fn write_start(named: NamedRows<'_>, row: usize, is_outermost: bool, out: &mut Vec<u8>) -> usize {
    let rows = named.rows;
    out.push(b'<');
    write_name(named, row, out);
    if !rows.declared.is_empty() {
        if is_outermost {
            declare_all_in_scope(rows, row, out);
        } else {
            declared_at(rows, row).iter().for_each(|binding| push_declaration(binding, out));
        }
    }
    let end = rows.ends[row] as usize;
    let mut next = row + 1;
    while next < end && rows.codes[next] & KIND_MASK == kind::ATTRIBUTE {
        out.push(b' ');
        write_name(named, next, out);
        out.extend_from_slice(b"=\"");
        escape(rows.value(next), Place::Attribute, out);
        out.push(b'"');
        next += 1;
    }
    next
}

/// Append the name of the element or attribute of a row, with its prefix.
pub fn write_name(named: NamedRows<'_>, row: usize, out: &mut Vec<u8>) {
    let (_, local, usual) = named.names.in_table(named.rows.codes[row] >> 3);
    let mut prefix = &**usual;
    if !named.rows.prefixed.is_empty() {
        // The rows of both lists rise.
        if let Ok(place) = named.rows.prefixed.binary_search_by_key(&(row as u32), |(other, _)| *other) {
            prefix = &named.rows.prefixed[place].1;
        }
    }
    if !prefix.is_empty() {
        out.extend_from_slice(prefix.as_bytes());
        out.push(b':');
    }
    out.extend_from_slice(local.as_bytes());
}

fn write_instruction(named: NamedRows<'_>, row: usize, out: &mut Vec<u8>) {
    let (_, target, _) = named.names.in_table(named.rows.codes[row] >> 3);
    out.extend_from_slice(b"<?");
    out.extend_from_slice(target.as_bytes());
    let content = named.rows.value(row);
    if !content.is_empty() {
        out.push(b' ');
        out.extend_from_slice(content);
    }
    out.extend_from_slice(b"?>");
}

fn declared_at<'a>(rows: &'a RowColumns<'a>, row: usize) -> &'a [Binding] {
    match rows.declared.binary_search_by_key(&(row as u32), |(other, _)| *other) {
        Ok(place) => &rows.declared[place].1,
        Err(_) => &[],
    }
}

/// Append the declarations in scope of a row. Siblings mostly declare nothing themselves: they share the text for their
/// ancestors.
fn declare_all_in_scope(rows: &RowColumns<'_>, row: usize, out: &mut Vec<u8>) {
    let Some(nearest) = nearest_declarations(rows, row) else { return };
    let mut written = rows.written_scope.lock().unwrap_or_else(PoisonError::into_inner);
    match &*written {
        // Each list of declarations belongs to one element, so its ancestors are the same too.
        Some((known, text)) if Arc::ptr_eq(known, nearest) => out.extend_from_slice(text),
        _ => {
            let start = out.len();
            all_in_scope(rows, row).into_iter().for_each(|binding| push_declaration(binding, out));
            *written = Some((nearest.clone(), out[start..].into()));
        }
    }
}

/// The declarations of the nearest element that has any, from a row up.
fn nearest_declarations<'a>(rows: &'a RowColumns<'a>, row: usize) -> Option<&'a Arc<[Binding]>> {
    let mut here = row;
    loop {
        if let Ok(place) = rows.declared.binary_search_by_key(&(here as u32), |(other, _)| *other) {
            return Some(&rows.declared[place].1);
        }
        here = (here > 0).then(|| rows.parents[here] as usize)?;
    }
}

fn all_in_scope<'a>(rows: &'a RowColumns<'a>, row: usize) -> Vec<&'a Binding> {
    let mut here = Some(row);
    in_scope(std::iter::from_fn(|| {
        let row = here?;
        here = (row > 0).then(|| rows.parents[row] as usize);
        Some(declared_at(rows, row))
    }))
}
