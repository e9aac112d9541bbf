"""Generates Rust code from a schema: one module per format, and the native objects they share."""

# The minimum version: rust-version in Cargo.toml.
RUST_VERSION = "1.94"
