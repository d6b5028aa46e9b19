//! Documents spoilt at random: no scan panics, reads what is not its own, or tells something else when its input is cut.
//!
//! `XYLEM_MUTANTS` says how many (the campaign runs ten million under a sanitizer, `make campaign`), `XYLEM_SEED` which.

use _kernel::limits::Limits;
use _kernel::plan::{Keep, Plan, Step, COUNT, END, ITEM, START, TEXTS};
use _kernel::scanner::{read_whole, Options, Scanner};

/// A generator of numbers that need not be good: `xorshift64*`.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 16
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }
}

const CORPUS: &[&str] = &[
    "<?xml version='1.0'?><!DOCTYPE r [<!ENTITY e 'E<b>&#38;amp;</b>'><!ATTLIST i d CDATA 'D' x:y ID #IMPLIED>]>\r
<r><i>1\r\n2</i> <x><i>no</i></x><i a='3&#10;'>&e;<!--c--><![CDATA[<]]]]></i>é<i/></r><?end?>",
    "<a xmlns='u' xmlns:p='v'><p:b p:c='1' d=\"&lt;&#x41;\"/><b xmlns=''><c/></b>text&amp;more</a>",
    "\u{feff}<r><i><i><i/></i></i><r><i>x</i></r></r>",
    "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><r><i>caf\u{e9}</i></r>",
    "<!DOCTYPE r [<!ENTITY % p '<!ENTITY q \"Q\">'>%p;<!ELEMENT r (i|x)*><!NOTATION n SYSTEM 's'><!ENTITY u SYSTEM 'x' NDATA n>]><r>&q;<i/></r>",
    "<r><i xml:space='preserve' xml:id=' a  b '> </i><i>]]&gt;</i><?p  q?><!-- - --></r>\n",
    "<!DOCTYPE r [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;'><!ENTITY c '&b;&b;&b;&b;'>]><r><i>&c;</i></r>",
];

const PIECES: &[&str] = &[
    "<",
    ">",
    "/>",
    "</",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "<?",
    "?>",
    "&",
    ";",
    "&#",
    "&#x",
    "&e;",
    "&#0;",
    "&#x110000;",
    "'",
    "\"",
    "=",
    " xmlns=''",
    " xmlns:p=''",
    "<!DOCTYPE r [",
    "]>",
    "<!ENTITY ",
    "<!ATTLIST i ",
    "CDATA",
    "\r\n",
    "\0",
    "\u{feff}",
    "\u{fffd}",
    "\u{10ffff}",
    "xml",
    "<?xml version='1.0' encoding='UTF-16'?>",
    "<i>",
    "</i>",
    "<r>",
    "</r>",
    "p:i",
    ":",
    "%p;",
    "NDATA",
];

fn mutant(random: &mut Random) -> Vec<u8> {
    let mut data = CORPUS[random.below(CORPUS.len())].as_bytes().to_vec();
    for _ in 0..=random.below(4) {
        let place = random.below(data.len() + 1);
        match random.below(7) {
            0 => data.truncate(place),
            1 if place < data.len() => data[place] ^= 1 << random.below(8),
            2 if place < data.len() => drop(data.remove(place)),
            3 => drop(data.splice(place..place, PIECES[random.below(PIECES.len())].bytes())),
            4 if place < data.len() => data[place] = random.next() as u8,
            5 => {
                let end = (place + random.below(40)).min(data.len());
                let copy = data[place..end].to_vec();
                let target = random.below(data.len() + 1);
                drop(data.splice(target..target, copy));
            }
            _ => {
                let other = CORPUS[random.below(CORPUS.len())].as_bytes();
                let from = random.below(other.len());
                let until = (from + random.below(60)).min(other.len());
                drop(data.splice(place..place, other[from..until].iter().copied()));
            }
        }
    }
    data
}

fn step(parent: usize, local: Option<&str>, is_descendant: bool, report: u8, keep: Keep) -> Step {
    let local = local.map(str::to_string);
    Step { parent, is_descendant, local, report, keep, attributes: Some(vec![]), ..Step::default() }
}

fn plans() -> Vec<Plan> {
    let root = || step(0, None, false, 0, Keep::Nothing);
    vec![
        Plan { steps: vec![root(), step(0, Some("i"), true, ITEM, Keep::Subtree)], comments: true },
        Plan {
            steps: vec![
                root(),
                step(0, None, true, START | END, Keep::Nothing),
                step(1, Some("i"), false, ITEM | COUNT, Keep::String),
            ],
            comments: false,
        },
        Plan {
            steps: vec![root(), Step { text: true, ..step(0, None, true, TEXTS | COUNT, Keep::Nothing) }],
            comments: false,
        },
    ]
}

type Told = (Vec<(u8, u32)>, Option<(u8, u64)>);

fn told(plan: &Plan, data: &[u8], cut: &mut dyn FnMut(usize) -> usize) -> Told {
    let mut scanner = Scanner::new(plan.clone(), Limits::default(), Options::default());
    let mut records = Vec::new();
    let mut rest = data;
    let mut fault = None;
    while !rest.is_empty() && fault.is_none() {
        let (piece, behind) = rest.split_at(cut(rest.len()).clamp(1, rest.len()));
        rest = behind;
        match scanner.feed(piece, false) {
            Ok(Some(harvest)) => add(&mut records, &harvest.rows),
            Ok(None) => {}
            Err(error) => fault = Some((error.kind as u8, error.byte_offset)),
        }
    }
    if fault.is_none() {
        match scanner.finish() {
            Ok(harvest) => {
                add(&mut records, &harvest.rows);
                fault = scanner.feed(&[], false).err().map(|error| (error.kind as u8, error.byte_offset));
            }
            Err(error) => fault = Some((error.kind as u8, error.byte_offset)),
        }
    }
    (records, fault)
}

fn add(records: &mut Vec<(u8, u32)>, rows: &_kernel::rows::Rows) {
    records.extend(rows.record_kinds.iter().copied().zip(rows.record_steps.iter().copied()));
}

#[test]
fn no_document_breaks_a_scan() {
    let number = |name: &str, usual: u64| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual);
    let (seed, mutants) = (number("XYLEM_SEED", 1), number("XYLEM_MUTANTS", 3_000));
    let plans = plans();
    let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    for mutant_number in 0..mutants {
        let data = mutant(&mut random);
        let plan = &plans[random.below(plans.len())];
        let whole = told(plan, &data, &mut |length| length);
        if random.below(4) == 0 {
            let most = 1 + random.below(9);
            let pieces = told(plan, &data, &mut |_| 1 + random.below(most));
            assert_eq!(pieces, whole, "seed {seed}, mutant {mutant_number}: {}", String::from_utf8_lossy(&data));
        }
        if random.below(4) == 0 {
            drop(read_whole(&data, Limits::default(), Options::default()));
        }
    }
}
