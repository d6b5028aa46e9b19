//! Tests decided at the start tag, of attributes and positions: which of the candidate steps reach the element.

use super::Projector;
use crate::characters::shown;
use crate::errors::{fault, Halt, Kind};
use crate::namespaces::Namespaces;
use crate::number::to_double;
use crate::plan::{AttributeTest, Constant, StartTest};
use crate::start_tag::{Attribute, Tag};

/// The number of children of an open element that have reached a positional test.
pub(super) struct Counted {
    /// The place of their parent among the open elements.
    parent: usize,
    step: u32,
    /// Which of the tests of the step.
    test: usize,
    number: u64,
}

impl Projector {
    pub(super) fn tested(
        &mut self,
        tests: u32,
        state: u32,
        tag: &Tag<'_>,
        namespaces: &mut Namespaces,
    ) -> Result<u32, Halt> {
        if tag.attributes.is_empty() {
            if let Some(action) = self.automaton.bare(tests) {
                return Ok(action);
            }
        }
        let mut given = Vec::with_capacity(tag.attributes.len());
        for attribute in tag.attributes.iter().filter(|attribute| !attribute.is_declaration) {
            let number = self.attribute_name(tag.attribute_name(attribute), attribute.colon, tag.at, namespaces)?;
            given.push((self.names.get(number).attribute_class, attribute));
        }
        let many = self.automaton.candidates(tests).len();
        let mut reached = Vec::with_capacity(many);
        for place in 0..many {
            let step = self.automaton.candidates(tests)[place];
            if self.all_hold(step, &given, tag)? {
                reached.push(step);
            }
        }
        Ok(self.automaton.decided(state, reached))
    }

    fn all_hold(&mut self, step: u32, given: &[(u32, &Attribute)], tag: &Tag<'_>) -> Result<bool, Halt> {
        let parent = self.open.len() - 1;
        let tests = &self.automaton.plan().steps[step as usize].tests;
        for (place, test) in tests.iter().enumerate() {
            let class = self.automaton.tested_classes(step)[place];
            let named = || given.iter().find(|(other, _)| *other == class).map(|(_, attribute)| *attribute);
            let holds = match test {
                StartTest::Attribute(test) => match named() {
                    Some(attribute) => compares(test, tag.value(attribute), tag.at)?,
                    None => false,
                },
                StartTest::Presence(..) => named().is_some(),
                StartTest::Position(first, last) => {
                    (*first..=*last).contains(&next_number(&mut self.positions, parent, step, place))
                }
            };
            if !holds {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The innermost open element has ended: drop the counts below it.
    #[inline(always)]
    pub(super) fn forget_positions(&mut self) {
        while self.positions.last().is_some_and(|counted| counted.parent >= self.open.len()) {
            self.positions.pop();
        }
    }
}

/// The number of one more child that reaches a test.
pub(super) fn next_number(positions: &mut Vec<Counted>, parent: usize, step: u32, test: usize) -> u64 {
    let of_parent = positions.iter_mut().rev().take_while(|counted| counted.parent == parent);
    for counted in of_parent {
        if counted.step == step && counted.test == test {
            counted.number += 1;
            return counted.number;
        }
    }
    positions.push(Counted { parent, step, test, number: 1 });
    1
}

fn compares(test: &AttributeTest, value: &[u8], at: usize) -> Result<bool, Halt> {
    Ok(match &test.constant {
        Constant::Text(text) => test.comparison.holds(value, text.as_bytes()),
        Constant::Number(number) => match to_double(value) {
            Some(actual) => test.comparison.holds(actual, *number),
            None => return Err(fault(Kind::Value, at, shown(value))),
        },
    })
}
