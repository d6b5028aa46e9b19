//! Tests of attributes, decided at the start tag: which of the candidate steps reach the element.

use super::Projector;
use crate::characters::shown;
use crate::errors::{fault, Halt, Kind};
use crate::namespaces::Namespaces;
use crate::number::to_double;
use crate::plan::{AttributeTest, Constant};
use crate::start_tag::{Attribute, Tag};

impl Projector {
    pub(super) fn tested(
        &mut self,
        tests: u32,
        state: u32,
        tag: &Tag<'_>,
        namespaces: &mut Namespaces,
    ) -> Result<u32, Halt> {
        let mut given = Vec::with_capacity(tag.attributes.len());
        for attribute in tag.attributes.iter().filter(|attribute| !attribute.is_declaration) {
            let number = self.attribute_name(tag.attribute_name(attribute), attribute.colon, tag.at, namespaces)?;
            given.push((self.names.get(number).attribute_class, attribute));
        }
        let candidates = self.automaton.candidates(tests).to_vec();
        let mut reached = Vec::with_capacity(candidates.len());
        for step in candidates {
            if self.all_hold(&self.automaton.plan().steps[step as usize].tests, &given, tag)? {
                reached.push(step);
            }
        }
        Ok(self.automaton.decided(state, reached))
    }

    fn all_hold(&self, tests: &[AttributeTest], given: &[(u32, &Attribute)], tag: &Tag<'_>) -> Result<bool, Halt> {
        for test in tests {
            let class = self.automaton.attribute_class(&test.uri, &test.local);
            let Some((_, attribute)) = given.iter().find(|(other, _)| *other == class) else {
                return Ok(false);
            };
            let value = tag.value(attribute);
            let holds = match &test.constant {
                Constant::Text(text) => test.comparison.holds(value, text.as_bytes()),
                Constant::Number(number) => {
                    let Some(actual) = to_double(value) else {
                        return Err(fault(Kind::Value, tag.at, shown(value)));
                    };
                    test.comparison.holds(actual, *number)
                }
            };
            if !holds {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
