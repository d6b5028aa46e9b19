//! The cut points of a file, found by several threads.
//!
//! The file is divided into stretches. The open elements at its start, and whether it starts in a comment, are not
//! known; the guess is that a tag begins at the first `<`, which only comments, CDATA sections, processing instructions
//! and the document type can make wrong. With this guess the threads find how each stretch changes the open elements
//! (`structure`). Then, from the first stretch to the last, the guess is compared with the actual end of the previous
//! stretch, and a wrong guess is corrected by a second look; so the open elements at each start become known. With
//! these the threads look for the first item in each part; blocks inside one element that is not on the way to any item
//! are not read again. A part without items may still be cut before its first tag, whatever that is: half of an auction
//! site has no items, and reading it is also work to share.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use super::coding::{coding, Coding};
use super::finder::{CutFinder, SMALL_TOKEN};
use super::lexer::Markup;
use super::lines::Lines;
use super::matcher::{plan_of, Scope};
use super::structure::{survey, Structure};
use super::tags::TagReader;
use super::walk::{tag_name, Walk};
use super::CutPoint;
use crate::limits::Limits;
use crate::plan::Plan;

/// The request.
pub struct Request {
    /// The file, which is not compressed.
    pub path: PathBuf,
    /// Where it may be cut.
    pub scopes: Vec<Scope>,
    /// About how many bytes from one cut to the next.
    pub target: u64,
    /// The limits of its tags.
    pub limits: Limits,
    /// How many threads.
    pub threads: usize,
    /// Bytes of a stretch, at most.
    pub stretch: u64,
    /// Whether it is also cut where there are no items: at starts of stretches.
    pub everywhere: bool,
}

/// Shorter stretches would take longer to fetch than to examine.
const SMALL_STRETCH: u64 = 256 * 1024;

/// An open element, and its ancestors.
struct Open {
    tag: Vec<u8>,
    outer: Outer,
}

type Outer = Option<Arc<Open>>;

/// A stretch, and the facts about its start.
struct Known {
    structure: Structure,
    open: Outer,
    line: u64,
}

/// The beginning of the file, up to the root element.
struct Beginning {
    coding: Coding,
    mark: Vec<u8>,
    head: Vec<u8>,
    root: u64,
    line: u64,
}

/// The cut points of a file.
pub fn find_cuts(request: &Request) -> io::Result<Vec<CutPoint>> {
    let file_end = std::fs::metadata(&request.path)?.len();
    let longest = request.limits.text_characters.saturating_mul(4).max(SMALL_TOKEN);
    let Some(beginning) = beginning(&request.path, longest)? else {
        return one_by_one(request);
    };
    if request.scopes.iter().any(Vec::is_empty) {
        return Ok(Vec::new());
    }
    let pass = Pass { request, beginning, file_end, longest, plan: plan_of(&request.scopes) };
    let borders = pass.borders();
    let guesses = pass.guess(&borders)?;
    let known = pass.settle(&borders, guesses)?;
    pass.search(&known)
}

struct Pass<'a> {
    request: &'a Request,
    beginning: Beginning,
    file_end: u64,
    longest: usize,
    plan: Plan,
}

impl Pass<'_> {
    /// The starts of stretches: multiples of the target, or spaced so that multiples of the target are among them.
    fn borders(&self) -> Vec<u64> {
        let Request { target, stretch, .. } = *self.request;
        // If each stretch needs only one cut, the search ends at the first item.
        let stretch = if target >= SMALL_STRETCH { stretch.min(target) } else { stretch };
        let mut borders = Vec::new();
        let mut cell = 0;
        while cell < self.file_end {
            let (size, parts) =
                if target < stretch { (target * (stretch / target), 1) } else { (target, target.div_ceil(stretch)) };
            for part in 0..parts {
                let border = cell + u64::try_from(u128::from(size) * u128::from(part) / u128::from(parts)).unwrap_or(0);
                if border > self.beginning.root && border < self.file_end {
                    borders.push(border);
                } else if borders.is_empty() {
                    borders.push(self.beginning.root);
                }
            }
            cell += size;
        }
        borders
    }

    /// Examine all stretches, as if each began outside markup.
    fn guess(&self, borders: &[u64]) -> io::Result<Vec<Structure>> {
        // Where the guess is wrong, a quote may seem to be open to the end of the file.
        let longest = self.longest.min(4 * SMALL_TOKEN);
        let end_of = |number: usize| borders.get(number + 1).copied().unwrap_or(self.file_end);
        self.in_parallel(borders.len(), longest, |reader, number| {
            survey(reader, self.beginning.coding, borders[number], end_of(number), self.file_end)
        })
    }

    /// From first to last: correct wrong guesses, and determine the open elements.
    fn settle(&self, borders: &[u64], guesses: Vec<Structure>) -> io::Result<Vec<Known>> {
        let mut reader = TagReader::open(&self.request.path, self.longest)?;
        let mut known: Vec<Known> = Vec::with_capacity(guesses.len());
        let (mut open, mut depth): (Outer, usize) = (None, 0);
        let mut line = self.beginning.line;
        let mut start = self.beginning.root;
        for (number, mut structure) in guesses.into_iter().enumerate() {
            let limit = borders.get(number + 1).copied().unwrap_or(self.file_end);
            if structure.start != start || structure.is_broken {
                structure = survey(&mut reader, self.beginning.coding, start, limit, self.file_end)?;
            }
            if structure.is_broken {
                break;
            }
            let after = (structure.end, structure.lines, structure.closes);
            let opens = structure.opens.clone();
            known.push(Known { structure, open: open.clone(), line });
            if after.2 > depth {
                break;
            }
            for _ in 0..after.2 {
                open = open.and_then(|element| element.outer.clone());
            }
            depth = depth - after.2 + opens.len();
            if depth == 0 {
                break;
            }
            for (offset, size) in opens {
                let tag = reader.bytes(offset, size)?;
                open = Some(Arc::new(Open { tag, outer: open }));
            }
            start = after.0;
            line += after.1;
        }
        Ok(known)
    }

    /// The first item of each cell, which is the range between two multiples of the target.
    fn search(&self, known: &[Known]) -> io::Result<Vec<CutPoint>> {
        let target = self.request.target;
        let mut groups: Vec<std::ops::Range<usize>> = Vec::new();
        for (number, stretch) in known.iter().enumerate() {
            let cell = stretch.structure.start / target;
            match groups.last_mut() {
                Some(group) if known[group.start].structure.start / target == cell => group.end = number + 1,
                _ => groups.push(number..number + 1),
            }
        }
        let found = self.in_parallel(groups.len(), self.longest, |reader, number| {
            let mut cuts = Vec::new();
            let first = &known[groups[number].start];
            for stretch in &known[groups[number].clone()] {
                let is_over = self.search_stretch(reader, stretch, &mut cuts)?;
                let is_found = cuts.last().is_some_and(|cut: &CutPoint| {
                    let next = (cut.offset / target + 1) * target;
                    next >= known[groups[number].end - 1].structure.limit
                });
                if is_over {
                    return Ok((cuts, true));
                }
                if is_found {
                    break;
                }
            }
            let cell = first.structure.start / target;
            if self.request.everywhere && cell > 0 && cuts.first().is_none_or(|cut| cut.offset / target > cell) {
                cuts.splice(0..0, self.between_items(first));
            }
            Ok((cuts, false))
        })?;
        let mut all: Vec<CutPoint> = Vec::new();
        for (cuts, is_over) in found {
            for cut in cuts {
                if all.last().is_none_or(|last| last.offset / target < cut.offset / target) {
                    all.push(cut);
                }
            }
            if is_over {
                break;
            }
        }
        Ok(all)
    }

    /// Add the first item of each cell in a stretch; returns whether the root element has ended, or nothing more can be
    /// found.
    fn search_stretch(&self, reader: &mut TagReader, known: &Known, cuts: &mut Vec<CutPoint>) -> io::Result<bool> {
        let Known { structure, open, line } = known;
        let target = self.request.target;
        let mut walk = self.walk_at(open);
        let mut due = target.max(structure.start / target * target);
        if let Some(last) = cuts.last() {
            due = due.max((last.offset / target + 1) * target);
        }
        let mut number = 0;
        while number < structure.blocks.len() && !walk.is_over {
            let block = structure.blocks[number];
            let end = structure.blocks.get(number + 1).map_or(structure.end, |next| next.offset);
            reader.lines = Lines::at(line + block.lines);
            let mut depth = block.depth;
            let coding = self.beginning.coding;
            reader.tags(coding, block.offset, end, |tag, count| {
                if walk.tell(tag.markup, tag.bytes) && tag.offset >= due {
                    due = (tag.offset / target + 1) * target;
                    cuts.push(CutPoint::here(tag.offset, count.line(&tag), &walk));
                }
                match tag.markup {
                    Markup::Start { is_empty: false } => depth += 1,
                    Markup::End => depth -= 1,
                    _ => {}
                }
                !walk.is_over && due < structure.limit
            })?;
            if due >= structure.limit {
                return Ok(false);
            }
            number += 1;
            if walk.passed > 0 {
                // Outside the skipped element, this many are open.
                let outside = depth - walk.passed as i64;
                while structure.blocks.get(number).is_some_and(|block| block.least > outside) {
                    number += 1;
                }
                if let Some(block) = structure.blocks.get(number) {
                    walk.passed = (block.depth - outside) as u64;
                }
            }
        }
        Ok(walk.is_over)
    }

    /// The start of a stretch as a cut point, unless it is inside an item.
    ///
    /// Not at the end of the file either: there may be half a tag, which must be reported as such.
    fn between_items(&self, known: &Known) -> Option<CutPoint> {
        let walk = self.walk_at(&known.open);
        let is_inside = known.open.is_some() && !walk.is_over && known.structure.start < self.file_end;
        let is_outside = is_inside && !(walk.passed > 0 && walk.is_in_item);
        is_outside.then(|| {
            let Beginning { mark, head, .. } = &self.beginning;
            let tags = tags_of(&known.open);
            let opening = [mark, head].into_iter().chain(tags.iter().copied()).flatten().copied().collect();
            let ends = tags.iter().rev().map(|tag| [b"</", tag_name(&tag[1..]), b">"].concat());
            let closing = ends.flatten().collect();
            CutPoint { offset: known.structure.start, line: known.line, opening, closing, is_before_item: false }
        })
    }

    /// A walk that has reached a place with some open elements.
    fn walk_at(&self, open: &Outer) -> Walk {
        let Beginning { coding, mark, head, .. } = &self.beginning;
        let mut walk = Walk::new(self.plan.clone(), self.request.limits.clone(), *coding, mark.clone());
        walk.tell(Markup::Head, head);
        for tag in tags_of(open) {
            walk.tell(Markup::Start { is_empty: false }, tag);
        }
        walk
    }

    /// Call a function for each number, in several threads.
    fn in_parallel<T: Send>(
        &self,
        many: usize,
        longest: usize,
        work: impl Fn(&mut TagReader, usize) -> io::Result<T> + Sync,
    ) -> io::Result<Vec<T>> {
        let next = AtomicUsize::new(0);
        let results: Mutex<Vec<Option<T>>> = Mutex::new((0..many).map(|_| None).collect());
        let run = || -> io::Result<()> {
            let mut reader = TagReader::open(&self.request.path, longest)?;
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= many {
                    return Ok(());
                }
                let result = work(&mut reader, number)?;
                results.lock().map_err(|_| io::Error::other("a thread failed"))?[number] = Some(result);
            }
        };
        std::thread::scope(|scope| {
            let others: Vec<_> = (1..self.request.threads.min(many))
                // A thread that cannot be had leaves its work to the others.
                .filter_map(|_| std::thread::Builder::new().spawn_scoped(scope, run).ok())
                .collect();
            let mut outcome = run();
            for other in others {
                outcome = other.join().unwrap_or_else(|_| Err(io::Error::other("a thread failed"))).and(outcome);
            }
            outcome
        })?;
        let results = results.into_inner().map_err(|_| io::Error::other("a thread failed"))?;
        results.into_iter().map(|found| found.ok_or_else(|| io::Error::other("a thread failed"))).collect()
    }
}

/// The start tags of open elements, from the outermost.
fn tags_of(open: &Outer) -> Vec<&Vec<u8>> {
    let mut tags = Vec::new();
    let mut next = open;
    while let Some(element) = next {
        tags.push(&element.tag);
        next = &element.outer;
    }
    tags.reverse();
    tags
}

/// Everything before the root element; None if the file cannot be examined in its raw bytes, or has no root.
fn beginning(path: &Path, longest: usize) -> io::Result<Option<Beginning>> {
    let mut reader = TagReader::open(path, longest)?;
    let file_end = std::fs::metadata(path)?.len();
    let start = reader.bytes(0, usize::try_from(file_end.min(8192)).unwrap_or(0))?;
    let Some((coding, mark)) = coding(&start, true) else { return Ok(None) };
    if !matches!(coding, Coding::Bytes(_)) {
        return Ok(None);
    }
    let mut head = Vec::new();
    let mut root = None;
    reader.tags(coding, mark as u64, file_end, |tag, count| {
        match tag.markup {
            Markup::Head => head.extend_from_slice(tag.bytes),
            _ => root = Some((tag.offset, count.line(&tag))),
        }
        root.is_none()
    })?;
    let mark = start[..mark].to_vec();
    Ok(root.map(|(root, line)| Beginning { coding, mark, head, root, line }))
}

/// In one thread, if the encoding requires it.
fn one_by_one(request: &Request) -> io::Result<Vec<CutPoint>> {
    use std::io::Read;
    let mut finder = CutFinder::new(&request.scopes, request.target, request.limits.clone());
    let mut file = std::fs::File::open(&request.path)?;
    let mut buffer = vec![0; 256 * 1024];
    let mut cuts = Vec::new();
    while !finder.is_over() {
        let size = file.read(&mut buffer)?;
        if size == 0 {
            break;
        }
        cuts.append(&mut finder.feed(&buffer[..size]));
    }
    Ok(cuts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(path: &str) -> Scope {
        let step = |name: &str| (name.starts_with('~'), None, Some(name.trim_start_matches('~').to_string()));
        path.split('/').map(step).collect()
    }

    fn check(name: &str, text: &str, scopes: &[Scope]) {
        let path = std::env::temp_dir().join(format!("xylem-cuts-{name}-{}", std::process::id()));
        std::fs::write(&path, text).unwrap();
        for target in [1, 3, 10, 57, 300, 5000] {
            let mut finder = CutFinder::new(scopes, target, Limits::default());
            let expected = finder.feed(text.as_bytes());
            for stretch in [1, 2, 5, 17, 64, 1000, 100_000] {
                let (scopes, path, limits) = (scopes.to_vec(), path.clone(), Limits::default());
                let everywhere = false;
                let request = Request { path, scopes, target, limits, threads: 3, stretch, everywhere };
                let found = find_cuts(&request).unwrap();
                assert_eq!(found, expected, "{name}: target {target}, stretch {stretch}");
            }
        }
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn whatever_the_borders_fall_into() {
        let items = "<i a='>'>é<i/><!-- </i> ' \" <i> --></i>\r\n<x y=\"<\"/><![CDATA[</g><i \"]]]>&e;<?p <i '?><i/>\n";
        let text = format!(
            "<!DOCTYPE r [<!ENTITY e '<i>'>]>\n<r q='1'><g>{}</g><h><i/>{}</h>\n<g k='é'>{}<k><i></i></k></g></r>\n<!-- <i> -->",
            items.repeat(9),
            "<z><i/></z>".repeat(40),
            items.repeat(3)
        );
        let text = text.replace("\"<\"", "\"&lt;\"");
        check("child", &text, &[scope("r/g/i")]);
        check("two", &text, &[scope("r/g/k"), scope("r/h/z")]);
        check("any", &text, &[scope("~i")]);
        check("none", &text, &[scope("r/u/v")]);
        check("root", &text, &[scope("r")]);
        check("document", &text, &[vec![]]);
        check("short", "<r/>", &[scope("r/i")]);
        check("empty", "", &[scope("r/i")]);
    }

    #[test]
    fn deep_and_flat() {
        let deep = format!("{}{}{}", "<a>".repeat(300), "<i/>".repeat(20), "</a>".repeat(300));
        check("deep", &deep, &[scope("~i")]);
        let flat = format!("<r>{}</r>", "<b><c>text</c></b><i>x</i>".repeat(200));
        check("flat", &flat, &[scope("r/i")]);
    }
}
