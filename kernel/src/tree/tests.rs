use rustc_hash::FxHashSet;

use super::axes::{Axis, Step, Test};
use super::text::{Standing, Writing, WrittenNames};
use super::*;

const A: u32 = 8 | kind::ELEMENT;
const B: u32 = 16 | kind::ELEMENT;
const X: u32 = 24 | kind::ATTRIBUTE;
const PI: u32 = 32 | kind::INSTRUCTION;

/// <a x="1"><b>one<a/></b>two<b x="2"/><!--c--></a><?pi?>
fn sample() -> Tree {
    let mut tree = Tree::default();
    let rows = [
        (kind::DOCUMENT, 11, 0, ""),
        (A, 10, 0, ""),
        (X, 3, 1, "1"),
        (B, 6, 1, ""),
        (kind::TEXT, 5, 3, "one"),
        (A, 6, 3, ""),
        (kind::TEXT, 7, 1, "two"),
        (B, 9, 1, ""),
        (X, 9, 7, "2"),
        (kind::COMMENT, 10, 1, "c"),
        (PI, 11, 0, ""),
    ];
    for (code, end, parent, value) in rows {
        tree.push(code, end, parent, value);
    }
    tree
}

fn along(axis: Axis, contexts: &[u32]) -> Vec<u32> {
    sample().step(contexts, &Step { axis, test: Test::Any })
}

#[test]
fn axes_lead_where_they_should() {
    assert_eq!(along(Axis::Child, &[1]), [3, 6, 7, 9]);
    assert_eq!(along(Axis::Attribute, &[1, 3, 7]), [2, 8]);
    assert_eq!(along(Axis::Descendant, &[1, 3]), [3, 4, 5, 6, 7, 9]);
    assert_eq!(along(Axis::DescendantOrSelf, &[1, 2]), [1, 2, 3, 4, 5, 6, 7, 9]);
    assert_eq!(along(Axis::Parent, &[0, 2, 4, 9]), [1, 3]);
    assert_eq!(along(Axis::Ancestor, &[5, 8]), [0, 1, 3, 7]);
    assert_eq!(along(Axis::AncestorOrSelf, &[8]), [0, 1, 7, 8]);
    assert_eq!(along(Axis::FollowingSibling, &[2, 3, 6]), [6, 7, 9]);
    assert_eq!(along(Axis::PrecedingSibling, &[6, 9]), [3, 6, 7]);
    assert_eq!(along(Axis::Following, &[2]), [3, 4, 5, 6, 7, 9, 10]);
    assert_eq!(along(Axis::Preceding, &[4, 9]), [3, 4, 5, 6, 7]);
    assert_eq!(along(Axis::Itself, &[3]), [3]);
}

#[test]
fn tests_select_by_code() {
    let tree = sample();
    let inside = |test| tree.step(&[0], &Step { axis: Axis::Descendant, test });
    assert_eq!(inside(Test::Code(A)), [1, 5]);
    assert_eq!(inside(Test::Kind(kind::TEXT)), [4, 6]);
    assert_eq!(inside(Test::Codes(FxHashSet::from_iter([B, PI]))), [3, 7, 10]);
    // Attributes are among the rows of their element, but are not descendants of it.
    assert!(inside(Test::Code(X)).is_empty());
    assert!(inside(Test::Nothing).is_empty());
}

#[test]
fn an_index_gives_what_a_search_gives() {
    let tree = sample();
    let mut found = Vec::new();
    tree.named_between(B, 2, 8, &mut found);
    assert_eq!(*tree.named(B), [3, 7]);
    tree.named_between(B, 2, 7, &mut found);
    assert_eq!(found, [3, 7, 3]);
    assert_eq!(tree.first_between(B, 4, 11), Some(7));
    assert_eq!(tree.first_between(B, 8, 11), None);
}

#[test]
fn large_trees_are_searched_by_their_index() {
    let mut tree = Tree::default();
    tree.push(A, 1, 0, "");
    for row in 1..10_000 {
        tree.push(if row % 3 == 0 { B } else { A }, row + 1, 0, "");
    }
    tree.close_root();
    let step = |code| Step { axis: Axis::Descendant, test: Test::Code(code) };
    let wanted: Vec<u32> = (1..10_000).filter(|row| row % 3 == 0).collect();
    assert_eq!(tree.first_between(B, 5000, 10_000), Some(5001));
    assert_eq!(tree.step(&[0], &step(B)), wanted);
    assert_eq!(tree.step(&[0], &step(B)), wanted);
    assert_eq!(tree.first_between(B, 5000, 10_000), Some(5001));
    assert_eq!(tree.first_between(B, 9000, 9001), Some(9000));
    for (start, end) in [(0, 10_000), (5000, 9999), (9000, 9001), (100, 300)] {
        let there = (start..end).filter(|&row| tree.codes()[row as usize] == B).count();
        assert_eq!(tree.count_between(B, start, end), there);
    }
    tree.push(B, 10_001, 0, "");
    tree.close_root();
    assert_eq!(tree.step(&[0], &step(B)).last(), Some(&10_000));
}

const LAZY: [Axis; 7] = [
    Axis::Child,
    Axis::Descendant,
    Axis::FollowingSibling,
    Axis::PrecedingSibling,
    Axis::Following,
    Axis::Ancestor,
    Axis::Preceding,
];

#[test]
fn steps_can_be_followed_one_by_one() {
    let tree = sample();
    for axis in LAZY {
        for row in 0..tree.len() as u32 {
            let step = Step { axis, test: Test::Any };
            let mut found = Vec::new();
            let mut last = None;
            while let Some(next) = tree.next_along(&step, row, last).unwrap() {
                found.push(next);
                last = Some(next);
            }
            found.sort_unstable();
            assert_eq!(found, along(axis, &[row]), "{axis:?} from {row}");
        }
    }
    assert!(tree.next_along(&Step { axis: Axis::Parent, test: Test::Any }, 1, None).is_none());
}

#[test]
fn the_nearest_row_is_the_same_whatever_was_asked_before() {
    let mut tree = Tree::default();
    tree.push(kind::DOCUMENT, 901, 0, "");
    // Three families of three hundred, each inside the last of the other.
    for row in 1..901_u32 {
        let code = if row % 97 == 3 { B } else { A };
        let is_parent = row % 300 == 0 && row < 900;
        tree.push(code, if is_parent { 901 } else { row + 1 }, (row - 1) / 300 * 300, "");
    }
    let mut row = 17;
    for turn in 0..3000_u32 {
        // Forwards, backwards, and at random.
        row = [(row + 1) % 901, (row + 900) % 901, (row * 31 + 7) % 901][(turn / 400 % 3) as usize];
        for axis in [Axis::FollowingSibling, Axis::PrecedingSibling, Axis::Following, Axis::Child] {
            for test in [Test::Code(B), Test::Any, Test::Code(X), Test::Codes(FxHashSet::from_iter([B]))] {
                let step = Step { axis, test };
                assert_eq!(tree.first_along(&step, row), tree.next_along(&step, row, None), "{step:?} from {row}");
            }
        }
    }
    let step = Step { axis: Axis::FollowingSibling, test: Test::Code(X) };
    assert_eq!(tree.first_along(&step, 1), Some(None));
    tree.push(X, 902, 0, "");
    tree.close_root();
    assert_eq!(tree.first_along(&step, 1), Some(Some(901)));
}

#[test]
fn string_values_join_text_alone() {
    let tree = sample();
    assert_eq!(tree.string_value(0), "onetwo");
    assert_eq!(tree.string_value(3), "one");
    assert_eq!(tree.string_value(7), "");
    assert_eq!(tree.string_value(8), "2");
    assert_eq!(tree.string_value(9), "c");
    assert_eq!(tree.count_characters(3, 7), 6);
}

#[test]
fn copies_are_recognised_wherever_they_stand() {
    let source = sample();
    let mut tree = Tree::default();
    tree.push(A, 1, 0, "");
    let row = tree.append(&source, 3, 6, 0);
    assert!(tree.has_same_rows(row, &source, 3));
    assert!(source.has_same_rows(3, &tree, row));
    assert!(!tree.has_same_rows(row, &source, 7));
    // The same characters, divided differently.
    let mut divided = [Tree::default(), Tree::default()];
    for (tree, values) in divided.iter_mut().zip([["ab", "c"], ["a", "bc"]]) {
        tree.push(A, 3, 0, "");
        values.iter().zip([2, 3]).for_each(|(value, end)| tree.push(X, end, 0, value));
    }
    assert!(!divided[0].has_same_rows(0, &divided[1], 0));
}

fn names() -> WrittenNames {
    let mut names = WrittenNames::default();
    for (code, prefix, local) in [(A, "", "a"), (B, "p", "b"), (X, "", "x"), (PI, "", "pi")] {
        names.add(code, prefix, local);
    }
    names
}

fn written(tree: &Tree, start: u32, end: u32, around: Option<Vec<Binding>>, enough: usize) -> String {
    let place = if around.is_some() { Standing::Inside } else { Standing::Outside };
    standing(tree, (start, end), place, &around.unwrap_or_default(), enough)
}

fn standing(tree: &Tree, (start, end): (u32, u32), place: Standing, around: &[Binding], enough: usize) -> String {
    let mut writing = Writing::new(start, end, place, around);
    let mut all = Vec::new();
    loop {
        let mut piece = Vec::new();
        let has_more = writing.write(tree, &names(), enough, &mut piece);
        all.extend(piece);
        if !has_more {
            return String::from_utf8(all).unwrap();
        }
    }
}

#[test]
fn text_comes_in_pieces_of_any_size() {
    let mut tree = sample();
    tree.declare(3, vec![("p".into(), "u&".into())]);
    tree.declare(7, vec![("p".into(), "v".into())]);
    tree.rename(7, "q");
    let all = "<a x=\"1\"><p:b xmlns:p=\"u&amp;\">one<a/></p:b>two<q:b xmlns:p=\"v\" x=\"2\"/><!--c--></a><?pi?>";
    for enough in [1, 10, 1000] {
        assert_eq!(written(&tree, 1, 11, None, enough), all);
    }
    // A single element declares everything in scope of it; inside the output, only what is not declared there.
    assert_eq!(written(&tree, 5, 6, None, 1), "<a xmlns:p=\"u&amp;\"/>");
    assert_eq!(written(&tree, 7, 9, Some(vec![("p".into(), "v".into())]), 1), "<q:b x=\"2\"/>");
    // Copied into another element, it declares what was in scope of it and is not declared there.
    let copied = |around: &[Binding]| standing(&tree, (5, 6), Standing::Copied, around, 1);
    assert_eq!(copied(&[]), "<a xmlns:p=\"u&amp;\"/>");
    assert_eq!(copied(&[("p".into(), "v".into()), ("q".into(), "w".into())]), "<a xmlns:p=\"u&amp;\"/>");
    assert_eq!(copied(&[("p".into(), "u&".into())]), "<a/>");
}

/// Nested and adjacent elements that declare few prefixes repeatedly, undeclare some, and repeat some.
fn declaring(seed: u64) -> Tree {
    let mut state = seed;
    let mut random = move |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let mut parents: Vec<u32> = vec![0];
    let mut open: Vec<u32> = vec![0];
    for row in 1..40u32 {
        open.truncate(1 + random(open.len() as u64 + 1) as usize);
        parents.push(*open.last().unwrap());
        open.push(row);
    }
    let mut ends: Vec<u32> = (1..=parents.len() as u32).collect();
    for row in (1..parents.len()).rev() {
        ends[parents[row] as usize] = ends[parents[row] as usize].max(ends[row]);
    }
    let mut tree = Tree::default();
    for (&parent, &end) in parents.iter().zip(&ends) {
        tree.push(A, end, parent, "");
    }
    for row in 0..40 {
        let given = |prefix: &str, uri: u64| (prefix.into(), ["", "u", "v"][uri as usize].into());
        let least = |prefix: &str| u64::from(!prefix.is_empty());
        let all =
            ["", "p", "q", "xml"].map(|prefix| (random(3) == 0).then(|| given(prefix, random(3).max(least(prefix)))));
        let bindings: Vec<Binding> = all.into_iter().flatten().collect();
        if !bindings.is_empty() {
            tree.declare(row, bindings);
        }
    }
    tree
}

#[test]
fn scopes_are_the_same_with_and_without_an_index() {
    let around: Vec<Binding> = vec![("".into(), "u".into()), ("q".into(), "v".into()), ("z".into(), "u".into())];
    for seed in 0..200 {
        let (plain, indexed) = (declaring(seed), declaring(seed));
        assert!(indexed.scope_index(1 << 30).is_some());
        for row in 0..40 {
            let end = plain.ends()[row as usize];
            for around in [None, Some(Vec::new()), Some(around.clone())] {
                let wanted = written(&plain, row, end, around.clone(), 1000);
                assert_eq!(written(&indexed, row, end, around, 7), wanted, "seed {seed}, row {row}");
            }
        }
        assert!(plain.scope_index(0).is_none());
    }
}

#[test]
fn copies_are_the_same_with_and_without_an_index() {
    let around: Vec<Binding> = vec![("q".into(), "v".into()), ("z".into(), "u".into())];
    for seed in 0..100 {
        let indexed = declaring(seed);
        assert!(indexed.scope_index(1 << 30).is_some());
        for row in 0..40 {
            let plain = declaring(seed);
            let end = plain.ends()[row as usize];
            for around in [&[][..], &around] {
                let copied = |tree: &Tree, enough| standing(tree, (row, end), Standing::Copied, around, enough);
                assert_eq!(copied(&indexed, 7), copied(&plain, 1000), "seed {seed}, row {row}");
            }
            // Without declarations around it, a copy equals the element outside all elements.
            let alone = written(&plain, row, end, None, 1000);
            assert_eq!(standing(&plain, (row, end), Standing::Copied, &[], 1000), alone, "seed {seed}, row {row}");
            assert!(plain.scope_index(0).is_none());
        }
    }
}

#[test]
fn an_index_of_scopes_comes_when_it_is_worth_it() {
    let mut tree = Tree::default();
    for row in 0..2000 {
        tree.push(A, 2000, u32::saturating_sub(row, 1), "");
        tree.declare(row, vec![(format!("p{row}").as_str().into(), "u".into())]);
    }
    assert!(tree.scope_index(0).is_none());
    written(&tree, 0, 2000, None, 1 << 20);
    assert!(tree.scope_index(0).is_none());
    written(&tree, 1, 2000, None, 1 << 20);
    assert!(tree.scope_index(0).is_some());
    tree.declare(5, vec![]);
    assert!(tree.scope_index(0).is_none());
    tree.declare(5, vec![("p1".into(), "".into())]);
    assert!(tree.scope_index(1 << 30).is_none());
}

#[test]
fn subtrees_are_appended_with_their_names() {
    let mut source = sample();
    source.declare(5, vec![("r".into(), "w".into())]);
    source.rename(3, "q");
    let mut tree = Tree::default();
    tree.push(A, 1, 0, "");
    assert_eq!(tree.append(&source, 3, 6, 0), 1);
    assert_eq!(tree.append(&source, 7, 8, 0), 4);
    tree.close_root();
    assert_eq!(tree.ends(), [5, 4, 3, 4, 5]);
    assert_eq!(tree.parents(), [0, 0, 1, 1, 0]);
    assert_eq!(tree.declared().len(), 1);
    assert_eq!(written(&tree, 0, 5, None, 1000), "<a><q:b>one<a xmlns:r=\"w\"/></q:b><p:b/></a>");
}

#[test]
fn children_are_gathered_at_once() {
    let source = sample();
    let children: Vec<u32> = (1..source.len() as u32).filter(|&row| source.parents()[row as usize] == 0).collect();
    let mut one_by_one = Tree::default();
    let mut at_once = Tree::default();
    for tree in [&mut one_by_one, &mut at_once] {
        tree.append(&source, 0, 1, 0);
    }
    let plain: Vec<u32> = children
        .iter()
        .copied()
        .filter(|&row| !source.declared().iter().any(|(declared, _)| *declared == row))
        .collect();
    assert!(!plain.is_empty());
    let firsts: Vec<u32> =
        plain.iter().map(|&row| one_by_one.append(&source, row, source.ends()[row as usize], 0)).collect();
    assert_eq!(at_once.gather(&source, &plain, 0), Some(firsts));
    assert_eq!((at_once.codes(), at_once.ends()), (one_by_one.codes(), one_by_one.ends()));
    assert_eq!(at_once.parents(), one_by_one.parents());
    let rows = at_once.len();
    // A child of another element needs more care.
    assert_eq!(at_once.gather(&source, &plain, 1), None);
    assert_eq!(at_once.len(), rows);
}

#[test]
fn columns_come_back_from_a_file() {
    let tree = sample();
    let shell = tree.shell();
    assert!(shell.is_empty());
    let back = shell.unpaged(&tree.paged()).unwrap();
    assert_eq!((back.codes(), back.ends(), back.parents()), (tree.codes(), tree.ends(), tree.parents()));
    assert_eq!(back.string_value(1), tree.string_value(1));
    let bytes = tree.paged();
    assert!(shell.unpaged(&bytes[..bytes.len() - 1]).is_err());
    assert!(shell.unpaged(&bytes[..40]).is_err());
    assert!(shell.unpaged(&[]).is_err());
}
