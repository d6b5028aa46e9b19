#!/bin/sh
# Mutated documents through the kernel, with whatever the toolchain offers to notice faults.
#   kernel/campaign.sh [MUTANTS] [SEED]      ten million documents by default; each run of a seed is the same
# With a nightly toolchain the address sanitizer watches; without one, assertions and checks of overflow do.
set -eu
cd "$(dirname "$0")"
mutants=${1:-10000000}
seed=${2:-$(date +%s)}
echo "seed $seed, $mutants documents"
export XYLEM_MUTANTS="$mutants" XYLEM_SEED="$seed"
if cargo +nightly --version >/dev/null 2>&1; then
  target=$(rustc -vV | sed -n 's/^host: //p')
  RUSTFLAGS='-Zsanitizer=address -Cdebug-assertions=on -Coverflow-checks=on' \
    cargo +nightly test --release --target "$target" --target-dir target/campaign --test mutated
else
  RUSTFLAGS='-Cdebug-assertions=on -Coverflow-checks=on' \
    cargo test --release --target-dir target/campaign --test mutated
fi
