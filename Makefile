# Every command of the project, the same for a developer and for continuous integration.
#   make demo         a query and its explanation, then three continuous queries over a stream, on Spark
#   make test         everything that must hold: lint, types, tests, conformance sample, kernel
#   make test-all     the same with every slow test: `make test` runs those whose turn it is today (tests/turns.py)
#   make campaign     what takes hours: mutated queries and documents, damaged checkpoints, faults, kills (docs/reliability.md)
#   make conformance  the whole W3C suite (needs the suite, see docs/conformance.md)
# Each one prepares what it needs; `make install` alone does only that, into .venv.

PYTHON ?= python3
JOBS   ?= 2
# One more than cores: some tests wait for a server, a process that they kill, the clock.
WORKERS ?= 3
VENV   := .venv
BIN    := $(VENV)/bin
PACKAGES := $(VENV)/.packages
STAMP  := $(VENV)/.installed
ARCHIVE := $(VENV)/.class-archive
CARGO  := $(shell command -v cargo 2>/dev/null)
KERNEL := $(wildcard kernel/Cargo.toml kernel/build.rs kernel/src/*.rs kernel/src/*/*.rs)

.PHONY: install demo test test-all lint types collected unit kernel-test campaign bench docs site conformance format clean
.DEFAULT_GOAL := install

# Bytecode is written even where PYTHONDONTWRITEBYTECODE is set: without it every start compiles the whole engine.
export PYTHONDONTWRITEBYTECODE :=
install: $(PACKAGES) $(STAMP)
	@$(BIN)/python -c 'import xylem._kernel' 2>/dev/null || \
	  echo 'warning: the Rust kernel was not built (cargo or its crates are missing); the Python fallback is in use' >&2
	@$(BIN)/python -m compileall -q python/xylem

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo 'Xylem needs Python 3.11 or later; say which with: make PYTHON=python3.12 …' >&2; exit 2; }
	@$(PYTHON) -m venv $(VENV)

# Packages of others, and ours with the kernel, which need each other only when they run: one waits for the network while
# the other compiles. Of the packages, only what is loaded is compiled, when it is.
$(PACKAGES): pyproject.toml | $(BIN)/python
	@$(BIN)/python -c 'import tomllib; about = tomllib.load(open("pyproject.toml", "rb"))["project"]; \
	  print(*about["dependencies"], *about["optional-dependencies"]["dev"], sep="\n")' > $(VENV)/packages.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --requirement $(VENV)/packages.txt
	@touch $@

$(STAMP): pyproject.toml python/xylem/version.py $(KERNEL) | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@

demo: install
	@PATH="$(CURDIR)/$(BIN):$$PATH" sh examples/demo.sh

# The kernel takes longest: it comes first, and the others give way to it (nice). Packages are fetched and it is tested
# meanwhile, then types are checked: no core waits for the other. The tests then have both to themselves.
test:
	@$(MAKE) --no-print-directory --jobs $(WORKERS) $(STAMP) $(PACKAGES) kernel-test types collected lint $(ARCHIVE)
	@$(MAKE) --no-print-directory unit

test-all:
	XYLEM_ALL_TESTS=1 $(MAKE) test

lint: $(PACKAGES)
	$(BIN)/ruff check python tests examples

types: $(PACKAGES)
	nice $(BIN)/mypy

# tests/conftest.py says which tests stay together, and in which order they begin: by itself pytest-xdist would leave the
# files with few tests, which are the slowest, for the end.
unit: install $(ARCHIVE)
	$(BIN)/pytest --numprocesses $(WORKERS) --dist loadfile --no-loadscope-reorder

# Workers of pytest read all tests each. The first time, reading includes compiling them: that is done once, before.
collected: $(PACKAGES)
	@nice $(BIN)/pytest --collect-only -qq > $(VENV)/collected.txt 2>&1 || true

# Spark's classes ready to load: tests start Java many times, and each start takes half as long. Without Java there is none.
# It needs packages of others only, and is made while the kernel is being built.
$(ARCHIVE): $(PACKAGES)
	@PYTHONPATH=python nice $(BIN)/python -m xylem.spark.class_archive > $@ 2>/dev/null || true

kernel-test:
ifneq ($(CARGO),)
	cd kernel && nice cargo test --quiet && nice cargo clippy --quiet --all-targets --all-features -- -D warnings
else
	@echo 'kernel tests skipped: cargo is not installed'
endif

# Each part says what would repeat it. The kernel's comes last: it is the longest, and needs no Spark.
campaign: install $(ARCHIVE)
	XYLEM_CAMPAIGN=1 $(BIN)/pytest --numprocesses $(JOBS) tests/robustness tests/differential/test_every_way.py \
	  tests/run/stream/test_looking_around.py tests/run/stream/test_random_nested.py
	XYLEM_CAMPAIGN=1 $(BIN)/pytest --numprocesses $(JOBS) --timeout 0 tests/run/history
	XYLEM_CAMPAIGN=1 $(BIN)/pytest tests/spark/continuous/test_damaged_checkpoint.py
	XYLEM_CAMPAIGN=1 XYLEM_KILLS=100 $(BIN)/pytest --timeout 0 tests/cli/test_checkpoint.py \
	  tests/spark/continuous/test_killed_sinks.py tests/spark/continuous/test_killed_runs.py \
	  tests/spark/continuous/test_killed_windows.py tests/spark/continuous/test_killed_updates.py tests/spark/continuous/test_kafka.py
	sh kernel/campaign.sh

bench: install
	$(BIN)/xylem bench xmark

docs: install
	$(BIN)/python -m xylem.errors.page docs/errors.md
	$(BIN)/python -m xylem.bench.streamability docs/streamability.md

# The documentation as a site, in build/site; a page that is in no menu, or a link between pages that is broken, is an error.
site: install
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'mkdocs>=1.6,<2'
	$(BIN)/mkdocs build --quiet

conformance: install
	$(BIN)/python -m xylem.conformance.whole_suite -j 2 --table docs/conformance.md

format: $(PACKAGES)
	$(BIN)/ruff format python tests examples
	$(BIN)/ruff check --fix-only python tests examples

clean:
	rm -rf $(VENV) build dist kernel/target python/*.egg-info python/xylem/_kernel*.so
