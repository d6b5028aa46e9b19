//! Resolution of names in tags: each once per scope, with a bounded cache.

use super::Projector;
use crate::errors::Halt;
use crate::names::Resolved;
use crate::namespaces::Namespaces;
use crate::start_tag::Tag;

impl Projector {
    pub(super) fn element_name(&mut self, tag: &Tag<'_>, namespaces: &mut Namespaces) -> Result<u32, Halt> {
        if let Some(known) = namespaces.known_element(tag.key, tag.name) {
            return Ok(known);
        }
        let uri = namespaces.namespace_of(tag.name, tag.colon, true, tag.at + 1)?;
        let (prefix, local) = namespaces.split(tag.name, tag.colon, tag.at + 1)?;
        let mut name = Resolved::new(uri, &String::from_utf8_lossy(local), &String::from_utf8_lossy(prefix));
        name.class = self.automaton.class_of(&name.uri, &name.local);
        let number = self.names.add(name);
        namespaces.remember_element(tag.name, number);
        Ok(number)
    }

    /// Documents with ever new names must not fill the memory.
    #[cold]
    pub(super) fn forget_names(&mut self, namespaces: &mut Namespaces) {
        let mut in_use: Vec<&mut u32> = self.open.iter_mut().skip(1).map(|element| &mut element.name).collect();
        self.names.forget_all_but(&mut in_use);
        namespaces.forget_names();
    }

    pub(super) fn attribute_name(
        &mut self,
        raw: &[u8],
        colon: usize,
        at: usize,
        namespaces: &mut Namespaces,
    ) -> Result<u32, Halt> {
        if let Some(known) = namespaces.known_attribute(raw) {
            return Ok(known);
        }
        let uri = namespaces.namespace_of(raw, colon, false, at)?;
        let (prefix, local) = namespaces.split(raw, colon, at)?;
        let mut name = Resolved::new(uri, &String::from_utf8_lossy(local), &String::from_utf8_lossy(prefix));
        name.attribute_class = self.automaton.attribute_class(&name.uri, &name.local);
        let number = self.names.add(name);
        namespaces.remember_attribute(raw, number);
        Ok(number)
    }
}
