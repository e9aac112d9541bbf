# The only entry points a newcomer needs: demo, test, bench, lint, deps.
SHELL := /bin/bash
.DELETE_ON_ERROR:

VENV := .venv
PY := $(VENV)/bin/python
WIRELAB := $(VENV)/bin/wirelab
APT := $(shell sed 's/\#.*//' apt.txt)
SUDO := $(shell [ "$$(id -u)" = 0 ] || echo sudo)
BINARIES := target/release/.built
RUST_SOURCES := $(shell find crates -name '*.rs' -o -name Cargo.toml) Cargo.toml Cargo.lock

.PHONY: demo test bench lint format deps build clean

demo: build
	$(WIRELAB) compare examples/vehicle-status.jsonl --link lte-drive --need loss=0 --need 'p99<1s' \
	  --format json,protobuf,flatbuffers --rate 10/s --repeats 4 -o runs/demo

test: lint build
	cargo test --release --locked --workspace --quiet
	$(PY) -m pytest

lint: deps
	cargo fmt --all --check
	cargo clippy --release --locked --workspace --all-targets --quiet -- -D warnings
	$(VENV)/bin/ruff format --check src tests
	$(VENV)/bin/ruff check src tests
	$(VENV)/bin/mypy

format: deps
	cargo fmt --all
	$(VENV)/bin/ruff format src tests
	$(VENV)/bin/ruff check --fix src tests

bench: build
	$(PY) bench/run.py

build: deps $(BINARIES)

$(BINARIES): $(RUST_SOURCES)
	cargo build --release --locked --workspace --quiet
	touch $@

deps: $(VENV)/.installed target/.apt

# Debian packages, in one list; skipped when all of them are there.
target/.apt: apt.txt
	mkdir -p target
	dpkg -s $(APT) >/dev/null 2>&1 || { $(SUDO) apt-get update -q && $(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends $(APT); }
	touch $@

$(VENV)/.installed: requirements.lock pyproject.toml
	python3.11 -m venv $(VENV) || python3 -m venv $(VENV)
	$(PY) -m pip install -q --disable-pip-version-check --require-hashes -r requirements.lock
	$(PY) -m pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

clean:
	rm -rf target $(VENV) runs
