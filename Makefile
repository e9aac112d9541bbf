# Entry points: demo, wheel, test, test-all, test-changed, lint, format, bench, docs, deps. `make`
# lists them.
SHELL := /bin/bash
.DELETE_ON_ERROR:
.SILENT:
.DEFAULT_GOAL := help

# All that is built is under target/, where programs are looked for, whatever a user has set for
# cargo.
override export CARGO_TARGET_DIR := $(CURDIR)/target
unexport CARGO_BUILD_TARGET

VENV := .venv
PY := $(VENV)/bin/python
WIRELAB := $(VENV)/bin/wirelab
APT_BUILD := $(shell sed '/^$$/q' apt.txt | sed 's/\#.*//')
APT_TEST := $(shell sed '1,/^$$/d' apt.txt | sed 's/\#.*//')
SUDO := $(shell [ "$$(id -u)" = 0 ] || echo sudo)
RUST_SOURCES := $(shell find crates -name '*.rs' -o -name '*.c' -o -name '*.cpp' -o -name '*.h' -o -name '*.hpp' -o -name Cargo.toml) Cargo.toml Cargo.lock
# Modules that a build script lists, which `cargo fmt` does not find.
LISTED := $(wildcard crates/link-model/src/impairment/*/*.rs)
JAVA_SOURCES := java/pom.xml java/wirelab-peer-java $(shell find java/codecs java/peers java/actors java/servers/common -name pom.xml -o -path '*/src/*.java')
LIBCOAP_SOURCES := $(wildcard servers/libcoap/*.[ch])
PYTHON_SOURCES := src reproductions tests bench tools docs setup.py
# Servers that embed in a JVM.
EMBEDDED := $(patsubst java/servers/%/server.toml,%,$(wildcard java/servers/*/server.toml))

# What tests run is compiled without optimization: it takes a third of the time, and tests measure
# nothing. `make demo`, `make peers` and `make bench` use --release.
QUICK := target/quick
CARGO_QUICK := cargo build --profile quick --locked --workspace --quiet
TESTING := WIRELAB_BIN=$(CURDIR)/$(QUICK)

say = printf '  %-8s %s\n' $(1) $(2)
# Install Debian packages and note that it is done.
install = mkdir -p target && { dpkg -s $(1) >/dev/null 2>&1 || { $(call say,APT,"$@"); $(SUDO) sh apt-install.sh $(1); }; } && touch $@
pip = $(PY) -m pip $(or $(1),install) -q --disable-pip-version-check

.PHONY: help demo test test-all test-changed lint format bench docs wheel deps build peers packs kafka servers $(EMBEDDED) clean

help:
	echo 'make demo            a ranked answer for a shipped payload, measured; installs and builds what it needs'
	echo 'make test            what CI runs: every seam once (make lint is separate)'
	echo 'make test-all        the whole matrix; PART=contract PEER=mqtt name a part of it'
	echo 'make test-changed    the whole matrix of the parts that changed since BASE (default: the commit before)'
	echo 'make lint | format   check | mend the style of code and prose'
	echo 'make bench           measure wirelab itself, on an idle machine'
	echo 'make wheel           build a wheel with all programs into dist/'
	echo 'make docs            build the documentation site into target/site'
	echo 'make peers           build every peer and server; make packs prebuilds the codecs of all formats'
	echo 'make deps            install what the above need; make clean removes what was built'

demo: build
	$(WIRELAB) demo

test: testable
	$(call say,TEST,"Rust crates")
	cargo test --profile quick --locked --workspace --quiet
	$(TESTING) $(PY) tools/run_tests.py first

test-all: testable
	$(TESTING) $(PY) tools/run_tests.py all $(if $(PART),--part $(PART)) $(if $(PEER),--peer $(PEER))

test-changed: testable
	$(TESTING) $(PY) tools/run_tests.py changed $(if $(BASE),--base $(BASE)) $(if $(WITHIN),--within $(WITHIN))

lint: deps
	$(call say,LINT,rust)
	cargo fmt --all --check
	rustfmt --edition 2024 --check $(LISTED)
	cargo clippy --profile quick --locked --workspace --all-targets --quiet -- -D warnings
	$(call say,LINT,python)
	$(VENV)/bin/ruff format --check --quiet $(PYTHON_SOURCES)
	$(VENV)/bin/ruff check --quiet $(PYTHON_SOURCES)
	$(VENV)/bin/mypy --no-error-summary
	$(VENV)/bin/lint-imports > target/imports.log || { cat target/imports.log; exit 1; }
	$(call say,LINT,prose)
	$(PY) tools/lint_prose.py

format: deps
	cargo fmt --all
	rustfmt --edition 2024 $(LISTED)
	$(VENV)/bin/ruff format --quiet $(PYTHON_SOURCES)
	$(VENV)/bin/ruff check --fix --quiet $(PYTHON_SOURCES)

bench: peers kafka
	$(PY) bench/run.py

# A wheel with the programs of this machine's architecture: dist/wirelab-*.whl.
wheel: build target/release/.peers
	$(call say,WHEEL,dist)
	rm -rf target/wheel dist
	$(call pip,wheel) --no-deps --no-build-isolation --wheel-dir dist .

docs: $(VENV)/.docs
	$(call say,DOCS,target/site)
	$(VENV)/bin/mkdocs build --strict --quiet --site-dir target/site

build: $(VENV)/.core target/.apt-build target/release/.built

target/release/.built: $(RUST_SOURCES) | target/.apt-build
	$(call say,RUST,"programs (release)")
	cargo build --release --locked --quiet
	touch $@

# Every peer and server, optimized.
peers: build deps target/release/.peers target/release/wirelab-server-libcoap target/release/wirelab-peer-java

target/release/.peers: $(RUST_SOURCES) | target/.apt-build target/.apt-test
	$(call say,RUST,"peers (release)")
	cargo build --release --locked --workspace --quiet
	touch $@ target/release/.built

# Every peer and server, as tests run them.
testable: deps $(QUICK)/.peers $(QUICK)/wirelab-server-libcoap $(QUICK)/wirelab-peer-java kafka servers

$(QUICK)/.peers: $(RUST_SOURCES) | target/.apt-build target/.apt-test
	$(call say,RUST,"peers (quick)")
	$(CARGO_QUICK)
	touch $@

target/%/wirelab-server-libcoap: $(LIBCOAP_SOURCES) | target/.apt-test
	$(call say,CC,$@)
	mkdir -p $(@D) && $(CC) -O2 -g -Wall -Wextra -Werror -o $@ $(filter %.c,$^) -lcoap-3-openssl -lcjson

target/%/wirelab-peer-java: target/.java
	mkdir -p $(@D) && ln -sf ../../java/wirelab-peer-java $@

# Java peers, and what runs codecs in Java: one Maven build.
target/.java: $(JAVA_SOURCES) | target/.apt-test $(VENV)/.core
	$(call say,MAVEN,"peers and codecs")
	$(PY) -m wirelab.codecs.java.toolchain codecs peers actors
	WIRELAB_BIN=$(CURDIR)/java $(PY) -m wirelab.lab.cds_archive peers
	touch $@

# The libraries of all Rust formats, compiled before a pack asks for them.
packs: build
	$(PY) -m wirelab.codecs.prebuild

# Apache Kafka's server, for --protocol kafka; it takes a JDK and Maven.
kafka: target/kafka/.copied

target/kafka/.copied: java/servers/kafka/pom.xml | target/.apt-test $(VENV)/.core
	$(call say,MAVEN,kafka)
	mvn -q -B -ntp -f $< dependency:copy-dependencies
	$(PY) -m wirelab.lab.cds_archive kafka
	touch $@

servers: $(EMBEDDED)

$(EMBEDDED): %: target/servers/%/.built

.SECONDEXPANSION:
target/servers/%/.built: java/servers/pom.xml java/servers/%/pom.xml $$(shell find java/servers/common java/servers/$$* -name '*.java') | target/.apt-test $(VENV)/.core
	$(call say,MAVEN,$*)
	mvn -q -B -ntp -f $< -Dserver=$* package
	$(PY) -m wirelab.lab.cds_archive $*
	touch $@

deps: $(VENV)/.dev target/.apt-build target/.apt-test target/.libraries

# Debian packages, in one list (apt.txt): its first block is what building takes, the rest what
# tests and devices take. Nothing is done where all of them are installed.
target/.apt-build: apt.txt
	$(call install,$(APT_BUILD))

target/.apt-test: apt.txt
	$(call install,$(APT_TEST))

# C libraries for microcontrollers, from Debian's source packages.
target/.libraries: firmware/get-libraries.sh | target/.apt-test
	$(call say,APT,"sources of nanopb and tinycbor")
	sh firmware/get-libraries.sh || { $(SUDO) apt-get update -q && sh firmware/get-libraries.sh; }
	touch $@

# What wirelab runs with; what tests, linters and the cluster add; what the site adds.
$(VENV)/.core: requirements.lock pyproject.toml | target/.apt-build
	$(call say,PIP,wirelab)
	python3.11 -m venv $(VENV) || python3 -m venv $(VENV)
	$(pip) --require-hashes -r requirements.lock
	$(pip) --no-deps --no-build-isolation -e .
	touch $@

$(VENV)/.dev: requirements-dev.lock $(VENV)/.core
	$(call say,PIP,"tests and linters")
	$(pip) --require-hashes -r requirements-dev.lock
	touch $@

$(VENV)/.docs: requirements-docs.lock $(VENV)/.core
	$(call say,PIP,mkdocs)
	$(pip) --require-hashes -r requirements-docs.lock
	touch $@

clean:
	rm -rf target $(VENV) runs dist
