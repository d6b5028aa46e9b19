//! Paging of a tree to a file and back: its columns as bytes. Declarations and prefixes, which few rows have, stay in
//! memory.

use super::Tree;

/// Why bytes are not valid columns.
pub const NOT_COLUMNS: &str = "these bytes are not the columns of a tree";

/// The number of rows and of bytes of characters.
const HEAD: usize = 16;

/// The number of bytes of an offset among this many characters.
fn width(characters: usize) -> usize {
    if u32::try_from(characters).is_ok() {
        4
    } else {
        8
    }
}

impl Tree {
    /// The columns as bytes: number of rows and bytes of characters, codes, ends, parents, ends of values, characters.
    pub fn paged(&self) -> Vec<u8> {
        let rows = self.codes.len();
        let mut bytes = vec![0; HEAD + (12 + width(self.text.len())) * rows];
        bytes[..8].copy_from_slice(&(rows as u64).to_le_bytes());
        bytes[8..HEAD].copy_from_slice(&(self.text.len() as u64).to_le_bytes());
        let (numbers, ends) = bytes[HEAD..].split_at_mut(12 * rows);
        for (place, column) in [&self.codes, &self.ends, &self.parents].into_iter().enumerate() {
            let own = &mut numbers[4 * rows * place..4 * rows * (place + 1)];
            for (bytes, value) in own.chunks_exact_mut(4).zip(column) {
                bytes.copy_from_slice(&value.to_le_bytes());
            }
        }
        if width(self.text.len()) == 4 {
            for (bytes, &end) in ends.chunks_exact_mut(4).zip(&self.value_ends) {
                bytes.copy_from_slice(&(end as u32).to_le_bytes());
            }
        } else {
            for (bytes, &end) in ends.chunks_exact_mut(8).zip(&self.value_ends) {
                bytes.copy_from_slice(&(end as u64).to_le_bytes());
            }
        }
        bytes.extend_from_slice(self.text.as_bytes());
        bytes
    }

    /// The remainder of a tree whose columns are elsewhere.
    pub fn shell(&self) -> Tree {
        Tree {
            declared: self.declared.clone(),
            prefixed: self.prefixed.clone(),
            numbers: self.numbers.clone(),
            opened: self.opened.clone(),
            ..Tree::default()
        }
    }

    /// The tree of a shell and its former columns.
    pub fn unpaged(&self, bytes: &[u8]) -> Result<Tree, &'static str> {
        let (head, rest) = bytes.split_first_chunk::<HEAD>().ok_or(NOT_COLUMNS)?;
        let size = |place: usize| -> Result<usize, &'static str> {
            let own: [u8; 8] = head[place..place + 8].try_into().map_err(|_| NOT_COLUMNS)?;
            usize::try_from(u64::from_le_bytes(own)).map_err(|_| NOT_COLUMNS)
        };
        let (rows, characters) = (size(0)?, size(8)?);
        let fixed = rows
            .checked_mul(12 + width(characters))
            .filter(|&size| size.checked_add(characters) == Some(rest.len()))
            .ok_or(NOT_COLUMNS)?;
        let (columns, text) = rest.split_at(fixed);
        let (numbers, ends) = columns.split_at(12 * rows);
        let column = |place: usize| -> Vec<u32> {
            let own = &numbers[4 * rows * place..4 * rows * (place + 1)];
            own.chunks_exact(4).map(|value| u32::from_le_bytes([value[0], value[1], value[2], value[3]])).collect()
        };
        let value_ends: Vec<usize> = if width(characters) == 4 {
            ends.chunks_exact(4)
                .map(|value| u32::from_le_bytes([value[0], value[1], value[2], value[3]]) as usize)
                .collect()
        } else {
            ends.chunks_exact(8)
                .map(|value| u64::from_le_bytes(value.try_into().expect("eight bytes")) as usize)
                .collect()
        };
        let text = std::str::from_utf8(text).map_err(|_| NOT_COLUMNS)?;
        let whole = value_ends.last().map_or(text.is_empty(), |&end| end == text.len())
            && value_ends.is_sorted()
            && value_ends.iter().all(|&end| text.is_char_boundary(end));
        if !whole {
            return Err(NOT_COLUMNS);
        }
        Ok(Tree {
            codes: column(0),
            ends: column(1),
            parents: column(2),
            value_ends,
            text: text.to_owned(),
            ..self.shell()
        })
    }
}
