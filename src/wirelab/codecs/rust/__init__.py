"""Generation of Rust code from a schema: one module per format, plus the native objects they all start from."""

# The least version, as rust-version in Cargo.toml.
RUST_VERSION = "1.94"
