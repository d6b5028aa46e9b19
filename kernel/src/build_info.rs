//! The version and profile of the build, so that a report can name them.

/// The version of the kernel, the same as that of the Python package.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// `release` or `debug`: a debug kernel is many times slower, which nothing else would reveal.
pub const PROFILE: &str = if cfg!(debug_assertions) { "debug" } else { "release" };

/// The checksum of the sources of this kernel (build.rs).
pub const SOURCES: &str = env!("XYLEM_SOURCES");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_has_three_numbers() {
        assert_eq!(VERSION.split('.').filter(|part| part.parse::<u32>().is_ok()).count(), 3);
    }

    #[test]
    fn the_profile_follows_the_assertions() {
        assert_eq!(PROFILE == "debug", cfg!(debug_assertions));
    }
}
