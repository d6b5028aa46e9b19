//! The scan kernel of Xylem: bytes in, flat batches of records out.
//!
//! Policy stays in Python. This crate knows nothing of queries: it is handed plain descriptions and buffers.
//! The kernel proper is plain Rust; what Python sees of it stands in `bindings`, one file per concept.

pub mod build_info;

#[cfg(feature = "python")]
mod bindings;
