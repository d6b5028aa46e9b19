//! The request for a scan as plain data: the Rust side of `xylem.plan.scan_plan`, which defines its meaning.

use crate::row_paths::{PathStep, WantedName};
use crate::template::ScanResult;

/// A START record is wanted.
pub const START: u8 = 1;
/// An END record is wanted.
pub const END: u8 = 2;
/// An ITEM record is wanted.
pub const ITEM: u8 = 4;
/// Elements are counted.
pub const COUNT: u8 = 8;
/// Text nodes that are children of the element are reported.
pub const TEXTS: u8 = 16;
/// Comments that are its children are reported.
pub const COMMENTS: u8 = 32;
/// Processing instructions that are its children are reported.
pub const INSTRUCTIONS: u8 = 64;
/// Childless nodes that are its children are reported.
pub const LEAVES: u8 = TEXTS | COMMENTS | INSTRUCTIONS;
/// The kind of a record of a text node, a comment or a processing instruction.
pub const TEXT: u8 = 3;
/// The kind of a record whose result is written.
pub const WRITTEN: u8 = 5;
/// In place of a number of siblings: all of them.
pub const ALL_SIBLINGS: u32 = u32::MAX;

/// What an element waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Await {
    /// The step whose elements it waits for.
    pub step: u32,
    /// That many of its following siblings, or `ALL_SIBLINGS`: all in the scope.
    pub many: u32,
    /// The ancestor they are children of: its height, 1 for the parent; or, negated, a step that reaches the nearest one.
    pub scope: i32,
}

impl Await {
    fn is_among(&self, steps: usize) -> bool {
        let is_step = |number: u32| number > 0 && (number as usize) < steps;
        is_step(self.step) && self.scope != 0 && (self.scope > 0 || is_step(self.scope.unsigned_abs()))
    }

    /// The step that reaches the ancestor.
    pub fn scope_step(&self) -> Option<u32> {
        (self.scope < 0).then(|| self.scope.unsigned_abs())
    }
}

/// What to keep of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Keep {
    /// The bare element.
    #[default]
    Nothing,
    /// Everything below it.
    Subtree,
    /// All text below it, as one text node.
    String,
}

/// A comparison of two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `=`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
    /// Existence: any value will do.
    Exists,
    /// Absence: there is no value. Such a test is on its own.
    Absent,
}

impl Comparison {
    /// By its sign.
    pub fn from_sign(sign: &str) -> Option<Self> {
        Some(match sign {
            "=" => Comparison::Equal,
            "!=" => Comparison::NotEqual,
            "<" => Comparison::Less,
            "<=" => Comparison::LessOrEqual,
            ">" => Comparison::Greater,
            ">=" => Comparison::GreaterOrEqual,
            "exists" => Comparison::Exists,
            "absent" => Comparison::Absent,
            _ => return None,
        })
    }

    /// Whether it holds; NaN differs from everything, including itself.
    pub fn holds<T: PartialOrd>(self, left: T, right: T) -> bool {
        match self {
            Comparison::Equal => left == right,
            Comparison::NotEqual => left != right,
            Comparison::Less => left < right,
            Comparison::LessOrEqual => left <= right,
            Comparison::Greater => left > right,
            Comparison::GreaterOrEqual => left >= right,
            Comparison::Exists | Comparison::Absent => true,
        }
    }
}

/// The constant of a test.
#[derive(Clone, Debug, PartialEq)]
pub enum Constant {
    /// Compared by code points, which in UTF-8 is the order of the bytes.
    Text(String),
    /// Compared as xs:double.
    Number(f64),
}

/// A comparison of an attribute with a constant.
#[derive(Clone, Debug)]
pub struct AttributeTest {
    /// Namespace of the attribute.
    pub uri: String,
    /// Local name of the attribute.
    pub local: String,
    /// The comparison.
    pub comparison: Comparison,
    /// The constant.
    pub constant: Constant,
}

/// A test decided at the start tag, besides the name.
#[derive(Clone, Debug)]
pub enum StartTest {
    /// A comparison of an attribute with a constant.
    Attribute(AttributeTest),
    /// Whether there is an attribute of this namespace and local name.
    Presence(String, String),
    /// The first and last number that the element may have among those below its parent that pass the earlier tests.
    Position(u64, u64),
}

impl StartTest {
    /// The attribute it reads.
    pub fn attribute(&self) -> Option<(&str, &str)> {
        match self {
            StartTest::Attribute(test) => Some((&test.uri, &test.local)),
            StartTest::Presence(uri, local) => Some((uri, local)),
            StartTest::Position(..) => None,
        }
    }
}

/// Values below an element, or of the element itself.
#[derive(Clone, Debug, PartialEq)]
pub struct ValuesBelow {
    /// The child elements that lead to the values.
    pub path: Vec<PathStep>,
    /// Whether text nodes are compared, and not string values.
    pub text: bool,
    /// The compared attribute, if any.
    pub attribute: Option<WantedName>,
}

/// Comparisons of the same values with constants, decided when the element is complete: the values are located once.
#[derive(Clone, Debug)]
pub struct ValueTests {
    /// The values.
    pub values: ValuesBelow,
    /// Each comparison must hold for some value. There are 1 to 32.
    pub comparisons: Vec<(Comparison, Constant)>,
}

/// Most comparisons in one group.
pub const MOST_TOGETHER: usize = 32;

impl ValueTests {
    /// Tests in order; adjacent tests of the same values are merged.
    pub fn grouped(tests: Vec<(ValuesBelow, Comparison, Constant)>) -> Vec<Self> {
        let mut found: Vec<ValueTests> = Vec::new();
        for (values, comparison, constant) in tests {
            match found.last_mut() {
                Some(last)
                    if last.values == values
                        && last.comparisons.len() < MOST_TOGETHER
                        && comparison != Comparison::Absent
                        && last.comparisons[0].0 != Comparison::Absent =>
                {
                    last.comparisons.push((comparison, constant));
                }
                _ => found.push(ValueTests { values, comparisons: vec![(comparison, constant)] }),
            }
        }
        found
    }
}

/// A requested name: uri and local, None for any.
pub type NameOf = (Option<String>, Option<String>);

/// One step of a path.
#[derive(Clone, Debug, Default)]
pub struct Step {
    /// The previous step; steps come after their parents. Meaningless for step 0.
    pub parent: usize,
    /// Whether it reaches the document node, its parent, like step 0.
    pub is_document: bool,
    /// Whether it reaches any depth below its parent.
    pub is_descendant: bool,
    /// None for any namespace.
    pub uri: Option<String>,
    /// None for any name.
    pub local: Option<String>,
    /// An element must have one of the names of each of these lists.
    pub among: Vec<Vec<NameOf>>,
    /// START, END, ITEM, COUNT, TEXTS, COMMENTS, INSTRUCTIONS.
    pub report: u8,
    /// Whether START records only show nesting, so they need not come in document order.
    pub nests: bool,
    /// Whether elements inside another one of the step are left out; for ITEM records only.
    pub outermost: bool,
    /// Whether START and END records matter only for elements that contain a record of a step below.
    pub late: bool,
    /// Number of recent elements below each open element that stay in the rows.
    pub remembers: u32,
    /// The label under which elements are numbered among those below their parent.
    pub label: Option<u32>,
    /// An element is reported when all of these are met.
    pub awaits: Vec<Await>,
    /// What to keep.
    pub keep: Keep,
    /// (uri, local) of the attributes to keep, None for all.
    pub attributes: Option<Vec<(String, String)>>,
    /// Whether text nodes that are its children are kept.
    pub text: bool,
    /// Whether comments and processing instructions that are its children are kept.
    pub remarks: bool,
    /// All must hold.
    pub tests: Vec<StartTest>,
    /// All must hold for an ITEM record.
    pub value_tests: Vec<ValueTests>,
    /// The scan's own action on elements that pass them.
    pub result: Option<ScanResult>,
}

/// The steps of one scan.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Step 0 is the document node.
    pub steps: Vec<Step>,
    /// Whether comments and processing instructions are kept in subtrees that are kept whole.
    pub comments: bool,
}

impl Plan {
    /// The plan that keeps a whole document.
    pub fn everything() -> Self {
        Plan { steps: vec![Step { keep: Keep::Subtree, ..Step::default() }], comments: true }
    }

    /// The first fault of the plan, if any: all other code relies on there being none.
    pub fn problem(&self) -> Option<String> {
        if self.steps.is_empty() {
            return Some("a plan has at least the step of the document".into());
        }
        let is_half_late = |step: &Step| step.late && (step.report & (START | END) != START | END || step.nests);
        let mut is_below_late = vec![false; self.steps.len()];
        for (number, step) in self.steps.iter().enumerate().skip(1) {
            if step.parent >= number {
                return Some(format!("step {number} comes before its parent"));
            }
            if step.awaits.iter().any(|one| !one.is_among(self.steps.len())) {
                return Some(format!("step {number} waits for one that does not exist"));
            }
            if !step.awaits.is_empty() && (step.nests || step.outermost || step.report != ITEM) {
                return Some(format!("step {number} cannot wait: it is to report items alone"));
            }
            if is_half_late(step) {
                return Some(format!("step {number} cannot be late: it is to report start and end, and not to nest"));
            }
            is_below_late[number] = is_below_late[step.parent] || self.steps[step.parent].late;
            if step.nests && is_below_late[number] {
                return Some(format!("step {number} cannot nest: it is below one that is late"));
            }
        }
        None
    }

    /// For each step, whether it and all steps below it only count: no row is needed for them.
    pub fn only_counts(&self) -> Vec<bool> {
        let mut silent: Vec<bool> = self.steps.iter().map(Step::is_silent).collect();
        let mut is_last = vec![true; self.steps.len()];
        for (number, step) in self.steps.iter().enumerate().rev() {
            silent[number] = silent[number] && !(is_last[number] && step.report == 0);
            if number > 0 {
                is_last[step.parent] = false;
                silent[step.parent] = silent[step.parent] && silent[number];
            }
        }
        silent
    }
}

impl Step {
    fn is_silent(&self) -> bool {
        self.report & !COUNT == 0 && self.keeps_nothing()
    }

    fn keeps_nothing(&self) -> bool {
        self.keep == Keep::Nothing
            && self.attributes.as_ref().is_some_and(Vec::is_empty)
            && !self.text
            && !self.remarks
            && self.remembers == 0
    }

    /// Whether it needs more of its elements than their existence, even if nothing is found inside.
    pub fn asks(&self) -> bool {
        let is_late_alone = self.late && self.report & !(COUNT | START | END) == 0 && self.keeps_nothing();
        !(self.is_silent() || is_late_alone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bare(parent: usize, report: u8) -> Step {
        Step { parent, report, attributes: Some(vec![]), ..Step::default() }
    }

    #[test]
    fn a_path_that_ends_in_a_count_keeps_nothing() {
        let plan = Plan { steps: vec![bare(0, 0), bare(0, 0), bare(1, COUNT)], comments: false };
        assert_eq!(plan.only_counts(), [true, true, true]);
    }

    #[test]
    fn a_last_step_without_report_keeps_the_element() {
        let plan = Plan { steps: vec![bare(0, 0), bare(0, COUNT), bare(1, 0)], comments: false };
        assert_eq!(plan.only_counts(), [false, false, false]);
    }

    #[test]
    fn not_a_number_is_different_from_itself() {
        assert!(Comparison::NotEqual.holds(f64::NAN, f64::NAN));
        assert!(!Comparison::Equal.holds(f64::NAN, f64::NAN));
    }
}
