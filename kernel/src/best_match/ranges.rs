//! Ranges of values: those that may have partners of an item, so that each range can be joined separately.

/// For each range, the places of the values that may have partners in it.
///
/// A range begins at each of `bounds`, which ascend; one more lies below the first. Partners of a value lie between
/// value + `least` and value + `most`: a margin for the rounding of sums is added on both sides, so no pair is lost.
pub fn ranges(values: &[f64], bounds: &[f64], least: f64, most: f64) -> Vec<Vec<u32>> {
    let mut found = vec![Vec::new(); bounds.len() + 1];
    for (place, &value) in values.iter().enumerate() {
        if value.is_nan() {
            continue;
        }
        // An infinite value has infinite partners, if comparisons bound it and not a difference.
        let (low, high) = if value.is_infinite() || (least == 0.0 && most == 0.0) {
            (value, value)
        } else {
            let slack = (value.abs() + least.abs() + most.abs()) * ROUNDED;
            (value + least - slack, value + most + slack)
        };
        if low > high {
            // Bounds that contradict each other leave no partners.
            continue;
        }
        let first = bounds.partition_point(|&bound| bound <= low);
        let last = bounds.partition_point(|&bound| bound <= high);
        for range in &mut found[first..=last] {
            range.push(place as u32);
        }
    }
    found
}

/// Far more than a dozen roundings of xs:double add up to.
const ROUNDED: f64 = 1e-12;

#[cfg(test)]
mod tests {
    use super::ranges;

    #[test]
    fn each_value_has_one_range_without_reach() {
        let found = ranges(&[0.0, 1.0, 2.5, f64::NAN, f64::INFINITY, -7.0], &[1.0, 2.0], 0.0, 0.0);
        assert_eq!(found, [vec![0, 5], vec![1], vec![2, 4]]);
    }

    #[test]
    fn partners_may_lie_in_several_ranges() {
        let found = ranges(&[0.0, 1.0, 4.0], &[1.0, 2.0, 3.0], -1.0, 1.0);
        assert_eq!(found, [vec![0, 1], vec![0, 1], vec![1, 2], vec![2]]);
        // Both borders belong to the reach, with a margin.
        assert_eq!(ranges(&[3.0], &[1.0, 2.0], -1.0, 0.0), [vec![], vec![0], vec![0]]);
    }

    #[test]
    fn without_bounds_there_is_one_range() {
        assert_eq!(ranges(&[3.0, f64::NAN], &[], -1.0, 1.0), [vec![0]]);
        assert_eq!(ranges(&[3.0], &[1.0], 2.0, 1.0), [vec![], vec![]] as [Vec<u32>; 2]);
    }
}
