//! The index compared with separate tests, over values of all kinds.

use super::{ColumnTest, Taker, Takers};
use crate::names::{Names, Resolved};
use crate::plan::{Comparison, Constant, ValueTests, ValuesBelow};
use crate::row_paths::{NamedRows, PathStep};
use crate::rows::{kind, Rows};
use crate::value_tests::{all, Verdict};

/// Pseudo-random numbers that are the same in every run.
struct Draw(u64);

impl Draw {
    fn below(&mut self, size: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % size
    }
}

const VALUES: [&str; 14] = ["", "0", "-0", "1", "1.0", "2", "2.5", "3", "NaN", "INF", "-INF", "x", "y", " 2 "];
const NAMES: [&str; 3] = ["a", "b", "c"];
const SIGNS: [Comparison; 8] = [
    Comparison::Equal,
    Comparison::NotEqual,
    Comparison::Less,
    Comparison::LessOrEqual,
    Comparison::Greater,
    Comparison::GreaterOrEqual,
    Comparison::Exists,
    Comparison::Absent,
];

fn values(name: &str) -> ValuesBelow {
    ValuesBelow { path: vec![PathStep::child("", name)], text: false, attribute: None }
}

fn element(names: &mut Names, draw: &mut Draw) -> Rows {
    let mut rows = Rows::default();
    let item = names.add(Resolved::new("".into(), "item", ""));
    let item = names.tell(item).0;
    rows.push(item << 3 | kind::ELEMENT, 0);
    for name in NAMES {
        let code = names.add(Resolved::new("".into(), name, ""));
        let code = names.tell(code).0;
        for _ in 0..[1, 1, 1, 0, 2, 3][draw.below(6)] {
            let row = rows.push(code << 3 | kind::ELEMENT, 0);
            rows.text(row, VALUES[draw.below(VALUES.len())].as_bytes());
            rows.end_text();
            rows.close(row);
        }
    }
    rows.close(0);
    rows
}

fn test(draw: &mut Draw) -> ColumnTest {
    let comparison = SIGNS[draw.below(SIGNS.len())];
    let constant = match (comparison, draw.below(3)) {
        (Comparison::Exists | Comparison::Absent, _) => Constant::Text(String::new()),
        (_, 0) => Constant::Text(VALUES[draw.below(VALUES.len())].into()),
        _ => Constant::Number([0.0, 1.0, 2.0, 2.5, -1.0, 3.0, f64::NAN, f64::INFINITY][draw.below(8)]),
    };
    ColumnTest { column: draw.below(NAMES.len()) as u32, comparison, constant }
}

/// The combined result of a taker's alternatives, each tested separately.
fn alone(taker: &Taker, named: NamedRows<'_>) -> Verdict {
    let of_tests = |tests: &Vec<ColumnTest>| {
        let tests: Vec<ValueTests> = tests
            .iter()
            .map(|test| ValueTests {
                values: values(NAMES[test.column as usize]),
                comparisons: vec![(test.comparison, test.constant.clone())],
            })
            .collect();
        all(&tests, named, 0)
    };
    let verdicts: Vec<Verdict> = taker.alternatives.iter().map(of_tests).collect();
    let has = |verdict| verdicts.contains(&verdict);
    [Verdict::Holds, Verdict::Open].into_iter().find(|&verdict| has(verdict)).unwrap_or(Verdict::Fails)
}

#[test]
fn those_are_found_whose_tests_hold_or_are_open() {
    let mut draw = Draw(7);
    for round in 0..24 {
        let mut takers = Takers::default();
        for name in NAMES {
            takers.column(values(name));
        }
        let mut there: Vec<(u32, u32)> = Vec::new();
        let mut made: Vec<Taker> = Vec::new();
        for owner in 0..[1, 3, 70, 700][round % 4] {
            let many = [1, 1, 1, 2, 3][draw.below(5)];
            let conjunction = |draw: &mut Draw| (0..draw.below(4)).map(|_| test(draw)).collect::<Vec<_>>();
            let alternatives: Vec<Vec<ColumnTest>> = (0..many).map(|_| conjunction(&mut draw)).collect();
            let taker = || Taker { owner, own_step: 0, alternatives: alternatives.clone(), result: None };
            let number = takers.add(5, taker()).expect("its columns are there");
            there.push((owner, number));
            made.push(taker());
            if draw.below(5) == 0 {
                let (gone, number) = there.swap_remove(draw.below(there.len()));
                assert!(takers.remove(5, number));
                made.retain(|taker| taker.owner != gone);
            }
        }
        for _ in 0..40 {
            let mut names = Names::default();
            let rows = element(&mut names, &mut draw);
            let named = NamedRows { rows: &rows.columns(), names: &names };
            let mut expected: Vec<(u32, Verdict)> =
                made.iter().map(|taker| (taker.owner, alone(taker, named))).collect();
            expected.retain(|(_, verdict)| *verdict != Verdict::Fails);
            let mut found = Vec::new();
            takers.next_element();
            takers.look_up(5, named, 0, &mut |taker, _, verdict| found.push((taker.owner, verdict)));
            found.sort_unstable_by_key(|(owner, _)| *owner);
            assert_eq!(found, expected);
        }
    }
}

#[test]
fn what_is_not_there_is_refused() {
    let mut takers = Takers::default();
    let lost = ColumnTest { column: 0, comparison: Comparison::Exists, constant: Constant::Number(0.0) };
    let alternatives = vec![vec![lost]];
    assert!(takers.add(0, Taker { owner: 0, own_step: 0, alternatives, result: None }).is_none());
    assert!(takers.add(0, Taker { owner: 0, own_step: 0, alternatives: vec![vec![]], result: Some(3) }).is_none());
    assert!(!takers.remove(0, 0));
    assert!(!takers.has(0));
}
