//! One scan: bytes in, in pieces of any size; rows and records out; the first error, after everything complete before
//! it.

use crate::errors::{Fault, Halt, Kind, ScanError};
use crate::input::Input;
use crate::limits::Limits;
use crate::memory;
use crate::plan::Plan;
use crate::reader::Reader;
use crate::rows::Rows;
use crate::table::Table;
use crate::waiting::Waiting;

const BATCH_ROWS: usize = 20_000;
const BATCH_BYTES: usize = 1_000_000;
/// Rows of an open item are repeated if that costs at most this multiple of the new content.
const REPEATED_PER_NEW: usize = 4;

/// How to read a document.
#[derive(Clone, Debug)]
pub struct Options {
    /// Whether names have prefixes.
    pub namespaces: bool,
    /// Whether text nodes of white space alone are left out.
    pub strip_space: bool,
    /// The encoding, if it is known from outside.
    pub encoding: Option<String>,
}

impl Default for Options {
    fn default() -> Self {
        Options { namespaces: true, strip_space: false, encoding: None }
    }
}

/// The output of a scan after some input.
pub struct Harvest {
    /// Rows and records.
    pub rows: Rows,
    /// For each step, the elements counted.
    pub counts: Vec<u64>,
    /// Finished tables of steps.
    pub tables: Vec<(u32, Table)>,
}

/// The state of one scan.
pub struct Scanner {
    input: Input,
    /// The reader. Its names and rules go to Python together with the rows.
    pub reader: Reader,
    waiting: Waiting,
    /// Bytes fed so far.
    pub input_bytes: u64,
    error: Option<ScanError>,
    has_ended: bool,
}

impl Scanner {
    /// A scan at the start of a document.
    pub fn new(plan: Plan, limits: Limits, options: Options) -> Self {
        Scanner {
            input: Input::new(options.encoding),
            reader: Reader::new(plan, limits, options.namespaces, options.strip_space),
            waiting: Waiting::default(),
            input_bytes: 0,
            error: None,
            has_ended: false,
        }
    }

    /// Start again with another document. Facts about the plan are reused: for a small document, finding them takes as
    /// long as its scan.
    pub fn again(&mut self, encoding: Option<String>) {
        self.reader.again();
        self.input = Input::new(encoding);
        self.waiting = Waiting::default();
        self.input_bytes = 0;
        self.error = None;
        self.has_ended = false;
    }

    /// Read the next of many documents as a whole: its rows stay in the projector until the next one. Reported names
    /// keep their numbers.
    pub fn read_next(&mut self, data: &[u8], encoding: Option<String>) -> Result<(), ScanError> {
        self.reader.go_on(self.has_ended && self.error.is_none());
        self.input = Input::new(encoding);
        self.waiting = Waiting::default();
        self.input_bytes = 0;
        self.error = None;
        self.has_ended = false;
        self.read(data, true)?;
        if let Some(error) = &self.error {
            return Err(error.clone());
        }
        self.reader.projector.end_document();
        Ok(())
    }

    /// Read another piece, and return the output if it is enough, or everything complete with `flush`.
    pub fn feed(&mut self, piece: &[u8], flush: bool) -> Result<Option<Harvest>, ScanError> {
        self.read(piece, false)?;
        let projector = &self.reader.projector;
        let (new, held) = (projector.new_rows(), projector.held_rows());
        let bytes = projector.rows.characters.len() + projector.rows.written_text.len();
        let is_much = new >= BATCH_ROWS || bytes >= BATCH_BYTES;
        let is_due = if self.error.is_some() {
            true
        } else if projector.has_news() {
            (flush || is_much) && held <= BATCH_ROWS.max(REPEATED_PER_NEW * new)
        } else {
            new - held.min(new) >= BATCH_ROWS
        };
        Ok(is_due.then(|| self.take(false)))
    }

    /// Read the end of the input, and return the rest.
    pub fn finish(&mut self) -> Result<Harvest, ScanError> {
        let is_first = !self.has_ended;
        self.read(&[], true)?;
        if self.error.is_none() && is_first {
            self.reader.projector.end_document();
        }
        Ok(self.take(true))
    }

    fn take(&mut self, is_last: bool) -> Harvest {
        let tables = self.reader.projector.take_tables(is_last);
        let (rows, counts) = self.reader.projector.take();
        Harvest { rows, counts, tables }
    }

    /// An error is raised at once only if nothing was completed before it, and otherwise by the next call.
    fn read(&mut self, piece: &[u8], is_last: bool) -> Result<(), ScanError> {
        if let Some(error) = &self.error {
            return Err(error.clone());
        }
        if self.has_ended {
            return if piece.is_empty() { Ok(()) } else { Err(bug("input after its end")) };
        }
        self.has_ended = is_last;
        self.input_bytes += piece.len() as u64;
        memory::room(piece.len().saturating_mul(2));
        self.input.push(piece, is_last);
        let text = self.input.take_text();
        self.reader.read_before = self.input.dropped_text();
        self.reader.family = self.input.family();
        let mut place = 0;
        let outcome = self.read_text(&text, &mut place);
        if let Err(fault) = outcome {
            let (byte_offset, line, column) = self.input.place(&text, fault.at);
            let path = self.reader.open_names.path();
            let error = ScanError { kind: fault.kind, detail: fault.detail, byte_offset, line, column, path };
            self.error = Some(error.clone());
            if !self.reader.projector.has_news() {
                return Err(error);
            }
            return Ok(());
        }
        if place > 0 {
            self.waiting.reset();
        }
        self.waiting.cut_off(text.len() - place);
        self.input.restore(text, place);
        Ok(())
    }

    fn read_text(&mut self, text: &[u8], place: &mut usize) -> Result<(), Fault> {
        loop {
            memory::check();
            let is_all = self.input.is_at_end(text);
            let window = &text[..self.input.checked()];
            self.reader.has_returns = self.input.has_returns;
            if is_all || self.waiting.is_worth_a_try(&window[*place..]) {
                let before = *place;
                match self.reader.run(window, place, is_all) {
                    Ok(()) | Err(Halt::More) => {}
                    Err(Halt::Fault(fault)) => return Err(*fault),
                }
                if *place > before {
                    self.waiting.reset();
                }
            }
            if is_all {
                return Ok(());
            }
            self.waiting.cut_off(window.len() - *place);
            if let Err(Halt::Fault(fault)) = self.reader.check_token(window.len() - *place, *place) {
                return Err(*fault);
            }
            if !self.input.check_more(text) {
                if let Some(fault) = self.input.fault().cloned() {
                    // A token that waits for its end may have an error before this one.
                    let window = &text[..self.input.checked()];
                    return match self.reader.run(window, place, false) {
                        Err(Halt::Fault(earlier)) => Err(*earlier),
                        _ => Err(fault),
                    };
                }
                if !self.input.is_at_end(text) {
                    return Ok(());
                }
            }
        }
    }
}

/// Read a whole document at once.
pub fn read_whole(data: &[u8], limits: Limits, options: Options) -> Result<(Scanner, Rows), ScanError> {
    let mut scanner = Scanner::new(Plan::everything(), limits, options);
    scanner.read(data, true)?;
    if let Some(error) = scanner.error.take() {
        return Err(error);
    }
    scanner.reader.projector.end_document();
    let harvest = scanner.take(true);
    Ok((scanner, harvest.rows))
}

/// An error of the kernel itself, reported like the others.
pub fn bug(detail: &str) -> ScanError {
    ScanError { kind: Kind::Bug, detail: detail.into(), byte_offset: 0, line: 0, column: 0, path: String::new() }
}
