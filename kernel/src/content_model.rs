//! The content models of element declarations (XML 1.0 §3.2), parsed only to check that they are well formed.

use crate::cursor::Cursor;
use crate::errors::{syntax, Halt};

/// Skip a contentspec.
pub fn content_model(cursor: &mut Cursor<'_>) -> Result<(), Halt> {
    if cursor.has(b"EMPTY")? || cursor.has(b"ANY")? {
        return Ok(());
    }
    cursor.expect(b"(")?;
    cursor.space()?;
    if cursor.peek()? == b'#' {
        return mixed(cursor);
    }
    groups(cursor)
}

fn mixed(cursor: &mut Cursor<'_>) -> Result<(), Halt> {
    cursor.expect(b"#PCDATA")?;
    let mut has_names = false;
    loop {
        cursor.space()?;
        if cursor.has(b")")? {
            break;
        }
        cursor.expect(b"|")?;
        cursor.space()?;
        cursor.name()?;
        has_names = true;
    }
    if has_names {
        return cursor.expect(b"*");
    }
    if cursor.peek()? == b'*' {
        cursor.at += 1;
    }
    Ok(())
}

/// Choices and sequences, nested to any depth, after the first parenthesis.
fn groups(cursor: &mut Cursor<'_>) -> Result<(), Halt> {
    // For each open group, its separator once it is known.
    let mut separators: Vec<u8> = vec![0];
    while !separators.is_empty() {
        cursor.space()?;
        if cursor.peek()? == b'(' {
            cursor.at += 1;
            separators.push(0);
            continue;
        }
        cursor.name()?;
        occurrence(cursor)?;
        after_particle(cursor, &mut separators)?;
    }
    Ok(())
}

/// After a particle: a separator, or the ends of groups.
fn after_particle(cursor: &mut Cursor<'_>, separators: &mut Vec<u8>) -> Result<(), Halt> {
    while let Some(separator) = separators.last_mut() {
        cursor.space()?;
        match cursor.peek()? {
            b')' => {
                cursor.at += 1;
                separators.pop();
                occurrence(cursor)?;
            }
            sign @ (b'|' | b',') if *separator == 0 || *separator == sign => {
                *separator = sign;
                cursor.at += 1;
                return Ok(());
            }
            _ => return Err(syntax(cursor.at, "a separator or the end of a content model is expected")),
        }
    }
    Ok(())
}

fn occurrence(cursor: &mut Cursor<'_>) -> Result<(), Halt> {
    if matches!(cursor.peek()?, b'?' | b'*' | b'+') {
        cursor.at += 1;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_read(text: &str) -> bool {
        let text = format!("{text}>");
        let mut cursor = Cursor::new(text.as_bytes(), 0);
        content_model(&mut cursor).is_ok() && cursor.at == text.len() - 1
    }

    #[test]
    fn models() {
        for text in
            ["EMPTY", "ANY", "(#PCDATA)", "( #PCDATA )*", "(#PCDATA|a | b)*", "(a)", "(a,b?,(c|d)+)*", "((a),((b)))"]
        {
            assert!(is_read(text), "{text}");
        }
    }

    #[test]
    fn no_models() {
        for text in [
            "()",
            "(a|b,c)",
            "(a,)",
            "(#PCDATA|a)",
            "(a b)",
            "a",
            "(a|#PCDATA)*",
            "((a)",
            "(a) *",
            "(#PCDATA)+",
            "(a ?)",
        ] {
            assert!(!is_read(text), "{text}");
        }
    }
}
