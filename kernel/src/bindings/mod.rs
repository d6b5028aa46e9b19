//! The Python interface: the module `xylem._kernel`, private to one Python file.

mod best_match;
mod columns;
mod cut_points;
mod errors;
mod expression;
mod last_resort;
mod messages;
mod pictures;
mod plan;
mod read_tree;
mod record_checker;
mod scanner;
mod simple_updates;
mod table;
mod takers;
mod template;
mod text_updates;
mod tree;
mod tree_columns;
mod tree_template;
mod windows;
mod written_pairs;

use pyo3::prelude::*;

use crate::{build_info, memory};

/// If the process ends because nothing else helps: the message and exit code of XYRT0042.
const LAST_WORDS: &[u8] = b"XYRT0042: there is not enough memory\n";
const QUERY_ERROR: i32 = 1;

/// The native part of Xylem. `xylem.source.kernel` is the only file that imports it.
#[pymodule]
mod _kernel {
    #[pymodule_export]
    use super::best_match::{best_pairs, MatchIndex, NumberColumn};
    #[pymodule_export]
    use super::cut_points::{contains, find_cuts, CutFinder, DocumentSplitter};
    #[pymodule_export]
    use super::errors::ScanError;
    #[pymodule_export]
    use super::last_resort::LastResort;
    #[pymodule_export]
    use super::messages::{MessageBatch, MessageReader};
    #[pymodule_export]
    use super::read_tree::{read_tree, TreeColumns};
    #[pymodule_export]
    use super::record_checker::RecordChecker;
    #[pymodule_export]
    use super::scanner::Scanner;
    #[pymodule_export]
    use super::simple_updates::simple_updates;
    #[pymodule_export]
    use super::text_updates::{simple_extent, TextUpdates};
    #[pymodule_export]
    use super::tree::{CompactRows, NameTable, PathPlan, SubtreeText};
    #[pymodule_export]
    use super::tree_columns::{RowColumn, ValueColumn};
    #[pymodule_export]
    use super::tree_template::{TreeNames, TreeTemplate};
    #[pymodule_export]
    use super::windows::WindowCursor;
    #[pymodule_export]
    use super::written_pairs::{PairRows, PairTexts, PairWriter};
    use super::{build_info, memory, Bound, PyModule, PyModuleMethods, PyResult, LAST_WORDS, QUERY_ERROR};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        memory::prepare(LAST_WORDS.to_vec(), QUERY_ERROR);
        module.add("VERSION", build_info::VERSION)?;
        module.add("PROFILE", build_info::PROFILE)?;
        module.add("SOURCES", build_info::SOURCES)
    }
}
