//! Scans as a whole: documents in pieces of any size, what is told of them, and the errors that end them.

use _kernel::errors::Kind;
use _kernel::limits::Limits;
use _kernel::plan::{Keep, Plan, Step, COUNT, END, ITEM, START};
use _kernel::rows::Rows;
use _kernel::scanner::{read_whole, Harvest, Options, Scanner};

fn step(parent: usize, local: &str, report: u8, keep: Keep) -> Step {
    Step { parent, local: Some(local.into()), report, keep, attributes: Some(vec![]), ..Step::default() }
}

fn items() -> Plan {
    let steps = vec![step(0, "", 0, Keep::Nothing), step(0, "r", 0, Keep::Nothing), step(1, "i", ITEM, Keep::Subtree)];
    Plan { steps, comments: true }
}

fn scanner(plan: Plan) -> Scanner {
    Scanner::new(plan, Limits::default(), Options::default())
}

/// The text of each record's element, and the kind of the error at the end.
fn records(plan: &Plan, data: &[u8], size: usize) -> (Vec<String>, Option<(Kind, u64)>) {
    let mut scanner = scanner(plan.clone());
    let mut told = Vec::new();
    for piece in data.chunks(size) {
        match scanner.feed(piece, true) {
            Ok(harvest) => told.extend(harvest.iter().flat_map(texts)),
            Err(error) => return (told, Some((error.kind, error.byte_offset))),
        }
    }
    let outcome = scanner.finish().map(|harvest| told.extend(texts(&harvest)));
    let outcome = outcome.and_then(|()| scanner.feed(&[], false));
    (told, outcome.err().map(|error| (error.kind, error.byte_offset)))
}

fn texts(harvest: &Harvest) -> Vec<String> {
    harvest.rows.record_rows.iter().map(|&row| text(&harvest.rows, row as usize)).collect()
}

fn text(rows: &Rows, row: usize) -> String {
    let end = rows.ends[row] as usize;
    String::from_utf8_lossy(&rows.characters[rows.value_start(row)..rows.value_ends[end - 1]]).into_owned()
}

const DOCUMENT: &str = "<?xml version='1.0'?><!DOCTYPE r [<!ENTITY e 'E<b>&#38;amp;</b>'><!ATTLIST i d CDATA 'D'>]>\r
<r><i>1\r\n2</i> <x><i>no</i></x><i a='3&#10;'>&e;<!--c--><![CDATA[<]]]]></i>é<i/></r><?end?>";

#[test]
fn pieces_of_any_size_tell_the_same() {
    let whole = records(&items(), DOCUMENT.as_bytes(), usize::MAX);
    assert_eq!(whole, (vec!["D1\n2".into(), "3\nDE&c<]]".into(), "D".into()], None));
    for size in 1..DOCUMENT.len() {
        assert_eq!(records(&items(), DOCUMENT.as_bytes(), size), whole, "{size}");
    }
}

#[test]
fn every_cut_is_an_error_after_what_was_complete() {
    let end = DOCUMENT.find("<?end").unwrap();
    for cut in 1..end {
        let (told, error) = records(&items(), &DOCUMENT.as_bytes()[..cut], 7);
        let complete = DOCUMENT.as_bytes()[..cut].windows(4).filter(|part| *part == b"</i>").count();
        assert!(told.len() <= complete, "{cut}");
        assert_eq!(error.map(|(kind, _)| kind), Some(Kind::Syntax), "{cut}");
    }
}

#[test]
fn starts_ends_and_counts() {
    let steps = vec![
        step(0, "", 0, Keep::Nothing),
        step(0, "r", START | END, Keep::Nothing),
        step(1, "i", COUNT, Keep::Nothing),
    ];
    let mut scanner = scanner(Plan { steps, comments: false });
    assert!(scanner.feed(b"<r><i/><i>", false).unwrap().is_none());
    let first = scanner.feed(b"", true).unwrap().unwrap();
    assert_eq!((first.rows.record_kinds.as_slice(), first.counts.as_slice()), (&[START][..], &[0, 0, 2][..]));
    assert!(scanner.feed(b"</i></r>", false).unwrap().is_none());
    let last = scanner.finish().unwrap();
    assert_eq!((last.rows.record_kinds.as_slice(), last.rows.record_rows.as_slice()), (&[END][..], &[1][..]));
}

#[test]
fn an_open_item_takes_its_rows_along() {
    let mut plan = items();
    plan.steps.push(step(2, "k", ITEM, Keep::Subtree));
    let mut scanner = scanner(plan);
    let first = scanner.feed(b"<r><i>a<k>b</k>", true).unwrap().unwrap();
    assert_eq!(texts(&first), ["b"]);
    scanner.feed(b"c</i></r>", false).unwrap();
    assert_eq!(texts(&scanner.finish().unwrap()), ["abc"]);
}

#[test]
fn the_first_error_wins_however_the_input_is_cut() {
    let data = b"<r><i>1</i><i a=b>\x01</i></r>";
    for size in 1..data.len() {
        assert_eq!(records(&items(), data, size), (vec!["1".into()], Some((Kind::Syntax, 16))), "{size}");
    }
}

#[test]
fn whole_documents() {
    let (scanner, rows) = read_whole(DOCUMENT.as_bytes(), Limits::default(), Options::default()).ok().unwrap();
    assert_eq!(rows.ends[0] as usize, rows.len());
    assert_eq!(&*scanner.reader.projector.names.in_table(1).1, "r");
    let error = read_whole(b"<a>\n <b></a>", Limits::default(), Options::default()).err().unwrap();
    assert_eq!((error.byte_offset, error.line, error.column, error.path.as_str()), (10, 2, 7, "/a/b"));
}
