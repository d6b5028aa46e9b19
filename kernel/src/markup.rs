//! Finding the next significant byte of text.

/// The index of the first `<`, `&` or `]` from an index on, or the length.
#[inline(always)]
pub fn next_markup(text: &[u8], from: usize) -> usize {
    // Most texts are short: they are searched here, without the price of a call.
    let mut at = from;
    for _ in 0..4 {
        let Some(bytes) = text.get(at..at + 8) else { break };
        let word = bytes.try_into().map_or(0, u64::from_le_bytes);
        let found = holds(word, b'<') | holds(word, b'&') | holds(word, b']');
        if found != 0 {
            return at + (found.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    memchr::memchr3(b'<', b'&', b']', &text[at..]).map_or(text.len(), |size| at + size)
}

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// Sets the highest bit of each byte that equals the wanted one; bytes above the first match may be set wrongly.
#[inline(always)]
pub fn holds(word: u64, byte: u8) -> u64 {
    let zero_where_found = word ^ (ONES * u64::from(byte));
    zero_where_found.wrapping_sub(ONES) & !zero_where_found & HIGH
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_them() {
        let filler = "x\u{e9};=>[^%'\u{ff}".repeat(12);
        for size in 0..filler.len() {
            for sign in ["<", "&", "]", "]<", "&&"] {
                let text = [&filler.as_bytes()[..size], sign.as_bytes(), b"<&]tail"].concat();
                assert_eq!(next_markup(&text, 0), size);
            }
            assert_eq!(next_markup(&filler.as_bytes()[..size], 0), size);
        }
    }
}
