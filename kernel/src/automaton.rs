//! The paths of a plan as an automaton over classes of names. States are created when the input first needs them.
//!
//! A *state* holds the facts about an open element: the steps to follow below it, and how much to keep there. Names
//! fall into *classes*: names that pass the same name tests of the plan are the same to the automaton, so the tables
//! stay as small as the plan, however many names a document has. A state and a class determine an *action*: what to do
//! with the element, and its state. Tests of attributes are decided outside, and choose among the actions.

use rustc_hash::FxHashMap;

use crate::plan::{Await, Keep, NameOf, Plan, Step, ALL_SIBLINGS, COMMENTS, COUNT, END, INSTRUCTIONS, ITEM, START, TEXTS};

/// Which attributes of an element are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Attributes {
    /// None.
    Nothing,
    /// All.
    Everything,
    /// Attributes whose names are in some classes.
    Some(Vec<u32>),
}

/// What to do with an element.
#[derive(Debug)]
pub struct Action {
    /// Its state.
    pub state: u32,
    /// Nothing is done with it or below it.
    pub skips: bool,
    /// No element below it matters.
    pub is_barren: bool,
    /// It gets a row at its start tag; otherwise only when something below it does.
    pub has_row: bool,
    /// It has a row, and is not reported.
    pub is_plain_row: bool,
    /// It has a row, and is reported only at its end.
    pub is_record: bool,
    /// Text directly in it is kept.
    pub keeps_text: bool,
    /// Text in it continues the text row of an enclosing element: one text node for all.
    pub collects: bool,
    /// Comments and processing instructions in it are kept.
    pub keeps_comments: bool,
    /// It is reported as a whole.
    pub is_item: bool,
    /// Its attributes.
    pub attributes: Attributes,
    /// Steps that count it.
    pub counted: Vec<u32>,
    /// Steps with a record at its start.
    pub at_start: Vec<u32>,
    /// Steps that depend on whether their elements are nested.
    pub nesting: Vec<u32>,
    /// Steps that announce it once a step below it has a record.
    pub late: Vec<u32>,
    /// Steps with a record for each text node directly in it.
    pub texts: Vec<u32>,
    /// Steps with a record for each comment directly in it.
    pub comments: Vec<u32>,
    /// Steps with a record for each processing instruction directly in it.
    pub instructions: Vec<u32>,
    /// Steps that remember it, or number it.
    pub remembered: Vec<u32>,
    /// Steps whose records wait for siblings.
    pub awaiting: Vec<u32>,
    /// Steps that others wait for.
    pub awaited: Vec<u32>,
    /// Whether it is remembered with what is in it.
    pub holds: bool,
    /// Steps in whose elements others wait for children.
    pub scopes: Vec<u32>,
    /// Kinds and steps of the records at its end.
    pub at_end: Vec<(u8, u32)>,
}

/// The automaton's decision for a name in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// The action.
    Action(u32),
    /// Tests decide: `candidates` are the steps, `decided` the action for each outcome.
    Tests(u32),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct StateKey {
    children: Vec<u32>,
    descendants: Vec<u32>,
    copies: bool,
    spells: bool,
    collects: bool,
    in_item: bool,
}

struct State {
    key: StateKey,
    /// By class of names; `UNKNOWN` until computed.
    moves: Vec<u32>,
}

const UNKNOWN: u32 = u32::MAX;
const TESTS: u32 = 1 << 31;

/// Requires one of the names of each list.
type NameTest = Vec<Vec<NameOf>>;

/// The automaton of one plan. It grows with the names of the input, up to a size set by the plan.
#[derive(Default)]
pub struct Automaton {
    plan: Plan,
    /// The action of the document node.
    pub document: u32,
    only_counts: Vec<bool>,
    name_tests: Vec<NameTest>,
    step_name_test: Vec<u32>,
    classes: FxHashMap<Vec<u32>, u32>,
    class_tests: Vec<Vec<u32>>,
    attribute_classes: FxHashMap<(String, String), u32>,
    states: Vec<State>,
    state_numbers: FxHashMap<StateKey, u32>,
    actions: Vec<Action>,
    action_numbers: FxHashMap<(u32, Vec<u32>), u32>,
    candidates: Vec<Vec<u32>>,
    /// For each list of candidates, the action for elements without attributes, if that decides all tests.
    bare: Vec<Option<u32>>,
    /// For each step, the classes of the attributes that its tests read; 0 for a test that reads none.
    tested_classes: Vec<Vec<u32>>,
    /// For each step, those before it on its path that are late, outermost first.
    late_above: Vec<Vec<u32>>,
    /// Steps that records of others wait for.
    awaited: Vec<u32>,
    /// Steps in whose elements records wait for children.
    scopes: Vec<u32>,
    /// Steps whose elements may have in them what waits for them.
    around: Vec<u32>,
    /// Steps that remember elements with what is in them.
    holding: Vec<u32>,
}

impl Automaton {
    /// The automaton of a plan.
    pub fn new(plan: Plan) -> Self {
        let mut automaton = Automaton {
            only_counts: plan.only_counts(),
            attribute_classes: attribute_classes(&plan),
            late_above: late_above(&plan),
            awaited: awaited(&plan),
            scopes: all_awaits(&plan).filter_map(|one| one.scope_step()).collect(),
            around: all_awaits(&plan).filter(|one| one.scope != 1).map(|one| one.step).collect(),
            holding: holding(&plan),
            plan,
            ..Automaton::default()
        };
        for step in &automaton.plan.steps {
            let own = (step.uri.clone(), step.local.clone());
            let test: NameTest = std::iter::once(vec![own]).chain(step.among.iter().cloned()).collect();
            let known = automaton.name_tests.iter().position(|other| *other == test);
            let number = known.unwrap_or_else(|| {
                automaton.name_tests.push(test);
                automaton.name_tests.len() - 1
            });
            automaton.step_name_test.push(number as u32);
            let classes = step.tests.iter().map(|test| {
                let (uri, local) = test.attribute()?;
                Some(automaton.attribute_class(uri, local))
            });
            let classes = classes.map(Option::unwrap_or_default).collect();
            automaton.tested_classes.push(classes);
        }
        let outside = StateKey {
            children: vec![],
            descendants: vec![],
            copies: false,
            spells: false,
            collects: false,
            in_item: false,
        };
        let is_document = |&(number, step): &(usize, &crate::plan::Step)| number == 0 || step.is_document;
        let documents: Vec<u32> =
            automaton.plan.steps.iter().enumerate().filter(is_document).map(|(number, _)| number as u32).collect();
        automaton.document = automaton.make_action(&outside, &documents);
        automaton
    }

    /// The plan it was built from.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// An action by number.
    #[inline(always)]
    pub fn action(&self, number: u32) -> &Action {
        &self.actions[number as usize]
    }

    /// The class of an element name.
    pub fn class_of(&mut self, uri: &str, local: &str) -> u32 {
        let is_of = |(test_uri, test_local): &NameOf| {
            test_uri.as_deref().is_none_or(|wanted| wanted == uri)
                && test_local.as_deref().is_none_or(|wanted| wanted == local)
        };
        let fits = |test: &NameTest| test.iter().all(|names| names.iter().any(is_of));
        let tests: Vec<u32> =
            (0..self.name_tests.len() as u32).filter(|&n| fits(&self.name_tests[n as usize])).collect();
        if let Some(&class) = self.classes.get(&tests) {
            return class;
        }
        let class = self.class_tests.len() as u32;
        self.class_tests.push(tests.clone());
        self.classes.insert(tests, class);
        class
    }

    /// The class of an attribute name; 0 if the plan does not mention it.
    pub fn attribute_class(&self, uri: &str, local: &str) -> u32 {
        if self.attribute_classes.is_empty() {
            return 0;
        }
        self.attribute_classes.get(&(uri.to_string(), local.to_string())).copied().unwrap_or(0)
    }

    /// The decision for an element of a class below an element in a state.
    #[inline(always)]
    pub fn next(&mut self, state: u32, class: u32) -> Move {
        let found = self.states[state as usize].moves.get(class as usize).copied().unwrap_or(UNKNOWN);
        if found & TESTS == 0 {
            return Move::Action(found);
        }
        self.next_slowly(state, class, found)
    }

    #[cold]
    fn next_slowly(&mut self, state: u32, class: u32, found: u32) -> Move {
        if found != UNKNOWN {
            return Move::Tests(found & !TESTS);
        }
        let fitting = self.fitting(state, class);
        let is_tested = fitting.iter().any(|&step| !self.plan.steps[step as usize].tests.is_empty());
        let number = if is_tested {
            let bare = self.without_attributes(state, &fitting);
            self.bare.push(bare);
            self.candidates.push(fitting);
            (self.candidates.len() - 1) as u32 | TESTS
        } else {
            self.decided(state, fitting)
        };
        let moves = &mut self.states[state as usize].moves;
        if moves.len() <= class as usize {
            moves.resize(class as usize + 1, UNKNOWN);
        }
        moves[class as usize] = number;
        if is_tested {
            Move::Tests(number & !TESTS)
        } else {
            Move::Action(number)
        }
    }

    fn fitting(&self, state: u32, class: u32) -> Vec<u32> {
        let key = &self.states[state as usize].key;
        let tests = &self.class_tests[class as usize];
        let fits = |step: &&u32| tests.contains(&self.step_name_test[**step as usize]);
        let mut fitting: Vec<u32> = key.children.iter().chain(&key.descendants).filter(fits).copied().collect();
        fitting.sort_unstable();
        fitting.dedup();
        fitting
    }

    /// The steps whose tests decide.
    pub fn candidates(&self, number: u32) -> &[u32] {
        &self.candidates[number as usize]
    }

    /// The action for elements without attributes, if that decides all tests: they fail before anything is counted.
    fn without_attributes(&mut self, state: u32, fitting: &[u32]) -> Option<u32> {
        let mut reached = Vec::new();
        for &step in fitting {
            match self.plan.steps[step as usize].tests.first() {
                None => reached.push(step),
                Some(first) => first.attribute().map(|_| ())?,
            }
        }
        Some(self.decided(state, reached))
    }

    /// The action of such an element, by the number of the candidates.
    #[inline(always)]
    pub fn bare(&self, number: u32) -> Option<u32> {
        self.bare[number as usize]
    }

    /// The classes of the attributes that the tests of a step read, 0 for a test that reads none.
    pub fn tested_classes(&self, step: u32) -> &[u32] {
        &self.tested_classes[step as usize]
    }

    /// The steps before one on its path that are late, outermost first.
    #[inline(always)]
    pub fn late_above(&self, step: u32) -> &[u32] {
        &self.late_above[step as usize]
    }

    /// The action for the steps that reach an element below a state.
    pub fn decided(&mut self, state: u32, reached: Vec<u32>) -> u32 {
        if let Some(&number) = self.action_numbers.get(&(state, reached.clone())) {
            return number;
        }
        let outer = self.states[state as usize].key.clone();
        let number = self.make_action(&outer, &reached);
        self.action_numbers.insert((state, reached), number);
        number
    }

    fn make_action(&mut self, outer: &StateKey, reached: &[u32]) -> u32 {
        let inner = self.inner_key(outer, reached);
        let action = self.describe(outer, &inner, reached);
        let number = self.state(inner);
        self.actions.push(Action { state: number, ..action });
        (self.actions.len() - 1) as u32
    }

    fn state(&mut self, key: StateKey) -> u32 {
        if let Some(&number) = self.state_numbers.get(&key) {
            return number;
        }
        let number = self.states.len() as u32;
        self.states.push(State { key: key.clone(), moves: Vec::new() });
        self.state_numbers.insert(key, number);
        number
    }

    fn inner_key(&self, outer: &StateKey, reached: &[u32]) -> StateKey {
        let steps = &self.plan.steps;
        let follows = |is_descendant: bool| {
            let is_next = move |&(number, step): &(usize, &crate::plan::Step)| {
                number > 0
                    && !step.is_document
                    && step.is_descendant == is_descendant
                    && reached.contains(&(step.parent as u32))
            };
            steps.iter().enumerate().filter(is_next).map(|(number, _)| number as u32).collect::<Vec<u32>>()
        };
        let children = follows(false);
        let mut descendants = follows(true);
        descendants.extend(&outer.descendants);
        descendants.sort_unstable();
        descendants.dedup();
        let any = |test: fn(&crate::plan::Step) -> bool| reached.iter().any(|&step| test(&steps[step as usize]));
        let copies = outer.copies || any(|step| step.keep == Keep::Subtree);
        let (mut spells, mut collects) = (outer.spells, outer.collects);
        if any(|step| step.keep == Keep::String) && !copies {
            let followed = children.iter().chain(&descendants);
            let is_alone = followed.into_iter().all(|&step| self.only_counts[step as usize]);
            if is_alone && !spells && !any(|step| step.text || step.remarks) {
                collects = true;
            } else {
                spells = true;
            }
        }
        let in_item = outer.in_item || any(|step| step.report & ITEM != 0);
        StateKey { children, descendants, copies, spells, collects, in_item }
    }

    fn describe(&self, outer: &StateKey, inner: &StateKey, reached: &[u32]) -> Action {
        let steps = &self.plan.steps;
        let with = |report: u8| {
            reached.iter().copied().filter(move |&step| steps[step as usize].report & report != 0).collect::<Vec<u32>>()
        };
        let kept = |&step: &u32| !self.only_counts[step as usize] && (outer.in_item || steps[step as usize].asks());
        let has_row = outer.copies || outer.spells || reached.iter().any(kept);
        let keeps_text =
            inner.copies || inner.spells || inner.collects || reached.iter().any(|&step| steps[step as usize].text);
        let mut at_end = Vec::new();
        for &step in reached {
            for kind in [END, ITEM] {
                if steps[step as usize].report & kind != 0 {
                    at_end.push((kind, step));
                }
            }
        }
        let (counted, items, texts) = (with(COUNT), with(ITEM), with(TEXTS));
        let (comments, instructions) = (with(COMMENTS), with(INSTRUCTIONS));
        let keeps_remarks = reached.iter().any(|&step| steps[step as usize].remarks);
        let of = |which: fn(&crate::plan::Step) -> bool| {
            reached.iter().copied().filter(move |&step| which(&steps[step as usize])).collect::<Vec<u32>>()
        };
        let (late, nesting) = (of(|step| step.late), of(|step| step.nests || step.outermost));
        let at_start = of(|step| step.report & START != 0 && !step.late && !step.nests);
        let is_dead = inner.children.is_empty() && inner.descendants.is_empty();
        let skips = is_dead && !has_row && !keeps_text && counted.is_empty();
        let remembered = of(|step| step.remembers > 0);
        let awaiting = of(|step| !step.awaits.is_empty());
        let awaited = reached.iter().copied().filter(|step| self.awaited.contains(step)).collect::<Vec<u32>>();
        let scopes = reached.iter().copied().filter(|step| self.scopes.contains(step)).collect::<Vec<u32>>();
        let has_siblings = !(remembered.is_empty() && awaiting.is_empty() && awaited.is_empty());
        let is_simple = has_row && counted.is_empty() && at_start.is_empty() && texts.is_empty() && !has_siblings;
        let holds = remembered.iter().any(|step| self.holding.contains(step));
        Action {
            state: 0,
            holds,
            skips,
            is_barren: is_dead && !inner.copies && !inner.spells && !inner.collects,
            has_row,
            is_plain_row: is_simple && at_end.is_empty(),
            is_record: is_simple && !at_end.is_empty(),
            keeps_text,
            collects: inner.collects && !inner.copies && !inner.spells,
            keeps_comments: inner.copies && self.plan.comments || keeps_remarks,
            is_item: !items.is_empty() || reached.iter().any(|step| self.around.contains(step)),
            attributes: self.kept_attributes(inner, reached),
            counted,
            at_start,
            nesting,
            late,
            texts,
            comments,
            instructions,
            remembered,
            awaiting,
            awaited,
            scopes,
            at_end,
        }
    }

    fn kept_attributes(&self, inner: &StateKey, reached: &[u32]) -> Attributes {
        if inner.copies {
            return Attributes::Everything;
        }
        let mut classes = Vec::new();
        for &step in reached {
            match &self.plan.steps[step as usize].attributes {
                None => return Attributes::Everything,
                Some(names) => classes.extend(names.iter().map(|name| self.attribute_classes[name])),
            }
        }
        classes.sort_unstable();
        classes.dedup();
        if classes.is_empty() {
            Attributes::Nothing
        } else {
            Attributes::Some(classes)
        }
    }
}

fn attribute_classes(plan: &Plan) -> FxHashMap<(String, String), u32> {
    let mut classes = FxHashMap::default();
    for step in &plan.steps {
        let kept = step.attributes.iter().flatten().cloned();
        let tested = step.tests.iter().filter_map(|test| test.attribute());
        let tested = tested.map(|(uri, local)| (uri.to_string(), local.to_string()));
        for name in kept.chain(tested) {
            let next = classes.len() as u32 + 1;
            classes.entry(name).or_insert(next);
        }
    }
    classes
}

/// The steps that remember more of their elements than start tags, which are repeated while they are open.
fn holding(plan: &Plan) -> Vec<u32> {
    let has_steps = |number: usize| plan.steps.iter().skip(1).any(|step| step.parent == number);
    let holds = |&(number, step): &(usize, &Step)| {
        step.remembers > 0 && (step.keep != Keep::Nothing || step.text || step.remarks || has_steps(number))
    };
    plan.steps.iter().enumerate().filter(holds).map(|(number, _)| number as u32).collect()
}

fn all_awaits(plan: &Plan) -> impl Iterator<Item = &Await> {
    plan.steps.iter().flat_map(|step| &step.awaits)
}

/// The steps whose elements others count; a record that waits for all of them waits for the end of their parent.
fn awaited(plan: &Plan) -> Vec<u32> {
    all_awaits(plan).filter(|one| one.many != ALL_SIBLINGS).map(|one| one.step).collect()
}

/// For each step, those before it on its path that are late, outermost first.
fn late_above(plan: &Plan) -> Vec<Vec<u32>> {
    let mut found: Vec<Vec<u32>> = Vec::with_capacity(plan.steps.len());
    for (number, step) in plan.steps.iter().enumerate() {
        let mut above = if number == 0 { Vec::new() } else { found[step.parent].clone() };
        if number > 0 && plan.steps[step.parent].late {
            above.push(step.parent as u32);
        }
        found.push(above);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Step;

    fn step(parent: usize, is_descendant: bool, local: &str, report: u8) -> Step {
        let attributes = Some(vec![]);
        Step { parent, is_descendant, local: Some(local.into()), report, attributes, ..Step::default() }
    }

    fn action<'a>(automaton: &'a mut Automaton, state: u32, name: &str) -> &'a Action {
        let class = automaton.class_of("", name);
        let Move::Action(number) = automaton.next(state, class) else { panic!("tests") };
        automaton.action(number)
    }

    #[test]
    fn what_no_path_needs_is_skipped() {
        let steps = vec![step(0, false, "", 0), step(0, false, "site", 0), step(1, false, "person", ITEM)];
        let mut automaton = Automaton::new(Plan { steps, comments: false });
        let document = automaton.document;
        let start = automaton.action(document).state;
        assert!(action(&mut automaton, start, "other").skips);
        let site = action(&mut automaton, start, "site");
        assert!(!site.skips && !site.has_row);
        let state = site.state;
        let person = action(&mut automaton, state, "person");
        assert!(person.is_item && person.has_row);
        let below = person.state;
        assert!(action(&mut automaton, below, "name").skips);
    }

    #[test]
    fn descendants_are_followed_below_themselves() {
        let steps = vec![step(0, false, "", 0), step(0, true, "part", COUNT)];
        let mut automaton = Automaton::new(Plan { steps, comments: false });
        let document = automaton.document;
        let start = automaton.action(document).state;
        let part = action(&mut automaton, start, "part");
        assert_eq!(part.counted, [1]);
        assert!(!part.has_row);
        let state = part.state;
        assert_eq!(action(&mut automaton, state, "part").counted, [1]);
        assert!(!action(&mut automaton, state, "x").skips);
    }

    #[test]
    fn names_no_test_tells_apart_share_a_class() {
        let steps = vec![step(0, false, "", 0), step(0, true, "a", COUNT)];
        let mut automaton = Automaton::new(Plan { steps, comments: false });
        assert_eq!(automaton.class_of("", "x"), automaton.class_of("urn:u", "y"));
        assert_ne!(automaton.class_of("", "x"), automaton.class_of("", "a"));
    }
}
