//! Writes the results of templates: the text of a template for the rows of an element.

use std::borrow::Cow;
use std::ops::ControlFlow;

use crate::attribute_copies::{write_copied, CopiedAttributes};
use crate::cells::{is_plain, Cell, Content, END_OF_CELL, END_OF_MEMBER, HOLE, NULL};
use crate::escaping::{escape, Place};
use crate::expression::{Atom, Evaluation, Expression, Keys, Order, Value};
use crate::holes::{end_branch, Hole};
use crate::memory;
use crate::row_paths::{NamedRows, PathStep, Wanted, KIND_MASK};
use crate::rows::kind;
use crate::subtree_text::{write_node, write_subtree};
use crate::template::{
    count, each_value, flow, outcome, Around, Counting, Declared, ElementName, Items, Part, Piece, Reach, Turns,
    Undecided, ValueRows, Values,
};

/// Deeper calls of functions are left to the query, which has a stack for them.
const MOST_CALLS: usize = 200;

/// Once a batch holds this much text, further results are left to the query, which writes each one and frees it: nested
/// elements that are all copied can be many times the input.
const ENOUGH_TEXT: usize = 16 << 20;

/// Windows with more items than this, taken together, are left to the query.
const MOST_IN_WINDOWS: usize = 1 << 18;

/// A result that makes it longer than this is left to the query, too. The two are far apart, so that few are begun in
/// vain.
const MOST_TEXT: usize = 2 * ENOUGH_TEXT;

/// Append the result of a template for the element of a row; returns its items. Nothing is undone if it is undecided.
pub fn write_result<'a>(
    parts: &'a [Part],
    named: NamedRows<'a>,
    row: usize,
    out: &'a mut Vec<u8>,
) -> Result<Items, Undecided> {
    written(parts, named, row, None, Vec::new(), out)
}

/// The same, for the element with a number among those of its step.
pub fn write_numbered<'a>(
    parts: &'a [Part],
    named: NamedRows<'a>,
    row: usize,
    number: u64,
    out: &'a mut Vec<u8>,
) -> Result<Items, Undecided> {
    written(parts, named, row, Some(number), Vec::new(), out)
}

/// Append the result of a template that reads only values, which have the first slots.
pub fn write_values<'a>(
    parts: &'a [Part],
    named: NamedRows<'a>,
    variables: Vec<Value<'a>>,
    out: &'a mut Vec<u8>,
) -> Result<Items, Undecided> {
    written(parts, named, 0, None, variables, out)
}

fn written<'a>(
    parts: &'a [Part],
    named: NamedRows<'a>,
    row: usize,
    number: Option<u64>,
    variables: Vec<Value<'a>>,
    out: &'a mut Vec<u8>,
) -> Result<Items, Undecided> {
    if out.len() > ENOUGH_TEXT {
        return Err(Undecided);
    }
    let mut writer = Writer {
        named,
        number,
        out,
        items: Items::default(),
        depth: 0,
        is_after_atomic: false,
        marks: 0,
        variables,
        sorting: Vec::new(),
        functions: (&[], 0),
    };
    let start = writer.out.len();
    writer.parts(parts, &Around::new(row))?;
    if writer.marks > 0 && writer.out[start..].iter().filter(|&&byte| byte == HOLE).count() != writer.marks {
        // The input itself has such characters, which XML 1.1 allows.
        return Err(Undecided);
    }
    Ok(Items { ends_with_atomic: writer.is_after_atomic, ..writer.items })
}

struct Writer<'a> {
    named: NamedRows<'a>,
    /// The number of the element among those of its step, if it is counted.
    number: Option<u64>,
    out: &'a mut Vec<u8>,
    items: Items,
    /// Constructed elements around the place.
    depth: usize,
    /// Whether an atomic value was the last: a space precedes another one.
    is_after_atomic: bool,
    /// Number of marks around holes.
    marks: usize,
    /// Values by their slots.
    variables: Vec<Value<'a>>,
    /// The results being sorted: the keys of each, and the end of its text.
    sorting: Vec<Vec<(Keys<'a>, usize)>>,
    /// The functions that can be applied, and the number of calls in progress.
    functions: (&'a [Vec<Part>], usize),
}

impl<'a> Writer<'a> {
    fn parts(&mut self, parts: &'a [Part], here: &Around<'_>) -> Result<(), Undecided> {
        for part in parts {
            memory::check();
            check_length(self.out)?;
            match part {
                Part::Piece(piece) => self.piece(piece, here, Place::Content)?,
                Part::Copies { reach, below, around } => self.copies(reach, *below, *around, here)?,
                Part::Construct { name, attributes, copied, content } => {
                    let name = self.element_name(name, here)?;
                    self.start(&name, attributes, here)?;
                    self.copied(attributes, copied, here)?;
                    self.finish(&name, content, here)?;
                }
                Part::WhenFilled { test, parts, otherwise } => self.choices(test, parts, otherwise, here)?,
                Part::Numbered { slot, parts } => {
                    let number = self.number.ok_or(Undecided)?;
                    self.keep(*slot, Value::position(number as usize));
                    self.parts(parts, here)?;
                }
                Part::When { test, parts, otherwise } => {
                    let chosen = if self.evaluation(here).truth(test)? { parts } else { otherwise };
                    self.parts(chosen, here)?;
                }
                Part::Let { slot, value } => {
                    let value = self.evaluation(here).all_items(value)?;
                    self.keep(*slot, value);
                }
                Part::EachValue { slot, position, values, turns, parts } => {
                    let mut begun = 0;
                    for (before, atom) in self.evaluation(here).all_items(values)?.into_atoms().into_iter().enumerate()
                    {
                        turns.begin(&mut begun)?;
                        self.keep(*slot, Value::One(atom));
                        if let Some(slot) = position {
                            self.keep(*slot, Value::position(before + 1));
                        }
                        self.parts(parts, here)?;
                    }
                }
                Part::EachOf { nodes, position, turns, parts } => {
                    let mut begun = 0;
                    for (before, atom) in self.evaluation(here).all_items(nodes)?.into_atoms().into_iter().enumerate() {
                        turns.begin(&mut begun)?;
                        let Atom::Node(row) = atom else { return Err(Undecided) };
                        if let Some(slot) = position {
                            self.keep(*slot, Value::position(before + 1));
                        }
                        self.parts(parts, &Around::inside(row, here))?;
                    }
                }
                Part::Gathered { gathering, turns, parts } => {
                    let mut found = Vec::new();
                    gathering.each(&self.evaluation(here), &mut |values| {
                        found.push(values.collect::<Vec<_>>());
                        Ok(())
                    })?;
                    self.each_binding(found, turns, parts, here)?;
                }
                Part::Windows { windows, turns, parts } => {
                    let (mut found, mut length) = (Vec::new(), 0);
                    windows.each(&self.evaluation(here), &mut |values| {
                        let values: Vec<_> = values.collect();
                        length += values.iter().map(|(_, value)| value.atoms().len()).sum::<usize>();
                        found.push(values);
                        if length > MOST_IN_WINDOWS {
                            Err(Undecided)
                        } else {
                            Ok(())
                        }
                    })?;
                    self.each_binding(found, turns, parts, here)?;
                }
                Part::Remark { target, value } => self.remark(target.as_deref(), value, here)?,
                Part::Items { items, around } => self.items(items, *around, here)?,
                Part::Sorted { orders, parts } => self.sorted(orders, parts, here)?,
                Part::Keyed { keys, parts } => {
                    let keys = self.evaluation(here).keys(keys)?;
                    self.parts(parts, here)?;
                    let end = self.out.len();
                    self.sorting.last_mut().ok_or(Undecided)?.push((keys, end));
                }
                Part::Functions { bodies, parts } => {
                    self.functions.0 = bodies;
                    self.parts(parts, here)?;
                }
                Part::Apply { function, reach, below } => self.apply(*function, reach, *below, here)?,
                Part::Alike { up, copied, content } => {
                    let name = self.plain_name(here.row_above(*up))?;
                    self.start(name, &[], here)?;
                    self.copied(&[], copied, here)?;
                    self.finish(name, content, here)?;
                }
                Part::Row(cells) => self.row(cells, here)?,
                Part::Each { reach, turns, parts } => {
                    let (named, mut begun, mut before) = (self.named, 0, 0);
                    outcome(named.follow(&reach.path, here.start(reach), &mut |row| {
                        flow(turns.begin(&mut begun))?;
                        flow(self.turn(turns.counting.as_deref(), &mut before, parts, &Around::inside(row, here)))
                    }))?;
                }
            }
        }
        Ok(())
    }

    /// Parts for each list of values, which have slots.
    fn each_binding(
        &mut self,
        found: Vec<Vec<(usize, Value<'a>)>>,
        turns: &'a Turns,
        parts: &'a [Part],
        here: &Around<'_>,
    ) -> Result<(), Undecided> {
        let mut begun = 0;
        for values in found {
            turns.begin(&mut begun)?;
            values.into_iter().for_each(|(slot, value)| self.keep(slot, value));
            self.parts(parts, here)?;
        }
        Ok(())
    }

    /// Attributes that are copied after others.
    fn copied(
        &mut self,
        before: &'a [(String, Vec<Piece>)],
        copied: &'a [CopiedAttributes],
        here: &Around<'_>,
    ) -> Result<(), Undecided> {
        if copied.is_empty() {
            return Ok(());
        }
        let evaluation = Evaluation {
            named: self.named,
            variables: &self.variables,
            locals: None,
            sorting: None,
            here,
            functions: None,
            calls: 0,
        };
        write_copied(before, copied, &evaluation, self.out)
    }

    /// A comment or a processing instruction; its content must be certain to need no check.
    fn remark(&mut self, target: Option<&str>, value: &'a Expression, here: &Around<'_>) -> Result<(), Undecided> {
        let text = self.evaluation(here).one(value)?.ok_or(Undecided)?.string()?;
        let is_usual = text.iter().all(|byte| (b' '..0x7F).contains(byte));
        let has_end = text.windows(2).any(|two| two == b"--" || two == b"?>");
        if !is_usual || has_end || text.starts_with(b" ") || text.ends_with(b"-") || text.ends_with(b"?") {
            return Err(Undecided);
        }
        self.begin(false);
        self.is_after_atomic = false;
        let (start, end): (&[u8], &[u8]) = if target.is_some() { (b"<?", b"?>") } else { (b"<!--", b"-->") };
        self.out.extend_from_slice(start);
        if let Some(target) = target {
            self.out.extend_from_slice(target.as_bytes());
            if !text.is_empty() {
                self.out.push(b' ');
            }
        }
        self.out.extend_from_slice(&text);
        self.out.extend_from_slice(end);
        Ok(())
    }

    /// Copies of nodes.
    fn items(&mut self, items: &'a Expression, around: Declared, here: &Around<'_>) -> Result<(), Undecided> {
        for atom in self.evaluation(here).all_items(items)?.into_atoms() {
            match atom {
                Atom::Node(row) if matches!(self.named.rows.codes[row] & KIND_MASK, kind::ELEMENT | kind::TEXT) => {
                    self.copy(row, around)?;
                }
                _ => return Err(Undecided),
            }
        }
        Ok(())
    }

    fn evaluation<'e>(&'e self, here: &'e Around<'e>) -> Evaluation<'a, 'e> {
        Evaluation {
            named: self.named,
            variables: &self.variables,
            locals: None,
            sorting: None,
            here,
            functions: None,
            calls: 0,
        }
    }

    /// An item begins, or a part of its content.
    #[inline(always)]
    fn begin(&mut self, is_atomic: bool) {
        if self.depth == 0 {
            self.items.begins_with_atomic |= is_atomic && self.items.number == 0;
            self.items.number += 1;
        }
    }

    fn apply(&mut self, function: usize, reach: &Reach, below: bool, here: &Around<'_>) -> Result<(), Undecided> {
        let (bodies, calls) = self.functions;
        let body: &'a [Part] = bodies.get(function).ok_or(Undecided)?;
        if calls > MOST_CALLS {
            return Err(Undecided);
        }
        self.functions.1 += 1;
        let named = self.named;
        let result = outcome(named.follow(&reach.path, here.start(reach), &mut |element| {
            if !below {
                return flow(self.parts(body, &Around::new(element)));
            }
            named.child_nodes(element).try_for_each(|child| match named.rows.codes[child] & KIND_MASK {
                kind::ELEMENT | kind::TEXT => flow(self.parts(body, &Around::new(child))),
                // Their values are not those of the texts in them.
                _ => ControlFlow::Break(Undecided),
            })
        }));
        self.functions.1 = calls;
        result
    }

    /// The name of an element in no namespace.
    fn plain_name(&self, row: usize) -> Result<&'a str, Undecided> {
        let named = self.named;
        let code = named.rows.codes[row];
        if code & KIND_MASK != kind::ELEMENT {
            return Err(Undecided);
        }
        let (uri, local, _) = named.names.in_table(code >> 3);
        if uri.is_empty() {
            Ok(local)
        } else {
            Err(Undecided)
        }
    }

    fn element_name(&self, name: &'a ElementName, here: &Around<'_>) -> Result<Cow<'a, str>, Undecided> {
        let expression = match name {
            ElementName::Fixed(name) => return Ok(Cow::Borrowed(name)),
            ElementName::Computed(expression) => expression,
        };
        let evaluation = Evaluation {
            named: self.named,
            variables: &self.variables,
            locals: None,
            sorting: None,
            here,
            functions: None,
            calls: 0,
        };
        match evaluation.one(expression)? {
            Some(Atom::Text(text) | Atom::Untyped(text)) if is_usual_name(&text) => {
                String::from_utf8(text.into_owned()).map(Cow::Owned).map_err(|_| Undecided)
            }
            _ => Err(Undecided),
        }
    }

    /// Both branches of a condition that code decides.
    fn choices(
        &mut self,
        test: &'a Hole,
        parts: &'a [Part],
        otherwise: &'a [Part],
        here: &Around<'_>,
    ) -> Result<(), Undecided> {
        let evaluation = Evaluation {
            named: self.named,
            variables: &self.variables,
            locals: None,
            sorting: None,
            here,
            functions: None,
            calls: 0,
        };
        test.write_condition(&evaluation, self.out)?;
        for (is_last, parts) in [(false, parts), (true, otherwise)] {
            let before = self.items.number;
            self.parts(parts, here)?;
            end_branch(is_last, self.items.number - before, self.out);
        }
        self.marks += 6;
        self.is_after_atomic = false;
        Ok(())
    }

    /// One turn of a loop over elements.
    fn turn(
        &mut self,
        counting: Option<&'a Counting>,
        before: &mut usize,
        parts: &'a [Part],
        here: &Around<'_>,
    ) -> Result<(), Undecided> {
        if let Some(Counting { slot, test }) = counting {
            if let Some(test) = test {
                if !self.evaluation(here).truth(test)? {
                    return Ok(());
                }
            }
            *before += 1;
            self.keep(*slot, Value::position(*before));
        }
        self.parts(parts, here)
    }

    /// Write results one after the other, and then sort their texts.
    fn sorted(&mut self, orders: &'a [Order], parts: &'a [Part], here: &Around<'_>) -> Result<(), Undecided> {
        let start = self.out.len();
        self.sorting.push(Vec::new());
        self.parts(parts, here)?;
        let ends = self.sorting.pop().unwrap_or_default();
        if ends.len() < 2 {
            return ends.iter().try_for_each(|(keys, _)| keys.check(orders));
        }
        let text = self.out.split_off(start);
        let mut from = start;
        let mut results = Vec::with_capacity(ends.len());
        for (keys, end) in ends {
            results.push((keys, from - start..end - start));
            from = end;
        }
        Keys::sort(&mut results, orders)?;
        results.into_iter().for_each(|(_, range)| self.out.extend_from_slice(&text[range]));
        Ok(())
    }

    fn keep(&mut self, slot: usize, value: Value<'a>) {
        if self.variables.len() <= slot {
            self.variables.resize_with(slot + 1, Value::default);
        }
        self.variables[slot] = value;
    }

    fn copies(&mut self, reach: &Reach, below: bool, around: Declared, here: &Around<'_>) -> Result<(), Undecided> {
        let named = self.named;
        if below || around != Declared::Nothing {
            return outcome(named.follow(&reach.path, here.start(reach), &mut |element| {
                if !below {
                    return flow(self.copy(element, around));
                }
                named.child_nodes(element).try_for_each(|child| flow(self.copy(child, around)))
            }));
        }
        let name = match reach.path.last() {
            Some(PathStep { wanted: Wanted::Named(name), .. }) => Some(name),
            _ => None,
        };
        outcome(named.follow(&reach.path, here.start(reach), &mut |element| {
            self.begin(false);
            self.is_after_atomic = false;
            write_subtree(named, element, name, self.out);
            flow(check_length(self.out))
        }))
    }

    /// A copy of a node of any kind.
    fn copy(&mut self, row: usize, around: Declared) -> Result<(), Undecided> {
        self.begin(false);
        self.is_after_atomic = false;
        write_node(self.named, row, around, self.out)?;
        check_length(self.out)
    }

    /// A start tag without its end.
    fn start(
        &mut self,
        name: &str,
        attributes: &'a [(String, Vec<Piece>)],
        here: &Around<'_>,
    ) -> Result<(), Undecided> {
        self.begin(false);
        self.depth += 1;
        self.out.push(b'<');
        self.out.extend_from_slice(name.as_bytes());
        for (attribute, pieces) in attributes {
            self.out.push(b' ');
            self.out.extend_from_slice(attribute.as_bytes());
            self.out.extend_from_slice(b"=\"");
            for piece in pieces {
                self.is_after_atomic = false;
                self.piece(piece, here, Place::Attribute)?;
            }
            self.out.push(b'"');
        }
        Ok(())
    }

    /// The end of a start tag, content, and an end tag.
    fn finish(&mut self, name: &str, content: &'a [Part], here: &Around<'_>) -> Result<(), Undecided> {
        self.out.push(b'>');
        self.is_after_atomic = false;
        let start = self.out.len();
        self.parts(content, here)?;
        self.depth -= 1;
        self.is_after_atomic = false;
        if self.out.len() == start {
            self.out.pop();
            self.out.extend_from_slice(b"/>");
        } else {
            self.out.extend_from_slice(b"</");
            self.out.extend_from_slice(name.as_bytes());
            self.out.push(b'>');
        }
        Ok(())
    }

    fn piece(&mut self, piece: &'a Piece, here: &Around<'_>, place: Place) -> Result<(), Undecided> {
        match piece {
            Piece::Characters(text) => {
                self.is_after_atomic = false;
                self.out.extend_from_slice(text.as_bytes());
                Ok(())
            }
            Piece::Values(values) => self.values(values, here, place),
            Piece::Hole(hole) => {
                let evaluation = Evaluation {
                    named: self.named,
                    variables: &self.variables,
                    locals: None,
                    sorting: None,
                    here,
                    functions: None,
                    calls: 0,
                };
                hole.write(&evaluation, self.out)?;
                self.marks += 2;
                self.is_after_atomic = false;
                Ok(())
            }
            Piece::Computed(expression) => {
                let evaluation = Evaluation {
                    named: self.named,
                    variables: &self.variables,
                    locals: None,
                    sorting: None,
                    here,
                    functions: None,
                    calls: 0,
                };
                let (out, is_after_atomic) = (&mut *self.out, &mut self.is_after_atomic);
                let mut number = 0;
                evaluation.each(expression, &mut |atom| {
                    number += 1;
                    if std::mem::replace(is_after_atomic, true) {
                        out.push(b' ');
                    }
                    match atom {
                        Atom::Untyped(text) | Atom::Text(text) => escape(&text, place, out),
                        other => other.write(out),
                    }
                    check_length(out)
                })?;
                (0..number).for_each(|_| self.begin(true));
                Ok(())
            }
        }
    }

    fn values(&mut self, values: &Values, here: &Around<'_>, place: Place) -> Result<(), Undecided> {
        let named = self.named;
        let mut number = 0;
        let is_atomic = !values.separator.is_empty();
        outcome(named.follow(&values.reach.path, here.start(&values.reach), &mut |element| {
            each_value(&values.of, named, element, &mut |value| {
                if number > 0 && values.at_most_one {
                    return ControlFlow::Break(Undecided);
                }
                if std::mem::replace(&mut self.is_after_atomic, is_atomic) && is_atomic {
                    self.out.push(b' ');
                }
                number += 1;
                self.begin(is_atomic);
                value.texts(named, |text| escape(text, place, self.out));
                flow(check_length(self.out))
            })
        }))
    }

    fn row(&mut self, cells: &[Cell], here: &Around<'_>) -> Result<(), Undecided> {
        self.begin(false);
        for cell in cells {
            self.cell(cell, here)?;
            self.out.push(END_OF_CELL);
        }
        Ok(())
    }

    fn cell(&mut self, cell: &Cell, here: &Around<'_>) -> Result<(), Undecided> {
        let start = self.out.len();
        match &cell.content {
            Content::Constant(None) => self.out.push(NULL),
            Content::Constant(Some(text)) => self.out.extend_from_slice(text.as_bytes()),
            Content::Count(reach, of) => {
                let number = count(&reach.path, of, self.named, here.start(reach));
                self.out.extend_from_slice(number.to_string().as_bytes());
            }
            Content::Values(values) => {
                let (named, mut number) = (self.named, 0);
                outcome(named.follow(&values.reach.path, here.start(&values.reach), &mut |element| {
                    each_value(&values.of, named, element, &mut |value| {
                        if number > 0 && values.at_most_one {
                            return ControlFlow::Break(Undecided);
                        }
                        flow(self.cell_value(cell, values, number, value))?;
                        number += 1;
                        ControlFlow::Continue(())
                    })
                }))?;
                if number == 0 {
                    self.missing(cell, start)?;
                }
            }
            Content::Computed(expression) => {
                let evaluation = Evaluation {
                    named: self.named,
                    variables: &self.variables,
                    locals: None,
                    sorting: None,
                    here,
                    functions: None,
                    calls: 0,
                };
                let (out, mut number) = (&mut *self.out, 0);
                evaluation.each(expression, &mut |atom| {
                    if (number > 0 && !cell.is_list) || !cell.reading.takes(&atom) {
                        return Err(Undecided);
                    }
                    number += 1;
                    let start = out.len();
                    atom.write(out);
                    settled(cell, out, start)
                })?;
                if number == 0 {
                    self.missing(cell, start)?;
                }
            }
        }
        Ok(())
    }

    /// The content of a cell without a value, from an index on.
    fn missing(&mut self, cell: &Cell, start: usize) -> Result<(), Undecided> {
        match &cell.missing {
            Some(text) => {
                self.out.extend_from_slice(text.as_bytes());
                cell.reading.settle(self.out, start)?;
            }
            None if !cell.is_list => self.out.push(NULL),
            None => {}
        }
        Ok(())
    }

    fn cell_value(&mut self, cell: &Cell, values: &Values, number: usize, value: ValueRows) -> Result<(), Undecided> {
        if number > 0 {
            self.out.extend_from_slice(values.separator.as_bytes());
        }
        let start = self.out.len();
        value.texts(self.named, |text| self.out.extend_from_slice(text));
        settled(cell, self.out, start)
    }
}

/// Whether a text is certainly a name without prefix, of ASCII letters only, as most are.
fn is_usual_name(text: &[u8]) -> bool {
    let is_first = |byte: &u8| byte.is_ascii_alphabetic() || *byte == b'_';
    let is_later = |byte: &u8| is_first(byte) || byte.is_ascii_digit() || matches!(byte, b'-' | b'.');
    text.first().is_some_and(is_first) && text.iter().all(is_later)
}

/// Whether there is room for more text.
#[inline(always)]
fn check_length(out: &[u8]) -> Result<(), Undecided> {
    if out.len() > MOST_TEXT {
        Err(Undecided)
    } else {
        Ok(())
    }
}

/// Check one value of a cell, which extends from an index to the end, and end it.
fn settled(cell: &Cell, out: &mut Vec<u8>, start: usize) -> Result<(), Undecided> {
    if !is_plain(&out[start..]) {
        return Err(Undecided);
    }
    cell.reading.settle(out, start)?;
    if cell.is_list {
        out.push(END_OF_MEMBER);
    }
    Ok(())
}
