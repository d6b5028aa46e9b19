//! Names as small numbers: each name of the input is resolved once, and Python gets a table of names.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::Arc;

use rustc_hash::FxHashMap;

/// A name of the input in its namespace.
pub struct Resolved {
    /// The namespace, empty for none.
    pub uri: Arc<str>,
    /// The local name.
    pub local: Box<str>,
    /// The prefix it was written with.
    pub prefix: Box<str>,
    /// Its class for the automaton as an element name.
    pub class: u32,
    /// Its class for the automaton as an attribute name; 0 if the plan does not mention it.
    pub attribute_class: u32,
    /// Whether it is xml:id, whose values are identifiers.
    pub is_xml_id: bool,
    /// Its number in the table for Python, 0 until it is needed there.
    told: u32,
    /// Whether the table has another prefix for it.
    is_unusual: bool,
}

impl Resolved {
    /// A name that Python does not know yet.
    pub fn new(uri: Arc<str>, local: &str, prefix: &str) -> Self {
        let is_xml_id = local == "id" && &*uri == crate::namespaces::XML_NAMESPACE;
        Resolved {
            uri,
            local: local.into(),
            prefix: prefix.into(),
            class: 0,
            attribute_class: 0,
            is_xml_id,
            told: 0,
            is_unusual: false,
        }
    }
}

/// A name of the table for Python: namespace, local name, and the first prefix seen.
pub type TableName = (Arc<str>, Box<str>, Box<str>);

/// Kind, namespace and local name.
type PooledName = (u32, Box<str>, Box<str>);

/// The numbers of trees begin here; those of scans with one plan begin at 0, and no template is for both.
static NEXT_TREE: AtomicU32 = AtomicU32::new(1);

/// All names of one scan, or of a whole tree.
#[derive(Default)]
pub struct Names {
    resolved: Vec<Resolved>,
    told: FxHashMap<(Arc<str>, Box<str>), u32>,
    /// For a whole tree, the numbers of names by kind.
    pooled: Option<FxHashMap<PooledName, u32>>,
    table: Vec<TableName>,
    handed_over: usize,
    /// The number of the scan, among consecutive scans with one plan.
    pub scan: u32,
}

impl Names {
    /// The names of the next scan with the same plan: initially none.
    pub fn of_next_scan(&self) -> Self {
        Names { scan: self.scan.wrapping_add(1), ..Names::default() }
    }

    /// The names of a whole tree: number, kind, namespace, local name and prefix of each. In the pool of a process,
    /// equal names of different kinds have different numbers.
    pub fn of_tree(entries: Vec<(u32, u32, String, String, String)>) -> Self {
        let last = entries.iter().map(|entry| entry.0).max().unwrap_or(0);
        let mut table: Vec<TableName> = vec![("".into(), "".into(), "".into()); last as usize];
        let mut pooled = FxHashMap::default();
        for (number, kind, uri, local, prefix) in entries {
            if let Some(place) = number.checked_sub(1) {
                table[place as usize] = (uri.as_str().into(), local.as_str().into(), prefix.into());
                pooled.insert((kind, uri.into(), local.into()), number);
            }
        }
        let scan = NEXT_TREE.fetch_add(1, Ordering::Relaxed);
        Names { pooled: Some(pooled), table, scan, ..Names::default() }
    }

    /// A resolved name by number.
    #[inline(always)]
    pub fn get(&self, number: u32) -> &Resolved {
        &self.resolved[number as usize]
    }

    /// Keep a resolved name.
    pub fn add(&mut self, name: Resolved) -> u32 {
        self.resolved.push(name);
        (self.resolved.len() - 1) as u32
    }

    /// How many names are resolved.
    pub fn len(&self) -> usize {
        self.resolved.len()
    }

    /// Whether no name is resolved.
    pub fn is_empty(&self) -> bool {
        self.resolved.is_empty()
    }

    /// Forget all resolved names except some, whose numbers change. The table for Python stays.
    pub fn forget_all_but(&mut self, kept: &mut [&mut u32]) {
        let mut old: Vec<Option<Resolved>> = std::mem::take(&mut self.resolved).into_iter().map(Some).collect();
        let mut moved: FxHashMap<u32, u32> = FxHashMap::default();
        for number in kept {
            if let Some(name) = old[**number as usize].take() {
                moved.insert(**number, self.resolved.len() as u32);
                self.resolved.push(name);
            }
            **number = moved[&**number];
        }
    }

    /// The number of a name in the table for Python, and whether the table has another prefix for it.
    #[inline(always)]
    pub fn tell(&mut self, number: u32) -> (u32, bool) {
        let name = &self.resolved[number as usize];
        if name.told != 0 {
            return (name.told, name.is_unusual);
        }
        self.tell_first(number)
    }

    #[cold]
    fn tell_first(&mut self, number: u32) -> (u32, bool) {
        let name = &mut self.resolved[number as usize];
        let key = (name.uri.clone(), name.local.clone());
        let table = &mut self.table;
        let told = *self.told.entry(key).or_insert_with(|| {
            table.push((name.uri.clone(), name.local.clone(), name.prefix.clone()));
            table.len() as u32
        });
        name.told = told;
        name.is_unusual = table[told as usize - 1].2 != name.prefix;
        (told, name.is_unusual)
    }

    /// The names added to the table since the last call.
    pub fn new_in_table(&mut self) -> &[TableName] {
        let from = self.handed_over;
        self.handed_over = self.table.len();
        &self.table[from..]
    }

    /// How many names the table has.
    pub fn told(&self) -> usize {
        self.table.len()
    }

    /// The number of a name in the table, if it is there.
    pub fn number_in_table(&self, kind: u32, uri: &str, local: &str) -> Option<u32> {
        if let Some(pooled) = &self.pooled {
            return pooled.get(&(kind, Box::from(uri), Box::from(local))).copied();
        }
        self.told.get(&(Arc::from(uri), Box::from(local))).copied()
    }

    /// A name of the table by number.
    pub fn in_table(&self, told: u32) -> &TableName {
        &self.table[told as usize - 1]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_entry_for_all_prefixes() {
        let mut names = Names::default();
        let uri: Arc<str> = "urn:u".into();
        let first = names.add(Resolved::new(uri.clone(), "a", "p"));
        let second = names.add(Resolved::new(uri, "a", "q"));
        assert_eq!(names.tell(first), (1, false));
        assert_eq!(names.tell(second), (1, true));
        assert_eq!(names.new_in_table().len(), 1);
        assert_eq!(names.new_in_table().len(), 0);
    }

    #[test]
    fn names_of_a_tree_are_told_apart_by_kind() {
        let entry = |number, kind, prefix: &str| (number, kind, "urn:u".into(), "a".into(), prefix.into());
        let names = Names::of_tree(vec![entry(3, 1, "p"), entry(5, 2, "")]);
        assert_eq!(names.number_in_table(1, "urn:u", "a"), Some(3));
        assert_eq!(names.number_in_table(2, "urn:u", "a"), Some(5));
        assert_eq!(names.number_in_table(5, "urn:u", "a"), None);
        assert_eq!(names.in_table(3).2, "p".into());
        assert_ne!(names.scan, Names::of_tree(Vec::new()).scan);
    }

    #[test]
    fn what_is_in_use_survives() {
        let mut names = Names::default();
        let numbers: Vec<u32> = ["a", "b", "c"].map(|name| names.add(Resolved::new("".into(), name, ""))).to_vec();
        let (mut one, mut two, mut three) = (numbers[2], numbers[0], numbers[2]);
        names.forget_all_but(&mut [&mut one, &mut two, &mut three]);
        assert_eq!(names.len(), 2);
        assert_eq!((&*names.get(one).local, &*names.get(two).local, &*names.get(three).local), ("c", "a", "c"));
    }
}
