# The only entry points a newcomer needs: demo, test, bench, lint, deps.
SHELL := /bin/bash
.DELETE_ON_ERROR:

VENV := .venv
PY := $(VENV)/bin/python
WIRELAB := $(VENV)/bin/wirelab
APT_BUILD := $(shell sed '/^$$/q' apt.txt | sed 's/\#.*//')
APT_TEST := $(shell sed '1,/^$$/d' apt.txt | sed 's/\#.*//')
SUDO := $(shell [ "$$(id -u)" = 0 ] || echo sudo)
BINARIES := target/release/.built
PEERS := target/release/.peers
RUST_SOURCES := $(shell find crates -name '*.rs' -o -name Cargo.toml) Cargo.toml Cargo.lock
JAVA_SOURCES := java/pom.xml java/wirelab-peer-java $(shell find java/codecs java/peers java/actors -name pom.xml -o -path '*/src/*.java')

# Install Debian packages and note that it is done.
install = mkdir -p target && { dpkg -s $(1) >/dev/null 2>&1 || $(SUDO) sh apt-install.sh $(1); } && touch $@

# What failed is run once more with nothing beside it: two tests at a time keep each other from a CPU, and other programs those that measure.
# What is broken fails again; what did not stays to be read above.
ALONE := --last-failed --last-failed-no-failures none

# Beside another test nothing is measured: there a JVM need not compile a second time what it runs, which takes much of its CPU.
NOT_QUIET := JDK_JAVA_OPTIONS=-XX:TieredStopAtLevel=1 $(PY) -m pytest -m "not quiet"

# Servers that embed in a JVM: for --server NAME; they take a JDK and Maven.
EMBEDDED := californium artemis hivemq qpid

.PHONY: demo test bench lint format deps build peers packs kafka servers $(EMBEDDED) clean

demo: build
	$(WIRELAB) compare examples/vehicle-status.jsonl --link lte-drive --need loss=0 --need 'p99<1s' \
	  --format json,protobuf,flatbuffers --rate 10/s --repeats 4 -o runs/demo

test: lint peers kafka servers
	cargo test --release --locked --workspace --quiet
	$(NOT_QUIET) -n 2 --dist loadgroup || { [ $$? = 1 ] && $(NOT_QUIET) $(ALONE); }
	$(PY) -m pytest -m quiet || { [ $$? = 1 ] && $(PY) -m pytest $(ALONE) -m quiet; }

lint: deps
	cargo fmt --all --check
	cargo clippy --release --locked --workspace --all-targets --quiet -- -D warnings
	$(VENV)/bin/ruff format --check src reproductions tests
	$(VENV)/bin/ruff check src reproductions tests
	$(VENV)/bin/mypy

format: deps
	cargo fmt --all
	$(VENV)/bin/ruff format src reproductions tests
	$(VENV)/bin/ruff check --fix src reproductions tests

bench: peers kafka
	$(PY) bench/run.py

build: $(VENV)/.installed target/.apt-build $(BINARIES)

$(BINARIES): $(RUST_SOURCES) | target/.apt-build
	cargo build --release --locked --quiet
	touch $@

# The peers of every protocol.
peers: deps $(PEERS) target/.java target/release/wirelab-server-libcoap

$(PEERS): $(RUST_SOURCES) | target/.apt-build target/.apt-test
	cargo build --release --locked --workspace --quiet
	touch $@ $(BINARIES)

# A relay, or the car park, behind libcoap, for --server libcoap.
target/release/wirelab-server-libcoap: $(wildcard servers/libcoap/*.[ch]) | target/.apt-test
	mkdir -p target/release && $(CC) -O2 -g -Wall -Wextra -Werror -o $@ $(filter %.c,$^) -lcoap-3-openssl

# Java peers, and what runs codecs in Java: one Maven build.
target/.java: $(JAVA_SOURCES) | target/.apt-test $(VENV)/.installed
	$(PY) -m wirelab.codecs.java.toolchain codecs peers actors
	mkdir -p target/release && ln -sf ../../java/wirelab-peer-java target/release/
	$(PY) -m wirelab.lab.cds_archive peers
	touch $@

# The libraries of all Rust formats, compiled before a pack asks for them.
packs: build
	$(PY) -m wirelab.codecs.prebuild

# Apache Kafka's server, for --protocol kafka; it takes a JDK and Maven.
kafka: target/kafka/.copied

target/kafka/.copied: java/servers/kafka/pom.xml | $(VENV)/.installed
	mvn -q -B -ntp -f $< dependency:copy-dependencies
	$(PY) -m wirelab.lab.cds_archive kafka
	touch $@

servers: $(EMBEDDED)

$(EMBEDDED): %: target/servers/%/.built

.SECONDEXPANSION:
target/servers/%/.built: java/servers/pom.xml java/servers/%/pom.xml $$(shell find java/servers/common java/servers/$$* -name '*.java') | $(VENV)/.installed
	mvn -q -B -ntp -f $< package -pl $* -am
	$(PY) -m wirelab.lab.cds_archive $*
	touch $@

deps: $(VENV)/.installed target/.apt-build target/.apt-test target/.libraries

# Debian packages, in one list (apt.txt): its first block is what building takes, the rest what tests and devices take.
# Nothing is done where all of them are there.
target/.apt-build: apt.txt
	$(call install,$(APT_BUILD))

target/.apt-test: apt.txt
	$(call install,$(APT_TEST))

# C libraries for microcontrollers, from Debian's source packages.
target/.libraries: firmware/get-libraries.sh | target/.apt-test
	sh firmware/get-libraries.sh || { $(SUDO) apt-get update -q && sh firmware/get-libraries.sh; }
	touch $@

$(VENV)/.installed: requirements.lock pyproject.toml | target/.apt-build
	python3.11 -m venv $(VENV) || python3 -m venv $(VENV)
	$(PY) -m pip install -q --disable-pip-version-check --require-hashes -r requirements.lock
	$(PY) -m pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

clean:
	rm -rf target $(VENV) runs
