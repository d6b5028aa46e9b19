//! A checksum of the sources goes into the kernel: Python compares it with the files where their times leave doubt
//! (python/xylem/source/stale_kernel.py, which computes the same).

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("src");
    println!("cargo:rerun-if-changed=src");
    let mut files = Vec::new();
    collect(&root, "", &mut files)?;
    files.sort();
    let mut checksum = !0u32;
    for (name, path) in &files {
        for byte in name.bytes().chain([0]).chain(fs::read(path)?) {
            checksum = updated(checksum, byte);
        }
    }
    println!("cargo:rustc-env=XYLEM_SOURCES={:08x}", !checksum);
    Ok(())
}

/// All Rust files below a folder, by their names relative to the root.
fn collect(folder: &Path, prefix: &str, files: &mut Vec<(String, PathBuf)>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let Some(own) = path.file_name().and_then(|name| name.to_str()) else { continue };
        let name = format!("{prefix}{own}");
        if path.is_dir() {
            collect(&path, &format!("{name}/"), files)?;
        } else if name.ends_with(".rs") {
            files.push((name, path));
        }
    }
    Ok(())
}

/// One step of CRC-32, as zlib computes it.
fn updated(checksum: u32, byte: u8) -> u32 {
    (0..8).fold(checksum ^ u32::from(byte), |sum, _| (sum >> 1) ^ (0xedb8_8320 & (sum & 1).wrapping_neg()))
}
