//! A tree on its way to a file and back: its columns as bytes. What few rows have, declarations and prefixes, stays in memory.

use super::Tree;

/// Why bytes are no columns.
pub const NOT_COLUMNS: &str = "these bytes are not the columns of a tree";

impl Tree {
    /// The columns as bytes: how many rows there are, codes, ends, parents, ends of values, characters.
    pub fn paged(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(8 + 20 * self.codes.len() + self.text.len());
        bytes.extend((self.codes.len() as u64).to_le_bytes());
        for column in [&self.codes, &self.ends, &self.parents] {
            bytes.extend(column.iter().flat_map(|value| value.to_le_bytes()));
        }
        bytes.extend(self.value_ends.iter().flat_map(|&end| (end as u64).to_le_bytes()));
        bytes.extend(self.text.as_bytes());
        bytes
    }

    /// What is left of a tree whose columns are elsewhere.
    pub fn shell(&self) -> Tree {
        Tree {
            declared: self.declared.clone(),
            prefixed: self.prefixed.clone(),
            numbers: self.numbers.clone(),
            opened: self.opened.clone(),
            ..Tree::default()
        }
    }

    /// The tree of a shell and the columns that it had.
    pub fn unpaged(&self, bytes: &[u8]) -> Result<Tree, &'static str> {
        let (head, rest) = bytes.split_first_chunk::<8>().ok_or(NOT_COLUMNS)?;
        let rows = usize::try_from(u64::from_le_bytes(*head)).map_err(|_| NOT_COLUMNS)?;
        let fixed = rows.checked_mul(20).filter(|&size| size <= rest.len()).ok_or(NOT_COLUMNS)?;
        let (columns, text) = rest.split_at(fixed);
        let (numbers, ends) = columns.split_at(12 * rows);
        let column = |place: usize| -> Vec<u32> {
            let own = &numbers[4 * rows * place..4 * rows * (place + 1)];
            own.chunks_exact(4).map(|value| u32::from_le_bytes([value[0], value[1], value[2], value[3]])).collect()
        };
        let value_ends: Vec<usize> = ends
            .chunks_exact(8)
            .map(|value| u64::from_le_bytes(value.try_into().expect("eight bytes")) as usize)
            .collect();
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
